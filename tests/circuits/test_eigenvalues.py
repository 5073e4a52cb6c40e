"""Eigenvalues of full circuits against FactoredMatrix and against the whole table."""

import numpy as np
import pytest
import torch
from transformer_lens import FactoredMatrix

from engine.messages import Eigenvalues, Head, Refused
from tests.oracles import dense_circuits

RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude
CASES = [
    ("attn-1l", Head(0, 3)),
    ("attn-2l", Head(1, 5)),
    ("random", Head(1, 2)),
    ("random-without-norm", Head(0, 1)),
]


def _assert_same(found, expected):
    """Assert that two unordered lists of complex numbers are equal."""
    ours = found.real + 1j * found.imag
    tolerance = RELATIVE_TOLERANCE * np.abs(expected).max()
    assert len(ours) == len(expected)
    distances = np.abs(ours[:, None] - expected)
    assert distances.min(1).max() < tolerance
    assert distances.min(0).max() < tolerance
    magnitudes = np.abs(ours)
    assert (np.diff(magnitudes) <= tolerance).all()
    expected_share = expected.real.sum() / np.abs(expected).sum()
    assert found.positivity == pytest.approx(expected_share, abs=1e-5)


@pytest.mark.parametrize(("name", "head"), CASES)
@pytest.mark.parametrize("circuit", ["ov", "qk"])
def test_they_are_factored_matrix_s(answer, raw, name, head, circuit):
    model = raw(name)
    vectors, project = dense_circuits.token_vectors(model), dense_circuits.off_ones(model)
    if circuit == "ov":
        left = vectors @ project @ model.of_head(*head, "W_V")
        right = model.of_head(*head, "W_O") @ project @ dense_circuits.unembedding(model)
    else:
        left = vectors @ project @ model.of_head(*head, "W_Q")
        right = (vectors @ project @ model.of_head(*head, "W_K")).T
    expected = FactoredMatrix(left, right).eigenvalues.numpy()
    _assert_same(answer(Eigenvalues(name, head, circuit)), expected)


@pytest.mark.parametrize("circuit", ["ov", "qk"])
def test_they_are_those_of_the_whole_table_other_than_its_zeros(answer, raw, circuit):
    model, head = raw("random"), Head(1, 0)
    if circuit == "ov":
        table = dense_circuits.ov_table(model, *head)
    else:
        table = dense_circuits.qk_table(model, *head) * model.d_head**0.5
    values = torch.linalg.eigvals(table).numpy()
    largest = values[np.argsort(-np.abs(values))[: model.d_head]]
    _assert_same(answer(Eigenvalues("random", head, circuit)), largest)


def test_the_texts_copying_matrix_has_a_two_for_each_name(answer):
    found = answer(Eigenvalues("toy", Head(0, 0)))
    np.testing.assert_allclose(found.real, (2, 2), atol=1e-6)
    np.testing.assert_allclose(found.imag, 0, atol=1e-6)
    assert found.positivity == pytest.approx(1)


def test_the_texts_qk_circuit_looks_at_other_tokens_than_its_own(answer):
    # Its only entries are (return, result) and (return, ans): no token scores itself.
    found = answer(Eigenvalues("toy", Head(0, 0), "qk"))
    np.testing.assert_allclose(found.real, 0, atol=1e-6)


def test_an_offset_means_nothing_without_rotation(answer):
    with pytest.raises(Refused, match="leave offset at 0"):
        answer(Eigenvalues("toy", Head(0, 0), offset=1))
