"""The heads panel: scores, the best of each measure, and which head opens."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from engine.job import Job
from engine.messages import Head, HeadScores, Refused, RunPrompt, Thumbnails
from gui.charts.measures import KINDS, full_name
from gui.panels.model.heads import HeadsPanel
from tests.gui.fake_engine import BEST_INDUCTION


@pytest.fixture
def panel(show):
    return show(HeadsPanel)


def test_a_head_that_shares_its_keys_says_with_whom(panel, engine, session, settle, show):
    assert panel.subtitle.text() == "2 × 4"
    honest = engine._LoadModel
    for groups, said in (
        (2, "2 × 4 · KV head 1, as H3"),
        (1, "2 × 4 · KV head 0, as the others of H0–H3"),
    ):
        engine._LoadModel = lambda request, n=groups: replace(honest(request), n_kv_heads=n)
        session.open_model(f"with {groups} groups")
        other = show(HeadsPanel)
        session.choose_head(Head(1, 2))
        settle(other)
        assert other.subtitle.text() == said
        assert other.subtitle.toolTip() == f"L1H2 reads with {said.partition(' · ')[2]}"


def test_the_best_induction_head_opens_by_itself(panel, session):
    assert session.selection.head == Head(*BEST_INDUCTION)
    assert not session.selection.head_chosen


def test_a_head_that_somebody_chose_stays(qtbot, session, client, show):
    session.choose_head(Head(0, 3))
    show(HeadsPanel)
    assert session.selection.head == Head(0, 3)


def test_the_button_of_a_measure_opens_its_best_head(qtbot, panel, session):
    session.choose_head(Head(0, 0))
    button = panel.best.buttons["induction"][0]
    assert "L1H2" in button.text()
    assert "0.90" in button.text()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert session.selection.head == Head(1, 2)
    assert session.selection.head_chosen


def test_every_measure_says_what_such_a_head_does(panel):
    tips = [button.toolTip() for button in panel.measure.findChildren(QPushButton)]
    assert all(tips)
    for (_, name, does), tip in zip(KINDS, tips[1:], strict=True):
        assert f"{name}: how much a head {does}" in tip
    for field, _, does in KINDS:
        assert does in panel.best.buttons[field][0].toolTip()


def test_colouring_by_a_measure_is_the_sessions(panel, session, settle):
    session.set_measure("previous_token")
    settle(panel)
    assert panel.measure.value() == "previous_token"


def test_hovering_a_head_names_it_and_its_scores(panel):
    text = panel.describe(Head(1, 2))
    assert text.startswith("L1H2")
    assert "induction 0.90" in text


def test_a_head_that_the_model_in_use_has_not_is_named_without_scores(panel, session, settle):
    assert panel.describe(Head(5, 0)) == "L5H0"
    assert panel.describe(Head(0, 9)) == "L0H9"
    session.set_measure("ov_norm")
    settle(panel)
    assert panel.describe(Head(5, 0)) == "L5H0"


def test_of_equal_heads_the_one_that_does_it_on_this_prompt_opens(
    monkeypatch, session, engine, show
):
    scores = engine._HeadScores(session.scores)
    induction = np.full_like(scores.grid("induction"), 0.1)
    induction[0, 1], induction[1, 0] = 0.95, 0.94
    found = replace(scores, scores=scores.scores | {"induction": induction.flatten()})
    monkeypatch.setattr(engine, "_HeadScores", lambda request: found)
    session.set_text("w7 w8 w7")
    ids = engine.answer(RunPrompt("attn-2l", "w7 w8 w7"), Job()).ids
    after_repeat = int(np.flatnonzero(ids[:-1] == ids[-1])[0]) + 1
    pictures = engine._Thumbnails(Thumbnails(session.run))
    values = np.zeros_like(pictures.values)
    values[0, 1, -1, 0] = values[1, 0, -1, after_repeat] = 1
    monkeypatch.setattr(engine, "_Thumbnails", lambda request: replace(pictures, values=values))
    panel = show(HeadsPanel)
    assert session.selection.head == Head(1, 0)
    shown = [button.text() for button in panel.best.buttons["induction"] if button.isVisible()]
    assert shown == ["I · induction L0H1 0.95", "L1H0 0.94"]


def test_buttons_of_the_model_before_go_when_this_one_has_no_scores(panel, session, settle, engine):
    engine.failing[HeadScores] = Refused("no scores")
    session.open_model("toy")
    settle(panel)
    assert not any(b.isVisible() for buttons in panel.best.buttons.values() for b in buttons)


@pytest.mark.parametrize("measure", ["prompt_induction", "ov_norm", "duplicate_token"])
def test_any_measure_can_be_picked_from_the_list(panel, session, settle, measure):
    panel.more.set_value(measure)
    panel.more.chosen.emit(measure)
    settle(panel)
    assert session.selection.measure == measure
    assert panel.measure.value() == ""
    assert full_name(measure) in panel.describe(Head(0, 0))
    assert full_name(measure) in panel.best.largest.text()
    assert panel.best.largest.isVisible()


def test_the_switch_takes_over_from_the_list(qtbot, panel, session, settle):
    session.set_measure("ov_norm")
    settle(panel)
    button = panel.measure.findChildren(QPushButton)[0]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(panel)
    assert session.selection.measure == "pattern"
    assert panel.more.value() is None
    assert not panel.best.largest.isVisible()


def test_weights_are_read_only_when_they_are_to_be_seen(panel, session, settle, engine):
    def weights():
        return [q for q in engine.asked if q == HeadScores("attn-2l", "weights")]

    assert not weights()
    session.set_measure("ov_eigenvalue_copying")
    settle(panel)
    assert len(weights()) == 1
