"""The poster: a row opens a head, a column pins a token, the order follows what is asked."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from engine.messages import DestinationRow, Head
from gui.panels.prompt.destination_row import PosterPanel, in_order


@pytest.fixture
def panel(show):
    return show(PosterPanel)


def click(panel, place):
    QTest.mouseClick(panel.map.viewport(), Qt.MouseButton.LeftButton, pos=place.toPoint())


def order(qtbot, panel, by):
    qtbot.mouseClick(panel.order._buttons[by], Qt.MouseButton.LeftButton)
    qtbot.wait(30)


def test_it_is_about_the_pinned_query(panel, session, settle):
    session.pin(3)
    settle(panel)
    assert panel.wants()["rows"] == DestinationRow(session.run, 3)
    assert "(query 3)" in panel.sentence.text
    assert panel.subtitle.text() == "8 heads × 4 tokens"


def test_a_click_on_a_cell_opens_its_head_and_pins_its_token(panel, session, settle):
    click(panel, panel.map.cell_rect(6, 2).center())
    settle(panel)
    assert session.selection.head == Head(1, 2)
    assert session.selection.source == 2
    assert session.selection.query == len(panel.known("run").labels) - 1
    assert panel.cell.text.startswith("L1H2 → ")
    assert "(position 2): attention" in panel.cell.text


def test_a_click_on_a_name_opens_the_head_only_and_on_a_token_pins_only(panel, session, settle):
    cell = panel.map.cell_rect(5, 1)
    click(panel, QPointF(6, cell.center().y()))
    assert session.selection.head == Head(1, 1)
    assert session.selection.source is None
    click(panel, QPointF(cell.center().x(), 30))
    settle(panel)
    assert session.selection.head == Head(1, 1)
    assert session.selection.source == 1


def test_arrow_keys_go_through_heads_and_tokens(panel, session, settle):
    QTest.keyClick(panel.map, Qt.Key.Key_Down)
    settle(panel)
    assert session.selection.head == Head(0, 1)
    session.pin(4, 2)
    settle(panel)
    QTest.keyClick(panel.map, Qt.Key.Key_Right)
    assert session.selection.source == 3


def test_ordered_by_induction_the_best_head_comes_first(qtbot, panel, session):
    order(qtbot, panel, "induction")
    shown, rows = panel.map.matrix, panel.known("rows")
    assert shown.labels[0][0] == "L1H2"
    assert shown.bars[0].values[0] == 0.9
    assert (shown.values[0] == rows.values[rows.heads.index(Head(1, 2))]).all()
    click(panel, panel.map.cell_rect(0, 1).center())
    assert session.selection.head == Head(1, 2)


def test_ordered_by_source_the_rows_fall_along_its_column_and_stay(qtbot, panel, session, settle):
    session.pin(6, 2)
    settle(panel)
    order(qtbot, panel, "source")
    rows = panel.known("rows")
    fallen = [rows.values[place, 2] for place in panel._shown]
    assert fallen == sorted(fallen, reverse=True)
    before = list(panel._shown)
    QTest.keyClick(panel.map, Qt.Key.Key_Down)
    settle(panel)
    assert panel._shown == before
    assert session.selection.source == 2


def test_equals_stay_in_the_order_of_layers(panel):
    rows = panel.known("rows")
    rows.induction[:] = 0.5
    assert in_order(rows, "induction", 0) == list(range(8))


def test_tool_tips_tell_head_token_weight_and_scores(panel):
    rows = panel.known("rows")
    said = panel.describe(4, 1)
    assert said.startswith(f"L1H0 → {rows.source_labels[1]} (position 1)")
    assert f"attention {rows.values[4, 1]:.2f}" in said
    assert f"induction {rows.induction[4]:.2f}" in said
    assert "position 1" in panel.describe(-1, 1)


def test_the_marked_row_is_the_open_head_and_the_column_what_it_reads(panel, session, settle):
    session.choose_head(Head(0, 3))
    settle(panel)
    row = panel.known("rows").values[3]
    assert panel.map._pinned == (3, 1 + int(np.argmax(row[1:])))
