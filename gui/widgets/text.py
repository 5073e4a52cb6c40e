"""Texts that are painted as they are, never as HTML: paragraphs, sentences with tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.style.palette import theme, token_font, ui_font

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
                font = _font(paragraph.look)
                layout, top = _laid_out(paragraph.text, font, width, top)
                self._laid_out.append((layout, paragraph.look))
                top += _GAP
        self.height = max(top - _GAP, 0.0)
        """Pixels."""

    def draw(self, painter: QPainter, at: QPointF) -> None:
        """Write the paragraphs with their top left corner at a place."""
        for layout, look in self._laid_out:
            painter.setPen(_colour(look))
            layout.draw(painter, at)


def _laid_out(
    text: str,
    font: QFont,
    width: float,
    top: float = 0.0,
    formats: Sequence[QTextLayout.FormatRange] = (),
) -> tuple[QTextLayout, float]:
    """Wrap a text below a height, and return the height below it too."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    # A token at the beginning that is read from right to left must not turn the sentence.
    option.setTextDirection(Qt.LayoutDirection.LeftToRight)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.setFormats(formats)
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1.0))
        line.setPosition(QPointF(0, top))
        top += line.height()
    layout.endLayout()
    return layout, top


def _font(look: Look) -> QFont:
    if look == "code":
        return token_font(small=True)
    return ui_font(bold=look in ("title", "strong"), small=look == "small")


def _colour(look: Look) -> QColor:
    colours = {"small": theme().muted, "code": theme().muted, "bad": theme().bad}
    return QColor(colours.get(look, theme().text))


LEAST_WIDTH = 60
MOST_WIDTHS = 8
"""Widths whose lines are remembered: layouts ask for a few, again and again."""


@dataclass(frozen=True)
class Token:
    """A piece of a sentence that is a token of the model."""

    text: str


def plain_text(parts: Sequence[str | Token]) -> str:
    """Return a sentence without its look, as a tool tip says it."""
    return "".join(part.text if isinstance(part, Token) else part for part in parts)


class Sentence(QWidget):
    """Plain text and tokens, wrapped to the width at hand; never read as HTML.

    Parameters
    ----------
    name
        Accessible name.
    muted
        Write the plain parts in the colour of small print.
    """

    def __init__(self, name: str, *, muted: bool = True) -> None:
        super().__init__()
        self._name = name
        self._muted = muted
        self._parts: tuple[str | Token, ...] = ()
        self._layouts: dict[float, QTextLayout] = {}
        self.setAccessibleName(name)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    @property
    def text(self) -> str:
        """The whole sentence."""
        return plain_text(self._parts)

    def set_parts(self, parts: Sequence[str | Token]) -> None:
        """Say something else."""
        if tuple(parts) != self._parts:
            self._parts = tuple(parts)
            self._layouts.clear()
            self.setAccessibleDescription(self.text)
            self.updateGeometry()
            self._keep_whole()
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the sentence on one line."""
        layout = self._wrapped(1e6)
        return QSize(int(layout.boundingRect().width()) + 2, int(layout.boundingRect().height()))

    def minimumSizeHint(self) -> QSize:
        """Return a width that is enough for a word."""
        return QSize(LEAST_WIDTH, self.fontMetrics().height())

    def hasHeightForWidth(self) -> bool:
        """Return true: the sentence wraps."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the wrapped sentence."""
        return int(self._wrapped(max(width, LEAST_WIDTH)).boundingRect().height() + 0.99)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._keep_whole()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the sentence."""
        painter = QPainter(self)
        colours = theme()
        painter.setPen(QColor(colours.muted if self._muted else colours.text))
        self._wrapped(self.width()).draw(painter, QPointF(0, 0))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again when font or theme change."""
        if event.type() in (
            QEvent.Type.FontChange,
            QEvent.Type.PaletteChange,
            QEvent.Type.StyleChange,
        ):
            self._layouts.clear()
            self.updateGeometry()
            self._keep_whole()
            self.update()
        super().changeEvent(event)

    def _keep_whole(self) -> None:
        # What scrolls asks for the least height only, where wrapped text has but one line.
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def _wrapped(self, width: float) -> QTextLayout:
        if width not in self._layouts:
            if len(self._layouts) >= MOST_WIDTHS:
                self._layouts.clear()
            self._layouts[width], _ = _laid_out(
                self.text, ui_font(), width, formats=self._formats()
            )
        return self._layouts[width]

    def _formats(self) -> list[QTextLayout.FormatRange]:
        """Return where the tokens are, and how they look."""
        look = QTextCharFormat()
        look.setFont(token_font(bold=True))
        look.setForeground(QColor(theme().text))
        ranges, start = [], 0
        for part in self._parts:
            length = len((part.text if isinstance(part, Token) else part).encode("utf-16-le")) // 2
            if isinstance(part, Token):
                run = QTextLayout.FormatRange()
                run.start, run.length, run.format = start, length, look
                ranges.append(run)
            start += length
        return ranges
