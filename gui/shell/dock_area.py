"""The cards, and where they lie: a window of docks inside the window, which gives a margin."""

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget

from gui.client.engine_client import EngineClient
from gui.panels import PANELS
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.shell import layouts
from gui.shell.dock import CardDock
from gui.shell.layouts import LAYOUTS, Layout, arrange, folds, share_columns, share_out
from gui.state.session_file import WindowState
from gui.style.theme import UNIT

SETTLED_MS = 50


class DockArea(QMainWindow):
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
        """Notice when an edge between cards is dragged; connect new tabs."""
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


class Cards(QObject):
    """Makes a dock for each of PANELS, and lays them out on the area.

    Parameters
    ----------
    area
        What they lie on, in a window.
    """

    rearranged = Signal(object)
    """The user chose a layout; the WindowState before that."""
    laid_out = Signal(object)
    """One of LAYOUTS is that in use."""
    restored = Signal()
    """The cards lie as they did at another time."""

    def __init__(self, area: DockArea, session: Session, client: EngineClient) -> None:
        super().__init__(area)
        self._area = area
        self.docks = [CardDock(card, session, client, area) for card in PANELS]
        self.layout: Layout = LAYOUTS[0]
        self._folds: tuple[int, bool] | None = None
        area.room_changed.connect(self._on_room)
        area.tab_clicked.connect(self._on_tab)
        for dock in self.docks:
            dock.topLevelChanged.connect(self._on_moved)

    @property
    def panels(self) -> list[Panel]:
        """The panels that have been opened, in the order of PANELS."""
        return [dock.panel for dock in self.docks if dock.panel is not None]

    def open(self, titles: Sequence[str]) -> None:
        """Show some cards, in front of others."""
        for dock in self.docks:
            if dock.kind.title in titles:
                dock.show()
                dock.raise_()

    def close_current(self) -> None:
        """Close the card that has the keyboard, if one has it."""
        for dock in self.docks:
            if dock.has_keyboard:
                dock.close()
                return

    def step(self, by: int) -> None:
        """Give the keyboard to the next card in sight, column by column from the left."""
        seen = self._seen()
        seen.sort(key=lambda dock: (dock.isFloating(), dock.x(), dock.y()))
        held = [place for place, dock in enumerate(seen) if dock.has_keyboard]
        if seen:
            seen[(held[0] + by if held else min(by, 0)) % len(seen)].bring()

    def cover(self, titles: Collection[str]) -> None:
        """Cover some cards until a guided example reveals them, and uncover the others."""
        for dock in self.docks:
            dock.set_covered(dock.kind.title in titles)

    def lay_out(self, layout: Layout) -> None:
        """Put every card where a layout has it, and close those that it has not."""
        self._take(layout)
        self._area.as_laid_out = False
        self._area.setUpdatesEnabled(False)
        self._folds = folds(layout, self._area.window())
        arrange(self._area, self.docks, layout)
        share_out(self._area, self.docks, layout)
        # Qt shares the room out anew when a window is first shown.
        QTimer.singleShot(0, self, self._finish_layout)

    def reset(self) -> None:
        """Put every card back where the layout last chosen has it."""
        self.lay_out(self.layout)

    def choose(self, layout: Layout | None = None) -> None:
        """Take on a layout that the user chose; `None` is the one in use, anew."""
        before = self.state()
        self.lay_out(layout or self.layout)
        self.rearranged.emit(before)

    def fit_text(self) -> None:
        """Lay the cards out for another size of text; the same stay open, and in front."""
        # Larger text is a smaller window.
        if self._area.as_laid_out and not self._fold():
            share_out(self._area, self.docks, self.layout)
            # Again when the cards know how large they are with this text.
            QTimer.singleShot(0, self, self._finish_layout)

    def state(self) -> WindowState:
        """Return how the window lies."""
        return layouts.capture(self._area.window(), self._area, self.docks, self.layout)

    def begin(self, state: WindowState) -> None:
        """Lay the cards as a session had them, in the next turn of the event loop."""
        self._take(layouts.layout_named(state.layout))
        # Qt shares the room out anew when a window is first shown.
        QTimer.singleShot(0, self, partial(self._restore, state))

    def lie_as(self, state: WindowState) -> None:
        """Lay the cards as they were."""
        self._take(layouts.layout_named(state.layout))
        self._restore(state)

    def _seen(self) -> list[CardDock]:
        return [dock for dock in self.docks if not dock.visibleRegion().isEmpty()]

    def _take(self, layout: Layout) -> None:
        self.layout = layout
        self.laid_out.emit(layout)

    def _on_moved(self) -> None:
        # A card was dragged or floats: no size of the window is to put it back.
        self._area.as_laid_out = False

    def _on_tab(self, title: str) -> None:
        # In the next turn, when the tab is in front: it is the card in use now.
        for dock in self.docks:
            if dock.kind.title == title:
                QTimer.singleShot(0, dock, dock.bring)

    def _on_room(self) -> None:
        if not self._fold():
            share_columns(self._area, self.docks, self.layout)

    def _fold(self) -> bool:
        """Lay cards behind others where there is no room, and beside them where there is again."""
        if folds(self.layout, self._area.window()) == self._folds:
            return False
        opened, seen = [dock for dock in self.docks if not dock.isHidden()], self._seen()
        focused = self._area.window().focusWidget()
        held = [dock for dock in seen if dock.has_keyboard]
        self.lay_out(self.layout)
        for dock in self.docks:
            dock.setVisible(dock in opened)
        # Of those that now share a place, the one with the keyboard, else the first.
        for dock in (*reversed(seen), *held):
            dock.raise_()
        if held and focused is not None:
            focused.setFocus()
        return True

    def _restore(self, state: WindowState) -> None:
        self._area.as_laid_out = False
        if not layouts.restore_docks(self._area, self.docks, state):
            self.reset()
            if state.cards:
                layouts.show_cards(self.docks, state.cards)
        self.restored.emit()

    def _finish_layout(self) -> None:
        share_out(self._area, self.docks, self.layout)
        self._area.as_laid_out = True
        self._area.setUpdatesEnabled(True)
