"""The cards of the window: which there are, where they lie, and which has the keyboard."""

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from gui import window_state
from gui.dock import CardDock
from gui.engine_client import EngineClient
from gui.layouts import LAYOUTS, Layout, Place, arrange, places, share_out
from gui.panels import PANELS
from gui.panels.panel import Panel
from gui.session import Session
from gui.session_file import WindowState
from gui.stage import Stage


class Cards(QObject):
    """Makes a dock for each of PANELS, and lays them out on the stage.

    Parameters
    ----------
    stage
        What they lie on, in a window.
    session, client
        What panels are made with.
    """

    rearranged = Signal(object)
    """Somebody chose a layout; the WindowState before that."""
    restored = Signal()
    """The cards lie as they did at another time."""

    def __init__(self, stage: Stage, session: Session, client: EngineClient) -> None:
        super().__init__(stage)
        self._stage = stage
        self.docks = [CardDock(card, session, client, stage) for card in PANELS]
        self.layout: Layout = LAYOUTS[0]
        self._places: list[list[Place]] = []

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
        self.layout = layout
        self._stage.keep_shares(self.docks, None)
        self._stage.setUpdatesEnabled(False)
        self._places = places(self.docks, layout, self._stage)
        arrange(self._stage, self.docks, layout)
        share_out(self._stage, self.docks, layout)
        # Qt shares the room out anew when a window is first shown.
        QTimer.singleShot(0, self, self._finish_layout)

    def reset(self) -> None:
        """Put every card back where the layout last chosen has it."""
        self.lay_out(self.layout)

    def choose(self, layout: Layout | None = None) -> None:
        """Lay the cards out as somebody wants it; none: as the layout last chosen has it."""
        before = self.state()
        self.lay_out(layout or self.layout)
        self.rearranged.emit(before)

    def fit_text(self) -> None:
        """Lay the cards out for another size of text; the same stay open, and in front."""
        if not self._stage.as_laid_out:
            return
        if places(self.docks, self.layout, self._stage) == self._places:
            share_out(self._stage, self.docks, self.layout)
            # Again when the cards know how large they are with this text.
            QTimer.singleShot(0, self, self._finish_layout)
        else:
            # Larger text is a smaller window: cards may have to lie behind others, or need not.
            opened = [dock for dock in self.docks if not dock.isHidden()]
            seen = self._seen()
            self.lay_out(self.layout)
            for dock in self.docks:
                dock.setVisible(dock in opened)
            for dock in seen:
                dock.raise_()

    def state(self) -> WindowState:
        """Return how the window lies."""
        return window_state.capture(self._stage.window(), self._stage, self.docks, self.layout)

    def begin(self, state: WindowState) -> None:
        """Lay the cards as a session had them, in the next turn of the event loop."""
        self.layout = window_state.layout_named(state.layout)
        # Qt shares the room out anew when a window is first shown.
        QTimer.singleShot(0, self, partial(self._restore, state))

    def lie_as(self, state: WindowState) -> None:
        """Lay the cards as they were."""
        self.layout = window_state.layout_named(state.layout)
        self._restore(state)

    def _seen(self) -> list[CardDock]:
        return [dock for dock in self.docks if not dock.visibleRegion().isEmpty()]

    def _restore(self, state: WindowState) -> None:
        self._stage.keep_shares(self.docks, None)
        if not window_state.restore_docks(self._stage, self.docks, state):
            self.reset()
            if state.cards:
                window_state.show_cards(self.docks, state.cards)
        self.restored.emit()

    def _finish_layout(self) -> None:
        share_out(self._stage, self.docks, self.layout)
        self._stage.keep_shares(self.docks, self.layout)
        self._stage.setUpdatesEnabled(True)
