"""What lies over a card, or over a part of it, until a guided example reveals it."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.palette import theme, ui_font
from gui.theme import RADIUS, UNIT

SAYS = "Hidden until you press Reveal"


class Cover(QWidget):
    """Hides a widget inside a card; it can neither be seen nor clicked.

    Parameters
    ----------
    card
        The card.
    part
        What is hidden of it: the card itself, or a widget in it.
    title
        The card's name, which stays readable.
    """

    def __init__(self, card: QWidget, part: QWidget, title: str) -> None:
        super().__init__(card)
        self._card, self._part, self._title = card, part, title
        self.setAccessibleName(f"{title}: {SAYS.lower()}")
        part.installEventFilter(self)
        card.installEventFilter(self)
        self._place()
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow what is hidden."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest):
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card's ground, its title where that is hidden too, and why."""
        colours = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.line)))
        painter.setBrush(QColor(colours.card))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, RADIUS, RADIUS, Qt.SizeMode.AbsoluteSize)
        inside = self.rect().adjusted(UNIT * 3 // 2, UNIT, -UNIT, -UNIT)
        if self._part is self._card:
            painter.setPen(QColor(colours.text))
            painter.setFont(ui_font(bold=True))
            painter.drawText(inside, int(Qt.AlignmentFlag.AlignTop), self._title)
        painter.setPen(QColor(colours.muted))
        painter.setFont(ui_font())
        flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(inside, flags, SAYS)
        painter.end()

    def _place(self) -> None:
        corner = QPoint()
        if self._part is not self._card:
            corner = self._part.mapTo(self._card, corner)
        self.setGeometry(QRect(corner, self._part.size()))
