"""The card Board: thumbnails, their order, their titles, adding from other cards."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from engine.messages import Attention, Head, OVTokens, Spectrum
from gui.export.exportable import exportables
from gui.panels.model.board import words
from gui.state.figure_board import Board, Item


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


def texts(panel):
    return [panel.grid.item(row).text() for row in range(panel.grid.count())]


def drawn(qtbot, panel, *items):
    thumbnails = panel.thumbnails
    qtbot.waitUntil(lambda: all(thumbnails.image(i) is not None for i in items))
    qtbot.wait(20)


def test_it_says_how_to_fill_it(panel):
    assert panel.none.isVisible()
    assert not panel.grid.isVisible()
    assert not panel.export.isEnabled()


def test_what_a_card_shows_is_added_by_its_menu(window, settle, session):
    window.open_cards(["Board"])
    panel = next(panel for panel in window.panels if panel.title == "Board")
    settle(panel)
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
    window.exports.fill(menu, panel)
    assert [action.text() for action in menu.actions()] == ["Export figure …", "Copy picture"]


def test_figures_of_the_model_in_use_are_drawn_and_no_other_is_opened(qtbot, engine, panel, three):
    drawn(qtbot, panel, three[0], three[2])
    assert panel.thumbnails.image(three[0]).width() > 200
    assert panel.thumbnails.image(three[1]) is None
    assert not any(getattr(request, "model", "") == "toy" for request in engine.asked)
    assert texts(panel) == [
        "a  L1H3 Attention\nattn-2l", "b  <b>Mine</b>\ntoy", "c  L1H3 OV\nattn-2l",
    ]  # fmt: skip


def test_keys_move_and_take_off_figures(panel, session, three, settle):
    a, b, c = three
    settle(panel)
    grid = panel.grid
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
        settle(panel)
        assert session.board.board.items == order
        assert grid.currentRow() == order.index(a)
    QTest.keyClick(grid, Qt.Key.Key_Delete)
    assert session.board.board.items == (b, c)


def test_a_figure_is_dropped_before_the_one_whose_left_half_it_falls_on(
    qtbot, panel, session, three, settle
):
    session.board.put(Board(three, columns=2))
    settle(panel)
    qtbot.wait(50)
    grid = panel.grid
    areas = [grid.visualItemRect(grid.item(row)) for row in range(3)]
    assert areas[0].top() == areas[1].top() < areas[2].top()
    inset = QPoint(5, 5)
    assert grid.place_at(areas[0].topLeft() + inset) == 0
    assert grid.place_at(areas[0].center() + inset) == 1
    assert grid.place_at(areas[1].topRight() + QPoint(-5, 5)) == 2
    assert grid.place_at(areas[2].topLeft() + inset) == 2
    assert grid.place_at(areas[2].bottomRight() + QPoint(0, 50)) == 3


def test_a_title_is_written_and_taken_back(panel, session, three, settle):
    settle(panel)
    panel.grid.setCurrentRow(2)
    field = panel.own_title
    for written, title in (("All <i>of</i> it", "All <i>of</i> it"), ("none", ""), (" ", None)):
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, written)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert session.board.board.items[2].title == title
        settle(panel)
    panel.grid.setCurrentRow(1)
    assert field.text() == "<b>Mine</b>"
    assert field.accessibleName() == "Title of figure b"


def test_controls_set_the_board(panel, session, three, settle):
    settle(panel)
    panel.columns.setValue(3)
    panel.letters.click()
    panel.shared.click()
    board = session.board.board
    assert (board.columns, board.letters, board.shared) == (3, False, False)
    settle(panel)
    assert texts(panel)[0] == "L1H3 Attention\nattn-2l"


def test_enter_shows_the_view_that_a_figure_is_of(panel, session, three, settle):
    settle(panel)
    wanted = []
    panel.panel_wanted.connect(wanted.append)
    panel.grid.setFocus()
    panel.grid.setCurrentRow(0)
    QTest.keyClick(panel.grid, Qt.Key.Key_Return)
    assert session.selection.head == Head(1, 3)
    assert wanted == ["Attention"]


def test_a_board_that_cannot_be_read_is_said(panel, session, settle):
    session.board.show([{"columns": 0}])
    settle(panel)
    assert panel.notice.text() == (
        "The session's board cannot be shown and is kept as it is: a board has 1 to 8 columns, "
        "not 0"
    )
    session.board.show([])
    settle(panel)
    assert panel.notice.text() == ""


def test_a_figure_is_called_by_its_heads_and_its_card(session):
    assert words(Item(Attention(session.run, 1, "pattern"))) == "Layer 1 Attention"
    assert words(Item(Spectrum("toy", Head(0, 1)))) == "L0H1 Spectrum"
