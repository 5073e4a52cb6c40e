"""Compare two prompts by keyboard in the real window, and find the engine's own numbers."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from engine.messages import Attention, DestinationRow, Head, LogitAttribution, RunPrompt
from gui.panels.prompt.attention import AttentionPanel
from gui.panels.prompt.attribution import AttributionPanel
from gui.panels.prompt.destination_row import PosterPanel
from gui.session.session import Selection
from gui.shell.layouts import LAYOUTS
from tests.app.conftest import settle

INDUCTION = Head(1, 3)
GREEN, BLACK = "I like green tea, so I drink green", "I like black tea, so I drink black"
LONGER = "I really like black tea, so I drink black"
KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@pytest.fixture
def window(qtbot, open_window):
    window = open_window(Selection(text=GREEN, head=INDUCTION, head_chosen=True))
    window.lay_out(LAYOUTS[1])
    settle(qtbot, window)
    return window


def compare(qtbot, window, text):
    QTest.keyClick(window, Qt.Key.Key_C, KEYS)
    QTest.keyClicks(window.compare_bar.edit, text)
    qtbot.waitUntil(lambda: window.session.selection.other_text == text)
    settle(qtbot, window)


def test_right_minus_left_is_the_difference_of_two_answers(qtbot, window, engine):
    compare(qtbot, window, BLACK)
    left, right = RunPrompt("attn-2l", GREEN), RunPrompt("attn-2l", BLACK)
    attention = window.findChild(AttentionPanel)
    patterns = [engine.answer(Attention(run, 1)).values[3] for run in (left, right)]
    np.testing.assert_array_equal(attention.heatmap.matrix.values, patterns[1] - patterns[0])
    # The induction head reads what followed the word of its own prompt, and so it does in both.
    assert attention.heatmap.matrix.labels[0][3] == "·green | ·black"

    window.open_cards(["Poster"])
    settle(qtbot, window)
    poster = window.findChild(PosterPanel)
    rows = [engine.answer(DestinationRow(run, 9)).values for run in (left, right)]
    np.testing.assert_array_equal(poster.map.matrix.values, rows[1] - rows[0])

    window.open_cards(["Attribution"])
    settle(qtbot, window)
    attribution = window.findChild(AttributionPanel)
    parts = [engine.answer(LogitAttribution(run, 9)) for run in (left, right)]
    assert parts[0].target_label == parts[1].target_label == "·tea"
    np.testing.assert_array_equal(attribution._drawn.values, parts[1].values - parts[0].values)
    assert abs(attribution._drawn.remainder) < 1e-5
    at = parts[0].heads.index(INDUCTION)
    # The head's sources are those of HeadOutput, computed by another road in float32.
    assert attribution._by_source().sum() == pytest.approx(attribution._drawn.values[at], abs=1e-5)


def test_prompts_of_different_length_are_compared_where_both_have_a_token(qtbot, window, engine):
    compare(qtbot, window, LONGER)
    left, right = RunPrompt("attn-2l", GREEN), RunPrompt("attn-2l", LONGER)
    attention = window.findChild(AttentionPanel)
    one, other = (engine.answer(Attention(run, 1)).values[3] for run in (left, right))
    shown = attention.heatmap.matrix
    assert shown.labels[0][2] == "+ ·really"
    assert not shown.mask[2].any()
    assert not shown.mask[:, 2].any()
    has = [0, 1, *range(3, 11)]
    np.testing.assert_array_equal(shown.values[np.ix_(has, has)], other[np.ix_(has, has)] - one)


def test_escape_ends_it_and_leaves_the_window_as_it_was(qtbot, window):
    attention = window.findChild(AttentionPanel)
    before, selection = attention.heatmap.matrix, window.session.selection
    compare(qtbot, window, BLACK)
    QTest.keyClick(window.compare_bar.edit, Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert window.session.selection == selection
    assert not window.compare_bar.isVisible()
    np.testing.assert_array_equal(attention.heatmap.matrix.values, before.values)
