"""The hand-sized heads of "One Attention Head, Taken Apart", opened as models.

Figures are missing from the text as given; `hand_toys` says what was chosen in their place.
"""

import numpy as np
import pytest

from engine.messages import Attention, Direction, Head, RunPrompt, Spectrum, Table
from tests.oracles import hand_toys, made_models

HEAD = Head(0, 0)
THREE = ("three-tokens", "three-tokens-rescaled")  # the second: values (4, 2, 0), W_O halved
VALUES = np.array([2, 1, 0])


def _run(model):
    return RunPrompt(model, " ".join(made_models.WORDS))


def _softmax_log(logits):
    return logits - np.log(np.exp(logits).sum())


@pytest.mark.parametrize("model", THREE)
def test_what_token_1_holds_arrives_at_token_3_in_dimension_3(answer, model):
    pattern = answer(Attention(_run(model), 0))
    assert pattern.divisor == 1
    np.testing.assert_allclose(pattern.values[0], hand_toys.PATTERN, atol=1e-6)
    moved = answer(Table(model, HEAD, "ov")).values  # W_U is the identity: logits are the stream
    np.testing.assert_allclose(moved, VALUES[:, None] * [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(pattern.values[0, 2] @ moved, (0, 0, 1.8), atol=1e-6)
    run = answer(_run(model))
    expected = _softmax_log(hand_toys.STREAM[2] + (0, 0, 1.8))
    np.testing.assert_allclose(run.next_log_probs, expected[run.next_ids], atol=1e-5)


@pytest.mark.parametrize("model", THREE)
def test_value_weighting_counts_what_is_moved_however_the_values_are_scaled(answer, model):
    weighted = answer(Attention(_run(model), 0, "value-weighted")).values[0]
    np.testing.assert_allclose(weighted, hand_toys.PATTERN * VALUES, atol=1e-6)


@pytest.mark.parametrize("model", THREE)
def test_the_head_reads_dimensions_1_and_2_together_and_writes_dimension_3(answer, model):
    spectrum = answer(Spectrum(model, HEAD, "ov", dense=True))
    np.testing.assert_allclose(spectrum.singular_values, [1.414], atol=5e-4)
    np.testing.assert_allclose(spectrum.dense_singular_values, (1.414, 0, 0), atol=5e-4)
    assert spectrum.read_write_overlap == pytest.approx(0, abs=1e-9)
    assert spectrum.random_overlap == pytest.approx(1 / 3)
    found = answer(Direction(model, HEAD, "ov", index=0, k=3))
    read, write = np.zeros(3), np.zeros(3)
    read[found.read_ids], write[found.write_ids] = found.read_values, found.write_values
    # Tokens are (2, 0, 0), (0, 1, 0), (0, 0, 1): their inner products with (0.707, 0.707, 0).
    np.testing.assert_allclose(read, (2 * 0.707, 0.707, 0), atol=1e-3)
    np.testing.assert_allclose(write, (0, 0, 1), atol=1e-6)


def test_heads_side_by_side_simply_add(answer):
    alone = [answer(Table("side-by-side", Head(0, head), "ov")).values[0] for head in (0, 1)]
    together = hand_toys.BIG_W_O @ hand_toys.RESULTS.reshape(-1)
    np.testing.assert_allclose(sum(alone), together, atol=1e-6)
    # A lone token attends to itself with 1, so the whole sum arrives in its prediction.
    run = answer(RunPrompt("side-by-side", "a"))
    expected = _softmax_log(np.array([1.0, 0, 0]) + together)
    np.testing.assert_allclose(run.next_log_probs, expected[run.next_ids], atol=1e-5)


def test_mixing_rows_and_changing_each_row_gives_the_printed_numbers(answer):
    pattern = answer(Attention(RunPrompt("half-of-each", "a b"), 0)).values[0]
    np.testing.assert_allclose(pattern, hand_toys.MIX, atol=1e-6)
    changed = answer(Table("half-of-each", HEAD, "ov")).values
    flat = (pattern @ changed).reshape(-1)
    np.testing.assert_allclose(flat, hand_toys.KRONECKER_TIMES_FLAT, atol=1e-6)


def test_dimension_1_of_the_destination_meets_dimension_2_of_the_source(answer):
    table = answer(Table("meeting", HEAD, "qk"))
    assert table.divisor == 1
    np.testing.assert_allclose(table.values, [[0, 6], [0, 0]], atol=1e-6)
