"""The board: kept with the session, its card, its thumbnails, their order and titles."""

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from engine.messages import Attention, Head, OVTokens, Refused, Spectrum
from gui.export.exportable import exportables
from gui.panels.model.board import words
from gui.state import session_file
from gui.state.figure_board import Board, Item, for_session


@pytest.fixture
def three(session):
    run = session.run
    items = (
        Item(Attention(run, 1, "pattern"), Head(1, 3)),
        Item(Spectrum("toy", Head(0, 0)), title="<b>Mine</b>"),
        Item(OVTokens("attn-2l", Head(1, 3), source="position", run=run, position=4)),
    )
    session.board.put(Board(items))
    return items


def texts(board_card):
    return [board_card.grid.item(row).text() for row in range(board_card.grid.count())]


def drawn(qtbot, board_card, *items):
    thumbnails = board_card.thumbnails
    qtbot.waitUntil(lambda: all(thumbnails.image(i) is not None for i in items))
    qtbot.wait(20)


def test_it_says_how_to_fill_it(board_card):
    assert board_card.none.isVisible()
    assert not board_card.grid.isVisible()
    assert not board_card.export.isEnabled()


def test_what_a_card_shows_is_added_by_its_menu(window, settle, session):
    window.open_cards(["Board"])
    board_card = next(board_card for board_card in window.panels if board_card.title == "Board")
    settle(board_card)
    told = []
    window.exports.message.connect(told.append)
    for title in ("Attention", "Spectrum"):
        card = next(card for card in window.panels if card.title == title)
        menu = QMenu()
        window.exports.fill(menu, card)
        entry = next(action for action in menu.actions() if action.text() == "Add to board")
        (entry if entry.menu() is None else entry.menu().actions()[0]).trigger()
        shown = exportables(card)[0]
        assert session.board.board.items[-1] == Item(shown.request, shown.head)
    assert told[0] == "Attention is figure a of the board"
    menu = QMenu()
    window.exports.fill(menu, board_card)
    assert [action.text() for action in menu.actions()] == ["Export figure …", "Copy picture"]


def test_figures_of_the_model_in_use_are_drawn_and_no_other_is_opened(
    qtbot, engine, board_card, three
):
    drawn(qtbot, board_card, three[0], three[2])
    assert board_card.thumbnails.image(three[0]).width() > 200
    assert board_card.thumbnails.image(three[1]) is None
    assert not any(getattr(request, "model", "") == "toy" for request in engine.asked)
    assert texts(board_card) == [
        "a  L1H3 Attention\nattn-2l", "b  <b>Mine</b>\ntoy", "c  L1H3 OV\nattn-2l",
    ]  # fmt: skip


def test_keys_move_and_take_off_figures(board_card, session, three, settle):
    a, b, c = three
    settle(board_card)
    grid = board_card.grid
    grid.setFocus()
    grid.setCurrentRow(0)
    control = Qt.KeyboardModifier.ControlModifier
    for key, order in (
        (Qt.Key.Key_Right, (b, a, c)),
        (Qt.Key.Key_Right, (b, c, a)),
        (Qt.Key.Key_Right, (b, c, a)),
        (Qt.Key.Key_Left, (b, a, c)),
    ):
        QTest.keyClick(grid, key, control)
        settle(board_card)
        assert session.board.board.items == order
        assert grid.currentRow() == order.index(a)
    QTest.keyClick(grid, Qt.Key.Key_Delete)
    assert session.board.board.items == (b, c)


def test_a_figure_is_dropped_before_the_one_whose_left_half_it_falls_on(
    qtbot, board_card, session, three, settle
):
    session.board.put(Board(three, columns=2))
    settle(board_card)
    qtbot.wait(50)
    grid = board_card.grid
    areas = [grid.visualItemRect(grid.item(row)) for row in range(3)]
    assert areas[0].top() == areas[1].top() < areas[2].top()
    inset = QPoint(5, 5)
    assert grid.place_at(areas[0].topLeft() + inset) == 0
    assert grid.place_at(areas[0].center() + inset) == 1
    assert grid.place_at(areas[1].topRight() + QPoint(-5, 5)) == 2
    assert grid.place_at(areas[2].topLeft() + inset) == 2
    assert grid.place_at(areas[2].bottomRight() + QPoint(0, 50)) == 3


