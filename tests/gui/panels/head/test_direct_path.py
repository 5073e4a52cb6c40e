"""The direct path panel: the bigram table, a row or a column at a time."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import DirectPath
from gui.panels.head.direct_path import DirectPathPanel
from tests.gui.fake_engine import VOCABULARY


@pytest.fixture
def panel(show):
    return show(DirectPathPanel)


def asked(panel):
    return panel.wants()["tokens"]


def test_it_follows_the_pinned_query(panel, session, settle):
    run = panel.known("run")
    assert asked(panel) == DirectPath("attn-2l", int(run.ids[-1]), "output", VOCABULARY)
    session.pin(3)
    settle(panel)
    assert asked(panel).token == run.ids[3]
    assert f"{run.labels[3]} (query 3) raises and lowers" in panel.sentence.text


def test_a_token_of_a_vocabulary_listed_whole_is_listed_once(panel):
    assert panel.lists.raised.model().rowCount() == VOCABULARY
    assert panel.lists.lowered.model().rowCount() == 0


def test_turned_round_it_says_which_tokens_raise_this_one(qtbot, panel, settle):
    qtbot.mouseClick(panel.way._buttons["source"], Qt.MouseButton.LeftButton)
    settle(panel)
    assert asked(panel).direction == "source"
    assert [caption.text() for caption in panel.lists.captions] == ["raised by", "lowered by"]
    assert not panel.guess.isVisible()


def test_the_models_own_guess_has_its_rank_in_the_bigram_table(panel):
    answer = panel.known("tokens")
    guess = int(panel.known("run").next_ids[0])
    place = int(np.flatnonzero(answer.ids == guess)[0])
    assert f"here rank {place + 1} of {VOCABULARY}" in panel.guess.text


def test_small_print_names_the_table(panel):
    assert "W_E W_U, no positions" in panel.rank.text
