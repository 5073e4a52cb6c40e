"""The board of a session: kept, changed, lost and brought back."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from engine.messages import Attention, Head, Refused, Spectrum
from gui.state import session_file
from gui.state.figure_board import Board, Item, for_session

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
