"""How the menus of the window get their entries."""

from collections.abc import Callable
from functools import partial
from typing import Any

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

Add = Callable[[QMenu, str, str, Callable[[], object]], QAction]
"""Adds an entry: to which menu, its text, its keys, and what it does."""


def add_entry(
    window: QWidget, menu: QMenu, text: str, keys: str, does: Callable[[], object]
) -> QAction:
    """Add an entry to a menu; its keys, if it has some, hold in the whole window."""
    action = QAction(text, window)
    if keys:
        action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda _=False: does())
    window.addAction(action)
    menu.addAction(action)
    return action


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


def fill_help(menu: QMenu, add: Add, welcome: Welcome, guide: GuideBar) -> None:
    """Put the entries into the menu.

    Parameters
    ----------
    menu
        Takes the entries; what it opens lies over its parent.
    add
        Adds one: menu, text, keys, and what it does.
    welcome, guide
        What the entries open.
    """
    window = menu.parentWidget()
    assert isinstance(window, QWidget)
    add(menu, "Welcome", "", welcome.open)
    add(menu, "How to read a head", "F1", partial(_tell_how, window))
    for example in GUIDES:
        text = f"{example.name}: {example.about}"
        add(menu, text, "", partial(guide.start, example))
    menu.addSeparator()
    add(menu, "About Headscope", "", partial(_tell_about, window))


def _tell_how(window: QWidget) -> None:
    from gui.shell.about import TextDialog

    TextDialog(window, "How to", HOW_TO).open()


def _tell_about(window: QWidget) -> None:
    from gui.shell.about import AboutDialog

    AboutDialog(window).open()


GROUPS = ("Prompt", "Head", "Model", "Checks", "Figures")
"""Sections of the menu, the `group` of a panel."""


def fill_view(
    menu: QMenu,
    add: Add,
    finder: CommandPalette,
    cards: Cards,
    compare: CompareBar,
    text_sizes: TextSizes,
    themes: Themes,
) -> None:
    """Put the entries into the menu.

    Parameters
    ----------
    menu
        Takes the entries.
    add
        Adds one: menu, text, keys, and what it does.
    finder, cards, compare, text_sizes, themes
        What the entries are about.
    """
    find = add(menu, LONG, "Ctrl+K", finder.find_command)
    find.setShortcuts([QKeySequence("Ctrl+K"), QKeySequence("Ctrl+Shift+P")])
    menu.addSeparator()
    for number, layout in enumerate(LAYOUTS, 1):
        text = f"{layout.name}: {layout.about}"
        add(menu, text, f"Ctrl+Alt+{number}", partial(cards.choose, layout))
    add(menu, "Compare with another prompt …", "Ctrl+Alt+C", compare.toggle)
    add(menu, "Reset layout", "Ctrl+Alt+0", cards.choose)
    add(menu, "Close card", "Ctrl+W", cards.close_current)
    add(menu, "Next card", "F6", partial(cards.step, 1))
    add(menu, "Previous card", "Shift+F6", partial(cards.step, -1))
    for group in GROUPS:
        menu.addSection(group)
        for number, dock in enumerate(cards.docks, 1):
            if dock.kind.group == group:
                _add_card(menu, dock.open_action, number)
    menu.addSeparator()
    menu.addActions(text_sizes.actions)
    menu.addSeparator()
    menu.addActions(list(themes.actions.values()))


def _add_card(menu: QMenu, action: QAction, number: int) -> None:
    if number < 10:
        action.setShortcut(QKeySequence(f"Ctrl+{number}"))
    window = menu.parentWidget()
    assert isinstance(window, QWidget)
    window.addAction(action)
    menu.addAction(action)
