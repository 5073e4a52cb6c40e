"""The menus of the window: entries as data, and what of them changes with the session."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gui.session.appearance import TextSizes, Themes
from gui.session.history import History, Undo
from gui.session.session import Session
from gui.shell.banners import CompareBar
from gui.shell.command_palette import LONG, CommandPalette
from gui.shell.dock_area import Cards
from gui.shell.guided_examples import GUIDES, GuideBar
from gui.shell.help_texts import HOW_TO
from gui.shell.layouts import LAYOUTS
from gui.shell.welcome import Welcome
from gui.state.session_file import Favourite
from gui.style.formatting import head_name


class Entry(NamedTuple):
    """An entry of a menu: its text, what it does, and its keys, which hold in the whole window."""

    text: str
    does: Callable[[], object]
    keys: Sequence[str] = ()


SEPARATOR = None
Part = Entry | QAction | QMenu | str | None
"""An entry, an action, a menu inside, the title of a section, or a separator."""


def menu(window: QWidget, title: str, parts: Sequence[Part]) -> QMenu:
    """Return a menu of the window."""
    made = QMenu(title, window)
    for part in parts:
        if part is SEPARATOR:
            made.addSeparator()
        elif isinstance(part, str):
            made.addSection(part)
        elif isinstance(part, QMenu):
            made.addMenu(part)
        else:
            entry = action(window, part) if isinstance(part, Entry) else part
            window.addAction(entry)
            made.addAction(entry)
    return made


def action(window: QWidget, entry: Entry) -> QAction:
    """Return the action of an entry."""
    made = QAction(entry.text, window)
    keys = [entry.keys] if isinstance(entry.keys, str) else entry.keys
    made.setShortcuts([QKeySequence(key) for key in keys])
    made.triggered.connect(lambda _=False: entry.does())
    return made


class EditActions(QObject):
    """Actions of the Edit menu that are offered only where they would do something."""

    def __init__(self, window: QWidget, session: Session, history: History, undo: Undo) -> None:
        super().__init__(window)
        self._session, self._history, self._undo = session, history, undo
        add = partial(action, window)
        self.undo = add(Entry("Undo", undo.undo, "Ctrl+Z"))
        self.back = add(Entry("Back to what was selected before", history.back, "Alt+Left"))
        self.forward = add(Entry("Forward again", history.forward, "Alt+Right"))
        self.star = add(Entry("Mark the open head as a favourite", self._switch_star, "Ctrl+D"))
        self.star.setCheckable(True)
        self.parts = (self.undo, SEPARATOR, self.back, self.forward, SEPARATOR, self.star)
        session.favourites.removed.connect(self._on_removed)
        session.board.lost.connect(self._on_lost)
        for signal in (session.favourites.changed, session.changed, history.moved, undo.changed):
            signal.connect(self._show)
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
        marked = favourites.find(now.model, now.head) is not None
        (favourites.remove if marked else favourites.add)(now.model, now.head)

    def _on_lost(self, what: str, before: list[Any]) -> None:
        self._undo.push(what, partial(self._session.board.show, before))

    def _on_removed(self, favourite: Favourite, place: int) -> None:
        self._undo.push(
            f"remove favourite {head_name(favourite.head)}",
            lambda: self._session.favourites.restore(favourite, place),
        )


def help_parts(window: QWidget, welcome: Welcome, guide: GuideBar) -> list[Part]:
    """Return the Help menu."""

    def show_how_to() -> None:
        from gui.shell.about import TextDialog

        TextDialog(window, "How to", HOW_TO).open()

    def show_about() -> None:
        from gui.shell.about import AboutDialog

        AboutDialog(window).open()

    return [
        Entry("Welcome", welcome.open),
        Entry("How to read a head", show_how_to, "F1"),
        *(Entry(f"{one.name}: {one.about}", partial(guide.start, one)) for one in GUIDES),
        SEPARATOR,
        Entry("About Headscope", show_about),
    ]


GROUPS = ("Prompt", "Head", "Model", "Checks", "Figures")
"""Sections of the View menu, the `group` of a panel."""


def view_parts(
    finder: CommandPalette, cards: Cards, compare: CompareBar, text_sizes: TextSizes, themes: Themes
) -> list[Part]:
    """Return the View menu: the palette, layouts, cards by group, text sizes and themes."""
    for number, dock in enumerate(cards.docks[:9], 1):
        dock.open_action.setShortcut(QKeySequence(f"Ctrl+{number}"))
    layouts = [
        Entry(f"{one.name}: {one.about}", partial(cards.choose, one), f"Ctrl+Alt+{number}")
        for number, one in enumerate(LAYOUTS, 1)
    ]
    groups: list[Part] = []
    for group in GROUPS:
        docks = (dock for dock in cards.docks if dock.kind.group == group)
        groups += [group, *(dock.open_action for dock in docks)]
    return [
        Entry(LONG, finder.find_command, ("Ctrl+K", "Ctrl+Shift+P")),
        SEPARATOR,
        *layouts,
        Entry("Compare with another prompt …", compare.toggle, "Ctrl+Alt+C"),
        Entry("Reset layout", cards.choose, "Ctrl+Alt+0"),
        Entry("Close card", cards.close_current, "Ctrl+W"),
        Entry("Next card", partial(cards.step, 1), "F6"),
        Entry("Previous card", partial(cards.step, -1), "Shift+F6"),
        *groups,
        SEPARATOR,
        *text_sizes.actions,
        SEPARATOR,
        *themes.actions.values(),
    ]
