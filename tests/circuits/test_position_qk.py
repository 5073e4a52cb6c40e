"""Scores of learned positions against all pairs of tokens at all pairs of positions."""

import numpy as np
import pytest
import torch

from engine import Engine
from engine.messages import Head, PositionQK, Refused
from tests.oracles import dense_circuits, hugging_face, made_models, positions

RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude
RANDOM = [(name, Head(0, 1)) for name in made_models.RANDOM] + [("random", Head(1, 2))]


def assert_scores(found, expected):
    count = len(expected)
    seen = np.tri(count, dtype=bool)
    tolerance = RELATIVE_TOLERANCE * np.abs(expected[seen]).max()
    assert np.abs(found.scores - expected)[seen].max() < tolerance
    assert np.isnan(found.scores[~seen]).all()
    means = [np.diagonal(expected, -offset).mean() for offset in range(count)]
    assert found.offsets.tolist() == list(range(count))
    assert np.abs(found.mean - means).max() < tolerance


@pytest.mark.parametrize("biases", [False, True], ids=["without biases", "with biases"])
@pytest.mark.parametrize(("name", "head"), RANDOM)
def test_scores_are_the_mean_over_all_pairs_of_tokens(answer, raw, name, head, biases):
    model = raw(name)
    expected = positions.by_position(model, *head, 12, biases=biases).numpy()
    found = answer(PositionQK(name, head, 12, biases))
    assert_scores(found, expected)
    assert found.divisor == pytest.approx(model.d_head**0.5)


@pytest.mark.parametrize("biases", [False, True], ids=["without biases", "with biases"])
def test_a_norm_with_weights_of_its_own_is_folded(tmp_path, biases):
    model = hugging_face.write("gpt2", tmp_path / "gpt2")
    head = hugging_face.raw(model, "gpt2", 1, 2)
    expected = positions.gpt2_by_position(model, head, 64, biases=biases).numpy()
    assert_scores(
        Engine().answer(PositionQK(str(tmp_path / "gpt2"), Head(1, 2), biases=biases)), expected
    )


def test_the_head_that_looks_one_back_is_found(answer, raw):
    head = Head(0, 2)
    found = answer(PositionQK("attn-2l", head))
    read = positions.read_on_average(raw("attn-2l"), 64)
    expected = dense_circuits.scores_between(raw("attn-2l"), *head, read, read).numpy()
    assert_scores(found, expected)
    means = [np.diagonal(expected, -offset).mean() for offset in range(33)]
    assert found.best_offset == 1
    assert found.best_z == pytest.approx((means[1] - np.mean(means)) / np.std(means), rel=1e-4)
    assert found.best_z > 3


def test_positions_alone_say_what_a_perfect_head_does(answer):
    found = answer(PositionQK(made_models.PERFECT, Head(0, 1)))
    rows = torch.tensor(found.scores).nan_to_num(-torch.inf)
    assert rows.argmax(1).tolist() == [max(row - 1, 0) for row in range(len(rows))]
    assert found.best_offset == 1


def test_a_shorter_context_is_shown_whole(answer, raw):
    assert len(answer(PositionQK("random", Head(0, 0))).mean) == raw("random").n_ctx == 19


def test_positions_that_are_all_alike_have_no_outstanding_offset(answer):
    found = answer(PositionQK("attn-2l", Head(0, 2), 1))
    assert found.best_offset == 0
    assert np.isnan(found.best_z)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (PositionQK("random", Head(0, 0), 0), "random has 1 to 19 positions to show, not 0"),
        (PositionQK("random", Head(0, 0), 20), "random has 1 to 19 positions to show, not 20"),
        (PositionQK("random", Head(2, 0)), "random has heads 0.0 to 1.2"),
        (PositionQK("toy", Head(0, 0)), "toy has no positions: ask qk-tokens"),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(answer, question, sentence):
    with pytest.raises(Refused, match=sentence) as refusal:
        answer(question)
    assert "\n" not in str(refusal.value)
