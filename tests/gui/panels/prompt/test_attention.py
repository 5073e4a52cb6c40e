"""The attention panel: pinning, kinds, colour ranges, and what the small print says."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import Attention, Head, Refused
from gui.charts import focus
from gui.panels.prompt.attention import AttentionPanel
from gui.state.difference import UNSEEN


@pytest.fixture
def panel(show):
    return show(AttentionPanel)


def click(qtbot, panel, row, column):
    place = panel.heatmap.cell_rect(row, column).center().toPoint()
    qtbot.mouseClick(panel.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_the_last_token_is_pinned_at_first(panel):
    last = len(panel.known("run").labels) - 1
    assert f"(query {last})" in panel.sentence.text


def test_a_click_pins_query_and_source(qtbot, panel, session, settle):
    click(qtbot, panel, 5, 2)
    settle(panel)
    assert (session.selection.query, session.selection.source) == (5, 2)
    assert "(query 5)" in panel.sentence.text
    assert panel.cell.text.startswith("query 5 ")
    assert "key 2 " in panel.cell.text


def test_a_click_on_the_future_pins_only_the_query(qtbot, panel, session):
    click(qtbot, panel, 2, 5)
    assert (session.selection.query, session.selection.source) == (2, None)


def test_small_print_tells_pattern_score_and_divisor(qtbot, panel, session, settle):
    click(qtbot, panel, 5, 2)
    settle(panel)
    number = session.selection.head.number
    pattern = panel.known("weights").values[number, 5, 2]
    score = panel.known("products").values[number, 5, 2]
    assert f"pattern {pattern:.2f}" in panel.cell.text
    assert f"{abs(score):.2f} (divided by 2.5)" in panel.cell.text


def test_hyphens_in_words_stay_hyphens(panel, session, settle):
    session.set_kind("value-weighted")
    settle(panel)
    assert "value-weighted" in panel.cell.text


def test_a_head_that_another_model_had_is_waited_for_without_its_scores(panel, session, settle):
    session.choose_head(Head(0, 1))
    settle(panel)
    assert "induction" in panel.subtitle.text()
    session.choose_head(Head(0, 9))
    settle(panel)
    assert panel.subtitle.text() == ""


def test_the_future_is_said_not_to_be_looked_at(panel):
    assert "in the future" in panel.describe(2, 5)


def test_without_a_pinned_source_the_strongest_but_bos_is_read(panel, session, settle):
    run, pattern = panel.known("run"), panel.known("weights")
    query = len(run.labels) - 1
    row = pattern.values[session.selection.head.number, query]
    expected = 1 + int(np.argmax(row[1:]))
    assert f"key {expected} " in panel.cell.text


def test_attended_by_turns_the_sentence_round(panel, session, settle):
    session.set_looking("attended by")
    settle(panel)
    assert "is read from" in panel.sentence.text


def test_another_kind_keeps_the_pins(qtbot, panel, session, settle):
    click(qtbot, panel, 5, 2)
    session.set_kind("scores")
    settle(panel)
    assert (session.selection.query, session.selection.source) == (5, 2)
    assert panel.kind.value() == "scores"


def test_hide_bos_is_off_where_there_is_no_bos(panel, session, settle):
    session.set_hide_bos(True)
    session.set_prepend_bos(False)
    settle(panel)
    assert not panel.hide_bos.isEnabled()
    assert not panel.hide_bos.isChecked()


def test_the_head_is_named_with_its_scores(panel, session, settle):
    session.choose_head(Head(1, 2))
    settle(panel)
    assert panel.head_label.text() == "L1H2"
    assert "induction 0.90" in panel.subtitle.text()


VALUES = np.array([[0.9, 0.0], [0.7, 0.3]])
MASK = np.tril(np.ones((2, 2), bool))


def test_a_pattern_runs_from_0_to_1():
    assert focus.limits(VALUES, MASK, shares=True) == (0.0, 1.0)


def test_hiding_bos_leaves_its_column_out_of_the_range():
    assert focus.limits(VALUES, MASK, shares=True, hide_bos=True) == (0.0, 0.3)
    assert focus.limits(VALUES, MASK, hide_bos=True) == (0.0, 0.3)


def test_scores_run_as_far_below_0_as_above():
    scores = np.array([[-2.0, np.nan], [0.5, 1.0]])
    assert focus.limits(scores, MASK, signed=True) == (-2.0, 2.0)


def test_a_difference_that_is_rounding_gets_no_colour():
    noise = np.array([[0.0, 0.0], [1e-7, -1e-7]])
    assert focus.limits(noise, MASK, signed=True, least=UNSEEN) == (-UNSEEN, UNSEEN)
    wide = focus.limits(1e6 * noise, MASK, signed=True, least=UNSEEN)
    assert wide == pytest.approx((-0.1, 0.1))


@pytest.mark.parametrize("hide", [True, False])
def test_a_single_token_has_a_range(hide):
    low, high = focus.limits(np.zeros((1, 1)), np.ones((1, 1), bool), signed=True, hide_bos=hide)
    assert low < high


def test_a_picture_of_the_head_before_is_told_with_its_own_numbers(panel, session, settle, engine):
    session.choose_head(Head(0, 1))
    settle(panel)
    told = panel.describe(5, 2)
    engine.failing[Attention] = Refused("stopped")
    session.choose_head(Head(1, 3))
    settle(panel)
    assert panel.describe(5, 2) == told
