"""The eigenvalues panel: the plane, and what positivity means."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.job import Job
from engine.messages import Attention, ComplexValues, Eigenvalues, Head, HeadScores
from gui.panels.head.eigenvalues import EigenvaluesPanel
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def panel(show):
    return show(EigenvaluesPanel)


def answering(panel, values, settle):
    values = np.asarray(values, dtype=complex)
    size = np.abs(values).sum()
    positivity = float(values.real.sum() / size) if size else float("nan")
    request = panel.wants()["values"]
    panel.receive("values", request, ComplexValues(values.real, values.imag, positivity))
    settle(panel)


def test_it_asks_about_the_open_head_and_needs_no_prompt(panel, session, settle):
    assert panel.wants()["values"] == Eigenvalues("attn-2l", session.selection.head, "ov")
    session.choose_head(Head(1, 1))
    settle(panel)
    assert panel.wants()["values"] == Eigenvalues("attn-2l", Head(1, 1), "ov")
    assert panel.head_label.text() == "L1H1"


def test_qk_is_one_click_away(qtbot, panel, session, settle):
    qtbot.mouseClick(panel.circuit._buttons["qk"], Qt.MouseButton.LeftButton)
    settle(panel)
    assert panel.wants()["values"].circuit == "qk"
    assert panel.sentence.text.startswith("Positivity")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([3, 1, 0.5], "Copying +1.00 (−1 to 1): on the whole, it raises"),
        ([3, -3], "Copying 0.00 (−1 to 1): reading a token says"),
        ([-3, -1], "Copying −1.00 (−1 to 1): on the whole, it lowers"),
        ([0, 0], "Copying is not defined"),
    ],
)
def test_one_sentence_says_what_the_number_means(panel, settle, values, told):
    answering(panel, values, settle)
    assert panel.sentence.text.startswith(told)


def test_a_click_on_a_point_tells_it(qtbot, panel, settle):
    answering(panel, [2 + 1j, 2 - 1j, 0.5], settle)
    at = panel.plane.place(2).toPoint()
    qtbot.mouseClick(panel.plane, Qt.MouseButton.LeftButton, pos=at)
    settle(panel)
    assert panel.small.text == "eigenvalue 3 of 3: 0.50"


def test_another_head_forgets_the_point(panel, session, settle):
    panel.choose(1)
    settle(panel)
    assert panel.small.text.startswith("eigenvalue 2")
    session.choose_head(Head(0, 1))
    settle(panel)
    assert panel.small.text.startswith("6 eigenvalues over the largest magnitude")


@pytest.mark.parametrize("engine", [FakeEngine(positions="rotary")])
def test_in_a_rotary_model_qk_depends_on_how_far_back_the_source_lies(show, session, settle):
    panel = show(EigenvaluesPanel)
    session.pin(5, 2)
    panel.circuit.set_value("qk")
    panel.circuit.changed.emit("qk")
    settle(panel)
    assert panel.wants()["values"].offset == 3
    assert panel.small.text.endswith("· 3 tokens back")
    session.pin(5)
    settle(panel)
    assert isinstance(panel.wants()["patterns"], Attention)
    assert panel.wants()["values"].offset == 5 - panel.focus.source


def test_all_heads_are_one_click_away_and_a_point_opens_its_head(
    qtbot, panel, session, settle, engine
):
    assert HeadScores("attn-2l", "weights") not in engine.asked
    qtbot.mouseClick(panel.which._buttons["all"], Qt.MouseButton.LeftButton)
    settle(panel)
    assert panel.all.isVisible()
    assert not panel.plane.isVisible()
    scores = engine.answer(HeadScores("attn-2l", "weights"), Job()).scores
    told = panel.all.scatter.say(3)
    assert f"QK positivity {scores['qk_eigenvalue_positivity'][3]:.2f}" in told
    assert f"OV copying {scores['ov_eigenvalue_copying'][3]:.2f}" in told
    at = panel.all.scatter.place(3).toPoint()
    qtbot.mouseClick(panel.all.scatter, Qt.MouseButton.LeftButton, pos=at)
    settle(panel)
    assert session.selection.head == Head(0, 3)
    qtbot.mouseClick(panel.which._buttons["head"], Qt.MouseButton.LeftButton)
    settle(panel)
    assert panel.plane.isVisible()
