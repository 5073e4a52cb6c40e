"""The finder: sorting, ranks, the scatter, and what it asks for."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from engine.messages import Head, HeadScores, MeasuredHeads, OVTokens, Refused
from gui.panels.model.finder import FinderPanel
from gui.style import formatting


@pytest.fixture
def panel(show):
    return show(FinderPanel)


def press(qtbot, panel, settle, switch, key):
    qtbot.mouseClick(switch._buttons[key], Qt.MouseButton.LeftButton)
    settle(panel)


def sort(qtbot, table, column):
    header = table.horizontalHeader()
    at = QPointF(header.sectionViewportPosition(column) + 6, header.height() / 2).toPoint()
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)


def column(table, number):
    model = table.model()
    return [model.index(row, number).data() for row in range(model.rowCount())]


def over(table, number):
    return table.model().headerData(number, Qt.Orientation.Horizontal)


def asked(engine, which):
    return [q for q in engine.asked if isinstance(q, HeadScores) and q.measures == which]


def test_a_click_on_a_heading_sorts_and_a_click_on_a_row_opens_the_head(
    qtbot, panel, session, settle
):
    sort(qtbot, panel.table, 1)
    assert column(panel.table, 0)[0] == "L1H2"
    numbers = [float(text) for text in column(panel.table, 1)]
    assert numbers == sorted(numbers, reverse=True)
    at = panel.table.visualRect(panel.table.model().index(3, 0)).center()
    name = column(panel.table, 0)[3]
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert session.selection.head.name == name
    assert session.selection.head_chosen


def test_the_order_stays_when_another_head_opens(qtbot, panel, session, settle):
    sort(qtbot, panel.table, 2)
    before = column(panel.table, 0)
    session.choose_head(Head(0, 3))
    settle(panel)
    assert column(panel.table, 0) == before


def test_the_open_heads_rank_stands_over_every_measure(panel, session, settle):
    session.choose_head(Head(1, 2))
    settle(panel)
    assert over(panel.table, 0) == "head\nL1H2"
    assert over(panel.table, 1) == "induction\n1 of 8"
    values = panel.known("scores").scores["previous_token"]
    place = 1 + int((values > values[6]).sum())
    assert over(panel.table, 2) == f"previous\n{place} of 8"


def test_a_copied_head_is_no_number_whatever_heads_are_called(qtbot, panel, monkeypatch):
    monkeypatch.setattr(formatting, "_chosen", "1.3")
    panel.table.set_known(panel._known, ["induction"], groups=False)
    assert "1.3" in column(panel.table, 0)
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    names = [line.split("\t")[0] for line in QApplication.clipboard().text().splitlines()]
    assert sorted(names) == sorted(head.name for head in panel._known.heads)


def test_weights_are_asked_for_only_once_they_are_chosen(qtbot, panel, settle, engine):
    assert not asked(engine, "weights")
    assert "Choose weights" in panel.sentence.text
    press(qtbot, panel, settle, panel.which, "weights")
    assert asked(engine, "weights") == [HeadScores("attn-2l", "weights")]
    assert over(panel.table, 1).startswith("copying share")
    assert "copying share" in panel.sentence.text
    press(qtbot, panel, settle, panel.which, "random")
    assert "copying share" in panel.sentence.text


def test_an_axis_of_weights_is_enough(panel, settle, engine):
    panel.plot.up.set_value("ov_norm")
    panel.plot.up.chosen.emit("ov_norm")
    settle(panel)
    assert asked(engine, "weights")
    assert "OV norm" in panel.plot.scatter.say(0)


def test_all_measures_stand_in_one_table_under_their_group(qtbot, panel, settle):
    press(qtbot, panel, settle, panel.which, "all")
    assert panel.table.model().columnCount() == 19
    assert over(panel.table, 1).splitlines()[:2] == ["induction", "random"]
    assert over(panel.table, 7).splitlines()[:2] == ["induction", "prompt"]


def test_a_click_on_a_point_opens_its_head(qtbot, panel, session, settle):
    press(qtbot, panel, settle, panel.view, "plot")
    at = panel.plot.scatter.place(2).toPoint()
    qtbot.mouseClick(panel.plot.scatter, Qt.MouseButton.LeftButton, pos=at)
    settle(panel)
    assert session.selection.head == Head(0, 2)
    assert panel.head_label.text() == "L0H2"


def test_table_and_scatter_stand_side_by_side_where_there_is_room(qtbot, panel):
    assert panel.table.isVisible()
    assert not panel.plot.isVisible()
    panel.resize(900, 600)
    assert panel.table.isVisible()
    assert panel.plot.isVisible()
    assert not panel.view.isVisible()


def test_it_says_where_weights_and_prompt_disagree(
    qtbot, monkeypatch, panel, session, settle, engine
):
    scores = engine._HeadScores(HeadScores("attn-2l", "weights"))
    copies = dict(scores.scores) | {"copying_share": np.ones(8)}
    given = engine._HeadScores
    monkeypatch.setattr(
        engine,
        "_HeadScores",
        lambda q: replace(scores, scores=copies) if q.measures == "weights" else given(q),
    )
    ov = engine._OVTokens
    monkeypatch.setattr(engine, "_OVTokens", lambda q: replace(ov(q), rank=7))
    session.choose_head(Head(1, 0))
    press(qtbot, panel, settle, panel.which, "weights")
    assert any(isinstance(q, OVTokens) for q in engine.asked)
    assert "Weights and prompt disagree: copying share 1.00" in panel.disagree.text
    assert "rank 7 of 40" in panel.disagree.text
    assert panel.disagree.isVisible()


def test_a_prompt_that_cannot_be_run_leaves_the_other_measures(qtbot, panel, session, settle):
    session.set_text("unreadable")
    settle(panel)
    session.choose_head(Head(0, 1))
    settle(panel)
    assert over(panel.table, 0) == "head\nL0H1"
    press(qtbot, panel, settle, panel.which, "prompt")
    assert panel.table.model().rowCount() == 0
    session.set_text("w1 w2")
    settle(panel)
    assert panel.table.model().rowCount() == 8


def test_a_measure_that_no_head_has_is_said_instead_of_drawn(
    qtbot, monkeypatch, show, engine, settle
):
    given = engine._HeadScores

    def without(request):
        found: MeasuredHeads = given(request)
        if request.measures != "prompt":
            return found
        none = {"prompt_induction": np.full(8, np.nan)}
        return replace(found, scores=dict(found.scores) | none)

    monkeypatch.setattr(engine, "_HeadScores", without)
    panel = show(FinderPanel)
    panel.plot.up.set_value("prompt_induction")
    panel.plot.up.chosen.emit("prompt_induction")
    settle(panel)
    assert "no token occurs twice" in panel.plot.scatter.message
    press(qtbot, panel, settle, panel.which, "prompt")
    assert column(panel.table, 1) == ["–"] * 8
    assert over(panel.table, 1) == "induction\n–"


def test_an_answer_that_changes_no_number_leaves_the_table_where_it_was_scrolled(
    qtbot, panel, session, settle
):
    panel.resize(420, 300)
    session.choose_head(Head(1, 3))
    settle(panel)
    panel.table.scrollToTop()
    panel.redraw()
    settle(panel)
    assert panel.table.verticalScrollBar().value() == 0


def test_weights_that_cannot_be_read_say_why_in_their_place(qtbot, panel, settle, engine):
    engine.failing[HeadScores] = Refused("no weights here")
    press(qtbot, panel, settle, panel.which, "weights")
    panel.redraw()
    settle(panel)
    assert panel.table._message == "no weights here"
    press(qtbot, panel, settle, panel.which, "random")
    assert panel.table.model().rowCount() == 8
    assert panel.notice.text() == ""
