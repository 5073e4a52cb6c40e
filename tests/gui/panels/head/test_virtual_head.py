"""The virtual head panel: which pair, which token, which pattern."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engine.messages import Composition, Head, Pair, VirtualHead
from gui.panels.head.virtual_head import VirtualHeadPanel
from gui.style.formatting import percent
from tests.gui.fake_answers import BEST_PAIR
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def panel(show):
    return show(VirtualHeadPanel)


def asked(panel):
    return panel.wants()["parts"]


def test_it_opens_the_strongest_pair_until_one_is_chosen(panel, session, settle):
    assert (asked(panel).earlier, asked(panel).later) == BEST_PAIR
    assert panel.subtitle.text() == "strongest by keys"
    assert (panel.picker.earlier.currentText(), panel.picker.later.currentText()) == (
        "L0H1",
        "L1H2",
    )
    session.choose_pair(Pair(Head(0, 3), Head(1, 0)))
    settle(panel)
    assert (asked(panel).earlier, asked(panel).later) == (Head(0, 3), Head(1, 0))
    assert panel.subtitle.text() == ""


def test_a_chosen_pair_does_not_wait_for_the_composition_of_all(show, session, engine):
    session.choose_pair(Pair(Head(0, 0), Head(1, 1)))
    panel = show(VirtualHeadPanel)
    assert panel.state == "fresh"
    assert not any(isinstance(request, Composition) for request in engine.asked)


def test_the_token_is_that_of_the_source_which_the_pair_reads_most(panel, engine):
    run, parts = panel.known("run"), panel.known("parts")
    source = 1 + int(np.argmax(parts.product[-1, 1:]))
    assert sum(isinstance(request, VirtualHead) for request in engine.asked) == 1
    assert asked(panel).token == run.ids[source]
    assert panel.sentence.text == (
        f"reading {run.labels[source]} (source {source}), the two together raise and lower"
    )


def test_a_pinned_source_is_followed(panel, session, settle):
    session.pin(4, 2)
    settle(panel)
    assert asked(panel).token == panel.known("run").ids[2]
    assert "(source 2)" in panel.sentence.text
    assert panel.heatmap._pinned == (4, 2)


def test_a_click_on_a_cell_pins_query_and_source(qtbot, panel, session):
    at = panel.heatmap.cell_rect(5, 3).center().toPoint()
    qtbot.mouseClick(panel.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert (session.selection.query, session.selection.source) == (5, 3)


def test_the_pinned_cell_and_the_one_under_the_mouse_are_told(panel, session, settle):
    session.pin(5, 3)
    settle(panel)
    parts = panel.known("parts")
    labels = parts.source_labels
    assert panel.cell.text == (
        f"query 5 {labels[5]} → source 3 {labels[3]}: "
        f"product {parts.product[5, 3]:.3f}, exact {parts.exact[5, 3]:.3f}"
    )
    panel.heatmap.hovered.emit(2, 4)
    assert panel.cell.text.endswith("in the future, neither head may look there")
    assert panel.describe(4, 1).startswith("query 4 ")


def test_a_typed_token_is_asked_about_until_the_prompt_is_followed_again(qtbot, panel, settle):
    followed = asked(panel).token
    panel.choice.field.setFocus()
    panel.choice.field.selectAll()
    QTest.keyClicks(panel.choice.field, " w17")
    QTest.keyClick(QApplication.activePopupWidget() or panel.choice.field, Qt.Key.Key_Return)
    settle(panel)
    assert asked(panel).token == 17
    assert panel.sentence.text == "reading ·w17, the two together raise and lower"
    qtbot.mouseClick(panel.choice.follow, Qt.MouseButton.LeftButton)
    settle(panel)
    assert asked(panel).token == followed


def test_a_row_of_the_lists_asks_about_its_token(qtbot, panel, settle):
    token = int(panel.known("parts").ids[2])
    raised = panel.lists.raised
    at = raised.visualRect(raised.model().index(2, 1)).center()
    qtbot.mouseClick(raised.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(panel)
    assert asked(panel).token == token


def test_the_exact_pattern_is_one_click_away_and_explained(panel, settle):
    parts = panel.known("parts")
    assert panel.explanation.text.startswith("A2 A1")
    assert np.array_equal(panel.heatmap.matrix.values, parts.product)
    panel.pattern.set_value("exact")
    panel.pattern.changed.emit("exact")
    settle(panel)
    assert panel.explanation.text.startswith("A2 diag(1/s) A1")
    assert np.array_equal(panel.heatmap.matrix.values, parts.exact)


@pytest.mark.parametrize("engine", [FakeEngine(norm="none")])
def test_without_a_norm_the_product_is_exact(show):
    panel = show(VirtualHeadPanel)
    assert panel.known("parts").exact is None
    assert not panel.pattern._buttons["exact"].isEnabled()
    assert "product is exact" in panel.pattern._buttons["exact"].toolTip()


def test_the_share_is_told_overall_and_at_the_pinned_query(panel, session, settle):
    session.pin(3)
    settle(panel)
    parts = panel.known("parts")
    told = panel.share_sentence.text
    assert told.startswith("Of what L1H2 gives on this prompt, 25.0 % comes from what L0H1 gives")
    assert told.endswith(f"(query 3), {percent(float(parts.shares[3]))}.")


def test_another_earlier_head_is_picked_from_its_list(panel, session, settle):
    panel.picker.earlier.setFocus()
    QTest.keyClick(panel.picker.earlier, Qt.Key.Key_Down)
    settle(panel)
    assert session.selection.pair == Pair(Head(0, 2), Head(1, 2))


@pytest.mark.parametrize("engine", [FakeEngine(layers=3)])
def test_a_later_head_that_could_not_read_the_earlier_one_makes_way(show, session, settle):
    panel = show(VirtualHeadPanel)
    panel.picker.earlier.activated.emit(panel.picker.earlier.findText("L1H0"))
    settle(panel)
    assert session.selection.pair == Pair(Head(1, 0), Head(2, 2))
    panel.picker.later.activated.emit(panel.picker.later.findText("L1H3"))
    settle(panel)
    assert session.selection.pair == Pair(Head(0, 0), Head(1, 3))


@pytest.mark.parametrize("engine", [FakeEngine(layers=1)])
def test_a_model_of_one_layer_has_no_pairs(show):
    panel = show(VirtualHeadPanel)
    assert "has one layer" in panel.waiting_text
    assert not panel.picker.earlier.isVisible()


def test_copying_and_the_largest_singular_values_are_told(panel):
    parts = panel.known("parts")
    assert "copying +0.50" in panel.weights.text
    assert f"W_O1 W_V2: {parts.singular_values[0]:.2f}, " in panel.weights.text
    assert panel.weights.text.endswith("(6)")


def test_the_question_does_not_change_with_the_open_head(panel, session, settle):
    before = asked(panel)
    session.choose_head(Head(0, 0))
    settle(panel)
    assert asked(panel) == before
    assert isinstance(before, VirtualHead)
