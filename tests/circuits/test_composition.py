"""Composition scores against TransformerLens and against dense float64 products."""

import numpy as np
import pytest
import torch
from transformer_lens import FactoredMatrix
from transformer_lens.utilities.matrix import composition_scores

from engine.messages import Composition, Head, Refused
from tests.oracles import dense_circuits

TOLERANCE = 1e-5
NAMES = ("attn-2l", "random", "random-without-norm")


def _stacked(model, name):
    return torch.stack(
        [model[f"blocks.{layer}.attn.{name}"] for layer in range(model.n_layers)]
    ).float()


def _second(model, layer, head, kind):
    if kind == "v":
        return dense_circuits.ov_matrix(model, layer, head)
    matrix = dense_circuits.qk_matrix(model, layer, head)
    return matrix if kind == "q" else matrix.T


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["q", "k", "v"])
def test_scores_are_transformer_lens_own_on_the_same_folded_weights(answer, raw, name, kind):
    # What TransformerBridge.all_composition_scores does with the stacked weights.
    model = dense_circuits.folded(raw(name))
    left = FactoredMatrix(_stacked(model, "W_V"), _stacked(model, "W_O"))
    right = FactoredMatrix(_stacked(model, "W_Q"), _stacked(model, "W_K").mT)
    right = {"q": right, "k": right.T, "v": left}[kind]
    expected = composition_scores(left, right)  # [layer, head, layer, head]
    found = answer(Composition(name, kind))
    scores = [expected[(*pair.earlier, *pair.later)] for pair in found.pairs]
    np.testing.assert_allclose(found.scores, torch.stack(scores), rtol=0, atol=TOLERANCE)
    assert len(set(found.pairs)) == len(scores) == model.n_heads**2
    assert all(pair.earlier.layer < pair.later.layer for pair in found.pairs)


@pytest.mark.parametrize("kind", ["q", "k", "v"])
def test_scores_are_norms_of_dense_products(answer, raw, kind):
    model = raw("random")
    found = answer(Composition("random", kind))
    for pair, score in zip(found.pairs, found.scores, strict=True):
        A = dense_circuits.ov_matrix(model, *pair.earlier)
        B = _second(model, *pair.later, kind)
        expected = (A @ B).norm() / (A.norm() * B.norm())
        assert score == pytest.approx(float(expected), abs=1e-7)


@pytest.mark.parametrize("kind", ["q", "k", "v"])
def test_random_weights_lie_at_the_baseline_whatever_their_kind(answer, raw, kind):
    found = answer(Composition("random", kind))
    assert found.baseline == pytest.approx(1 / (raw("random").d_model - 1) ** 0.5)
    # Independent random heads: a root mean square near the baseline, and no outlier.
    assert np.sqrt((found.scores**2).mean()) == pytest.approx(found.baseline, rel=0.25)
    assert np.abs(found.z).max() < 6


def test_without_a_norm_the_baseline_counts_every_dimension(answer, raw):
    found = answer(Composition("random-without-norm", "v"))
    assert found.baseline == pytest.approx(raw("random-without-norm").d_model ** -0.5)


def test_z_measures_against_rotations_of_the_same_singular_values(answer, raw):
    model = raw("random")
    pair = (Head(0, 1), Head(1, 2))
    found = answer(Composition("random", "q", *pair))
    place = [tuple(p) for p in found.pairs].index(pair)
    near = torch.linalg.svdvals(dense_circuits.ov_matrix(model, *pair[0]))
    far = torch.linalg.svdvals(dense_circuits.qk_matrix(model, *pair[1]))
    chance = torch.Generator().manual_seed(99)
    scores = []
    for _ in range(2000):
        drawn = torch.randn(23, 23, generator=chance, dtype=torch.float64)
        rotation = torch.linalg.qr(drawn).Q
        product = near[:23, None] * rotation * far[:23]
        scores.append(product.norm() / (near.norm() * far.norm()))
    scores = torch.stack(scores)
    expected = (found.scores[place] - float(scores.mean())) / float(scores.std())
    # 200 rotations know the spread to about 5 %.
    assert found.z[place] == pytest.approx(expected, abs=0.3 + 0.2 * abs(expected))


def test_z_is_there_for_the_best_fifty_and_the_pair_asked_for(answer):
    plain = answer(Composition("attn-2l", "k"))
    order = np.argsort(-plain.scores)
    assert np.isfinite(plain.z).sum() == 50
    assert np.isfinite(plain.z[order[:50]]).all()
    worst = plain.pairs[order[-1]]
    asked = answer(Composition("attn-2l", "k", worst.earlier, worst.later))
    assert np.isfinite(asked.z).sum() == 51
    np.testing.assert_array_equal(asked.z[order[:50]], plain.z[order[:50]])


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (Composition("toy", "k"), "toy has one layer"),
        (Composition("toy-2l", "k", Head(0, 0)), "a pair is two heads"),
        (Composition("toy-2l", "k", Head(1, 0), Head(0, 0)), "not in a later layer"),
        (Composition("toy-2l", "k", Head(0, 1), Head(1, 0)), "toy-2l has heads"),
        (Composition("toy-2l", "k", seed=-1), "the seed must be 0 to .*, not -1$"),
        (Composition("toy-2l", "k", seed=2**64), "the seed must be 0 to .*, not 18,446"),
    ],
)
def test_a_pair_or_a_seed_that_is_none_is_refused(answer, question, sentence):
    with pytest.raises(Refused, match=sentence):
        answer(question)
