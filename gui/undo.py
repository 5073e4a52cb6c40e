"""Taking back what would otherwise lose something; a change of the selection has its history."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

LONGEST = 50


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
        self._done = [*self._done, (what, back)][-LONGEST:]
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
