"""What the lines under the top bar have in common."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.palette import theme
from gui.panels.sentence import Sentence
from gui.theme import UNIT
from gui.widgets.plain_label import plain_label

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
