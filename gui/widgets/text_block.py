"""Paragraphs of plain text, each in its own look, wrapped to a width; for painted widgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QPainter, QTextLayout, QTextOption

from gui import palette

Look = Literal["title", "strong", "plain", "small", "code", "bad"]
_GAP = 2.0


@dataclass(frozen=True)
class Paragraph:
    """Text as it is, and how it looks."""

    text: str
    look: Look = "plain"


class TextBlock:
    """Paragraphs laid out below one another.

    Parameters
    ----------
    paragraphs
        From above; empty ones are left out.
    width
        Pixels.
    """

    def __init__(self, paragraphs: Sequence[Paragraph], width: float) -> None:
        self._laid_out: list[tuple[QTextLayout, Look]] = []
        top = 0.0
        for paragraph in paragraphs:
            if paragraph.text:
                layout, top = _lay_out(paragraph, width, top)
                self._laid_out.append((layout, paragraph.look))
                top += _GAP
        self.height = max(top - _GAP, 0.0)
        """Pixels."""

    def draw(self, painter: QPainter, at: QPointF) -> None:
        """Write the paragraphs with their top left corner at a place."""
        for layout, look in self._laid_out:
            painter.setPen(_colour(look))
            layout.draw(painter, at)


def _lay_out(paragraph: Paragraph, width: float, top: float) -> tuple[QTextLayout, float]:
    """Return a paragraph below a height, and the height below it."""
    layout = QTextLayout(paragraph.text, _font(paragraph.look))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1.0))
        line.setPosition(QPointF(0, top))
        top += line.height()
    layout.endLayout()
    return layout, top


def _font(look: Look) -> QFont:
    if look == "code":
        return palette.token_font(small=True)
    return palette.ui_font(bold=look in ("title", "strong"), small=look == "small")


def _colour(look: Look) -> QColor:
    theme = palette.theme()
    colours = {"small": theme.muted, "code": theme.muted, "bad": theme.bad}
    return QColor(colours.get(look, theme.text))
