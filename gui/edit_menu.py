"""The Edit menu: undo, back and forward, and the star of the open head."""

from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from gui.head_names import head_name
from gui.history import History
from gui.menus import Add
from gui.session import Session
from gui.session_file import Favourite
from gui.undo import Undo


class EditMenu(QObject):
    """Actions that are offered only where they would do something.

    Parameters
    ----------
    session
        What is selected, and the favourites.
    history
        What was selected before.
    undo
        What else can be taken back.
    menu
        Takes the entries.
    add
        Adds one: menu, text, keys, and what it does.
    """

    def __init__(
        self, session: Session, history: History, undo: Undo, menu: QMenu, add: Add
    ) -> None:
        super().__init__(menu)
        self._session, self._history, self._undo = session, history, undo
        self.undo = add(menu, "Undo", "Ctrl+Z", undo.undo)
        menu.addSeparator()
        self.back = add(menu, "Back to what was selected before", "Alt+Left", history.back)
        self.forward = add(menu, "Forward again", "Alt+Right", history.forward)
        menu.addSeparator()
        self.star = add(menu, "Mark the open head as a favourite", "Ctrl+D", self._switch_star)
        self.star.setCheckable(True)
        session.favourites.removed.connect(self._on_removed)
        session.board.lost.connect(self._on_lost)
        session.favourites.changed.connect(self._show)
        session.changed.connect(self._show)
        history.moved.connect(self._show)
        undo.changed.connect(self._show)
        self._show()

    def _show(self, *_: object) -> None:
        what = self._undo.what
        self.undo.setText(f"Undo: {what}" if what else "Undo")
        self.undo.setEnabled(bool(what))
        self.back.setEnabled(self._history.can_go_back)
        self.forward.setEnabled(self._history.can_go_forward)
        now = self._session.selection
        self.star.setChecked(self._session.favourites.find(now.model, now.head) is not None)

    def _switch_star(self) -> None:
        now, favourites = self._session.selection, self._session.favourites
        if favourites.find(now.model, now.head) is None:
            favourites.add(now.model, now.head)
        else:
            favourites.remove(now.model, now.head)

    def _on_lost(self, what: str, before: list[Any]) -> None:
        self._undo.push(what, partial(self._session.board.show, before))

    def _on_removed(self, favourite: Favourite, place: int) -> None:
        self._undo.push(
            f"remove favourite {head_name(favourite.head)}",
            lambda: self._session.favourites.restore(favourite, place),
        )
