"""A panel as a card that can be moved: the dock's title bar is the panel's own head."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QDockWidget, QWidget

from gui.palette import theme
from gui.panels.panel import Panel
from gui.theme import RADIUS


class CardDock(QDockWidget):
    """A dock painted as one rounded card."""

    def __init__(self, panel: Panel, parent: QWidget) -> None:
        super().__init__(panel.title, parent)
        self.setObjectName(panel.title)  # the name under which Qt keeps its place
        self.panel = panel
        self.setTitleBarWidget(panel.header)
        self.setWidget(panel)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground and edge."""
        colours = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.line)))
        painter.setBrush(QColor(colours.card))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5),
            0 if self.isFloating() else RADIUS,
            0 if self.isFloating() else RADIUS,
            Qt.SizeMode.AbsoluteSize,
        )
        painter.end()
