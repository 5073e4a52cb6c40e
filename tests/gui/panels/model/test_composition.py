"""The composition panel: which pairs compose, how strongly, and the way to the virtual head."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import Composition, Head, Pair
from gui.panels.model.composition import CompositionPanel
from tests.gui.fake_answers import BASELINE, BEST_PAIR
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def panel(show):
    return show(CompositionPanel)


def cells(table, column):
    model = table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def click_cell(qtbot, panel, row, column):
    at = panel.heatmap.cell_rect(row, column).center().toPoint()
    qtbot.mouseClick(panel.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=at)


def click_row(qtbot, table, row):
    at = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_it_names_the_strongest_pair_and_what_chance_would_give(panel):
    assert "L0H1 → L1H2, 3.0 × what random directions score (0.200, white)" in panel.sentence.text
    assert panel.subtitle.text() == "16 pairs"


def test_colours_begin_at_the_baseline(panel):
    colouring = panel.heatmap.matrix.colouring
    assert colouring.low == BASELINE
    assert colouring.high == 0.6


def test_a_click_on_a_cell_chooses_the_pair_and_wants_the_virtual_head(
    qtbot, panel, session, settle
):
    with qtbot.waitSignal(panel.panel_wanted) as wanted:
        click_cell(qtbot, panel, 1, 2)
    assert wanted.args == ["Virtual head"]
    settle(panel)
    assert session.selection.pair == BEST_PAIR
    assert panel.heatmap._pinned == (1, 2)
    assert panel.cell.text == "L0H1 → L1H2: score 0.600, 3.0 × random, z +40.0"


def test_a_click_on_a_row_of_the_list_does_the_same(qtbot, panel, session, settle):
    assert cells(panel.table, 0)[0] == "L0H1 → L1H2"
    with qtbot.waitSignal(panel.panel_wanted):
        click_row(qtbot, panel.table, 1)
    settle(panel)
    scores = panel.known("pairs")
    second = scores.pairs[int(np.argsort(-scores.scores)[1])]
    assert session.selection.pair == second


def test_the_open_pair_has_a_z_even_outside_the_best(qtbot, panel, session, settle, engine):
    scores = panel.known("pairs")
    weakest = scores.pairs[int(np.argmin(scores.scores))]
    assert np.isnan(scores.z[scores.pairs.index(weakest)])
    session.choose_pair(weakest)
    settle(panel)
    assert Composition("attn-2l", "k", *weakest) in engine.asked
    assert "z −" in panel.cell.text
    assert cells(panel.table, 3)[-1].startswith("−")
    assert "–" in cells(panel.table, 3)


@pytest.mark.parametrize(("kind", "word"), [("q", "Queries"), ("k", "Keys"), ("v", "Values")])
def test_the_kind_says_what_the_later_head_reads(panel, session, settle, kind, word):
    session.set_composition(kind)
    settle(panel)
    assert panel.wants()["pairs"] == Composition("attn-2l", kind)
    assert panel.sentence.text.startswith(word)


def test_the_list_can_be_narrowed_to_what_the_open_head_reads(qtbot, panel, session, settle):
    session.choose_head(Head(1, 3))
    panel.which.set_value("into")
    panel.which.changed.emit("into")
    settle(panel)
    assert panel.caption.text == "4 pairs that end in L1H3, strongest first"
    assert all(name.endswith("L1H3") for name in cells(panel.table, 0))
    panel.which.set_value("from")
    panel.which.changed.emit("from")
    settle(panel)
    assert panel.caption.text == "L1H3 is in the last layer: no such pair."
    assert cells(panel.table, 0) == []


def test_the_mouse_over_a_cell_tells_both_heads_score_times_chance_and_z(panel):
    assert panel.describe(1, 2) == "L0H1 → L1H2: score 0.600, 3.0 × random, z +40.0"


@pytest.mark.parametrize("engine", [FakeEngine(layers=3)])
def test_pairs_that_cannot_be_are_absent_and_not_chosen(qtbot, show, session):
    panel = show(CompositionPanel)
    # Row 5 is L1H1, column 2 is L1H2: the same layer.
    assert np.isnan(panel.heatmap.matrix.values[5, 2])
    assert "cannot read" in panel.describe(5, 2)
    with qtbot.assertNotEmitted(panel.panel_wanted):
        click_cell(qtbot, panel, 5, 2)
    assert session.selection.pair is None
    click_cell(qtbot, panel, 5, 6)
    assert session.selection.pair == Pair(Head(1, 1), Head(2, 2))


@pytest.mark.parametrize("engine", [FakeEngine(layers=1)])
def test_a_model_of_one_layer_is_told_apart_from_a_failure(show, session):
    panel = show(CompositionPanel)
    assert panel.state == "failed"
    assert panel.showing_wait
    assert panel.waiting_text.startswith("attn-2l has one layer.")
    assert "two layers or more" in panel.waiting_text
    assert panel.notice.text() == ""


def test_arrow_keys_walk_the_map(qtbot, panel, session, settle):
    session.choose_pair(BEST_PAIR)
    settle(panel)
    qtbot.keyClick(panel.heatmap, Qt.Key.Key_Right)
    assert session.selection.pair == Pair(Head(0, 1), Head(1, 3))
