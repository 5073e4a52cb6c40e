"""Every panel has a menu that leads out of it: files, pictures, tables, commands, Python."""

import csv
import io
import shlex

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from engine.messages import (
    Attention,
    DirectPath,
    Head,
    HeadScores,
    OVTokens,
    Spectrum,
    Table,
)
from gui.charts.subjects import DRAWN
from gui.export import exportable
from gui.export.dialog import ExportDialog
from gui.export.exportable import exportables
from gui.panels.model.board import words
from gui.state.difference import Difference
from gui.state.figure_options import PICTURES
from tests.gui.conftest import filled
from tests.gui.export.conftest import rest, wait_ready

ENTRIES = [
    "Export figure …", "Export data …", "Add to board", "Copy picture", "Copy table",
    "Copy as command", "Copy as Python",
]  # fmt: skip
NOTHING = {"Notes"}


@pytest.fixture
def exports(window):
    return window.exports


@pytest.fixture
def panel(qtbot, window, client):
    """Open a card by its title and wait until it is filled."""

    def find(title):
        window.open_cards([title])
        dock = next(dock for dock in window.docks if dock.kind.title == title)
        filled(qtbot, client, dock.fill())
        return dock.fill()

    return find


@pytest.fixture
def at_rest(qtbot, client, exports):
    return lambda: rest(qtbot, client, exports.worker)


def entries(exports, panel):
    menu = QMenu()
    exports.fill(menu, panel)
    return {action.text(): action for action in menu.actions() if action.text()}, menu


def test_every_panel_has_a_button_with_a_name_and_something_to_export(
    qtbot, window, panel, exports
):
    for dock in window.docks:
        shown = panel(dock.kind.title)
        button = shown.frame.export
        assert not button.isHidden()
        assert button.accessibleName() == f"Export {shown.title}"
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        found, _menu = entries(exports, shown)
        if dock.kind.title in exports.own:
            assert list(found) == ["Export figure …", "Copy picture"]
            continue
        assert list(found)[: len(ENTRIES)] == ENTRIES
        if dock.kind.title in NOTHING:
            there = {text for text in ENTRIES if found[text].isEnabled()}
            assert there == {"Copy picture"}
            assert "holds no answer of the engine" in found["Copy table"].toolTip()
            continue
        assert all(action.isEnabled() for action in found.values())
        for subject in exportables(shown):
            assert type(subject.request) in DRAWN, subject
            assert subject.name


def test_what_is_exported_is_what_is_in_view(qtbot, window, panel, session, client):
    attention = panel("Attention")
    (subject,) = exportables(attention)
    now = session.selection
    assert (subject.request, subject.head) == (Attention(session.run, 1), Head(1, 2))
    session.set_kind("scores")
    filled(qtbot, client, attention)
    assert exportables(attention)[0].request.kind == "scores"
    ov = panel("OV")
    assert type(exportables(ov)[0].request) is OVTokens
    ov.view.set_value("table")
    ov._choose_view("table")
    qtbot.waitUntil(lambda: len(exportables(ov)) == 2)
    assert {type(subject.request) for subject in exportables(ov)} == {Table, OVTokens}
    assert [s.request for s in exportables(panel("Spectrum"))] == [
        Spectrum(now.model, now.head, "ov"), Spectrum(now.model, now.head, "qk")
    ]  # fmt: skip
    panel("Spectrum").choose("ov", 1)
    assert len(exportables(panel("Spectrum"))) == 3
    session.set_measure("induction")
    assert isinstance(exportables(panel("Heads"))[0].request, HeadScores)
    direct = exportables(panel("Direct path"))[0].request
    assert isinstance(direct, DirectPath)
    assert direct.k <= 50
    assert direct.token.startswith("#")


def test_a_table_is_copied_with_the_rows_of_its_file(qapp, exports, panel, at_rest):
    shown = panel("Attention")
    exports.copy_table(shown, exportables(shown)[0])
    at_rest()
    found = list(csv.reader(io.StringIO(qapp.clipboard().text()), delimiter="\t"))
    assert found[0] == [
        "head", "query", "query_id", "query_token", "query_text", "key", "key_id", "key_token",
        "key_text", "pattern",
    ]  # fmt: skip
    assert {len(row) for row in found} == {10}
    assert {row[0] for row in found[1:]} == {"L1H2"}
    assert all(row[2] for row in found[1:])


def test_command_and_python_are_copied(qapp, exports, panel, at_rest):
    shown = panel("Attention")
    told = []
    exports.message.connect(told.append)
    exports.copy_code("Copy as command", shown, exportables(shown)[0])
    at_rest()
    words = shlex.split(qapp.clipboard().text())
    assert words[:3] == ["headscope", "figure", "attention"]
    assert words[-2:] == ["-o", "attn-2l-L1H2-attention.pdf"]
    exports.copy_code("Copy as Python", shown, exportables(shown)[0])
    at_rest()
    compile(qapp.clipboard().text(), "copied", "exec")
    assert told == ["Copied a command for a shell", "Copied a Python program"]


