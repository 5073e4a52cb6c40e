"""The Help menu: the first page, how to read a head, guided examples, and About."""

from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from gui.guide_bar import GuideBar
from gui.guides import GUIDES
from gui.help_texts import HOW_TO
from gui.menus import Add
from gui.welcome import Welcome


def fill(menu: QMenu, add: Add, welcome: Welcome, guide: GuideBar) -> None:
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
    from gui.text_dialog import TextDialog

    TextDialog(window, "How to", HOW_TO).open()


def _tell_about(window: QWidget) -> None:
    from gui.about import AboutDialog

    AboutDialog(window).open()
