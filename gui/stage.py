"""Where the cards lie: a window of docks inside the window, which gives them a margin."""

from PySide6.QtCore import QChildEvent, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget

from gui.theme import UNIT

SETTLED_MS = 50


class Stage(QMainWindow):
    """Keeps the shares of a layout's columns when it grows, until an edge or a card is moved."""

    room_changed = Signal()
    """It has another size, and its cards still lie as they were laid out."""
    tab_clicked = Signal(str)
    """The title of a card that was called to the front."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.as_laid_out = False
        """Whether no edge and no card was moved since a layout was chosen."""
        # At once, and again when the cards have moved their controls to where there is room.
        self._timers = [QTimer(self, interval=ms, singleShot=True) for ms in (0, SETTLED_MS)]
        for timer in self._timers:
            timer.timeout.connect(self._tell)

    def event(self, event: QEvent) -> bool:
        """Notice that somebody takes hold of an edge between cards; get to know new tabs."""
        if isinstance(event, QChildEvent) and event.type() == QEvent.Type.ChildPolished:
            tabs = event.child()
            if isinstance(tabs, QTabBar):
                tabs.tabBarClicked.connect(self._on_tab, Qt.ConnectionType.UniqueConnection)
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonPress
            # What a card leaves unanswered comes here as well, but lies on that card.
            and self.childAt(event.position().toPoint()) is None
        ):
            self.as_laid_out = False
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell of the new room, once Qt has shared it out in its way."""
        super().resizeEvent(event)
        if self.as_laid_out:
            for timer in self._timers:
                timer.start()

    def _on_tab(self, number: int) -> None:
        tabs = self.sender()
        if isinstance(tabs, QTabBar) and number >= 0:
            self.tab_clicked.emit(tabs.tabText(number))

    def _tell(self) -> None:
        if self.as_laid_out:
            self.room_changed.emit()
