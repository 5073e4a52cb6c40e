"""The View menu: what is found by typing, layouts, cards, sizes of text, themes."""

from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gui.cards import Cards
from gui.command_palette import CommandPalette
from gui.compare_bar import CompareBar
from gui.find_button import LONG
from gui.layouts import LAYOUTS
from gui.menus import Add
from gui.text_sizes import TextSizes
from gui.themes import Themes

GROUPS = ("Prompt", "Head", "Model", "Checks", "Figures")
"""Sections of the menu, the `group` of a panel."""


def fill(
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
