"""A label that shows text literally: a token, a path or a user's words are never read as HTML."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar

PARTS = 1000
"""Of a whole, that a progress bar tells apart."""


def plain_label(
    text: str = "", role: str = "", *, wraps: bool = False, selectable: bool = False
) -> QLabel:
    """Return a label of plain text.

    Parameters
    ----------
    text
        What it says.
    role
        How the style sheet sets it, such as `title` or `small`; empty for ordinary text.
    wraps
        Whether it breaks into lines.
    selectable
        Whether it can be selected by mouse.
    """
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if role:
        label.setProperty("role", role)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def show_progress(bar: QProgressBar, done: int, total: int) -> None:
    """Show how far it is, in parts that fit Qt's int; without a total, that something moves."""
    bar.setRange(0, PARTS if total else 0)
    bar.setValue(done * PARTS // total if total else 0)
