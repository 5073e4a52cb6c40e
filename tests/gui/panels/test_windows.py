"""A model with a sliding window: what it hides is masked in every panel, and said to be hidden."""

import numpy as np
import pytest

from engine.messages import Head
from gui.panels.model.heads import HeadsPanel
from gui.panels.prompt.attention import AttentionPanel
from gui.panels.prompt.destination_row import PosterPanel
from gui.session.session import Session
from gui.state.selection import Selection

TEXT = "w1 w2 w3 w4 w5 w6"
"""Seven tokens with BOS."""


@pytest.fixture
def session(qapp):
    return Session(Selection(text=TEXT, head=Head(1, 2), head_chosen=True))


@pytest.fixture
def windowed(engine):
    engine.window = 3
    return engine


def masked(strip):
    return [position for position, ground in enumerate(strip._grounds) if ground is None]


def test_the_strip_masks_what_a_row_and_a_column_hide(windowed, show, session, settle):
    panel = show(AttentionPanel)
    session.pin(4)
    settle(panel)
    assert masked(panel.strip) == [0, 1, 5, 6]
    session.set_looking("attended by")
    session.pin(2)
    settle(panel)
    assert masked(panel.strip) == [0, 1, 5, 6]


def test_a_cell_says_why_it_is_masked(windowed, show):
    panel = show(AttentionPanel)
    assert panel.describe(5, 2).endswith("beyond the window, the head may not look there")
    assert panel.describe(5, 6).endswith("in the future, the head may not look there")
    assert "pattern" in panel.describe(5, 3)


def test_a_difference_of_two_prompts_masks_what_either_hides(windowed, show, session, settle):
    panel = show(AttentionPanel)
    session.compare_with("w1 w2 w3 w9 w5 w6")
    session.set_compare("difference")
    session.pin(6)
    settle(panel)
    places = np.arange(7)
    distance = places[:, None] - places
    assert np.array_equal(panel._picture().mask, (distance >= 0) & (distance < 3))
    assert masked(panel.strip) == [0, 1, 2, 3]


@pytest.mark.parametrize("compared", [False, True])
def test_the_poster_draws_no_number_there_and_says_so(windowed, show, session, settle, compared):
    panel = show(PosterPanel)
    if compared:
        session.compare_with("w1 w2 w3 w9 w5 w6")
        session.set_compare("difference")
    session.pin(6)
    settle(panel)
    shown = panel.map.matrix.values
    assert np.array_equal(np.isnan(shown), np.tile(np.arange(7) < 4, (len(shown), 1)))
    assert "beyond the window" in panel.describe(2, 3)
    assert "beyond the window" not in panel.describe(2, 4)
    assert panel._column >= 4  # what is read can be seen


def test_the_grid_of_heads_masks_it(windowed, show):
    panel = show(HeadsPanel)
    corner = panel.grid._mask[:, 6, 2]
    assert not corner.any()