def test_a_picture_of_the_card_is_copied_as_it_is_seen(qapp, exports, panel, window):
    exports.copy_picture(panel("Notes"))
    card = next(dock for dock in window.docks if dock.kind.title == "Notes")
    assert qapp.clipboard().image().size() == 2 * card.size()


def test_where_several_answers_are_in_view_each_can_be_copied(exports, panel):
    found, _menu = entries(exports, panel("Spectrum"))
    assert [action.text() for action in found["Copy table"].menu().actions()] == [
        "OV spectrum",
        "QK spectrum",
    ]


def test_the_button_and_the_context_menu_key_show_the_entries(qtbot, window, panel):
    shown = panel("Attention")
    shown.frame.export.setFocus()
    qtbot.keyClick(shown.frame.export, Qt.Key.Key_Space)
    menu = QApplication.activePopupWidget()
    assert [action.text() for action in menu.actions() if action.text()] == ENTRIES
    menu.close()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, shown.rect().center(), shown.mapToGlobal(shown.pos())
    )
    QApplication.sendEvent(shown, event)
    menu = QApplication.activePopupWidget()
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts == [*ENTRIES, "Close Attention", "Float Attention"]
    menu.close()


def test_ctrl_e_exports_the_card_in_use(qtbot, window, panel):
    panel("OV").way._buttons["output"].setFocus()
    action = next(a for a in window.actions() if a.text() == "Export figure …")
    assert action.shortcut().toString() == "Ctrl+E"
    action.trigger()
    dialog = window.findChild(ExportDialog)
    assert dialog.subject.request == exportables(panel("OV"))[0].request
    wait_ready(qtbot, dialog)
    dialog.reject()


def test_ctrl_e_leaves_a_card_behind_anothers_tab_where_it_is(qtbot, window, panel, exports):
    ov = panel("OV")
    ov.way._buttons["output"].setFocus()
    assert exports.panel_in_use() is ov
    docks = {dock.kind.title: dock for dock in window.docks}
    docks["OV"].parent().tabifyDockWidget(docks["OV"], docks["QK"])
    docks["QK"].raise_()
    window.setFocus()
    qtbot.waitUntil(lambda: ov.visibleRegion().isEmpty())
    used = exports.panel_in_use()
    assert used is not ov
    assert used in exports.in_view()


def test_a_panel_that_waits_says_so_where_its_figure_is_asked_for(window, exports, panel, session):
    shown = panel("Attention")
    shown.shown = dict
    told = []
    exports.message.connect(told.append)
    assert exports.open_dialog(shown, PICTURES) is None
    assert told == ["Attention has no answer to export yet"]
    found, _menu = entries(exports, shown)
    assert not found["Export figure …"].isEnabled()


def test_a_difference_is_exported_and_so_are_its_two_sides(qtbot, panel, exports, session):
    session.set_heads_off([Head(0, 1)])
    session.set_difference(True)
    shown = panel("Attention")
    found = exportables(shown)
    change, now, before = (subject.request for subject in found)
    assert change == Difference(now, before)
    assert [now.run, before.run] == [session.run, session.whole_run]
    assert [subject.head for subject in found] == [session.selection.head] * 3
    assert [subject.name for subject in found] == [
        "Attention, L0H1 off − whole model", "Attention, L0H1 off", "Attention, whole model",
    ]  # fmt: skip
    dialog = exports.open_dialog(shown, PICTURES)
    assert [dialog.what.itemText(place) for place in range(3)] == [s.name for s in found]
    wait_ready(qtbot, dialog)
    dialog.reject()


@pytest.mark.parametrize("title", ["Attention", "Poster", "Attribution"])
def test_of_two_prompts_the_one_in_view_is_exported_or_right_minus_left(
    qtbot, window, panel, session, client, title
):
    panel(title)
    session.compare_with("w3 w4")
    session.set_compare("right")
    assert exportables(panel(title))[0].request.run.text == "w3 w4"
    session.set_compare("difference")
    change, right, left = (subject.request for subject in exportables(panel(title)))
    assert change == Difference(right, left)
    assert (right.run.text, left.run.text) == ("w3 w4", session.selection.text)
    assert exportables(panel(title))[0].name == f"{title}, right − left"


def test_a_difference_that_is_added_to_the_board_is_drawn_there(
    qtbot, window, panel, exports, session, client
):
    panel("Attention")
    other = session.selection.text.replace("green", "black")
    session.compare_with(other)
    session.set_compare("difference")
    subject = exportables(panel("Attention"))[0]
    exportable.add_to_board(subject, session.board, [].append)
    (item,) = session.board.board.items
    assert (item.request, item.head) == (subject.request, session.selection.head)
    assert words(item) == f"{item.head.name} Attention, right − left"
    board = panel("Board")
    qtbot.waitUntil(lambda: board.thumbnails.image(item) is not None)
    session.compare_with(None)
    board._on_opened(0)
    assert (session.selection.other_text, session.side) == (other, "difference")
