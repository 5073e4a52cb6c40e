"""The panel Notes: a star, a note, a list that leads back to heads of any model."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from engine.messages import Head
from gui.panels.head.notes import NotesPanel
from gui.state.session_file import Favourite

HOSTILE = "<b>&amp;</b> \u202e 💩"


@pytest.fixture
def panel(show):
    return show(NotesPanel)


def lines(panel):
    return [panel.list.item(row).text() for row in range(panel.list.count())]


def test_it_says_how_to_fill_it(panel):
    assert panel.none.isVisible()
    assert not panel.list.isVisible()
    assert panel.star.text() == "☆ Favourite"
    assert panel.note.placeholderText() == "A note on L0H0 of attn-2l"


def test_the_star_marks_the_open_head_and_lets_it_go(qtbot, panel, session, settle):
    session.choose_head(Head(1, 2))
    settle(panel)
    qtbot.mouseClick(panel.star, Qt.MouseButton.LeftButton)
    settle(panel)
    assert session.favourites.all == (Favourite("attn-2l", Head(1, 2)),)
    assert lines(panel) == ["L1H2  ·  attn-2l"]
    assert panel.star.isChecked()
    assert not panel.none.isVisible()
    qtbot.mouseClick(panel.star, Qt.MouseButton.LeftButton)
    settle(panel)
    assert session.favourites.all == ()
    assert panel.none.isVisible()


def test_a_note_is_kept_literally_with_its_head(panel, session, settle):
    QTest.keyClicks(panel.note, "copies")
    settle(panel)
    panel.note.setPlainText(f"{HOSTILE}\nsecond line")
    settle(panel)
    assert session.favourites.find("attn-2l", Head(0, 0)).note == f"{HOSTILE}\nsecond line"
    assert lines(panel) == [f"L0H0  ·  attn-2l  —  {HOSTILE}"]
    session.choose_head(Head(0, 1))
    settle(panel)
    assert panel.note.toPlainText() == ""
    assert len(session.favourites.all) == 1
    session.choose_head(Head(0, 0))
    settle(panel)
    assert panel.note.toPlainText() == f"{HOSTILE}\nsecond line"


def test_typing_is_not_disturbed_by_its_own_saving(panel, session, settle):
    QTest.keyClicks(panel.note, "ab")
    QTest.keyClick(panel.note, Qt.Key.Key_Left)
    settle(panel)
    QTest.keyClicks(panel.note, "X")
    settle(panel)
    assert session.favourites.all[0].note == "aXb"


def test_a_click_opens_a_head_of_another_model(qtbot, panel, session, settle):
    session.favourites.show([Favourite("attn-2l", Head(1, 1)), Favourite("toy", Head(0, 2))])
    settle(panel)
    place = panel.list.visualItemRect(panel.list.item(1)).center()
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(panel)
    now = session.selection
    assert (now.model, now.head, now.head_chosen) == ("toy", Head(0, 2), True)
    assert panel.list.currentRow() == 1
    assert panel.star.isChecked()


def test_delete_removes_the_marked_line(qtbot, panel, session, settle):
    session.favourites.show([Favourite("attn-2l", Head(1, 1)), Favourite("toy", Head(0, 2))])
    settle(panel)
    panel.list.setFocus()
    panel.list.setCurrentRow(1)
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    settle(panel)
    assert [one.model for one in session.favourites.all] == ["attn-2l"]


def test_it_needs_no_engine(qtbot, qapp, session, client):
    panel = NotesPanel(session, client)
    qtbot.addWidget(panel)
    qtbot.addWidget(panel.header)
    session.favourites.write("attn-2l", Head(0, 0), "there before any model")
    panel.show()
    qtbot.waitUntil(lambda: panel.note.toPlainText() == "there before any model")
    assert panel.filled
    assert not client.busy
