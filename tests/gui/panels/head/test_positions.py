"""The positions panel: distance in rotary models, a map where positions are learned."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import Head, OffsetScores, PositionQK, PositionScores, QKOffsets
from gui.panels.head.eigenvalues import EigenvaluesPanel
from gui.panels.head.positions import PositionsPanel
from gui.panels.head.spectrum import SpectrumPanel
from gui.panels.head.token_rankings import QKPanel
from gui.panels.model.composition import CompositionPanel
from tests.gui.fake_engine import FakeEngine

rotary = pytest.mark.parametrize("engine", [FakeEngine(positions="rotary")])
deep = pytest.mark.parametrize("engine", [FakeEngine(positions="rotary", d_mlp=64)])


@pytest.fixture
def panel(show):
    return show(PositionsPanel)


def asked(panel):
    return panel.wants()["shown"]


def press(qtbot, segmented, key):
    qtbot.mouseClick(segmented._buttons[key], Qt.MouseButton.LeftButton)


def test_learned_positions_are_shown_as_a_map_and_its_means(panel, session):
    assert asked(panel) == PositionQK("attn-2l", session.selection.head, 64)
    found = panel.known("shown")
    assert isinstance(found, PositionScores)
    assert panel.heatmap.isVisible()
    assert all(widget.isHidden() for widget in panel._of_pair)
    assert not panel.reach.isHidden()
    assert panel.plot.count() == 64
    assert panel.plot.say(1).startswith(f"1 token back: all pairs: mean {found.mean[1]:.2f}")
    assert "1 token back: 4.2 standard deviations above" in panel.small.text
    assert panel.small.text.endswith("÷ 2.5")


def test_a_cell_says_its_places_distance_and_score(panel):
    found = panel.known("shown")
    score = f"{found.scores[5, 4]:+.2f}"
    assert panel.describe(5, 4) == (
        f"query position 5, key position 4, 1 token back: score {score}"
    )
    assert "in the future" in panel.describe(4, 5)


def test_a_click_on_a_cell_pins_its_positions(qtbot, panel, session, settle):
    at = panel.heatmap.cell_rect(5, 3).center().toPoint()
    qtbot.mouseClick(panel.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert (session.selection.query, session.selection.source) == (5, 3)


def test_later_layers_say_what_is_left_out(panel, session, settle):
    assert "earlier layers" not in panel.sentence.text
    session.choose_head(Head(1, 2))
    settle(panel)
    assert "without what earlier layers write" in panel.sentence.text


def test_more_and_fewer_positions_can_be_asked_for(qtbot, panel, settle):
    press(qtbot, panel.reach, "16")
    settle(panel)
    assert asked(panel).positions == 16
    press(qtbot, panel.reach, "256")
    settle(panel)
    assert panel.plot.count() == 256


def test_a_distance_that_is_clicked_is_told_until_another_head_is_open(panel, session, settle):
    panel.plot.chosen.emit(7)
    settle(panel)
    assert panel.small.text.startswith("7 tokens back: ")
    assert panel.plot.selected == 7
    session.choose_head(Head(1, 2))
    settle(panel)
    assert panel.small.text.startswith("largest mean")
    assert panel.plot.selected is None


@rotary
def test_in_a_rotary_model_both_tokens_follow_what_is_pinned(panel, session, settle):
    session.pin(5, 2)
    settle(panel)
    run, now = panel.known("run"), session.selection
    assert asked(panel) == QKOffsets(
        now.model, now.head, int(run.ids[5]), int(run.ids[2]), "token", 64
    )
    found = panel.known("shown")
    assert isinstance(found, OffsetScores)
    assert not panel.heatmap.isVisible()
    assert not any(widget.isHidden() for widget in panel._of_pair)
    assert panel.sentence.text.startswith(f"query {run.labels[5]} and key {run.labels[2]}: ")
    assert f"this pair {found.scores[3]:.2f}" in panel.plot.say(3)
    session.pin(4)
    settle(panel)
    assert asked(panel).key == run.ids[panel.focus.source]


@rotary
def test_a_typed_token_stays_until_another_is_pinned(panel, session, settle):
    panel.key.chosen.emit(7)
    settle(panel)
    assert asked(panel).key == 7
    assert not panel.key.follow.isHidden()
    assert panel.query.follow.isHidden()
    session.choose_head(Head(1, 0))
    settle(panel)
    assert asked(panel).key == 7
    panel.key.chosen.emit(None)
    settle(panel)
    assert asked(panel).key != 7
    panel.query.chosen.emit(7)
    session.pin(2)
    settle(panel)
    assert asked(panel).query == panel.known("run").ids[2]


@deep
def test_deep_tokens_have_passed_the_first_mlp_unless_asked_otherwise(
    qtbot, panel, session, settle
):
    session.choose_head(Head(0, 1))
    settle(panel)
    assert asked(panel).source == "token"
    assert "deep layer" not in panel.sentence.text
    session.choose_head(Head(1, 1))
    settle(panel)
    assert asked(panel).source == "token+mlp0"
    press(qtbot, panel.source, "token")
    settle(panel)
    assert asked(panel).source == "token"
    assert "see token + MLP0" in panel.sentence.text


@rotary
def test_without_an_mlp_there_is_one_source(panel, session, settle):
    session.choose_head(Head(1, 1))
    settle(panel)
    assert asked(panel).source == "token"
    assert not panel.source._buttons["token+mlp0"].isEnabled()


@pytest.mark.parametrize(
    ("engine", "sentence"),
    [
        (FakeEngine(positions="none"), "attn-2l has no positions"),
        (FakeEngine(positions="ALiBi"), "attn-2l takes the same from every score at a distance"),
    ],
)
def test_other_models_have_nothing_to_show_and_it_is_said(show, sentence):
    panel = show(PositionsPanel)
    assert panel.waiting_text.startswith(sentence)
    assert panel.showing_wait
    assert panel.notice.text() == ""
    assert all(widget.isHidden() for widget in (*panel._of_pair, panel.reach))


@rotary
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (QKPanel, lambda panel: panel.rank.text),
        (SpectrumPanel, lambda panel: panel.overlap.text),
        (CompositionPanel, lambda panel: panel.sentence.text),
    ],
)
def test_every_panel_of_a_rotary_model_says_how_far_back_the_key_lies(show, kind, said, session):
    session.pin(3, 3)
    assert "0 tokens back" in said(show(kind))


@pytest.mark.parametrize("kind", [QKPanel, SpectrumPanel, CompositionPanel])
def test_in_other_models_distance_is_not_spoken_of(show, kind):
    panel = show(kind)
    for name in ("rank", "overlap", "sentence"):
        if hasattr(panel, name):
            assert " back" not in getattr(panel, name).text


@rotary
def test_a_qk_direction_and_all_heads_say_it_too(qtbot, show, settle):
    panel = show(SpectrumPanel)
    panel.choose("qk", 1)
    settle(panel)
    assert "0 tokens back" in panel.sentence.text
    panel.choose("ov", 1)
    settle(panel)
    assert " back" not in panel.sentence.text
    every = show(EigenvaluesPanel)
    press(qtbot, every.which, "all")
    settle(every)
    assert "0 tokens back" in every.all.sentence.text


def test_limits_of_the_map_are_symmetric(panel):
    found = panel.known("shown")
    colouring = panel.heatmap.matrix.colouring
    assert colouring.colours == "diverging"
    assert -colouring.low == colouring.high == np.nanmax(np.abs(found.scores))
