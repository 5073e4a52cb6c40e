"""The banner of switched-off heads, and the ways to switch one off and on again."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from engine.messages import Attention, Head, HeadScores, RunPrompt
from gui.charts.focus import named
from gui.panels.model.heads import HeadsPanel
from gui.panels.prompt.attention import AttentionPanel
from gui.panels.prompt.prompt import PromptPanel
from gui.session.session import Selection, Session
from gui.shell.banners import AblationBar


@pytest.fixture
def bar(qtbot, session):
    bar = AblationBar(session)
    qtbot.addWidget(bar)
    bar.resize(900, 60)
    return bar


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_banner_is_there_only_while_a_head_is_off(qtbot, window, session):
    bar = window.findChild(AblationBar)
    height = window.docks[0].parentWidget().height()
    assert not bar.isVisible()
    session.set_heads_off([Head(0, 2)])
    qtbot.waitUntil(bar.isVisible)
    assert bar.heading.text() == "Ablated: L0H2 is switched off"
    qtbot.waitUntil(lambda: window.docks[0].parentWidget().height() < height)
    press(qtbot, bar.on)
    assert session.selection.heads_off == ()
    assert not bar.isVisible()


def test_a_session_that_begins_ablated_says_so(qtbot, qapp):
    host = QWidget()
    qtbot.addWidget(host)
    bar = AblationBar(Session(Selection(heads_off=(Head(0, 1), Head(1, 3)))))
    bar.setParent(host)
    host.show()
    assert bar.isVisible()
    assert bar.heading.text() == "Ablated: L0H1 and L1H3 are switched off"


def test_many_heads_are_counted_not_listed():
    heads = [Head(0, number) for number in range(8)]
    assert named(heads[:3]) == "L0H0, L0H1 and L0H2"
    assert named(heads) == "L0H0, L0H1, L0H2, L0H3, L0H4 and 3 more"


def test_the_difference_ends_with_the_last_head_that_is_off(qtbot, bar, session):
    session.set_heads_off([Head(0, 2)])
    press(qtbot, bar.difference)
    assert session.selection.difference
    assert "every other card shows what is left" in bar.text.text
    session.switch_head(Head(0, 2))
    assert not session.selection.difference
    session.set_difference(True)
    assert not session.selection.difference


def test_another_model_is_whole(session):
    session.set_heads_off([Head(0, 2)])
    session.set_difference(True)
    session.open_model("another")
    assert session.selection.heads_off == ()
    assert not session.selection.difference


def test_scores_without_a_head_open_no_other_head(session):
    session.switch_head(Head(0, 2))
    session.suggest_head(Head(1, 1))
    assert session.selection.head == Head(0, 0)


def test_x_switches_the_selected_head_off_and_on(qtbot, show, session, settle, engine):
    panel = show(HeadsPanel)
    centre = panel.grid.head_rect(Head(0, 2)).center().toPoint()
    qtbot.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    settle(panel)
    before = panel.grid.grab().toImage()
    QTest.keyClick(panel.grid, Qt.Key.Key_X)
    settle(panel)
    assert session.selection.heads_off == (Head(0, 2),)
    assert HeadScores("attn-2l", "random", heads_off=(Head(0, 2),)) in engine.asked
    assert panel.grid.grab().toImage() != before
    QTest.keyClick(panel.grid, Qt.Key.Key_X)
    settle(panel)
    assert session.selection.heads_off == ()


def test_attention_switches_the_open_head_off_and_says_so(qtbot, show, session, settle, engine):
    session.choose_head(Head(1, 3))
    panel = show(AttentionPanel)
    assert panel.switch.text() == "switch off L1H3"
    press(qtbot, panel.switch)
    settle(panel)
    assert session.selection.heads_off == (Head(1, 3),)
    assert panel.switch.text() == "L1H3 is off"
    assert panel.switch.isChecked()
    assert panel.subtitle.text().startswith("switched off · ")
    assert Attention(session.run, 1, "pattern") in engine.asked
    press(qtbot, panel.switch)
    settle(panel)
    assert panel.switch.text() == "switch off L1H3"
    assert "switched off" not in panel.subtitle.text()


def test_attention_draws_the_pattern_minus_that_of_the_whole_model(show, session, settle):
    session.choose_head(Head(1, 1))
    panel = show(AttentionPanel)
    whole = panel.known("shown").values[1]
    session.set_heads_off([Head(0, 2)])
    session.set_difference(True)
    settle(panel)
    now = panel.known("shown").values[1]
    shown = panel.heatmap.matrix
    np.testing.assert_array_equal(shown.values, now - whole)
    assert shown.colouring.colours == "diverging"
    assert shown.colouring.low == -shown.colouring.high == -np.abs(now - whole).max()
    assert shown.unit == "change of attention"
    assert "less (−, red) than with L0H2" in panel.sentence.text
    told = f"pattern {whole[5, 2]:.2f} → {now[5, 2]:.2f} ({now[5, 2] - whole[5, 2]:+.2f})"
    assert told.replace("-", "−") in panel.describe(5, 2)
    session.set_difference(False)
    settle(panel)
    np.testing.assert_array_equal(panel.heatmap.matrix.values, now)
    assert panel.sentence.text.endswith("this head reads, with L0H2 off")


def test_what_no_head_off_can_reach_is_said_not_to_change(show, session, settle):
    session.choose_head(Head(0, 1))
    panel = show(AttentionPanel)
    session.set_heads_off([Head(0, 2)])
    session.set_difference(True)
    settle(panel)
    assert panel.sentence.text.endswith("as before: no head of an earlier layer is off")


def test_prompt_lists_each_guess_before_and_now(show, session, settle, engine):
    panel = show(PromptPanel)
    session.set_heads_off([Head(0, 2)])
    settle(panel)
    assert not panel.changes.isVisible()
    session.set_difference(True)
    settle(panel)
    assert panel.changes.isVisible()
    assert not panel.guesses.isVisible()
    before, now = panel.known("all_before"), panel.known("all_now")
    assert len(before.next_ids) == 40
    model = panel.changes.model()
    rows = [[model.index(r, c).data() for c in range(4)] for r in range(model.rowCount())]
    assert {row[0] for row in rows} == {*before.next_labels[:10], *now.next_labels[:10]}
    share = {}
    for name, run in (("before", before), ("now", now)):
        chances = 100 * np.exp(run.next_log_probs)
        share[name] = dict(zip(run.next_labels, chances, strict=True))
    for label, was, is_, change in rows:
        assert was == f"{share['before'][label]:.1f}"
        assert is_ == f"{share['now'][label]:.1f}"
        moved = share["now"][label] - share["before"][label]
        assert change == f"{moved:+.1f}".replace("-", "−") or round(moved, 1) == 0
    changes = [abs(share["now"][row[0]] - share["before"][row[0]]) for row in rows]
    assert changes == sorted(changes, reverse=True)
    session.set_heads_off([])
    settle(panel)
    assert panel.guesses.isVisible()
    assert RunPrompt("attn-2l", session.selection.text) == session.run
