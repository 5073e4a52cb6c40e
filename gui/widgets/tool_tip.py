"""Tool tips that show text as it is.

Qt takes text that looks like HTML for HTML: the token `<s>` would show nothing.
"""

from html import escape

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QToolTip, QWidget


def literal(text: str) -> str:
    """Return text for `setToolTip` that is shown as it is, empty for empty."""
    if not text:
        return ""
    # The tag makes Qt take it for rich text always, so that the escapes are always undone.
    return f'<p style="white-space:pre">{escape(text)}</p>'


def of_token(label: str, piece: bool) -> str:
    """Return what a tool tip says first of a token: its label, and what it is if no text.

    Parameters
    ----------
    label
        As it is shown.
    piece
        Whether it is some of the bytes of a character.
    """
    return f"bytes {label.partition('#')[0]}: a piece of a character" if piece else label


def show(text: str, at: QPoint, owner: QWidget) -> None:
    """Show text as it is near a place on the screen; empty text hides the tool tip."""
    if text:
        QToolTip.showText(at, literal(text), owner)
    else:
        QToolTip.hideText()
