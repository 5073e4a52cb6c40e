"""Where the cards lie: a window of docks inside the window, which gives them a margin."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QTabWidget

from gui.dock import CardDock
from gui.layouts import Layout, folds, share_columns
from gui.theme import UNIT

SETTLED_MS = 50


class Stage(QMainWindow):
    """Keeps the shares of a layout's columns when it grows, until somebody moves an edge."""

    crowded = Signal()
    """Other cards than before have to lie behind others, or need not any more."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._docks: Sequence[CardDock] = ()
        self._layout: Layout | None = None
        self._folds: tuple[int, bool] | None = None
        # At once, and again when the cards have moved their controls to where there is room.
        self._timers = [QTimer(self, interval=ms, singleShot=True) for ms in (0, SETTLED_MS)]
        for timer in self._timers:
            timer.timeout.connect(self._share_again)

    def keep_shares(self, docks: Sequence[CardDock], layout: Layout | None) -> None:
        """Keep the columns as a layout has them; none: as they are."""
        self._docks, self._layout = docks, layout
        self._folds = folds(layout, self.window()) if layout is not None else None

    @property
    def as_laid_out(self) -> bool:
        """Whether no edge was moved since the layout was chosen."""
        return self._layout is not None

    def event(self, event: QEvent) -> bool:
        """Notice that somebody takes hold of an edge between cards."""
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonPress
            # What a card leaves unanswered comes here as well, but lies on that card.
            and self.childAt(event.position().toPoint()) is None
        ):
            self._layout = None
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new room out, once Qt has done so in its way."""
        super().resizeEvent(event)
        if self._layout is not None:
            for timer in self._timers:
                timer.start()

    def _share_again(self) -> None:
        if self._layout is None:
            return
        if folds(self._layout, self.window()) != self._folds:
            self.crowded.emit()
        else:
            share_columns(self, self._docks, self._layout)
