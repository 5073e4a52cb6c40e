"""How the window lies, as a session file holds it."""

from collections.abc import Sequence

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow, QWidget

from gui.dock import CardDock
from gui.layouts import LAYOUTS, Layout, end_drags
from gui.session_file import WindowState

VERSION = 2
"""Of the docks: Qt's own record of another version is not restored."""


def capture(
    window: QWidget, stage: QMainWindow, docks: Sequence[CardDock], layout: Layout
) -> WindowState:
    """Return how a window and its cards lie."""
    return WindowState(
        layout.name,
        open_cards(docks),
        _text(window.saveGeometry()),
        _text(stage.saveState(VERSION)),
    )


def open_cards(docks: Sequence[CardDock]) -> tuple[str, ...]:
    """Return the titles of the cards that are open, those behind others too."""
    return tuple(dock.kind.title for dock in docks if not dock.isHidden())


def layout_named(name: str) -> Layout:
    """Return a layout by its name, the first if there is none of that name."""
    return next((layout for layout in LAYOUTS if layout.name == name), LAYOUTS[0])


def restore_geometry(window: QWidget, state: WindowState) -> None:
    """Give a window the place and size that it had."""
    window.restoreGeometry(_bytes(state.geometry))


def restore_docks(stage: QMainWindow, docks: Sequence[CardDock], state: WindowState) -> bool:
    """Put the cards where Qt remembers them; return whether it did.

    Cards that the state does not know, because they are newer than it, are closed.
    """
    end_drags(docks)
    if not stage.restoreState(_bytes(state.docks), VERSION):
        return False
    for dock in docks:
        if dock.kind.title not in state.cards:
            dock.hide()
    return True


def show_cards(docks: Sequence[CardDock], titles: Sequence[str]) -> None:
    """Open these cards where they are, and close all others."""
    for dock in docks:
        dock.setVisible(dock.kind.title in titles)


def _text(record: QByteArray) -> str:
    return bytes(record.toBase64().data()).decode("ascii")


def _bytes(text: str) -> QByteArray:
    return QByteArray.fromBase64(text.encode("utf-8", "replace"))