def test_a_title_is_written_and_taken_back(board_card, session, three, settle):
    settle(board_card)
    board_card.grid.setCurrentRow(2)
    field = board_card.own_title
    for written, title in (("All <i>of</i> it", "All <i>of</i> it"), ("none", ""), (" ", None)):
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, written)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert session.board.board.items[2].title == title
        settle(board_card)
    board_card.grid.setCurrentRow(1)
    assert field.text() == "<b>Mine</b>"
    assert field.accessibleName() == "Title of figure b"


def test_controls_set_the_board(board_card, session, three, settle):
    settle(board_card)
    board_card.columns.setValue(3)
    board_card.letters.click()
    board_card.shared.click()
    board = session.board.board
    assert (board.columns, board.letters, board.shared) == (3, False, False)
    settle(board_card)
    assert texts(board_card)[0] == "L1H3 Attention\nattn-2l"


def test_enter_shows_the_view_that_a_figure_is_of(board_card, session, three, settle):
    settle(board_card)
    wanted = []
    board_card.panel_wanted.connect(wanted.append)
    board_card.grid.setFocus()
    board_card.grid.setCurrentRow(0)
    QTest.keyClick(board_card.grid, Qt.Key.Key_Return)
    assert session.selection.head == Head(1, 3)
    assert wanted == ["Attention"]


def test_a_board_that_cannot_be_read_is_said(board_card, session, settle):
    session.board.show([{"columns": 0}])
    settle(board_card)
    assert board_card.notice.text() == (
        "The session's board cannot be shown and is kept as it is: a board has 1 to 8 columns, "
        "not 0"
    )
    session.board.show([])
    settle(board_card)
    assert board_card.notice.text() == ""


def test_a_figure_is_called_by_its_heads_and_its_card(session):
    assert words(Item(Attention(session.run, 1, "pattern"))) == "Layer 1 Attention"
    assert words(Item(Spectrum("toy", Head(0, 1)))) == "L0H1 Spectrum"


ONE = Item(Spectrum("toy", Head(0, 1)))


@pytest.fixture
def board(session):
    return session.board


def items(session, count):
    return [Item(Attention(session.run, 1, "pattern"), Head(1, n)) for n in range(count)]


def test_figures_are_added_with_letters_up_to_z(session, board):
    assert [board.add(item) for item in items(session, 26)] == list("abcdefghijklmnopqrstuvwxyz")
    with pytest.raises(Refused, match="a board holds 26 figures"):
        board.add(ONE)
    assert len(board.board.items) == 26


def test_what_is_kept_is_the_board_as_json(session, board):
    assert board.kept == []
    board.add(ONE)
    kept = json.loads(json.dumps(board.kept))
    board.show([])
    assert board.board == Board()
    board.show(kept)
    assert board.board == Board((ONE,))


def test_a_figure_that_is_taken_off_comes_back_by_undo(qtbot, window, session):
    for item in items(session, 3):
        session.board.add(item)
    before = session.board.board
    session.board.remove(1)
    assert session.board.board.items == (before.items[0], before.items[2])
    assert window.undo.what == "take figure b off the board"
    window.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.board.board == before


def test_a_board_that_cannot_be_read_is_kept_until_another_takes_its_place(board):
    lost = []
    board.lost.connect(lambda what, before: lost.append((what, before)))
    strange = [{"panel": "Attention", "anything": [1, None]}]
    board.show(strange)
    assert board.kept == strange
    assert board.trouble == (
        "a board has no field 'panel': it has columns, letters, shared, options, items"
    )
    assert lost == []
    board.add(ONE)
    assert board.board.items == (ONE,)
    assert lost == [("replace a board that cannot be read", strange)]
    board.show(lost[0][1])
    assert board.kept == strange


def test_the_board_is_saved_with_the_session_and_a_change_is_unsaved(
    qtbot, window, session, tmp_path
):
    path = tmp_path / "a.headscope.json"
    session.board.add(ONE)
    window.document.save(path)
    assert session_file.read(path).board == for_session(Board((ONE,)))
    assert not window.document.modified
    session.board.put(Board((ONE,), columns=3))
    assert window.document.modified
    window._may_close = True


def test_an_opened_board_takes_the_place_of_another_which_undo_brings_back(window, session):
    session.board.add(ONE)
    other = Board(tuple(items(session, 2)))
    window.figure_opener.show_board(other)
    assert session.board.board == other
    assert "Board" in [panel.title for panel in window.panels if panel.isVisible()]
    window.undo.undo()
    assert session.board.board == Board((ONE,))
