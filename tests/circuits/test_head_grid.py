"""Scores of every head on repeated random tokens, by an independent pass on tokens of our own.

Which random tokens are drawn is the engine's affair, so the two are held together statistically:
by the spread that our own sequences show.
"""

import numpy as np
import pytest

from engine.messages import HeadGrid
from tests.oracles import checkpoint, detection, made_models

SEQUENCES = 8
OURS = 16
SPREADS = 5  # standard errors of the difference


@pytest.fixture(scope="module", params=checkpoint.TRAINED)
def both(request, answer, raw):
    model = raw(request.param)
    grid = answer(HeadGrid(request.param, seed=0, sequences=SEQUENCES))
    return model, grid, detection.scores(model, grid.length, OURS, seed=7)


def _assert_alike(grid, ours, sequences):
    for measure in detection.MEASURES:
        rows = ours[measure].numpy()
        found = getattr(grid, measure)
        assert found.shape == rows.shape[1:]
        error = rows.std(0, ddof=1) * np.sqrt(1 / sequences + 1 / len(rows))
        assert (np.abs(found - rows.mean(0)) <= SPREADS * error + 1e-6).all()


def test_scores_of_every_head_are_those_of_our_own_sequences(both):
    _, grid, ours = both
    _assert_alike(grid, ours, SEQUENCES)


@pytest.mark.parametrize("name", ["toy-sharp", *made_models.RANDOM])
def test_scores_of_small_models_are_those_of_many_sequences_of_our_own(answer, raw, name):
    grid = answer(HeadGrid(name, seed=0, sequences=64))
    _assert_alike(grid, detection.scores(raw(name), grid.length, 64, seed=7), 64)


def test_a_perfect_head_scores_one_in_its_measure_and_nothing_in_the_others(answer):
    grid = answer(HeadGrid(made_models.PERFECT, seed=0, sequences=3))
    assert grid.length == made_models.COPY
    np.testing.assert_allclose(grid.induction, [[1, 0, 0]], atol=1e-6)
    # Row 1 of the first-token head looks one back too, and so the reverse: one row in eight. The
    # induction head looks at the first position throughout the first copy.
    np.testing.assert_allclose(grid.previous_token, [[1 / 8, 1, 1 / 8]], atol=1e-6)
    np.testing.assert_allclose(grid.first_token, [[1 / 2, 1 / 8, 1]], atol=1e-6)


def test_copies_are_long_enough_to_tell_and_fit_the_context(both):
    model, grid, _ = both
    assert grid.length >= 20
    assert 2 * grid.length + 1 <= model.n_ctx


def test_only_the_second_layer_finds_what_followed_last_time(answer):
    induction = answer(HeadGrid("attn-2l")).induction
    assert induction[1].max() >= 0.8
    assert induction[0].max() < 0.2
    assert answer(HeadGrid("attn-1l")).induction.max() < 0.2


def test_a_previous_token_head_stands_in_the_first_layer(answer):
    assert answer(HeadGrid("attn-2l")).previous_token[0].max() >= 0.7


def test_the_same_seed_gives_the_same_scores_and_another_seed_others(answer):
    first, again, other = (
        answer(HeadGrid("attn-1l", seed=seed, sequences=2)) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first.induction, again.induction)
    assert (first.induction != other.induction).any()
