"""Every dialog from 100 to 200 %: nothing in it is cut, and it is no larger than the screen."""

from functools import partial

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QTableView

from gui.export import exportable
from gui.export.exportable import exportables
from gui.panels.model.board import BoardPanel
from gui.shell.about import HOW_TO, AboutDialog, TextDialog
from gui.shell.file_menu import message_box
from gui.shell.picture_dialog import PictureDialog
from gui.shell.preferences import PreferencesDialog
from gui.state.figure_options import DATA, PICTURES
from gui.state.preferences import Preferences
from tests.gui.conftest import filled
from tests.gui.test_manners_text_size import at_rest, overlapping, seen, told, words_cut

WINDOW = (1000, 700)
LONG = "A sentence that somebody has to read before anything is lost, and so is long. " * 3


def panel(window, title):
    return next(panel for panel in window.panels if panel.title == title)


def exporting(window, suffixes):
    return window.exports.open_dialog(panel(window, "Attention"), suffixes)


def picturing(window):
    window.save_picture()
    return window.findChild(PictureDialog)


def exporting_board(window):
    board = next(dock for dock in window.docks if dock.kind.title == BoardPanel.title).fill()
    for title in ("Attention", "OV"):
        exportable.add_to_board(
            exportables(panel(window, title))[0], window.session.board, window.status.tell
        )
    return window.exports.open_dialog(board, PICTURES)


def shown(dialog):
    dialog.open()
    return dialog


def picking(window, page):
    window.picker.show_models()
    window.picker.page.findChildren(QAbstractButton)[page].click()
    return window.picker


def finding(window):
    window.finder.find_command()
    return window.finder


DIALOGS = {
    "export a figure": partial(exporting, suffixes=PICTURES),
    "export data": partial(exporting, suffixes=DATA),
    "export the board": exporting_board,
    "save a picture": picturing,
    "preferences": lambda window: shown(PreferencesDialog(window, Preferences(), "light")),
    "about": lambda window: shown(AboutDialog(window)),
    "how to": lambda window: shown(TextDialog(window, "How to", HOW_TO)),
    "message": lambda window: shown(message_box(window, "Headscope", LONG)),
    "pick a model": partial(picking, page=0),
    "download a model": partial(picking, page=1),
    "find": finding,
}


def headings_cut(dialog):
    """Return the headings of tables that are cut."""
    return [
        str(header.model().headerData(number, header.orientation()))
        for table in seen(dialog, QTableView)
        for header in [table.horizontalHeader()]
        if header.isVisible()
        for number in range(header.count())
        if header.sectionSize(number) < header.sectionSizeHint(number)
    ]


def beyond(dialog):
    """Return the words and buttons that lie beyond what is around them, but for what scrolls."""
    found = []
    for kind in (QLabel, QAbstractButton):
        for widget in seen(dialog, kind):
            corner = widget.mapTo(dialog, QPoint(widget.width(), 0))
            if corner.x() > dialog.width() or widget.mapTo(dialog, QPoint(0, 0)).x() < 0:
                found.append(told(widget))
    return found


def wrong(qtbot, dialog):
    """Return what is cut in a dialog, lies over something else, or is larger than the screen."""
    least, screen = dialog.minimumSizeHint(), dialog.screen().availableGeometry()
    found = [
        at_rest(qtbot, partial(words_cut, dialog)),
        at_rest(qtbot, partial(overlapping, dialog)),
        at_rest(qtbot, partial(beyond, dialog)),
        *headings_cut(dialog),
    ]
    if dialog.width() < least.width() or dialog.height() < least.height():
        found.append(f"{dialog.size()} is less than {least}")
    if dialog.height() > screen.height() or dialog.width() > max(screen.width(), WINDOW[0]):
        found.append(f"{dialog.size()} is more than {screen}")
    return [one for one in found if one]


@pytest.mark.parametrize("percent", [100, 200])
def test_dialogs_show_all_their_words_and_fit_the_screen(qtbot, window, client, percent):
    window.resize(*WINDOW)
    window.text_sizes.set(percent)
    found = {}
    try:
        filled(qtbot, client, *window.panels)
        for name, opened in DIALOGS.items():
            dialog = opened(window)
            assert isinstance(dialog, QDialog)
            qtbot.waitUntil(lambda it=dialog: getattr(it, "ready", True))
            qtbot.wait(50)
            if problems := wrong(qtbot, dialog):
                found[name] = problems
            dialog.reject()
            qtbot.wait(10)
    finally:
        window.text_sizes.reset()
    assert found == {}
