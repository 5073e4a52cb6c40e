"""The board of a session: what is on it now, and what was lost from it."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from engine.messages import Refused
from gui.board import record
from gui.board.record import Board, Item


class BoardState(QObject):
    """The board that the window shows and the session keeps.

    What a session keeps of another Headscope's board, which this one cannot read, stays as it is
    until something else is put on the board.
    """

    changed = Signal()
    lost = Signal(str, object)
    """Something was done that lost a figure, in words; and what was kept before, for `show`."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Any] = []
        self._board = Board()
        self.trouble = ""
        """Why what is kept cannot be shown; empty where it can."""

    @property
    def board(self) -> Board:
        """What is on the board, a frozen value."""
        return self._board

    @property
    def kept(self) -> list[Any]:
        """What a session keeps of it; never changed in place."""
        return self._kept

    def show(self, kept: Sequence[Any]) -> None:
        """Show what a session keeps, and nothing else."""
        self._kept = list(kept)
        try:
            self._board, self.trouble = record.of_session(self._kept), ""
        except Refused as refused:
            self._board, self.trouble = Board(), str(refused)
        self.changed.emit()

    def put(self, board: Board) -> None:
        """Show a board that differs in how it is set, or in the order of its figures."""
        if board == self._board and not self.trouble:
            return
        self._board, self.trouble = board, ""
        self._kept = record.for_session(board)
        self.changed.emit()

    def replace(self, board: Board, what: str) -> None:
        """Show a board in the place of another; `what` says in words what was done."""
        before = self._kept
        self.put(board)
        if before:
            self.lost.emit(what, before)

    def add(self, item: Item) -> str:
        """Put a figure on the board and return its letter.

        Raises
        ------
        Refused
            If there is no room for it.
        """
        board = self._board.with_item(item)
        if self.trouble:
            self.replace(board, "replace a board that cannot be read")
        else:
            self.put(board)
        return board.names[-1]

    def remove(self, place: int) -> None:
        """Take a figure off the board."""
        what = f"take figure {self._board.names[place]} off the board"
        self.replace(self._board.without(place), what)
