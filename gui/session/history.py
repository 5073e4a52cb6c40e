"""Back and forward through selections, and undo of what a selection does not hold."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from gui.session.session import Session
from gui.state.selection import FIRST_HEAD, Selection

LONGEST = 100
TYPING_MS = 2000
"""Texts that follow each other sooner are one step: they are one text being typed."""


def settled(selection: Selection) -> Selection:
    """Return a selection without a head that was only suggested."""
    return selection if selection.head_chosen else replace(selection, head=FIRST_HEAD)


class History(QObject):
    """Remembers whole selections; every step back is the selection as it was.

    What changes in one turn of the event loop is one step, and so is a text while it is typed. A
    head that the window suggests is none: going back from it would only bring it again.
    """

    moved = Signal()
    """What can be gone back to, or forward to, may have changed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._steps = [session.selection]
        self._place = 0
        self._typed = QElapsedTimer()
        self._turn = QTimer(self, interval=0, singleShot=True)
        self._turn.timeout.connect(self._note)
        session.changed.connect(lambda what: self._turn.start())

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier selection."""
        return self._place > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a later selection to go forward to."""
        return self._place + 1 < len(self._steps)

    def back(self) -> None:
        """Select what was selected before."""
        self._go(-1)

    def forward(self) -> None:
        """Select again what was gone back from."""
        self._go(1)

    def _go(self, step: int) -> None:
        self._note()
        if 0 <= self._place + step < len(self._steps):
            self._place += step
            self._typed.invalidate()
            self._session.show(self._steps[self._place])
            self.moved.emit()

    def _note(self) -> None:
        """Take what is selected now into the list, in the place that it belongs to."""
        self._turn.stop()
        now, last = self._session.selection, self._steps[self._place]
        if now == last:
            return
        if settled(now) == settled(last):
            self._steps[self._place] = now
            return
        if self._goes_on_typing(now, last):
            self._steps[self._place] = now
        else:
            self._steps = [*self._steps[: self._place + 1], now][-LONGEST:]
            self._place = len(self._steps) - 1
        self.moved.emit()

    def _goes_on_typing(self, now: Selection, last: Selection) -> bool:
        same = (now.text, now.other_text) == (last.text, last.other_text)
        typed = not same and _without_text(now) == _without_text(last)
        soon = typed and self._typed.isValid() and self._typed.elapsed() < TYPING_MS
        if typed:
            self._typed.start()
        else:
            self._typed.invalidate()
        return soon


def _without_text(selection: Selection) -> Selection:
    """Return a selection without what its texts say and what follows a new one."""
    other = None if selection.other_text is None else ""
    return replace(settled(selection), text="", other_text=other, query=None, source=None)


LONGEST_UNDO = 50


class Undo(QObject):
    """The last things done that can be taken back, each as words and a function."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._done: list[tuple[str, Callable[[], object]]] = []

    @property
    def what(self) -> str:
        """What would be taken back, in words such as `remove L1H3`; empty where nothing is."""
        return self._done[-1][0] if self._done else ""

    def push(self, what: str, back: Callable[[], object]) -> None:
        """Remember how something that was done just now is taken back."""
        self._done = [*self._done, (what, back)][-LONGEST_UNDO:]
        self.changed.emit()

    def undo(self) -> None:
        """Take back the last of them."""
        if self._done:
            *self._done, (_, back) = self._done
            back()
            self.changed.emit()

    def clear(self) -> None:
        """Forget all of it: another session was opened."""
        self._done = []
        self.changed.emit()
