"""A line of plain text in which tokens stand out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gui.style.palette import theme, token_font, ui_font
from gui.style.theme import UNIT
from gui.widgets.labels import plain_label

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
        layout = self._laid_out(1e6)
        return QSize(int(layout.boundingRect().width()) + 2, int(layout.boundingRect().height()))

    def minimumSizeHint(self) -> QSize:
        """Return a width that is enough for a word."""
        return QSize(LEAST_WIDTH, self.fontMetrics().height())

    def hasHeightForWidth(self) -> bool:
        """Return true: the sentence wraps."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the wrapped sentence."""
        return int(self._laid_out(max(width, LEAST_WIDTH)).boundingRect().height() + 0.99)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._keep_whole()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the sentence."""
        painter = QPainter(self)
        colours = theme()
        painter.setPen(QColor(colours.muted if self._muted else colours.text))
        self._laid_out(self.width()).draw(painter, QPointF(0, 0))
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

    def _laid_out(self, width: float) -> QTextLayout:
        if width not in self._layouts:
            if len(self._layouts) >= MOST_WIDTHS:
                self._layouts.clear()
            self._layouts[width] = self._lay_out(width)
        return self._layouts[width]

    def _lay_out(self, width: float) -> QTextLayout:
        plain, token = ui_font(), token_font(bold=True)
        layout = QTextLayout(self.text, plain)
        option = QTextOption()
        # A token at the beginning that is read from right to left must not turn the sentence.
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        ranges, start = [], 0
        for part in self._parts:
            length = len((part.text if isinstance(part, Token) else part).encode("utf-16-le")) // 2
            if isinstance(part, Token):
                run = QTextLayout.FormatRange()
                run.start, run.length = start, length
                look = QTextCharFormat()
                look.setFont(token)
                look.setForeground(QColor(theme().text))
                run.format = look
                ranges.append(run)
            start += length
        layout.setFormats(ranges)
        layout.beginLayout()
        top = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top))
            top += line.height()
        layout.endLayout()
        return layout


STRIPE = 4


class Banner(QWidget):
    """A heading, a sentence and buttons on a ground of their own: a guest of the window.

    Parameters
    ----------
    about
        Accessible name of the sentence.
    alarming
        Paint it as what nobody should miss, with a stripe at its left.
    """

    def __init__(self, about: str, *, alarming: bool = False) -> None:
        super().__init__()
        self.alarming = alarming
        self.heading = plain_label(role="title", wraps=True)
        self.text = Sentence(about, muted=False)
        self._says = QVBoxLayout()
        self._says.setSpacing(UNIT // 2)
        self._says.addWidget(self.heading)
        self._says.addWidget(self.text)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(UNIT * 2, UNIT, UNIT * 2, UNIT)
        self._row.setSpacing(UNIT)
        self._row.addLayout(self._says, 1)

    def add_buttons(self, buttons: Iterable[QPushButton]) -> None:
        """Put buttons at the right."""
        for button in buttons:
            self._row.addWidget(button)

    def add_below_heading(self, widget: QWidget) -> None:
        """Put something between heading and sentence."""
        self._says.insertWidget(1, widget)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground, stripe and the line below."""
        colours = theme()
        painter = QPainter(self)
        ground = colours.bad_ground if self.alarming else colours.accent_ground
        painter.fillRect(self.rect(), QColor(ground))
        if self.alarming:
            painter.fillRect(0, 0, STRIPE, self.height(), QColor(colours.bad))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(colours.line))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Paint again in another theme."""
        super().changeEvent(event)
        self.update()
