"""Singular values, groups and overlaps against the dense float64 matrix."""

import numpy as np
import pytest
import torch
from transformer_lens import FactoredMatrix

from engine.messages import Head, Spectrum
from tests.oracles import checkpoint, dense_circuits, made_models

THIN_TOLERANCE = 1e-4  # relative, against dense float64
CLIFF = 1e-5  # what lies behind d_head, over the first value

HEADS = [(name, head) for name in checkpoint.TRAINED for head in (Head(0, 0), Head(0, 7))]
HEADS += [("attn-2l", Head(1, 0)), ("attn-2l", Head(1, 5))]
HEADS += [("random", Head(0, 1)), ("random", Head(1, 2)), ("random-without-norm", Head(1, 0))]
CASES = [(name, head, circuit) for name, head in HEADS for circuit in ("ov", "qk")]


def _matrix(model, head, circuit):
    dense = dense_circuits.ov_matrix if circuit == "ov" else dense_circuits.qk_matrix
    return dense(model, *head)


@pytest.mark.parametrize(("name", "head", "circuit"), CASES)
def test_thin_values_are_the_dense_ones_and_nothing_lies_behind_them(
    answer, raw, name, head, circuit
):
    model = raw(name)
    found = answer(Spectrum(name, head, circuit, dense=True))
    dense = torch.linalg.svdvals(_matrix(model, head, circuit)).numpy()
    d_head = model.d_head
    assert found.singular_values.shape == (d_head,)
    assert found.dense_singular_values.shape == (model.d_model,)
    np.testing.assert_allclose(found.singular_values, dense[:d_head], rtol=THIN_TOLERANCE)
    np.testing.assert_allclose(
        found.dense_singular_values[:d_head], dense[:d_head], rtol=THIN_TOLERANCE
    )
    assert found.dense_singular_values[d_head] < CLIFF * found.dense_singular_values[0]


@pytest.mark.parametrize(("name", "head", "circuit"), CASES)
def test_overlap_is_that_of_the_dense_subspaces(answer, raw, name, head, circuit):
    model = raw(name)
    found = answer(Spectrum(name, head, circuit))
    expected, rank = dense_circuits.overlap(_matrix(model, head, circuit))
    assert found.rank == rank
    assert found.read_write_overlap == pytest.approx(expected, abs=1e-4)
    assert found.random_overlap == pytest.approx(rank / model.d_model)


@pytest.mark.parametrize(("name", "head", "circuit"), CASES)
def test_groups_follow_the_one_percent_rule(answer, name, head, circuit):
    found = answer(Spectrum(name, head, circuit))
    expected = dense_circuits.near_equal_groups(found.singular_values.tolist())
    assert [tuple(group) for group in found.groups] == expected
    assert found.dense_singular_values is None


@pytest.mark.parametrize("circuit", ["ov", "qk"])
@pytest.mark.parametrize("number", range(len(made_models.LADDERS)))
def test_known_values_are_found_and_grouped_by_the_first_of_each_run(answer, number, circuit):
    values, groups = made_models.LADDERS[number]
    found = answer(Spectrum(made_models.LADDER, Head(0, number), circuit))
    np.testing.assert_allclose(found.singular_values, values, rtol=1e-6)
    assert [tuple(group) for group in found.groups] == groups
    assert found.rank == sum(value > 1e-6 for value in values)


@pytest.mark.parametrize("circuit", ["ov", "qk"])
def test_values_equal_those_of_factored_matrix(answer, raw, circuit):
    model, head = raw("attn-2l"), Head(1, 2)
    project = dense_circuits.off_ones(model)
    if circuit == "ov":
        left, right = model.of_head(*head, "W_V"), model.of_head(*head, "W_O")
    else:
        left, right = model.of_head(*head, "W_Q"), model.of_head(*head, "W_K").T
    thin = FactoredMatrix(project @ left, right @ project)
    found = answer(Spectrum("attn-2l", head, circuit))
    np.testing.assert_allclose(found.singular_values, thin.S, rtol=THIN_TOLERANCE)
