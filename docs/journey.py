"""A question, start to end, by mouse and keyboard: its pictures are the README's, and a test's.

A prompt is typed, the induction head found by the Finder, a cell pinned, OV and QK read, the
session saved, something else looked at, and the session opened again. Then three cards are put on
the board, which is exported and saved; a figure is taken off, and the exported file opened.
"""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QToolButton,
    QWidget,
)

from gui.export.dialog import BoardDialog
from gui.panels.panel import Panel
from gui.window import Window
from tests.waiting import activate, pause, until

TEXT = "I like coffee in London, so I drink coffee"
SOURCE = 4
"""Position of what followed ` coffee` last time."""
OTHER = "result = 0 ans return"
NAME = "coffee.headscope.json"
FIGURE = "coffee.pdf"
ON_BOARD = ("Attention", "OV", "QK")
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier

Look = Callable[[str], object]
"""Called where something is to be seen, with its name."""


def journey(window: Window, folder: Path, look: Look) -> None:
    """Make the journey in a window that stands, and save its session in a folder."""
    activate(window)
    _type(window, TEXT)
    look("type")
    _press(window, Qt.Key.Key_2, CONTROL | ALT)
    settle(window)
    _open_largest(window, "induction")
    look("find")
    _press(window, Qt.Key.Key_1, CONTROL | ALT)
    settle(window)
    heatmap = _panel(window, "Attention").heatmap
    last = len(_panel(window, "Attention").known("run").labels) - 1
    _click(heatmap.viewport(), heatmap.cell_rect(last, SOURCE).center().toPoint())
    settle(window)
    look("read")
    _press(window, Qt.Key.Key_S, CONTROL)
    _choose(window, folder / NAME)
    settle(window)
    look("save")
    _type(window, OTHER)
    look("other")
    _press(window, Qt.Key.Key_O, CONTROL)
    _choose(window, folder / NAME)
    until(lambda: window.findChild(QMessageBox) is not None, "a question")
    asked = window.findChild(QMessageBox)  # what was typed since then is not saved, nor wanted
    _click(asked.button(QMessageBox.StandardButton.Discard), QPoint(9, 9))
    settle(window)
    look("reopen")
    for title in ON_BOARD:
        _add_to_board(window, _panel(window, title))
    _press(window, Qt.Key.Key_P, CONTROL | SHIFT)
    pause(50)
    QTest.keyClicks(window.finder.field, "Board")
    QTest.keyClick(window.finder.field, Qt.Key.Key_Return)
    settle(window)
    board = _panel(window, "Board")
    items, image = window.session.board.board.items, board.thumbnails.image
    until(lambda: all(image(item) is not None for item in items), "the figures on the board")
    pause(400)  # the last of them is shown a turn later
    look("board")
    _click(board.export, board.export.rect().center())
    dialog = window.findChild(BoardDialog)
    until(lambda: dialog.ready, "the preview")
    look("preview")
    _click(dialog.save_button, dialog.save_button.rect().center())
    _choose(window, folder / FIGURE)
    until(lambda: window.findChild(BoardDialog) is None, "the export")
    look("export")
    _press(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    _click(board.grid.viewport(), QPoint(9, 9))
    QTest.keyClick(board.grid, Qt.Key.Key_Delete)
    settle(window)
    look("take off")
    _press(window, Qt.Key.Key_O, CONTROL | SHIFT)
    _choose(window, folder / FIGURE)
    board = window.session.board
    until(lambda: len(board.board.items) == len(ON_BOARD), "the file, read in another thread")
    settle(window)
    look("figure")


def settle(window: Window) -> None:
    """Wait until nothing runs and every card in view has drawn.

    Raises
    ------
    TimeoutError
        If that takes longer than anything may.
    """

    def rests() -> bool:
        return not window.client.busy and all(panel.filled for panel in window.panels)

    pause(400)  # a layout is shared out anew, and a text is waited for
    until(rests, "the answers")
    pause(100)


def _panel(window: Window, title: str) -> Panel:
    return next(panel for panel in window.panels if panel.title == title)


def _press(window: Window, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    activate(window)  # as it is for somebody who has closed a dialog
    QTest.keyClick(window, key, modifiers)


def _click(widget: QWidget, at: QPoint) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)


def _type(window: Window, text: str) -> None:
    edit = _panel(window, "Prompt").edit
    _click(edit.viewport(), edit.viewport().rect().center())
    QTest.keyClick(edit, Qt.Key.Key_A, CONTROL)
    QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)
    settle(window)


def _open_largest(window: Window, measure: str) -> None:
    """Sort the Finder's table by a click on its heading, and open the head on top by another."""
    table = _panel(window, "Finder").table
    model, header = table.model(), table.horizontalHeader()
    titles = [
        model.headerData(at, Qt.Orientation.Horizontal).splitlines()[0]
        for at in range(model.columnCount())
    ]
    left = header.sectionViewportPosition(titles.index(measure))
    _click(header.viewport(), QPoint(left + 8, header.height() // 2))
    pause(50)
    _click(table.viewport(), table.visualRect(model.index(0, 0)).center())
    settle(window)


def _add_to_board(window: Window, panel: Panel) -> None:
    """Use the entry in the menu that leads out of a card, the first where it has several."""
    button = next(b for b in panel.parentWidget().findChildren(QToolButton) if b.text() == "⤓")
    _click(button, button.rect().center())
    wanted, menu = "Add to board", None
    while wanted is not None:
        menu = _popped_up(menu)
        action = next(a for a in menu.actions() if wanted in ("", a.text()))
        wanted = None if action.menu() is None else ""
        _click(menu, menu.actionGeometry(action).center())
    until(lambda: QApplication.activePopupWidget() is None, "the menu to close")


def _popped_up(but: QMenu | None) -> QMenu:
    """Return the menu that comes up, or has, other than the given one."""
    until(lambda: QApplication.activePopupWidget() not in (None, but), "a menu")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def _choose(window: Window, path: Path) -> None:
    """Type a path into the file dialog that has come up."""

    def fields() -> list[QLineEdit]:
        dialog = QApplication.activeModalWidget()
        found = dialog.findChildren(QLineEdit) if isinstance(dialog, QFileDialog) else []
        return [field for field in found if field.hasFocus()]

    until(lambda: bool(fields()), "the dialog")
    dialog, (field,) = QApplication.activeModalWidget(), fields()
    field.selectAll()
    QTest.keyClicks(field, str(path))
    QTest.keyClick(field, Qt.Key.Key_Return)
    until(lambda: QApplication.activeModalWidget() is not dialog, "the dialog to close")
