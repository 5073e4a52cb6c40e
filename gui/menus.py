"""How the menus of the window get their entries."""

from collections.abc import Callable

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

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
