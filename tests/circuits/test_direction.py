"""Tokens at both ends of a singular direction against the dense float64 SVD."""

import numpy as np
import pytest

from engine.messages import Direction, Head, Refused
from tests.oracles import checkpoint, dense_circuits, rankings

RELATIVE_TOLERANCE = 2e-4  # of the largest magnitude in the list; a direction's own conditioning
CLEAR = 0.02  # a direction stands alone when its neighbours' values are this far away
K = 12

HEADS = [(name, head) for name in checkpoint.TRAINED for head in (Head(0, 1), Head(0, 6))]
HEADS += [("attn-2l", Head(1, 0)), ("attn-2l", Head(1, 4))]
HEADS += [("random", Head(0, 1)), ("random", Head(1, 2)), ("random-without-norm", Head(1, 0))]


def _matrix(model, head, circuit):
    dense = dense_circuits.ov_matrix if circuit == "ov" else dense_circuits.qk_matrix
    return dense(model, *head)


def _clear_indices(model, s, writes, how_many=3):
    """Return the first directions that stand alone and whose sign no rounding can flip."""
    found = []
    for i in range(model.d_head - 1):
        alone = s[i] - s[i + 1] > CLEAR * s[i] and (i == 0 or s[i - 1] - s[i] > CLEAR * s[i])
        high, low = writes[i].max(), -writes[i].min()
        if alone and abs(high - low) > 1e-3:
            found.append(i)
    assert found
    return found[:how_many]


def _assert_end(ids, values, ids_negative, values_negative, expected):
    expected = expected.numpy()
    tolerance = RELATIVE_TOLERANCE * np.abs(expected).max()
    rankings.assert_list(ids, values, expected, K, tolerance)
    rankings.assert_list(ids_negative, -values_negative, -expected, K, tolerance)


@pytest.mark.parametrize(("name", "head"), HEADS)
def test_ov_ends_are_what_the_direction_reads_and_writes(answer, raw, name, head):
    model = raw(name)
    matrix = _matrix(model, head, "ov")
    every, unembed = dense_circuits.token_vectors(model), dense_circuits.unembedding(model)
    reads, values, writes = dense_circuits.directions(matrix)
    for index in _clear_indices(model, values, writes):
        found = answer(Direction(name, head, "ov", index=index, k=K))
        assert found.singular_value == pytest.approx(values[index].item(), rel=1e-4)
        assert tuple(found.group) == (index, index)
        _assert_end(
            found.read_ids,
            found.read_values,
            found.read_ids_negative,
            found.read_values_negative,
            every @ reads[index],
        )
        _assert_end(
            found.write_ids,
            found.write_values,
            found.write_ids_negative,
            found.write_values_negative,
            writes[index] @ unembed,
        )


@pytest.mark.parametrize(("name", "head"), HEADS)
def test_qk_ends_are_the_query_and_the_key_that_meet(answer, raw, name, head):
    model = raw(name)
    matrix = _matrix(model, head, "qk")
    every = dense_circuits.token_vectors(model)
    queries, values, keys = dense_circuits.directions(matrix)
    for index in _clear_indices(model, values, keys):
        found = answer(Direction(name, head, "qk", index=index, k=K))
        assert found.singular_value == pytest.approx(values[index].item(), rel=1e-4)
        _assert_end(
            found.query_ids,
            found.query_values,
            found.query_ids_negative,
            found.query_values_negative,
            every @ queries[index],
        )
        _assert_end(
            found.key_ids,
            found.key_values,
            found.key_ids_negative,
            found.key_values_negative,
            every @ keys[index],
        )


@pytest.mark.parametrize("index", [-1, 32])
def test_a_direction_the_head_does_not_have_is_refused(answer, index):
    with pytest.raises(Refused):
        answer(Direction("attn-1l", Head(0, 0), "ov", index=index))
