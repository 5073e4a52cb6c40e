"""A panel as a card that can be moved: the dock's title bar is the panel's own head."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QDockWidget, QWidget

from gui.engine_client import EngineClient
from gui.palette import theme
from gui.panels.panel import Panel
from gui.session import Session
from gui.theme import RADIUS


class CardDock(QDockWidget):
    """A dock painted as one rounded card, whose panel is made when it is first opened.

    Most panels stay closed, and the window is there sooner without them.

    Parameters
    ----------
    kind
        The panel's class.
    session, client
        What the panel is made with.
    parent
        The window that holds the dock.
    """

    filled = Signal(Panel)
    """The panel was made."""

    def __init__(
        self, kind: type[Panel], session: Session, client: EngineClient, parent: QWidget
    ) -> None:
        super().__init__(kind.title, parent)
        self.setObjectName(kind.title)  # the name under which Qt keeps its place
        self.kind = kind
        self.panel: Panel | None = None
        self._session, self._client = session, client

    def fill(self) -> Panel:
        """Return the panel, made if it was not yet."""
        if self.panel is None:
            self.panel = self.kind(self._session, self._client)
            self.setTitleBarWidget(self.panel.header)
            self.setWidget(self.panel)
            self.filled.emit(self.panel)
        return self.panel

    def showEvent(self, event: QShowEvent) -> None:
        """Make the panel now at the latest."""
        self.fill()
        super().showEvent(event)

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
