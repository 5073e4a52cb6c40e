"""Heads that somebody wants to come back to, each with a note: part of the session."""

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from engine.messages import Head
from gui.session_file import Favourite


class Favourites(QObject):
    """The favourites of a session, of whatever model, in the order in which they were made."""

    changed = Signal()
    removed = Signal(Favourite, int)
    """One was taken out, from this place: the only thing in here that can lose something."""

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Favourite, ...] = ()

    @property
    def all(self) -> tuple[Favourite, ...]:
        """Every favourite."""
        return self._all

    def find(self, model: str, head: Head) -> Favourite | None:
        """Return the favourite that a head is, if it is one."""
        found = (one for one in self._all if (one.model, one.head) == (model, head))
        return next(found, None)

    def add(self, model: str, head: Head) -> None:
        """Make a head a favourite, unless it is one."""
        if self.find(model, head) is None:
            self.show([*self._all, Favourite(model, head)])

    def write(self, model: str, head: Head, note: str) -> None:
        """Write a note; a head that is worth one is a favourite from then on."""
        old = self.find(model, head)
        if old is None and note:
            self.show([*self._all, Favourite(model, head, note)])
        elif old is not None and old.note != note:
            self.show(replace(one, note=note) if one is old else one for one in self._all)

    def remove(self, model: str, head: Head) -> None:
        """Let a head be a favourite no longer; its note goes too."""
        old = self.find(model, head)
        if old is not None:
            place = self._all.index(old)
            self.show(one for one in self._all if one is not old)
            self.removed.emit(old, place)

    def restore(self, favourite: Favourite, place: int) -> None:
        """Put back what was removed, unless its head has become a favourite anew."""
        if self.find(favourite.model, favourite.head) is None:
            self.show([*self._all[:place], favourite, *self._all[place:]])

    def show(self, favourites: Iterable[Favourite]) -> None:
        """Hold these and no others, as a session file has them."""
        self._all = tuple(favourites)
        self.changed.emit()
