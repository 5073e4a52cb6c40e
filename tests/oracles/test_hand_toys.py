"""The second text's hand-sized examples give what it prints."""

import numpy as np
import torch

from tests.oracles import dense_circuits, hand_toys


def test_what_token_1_holds_in_dimension_1_arrives_at_token_3_in_dimension_3():
    values = hand_toys.STREAM @ hand_toys.W_V.T
    moved = hand_toys.PATTERN @ values @ hand_toys.W_O.T
    np.testing.assert_allclose(values[:, 0], (2, 1, 0))
    np.testing.assert_allclose(moved[2], (0, 0, 1.8))


def test_values_scaled_by_an_invertible_matrix_leave_the_outputs_alone():
    values, write = 2 * hand_toys.STREAM @ hand_toys.W_V.T, hand_toys.W_O / 2
    before = hand_toys.STREAM @ hand_toys.W_V.T @ hand_toys.W_O.T
    np.testing.assert_allclose(values[:, 0], (4, 2, 0))
    np.testing.assert_allclose(values @ write.T, before)


def test_three_token_head_has_one_direction_from_dimensions_1_and_2_to_dimension_3():
    row_convention = torch.tensor((hand_toys.W_O @ hand_toys.W_V).T)
    reads, values, writes = dense_circuits.directions(row_convention)
    np.testing.assert_allclose(values, (1.414, 0, 0), atol=5e-4)
    np.testing.assert_allclose(reads[0], (0.707, 0.707, 0), atol=5e-4)
    np.testing.assert_allclose(writes[0], (0, 0, 1), atol=1e-12)
    assert dense_circuits.overlap(row_convention) == (0, 1)


def test_heads_side_by_side_in_one_big_matrix_simply_add():
    together = hand_toys.BIG_W_O @ hand_toys.RESULTS.reshape(-1)
    slices = np.split(hand_toys.BIG_W_O, 2, axis=1)
    alone = [w @ r for w, r in zip(slices, hand_toys.RESULTS, strict=True)]
    np.testing.assert_allclose(together, sum(alone))


def test_flattened_head_is_one_kronecker_product():
    flat = np.kron(hand_toys.MIX, hand_toys.SWAP)
    assert (flat == hand_toys.KRONECKER).all()
    assert tuple(flat @ hand_toys.TABLE.reshape(-1)) == hand_toys.KRONECKER_TIMES_FLAT
    two_sided = hand_toys.MIX @ hand_toys.TABLE @ hand_toys.SWAP.T
    assert tuple(two_sided.reshape(-1)) == hand_toys.KRONECKER_TIMES_FLAT


def test_score_is_where_dimension_1_of_the_destination_meets_dimension_2_of_the_source():
    w_qk = hand_toys.QUERY_READS.T @ hand_toys.KEY_READS
    assert w_qk.tolist() == [[0, 1], [0, 0]]
    assert hand_toys.DESTINATION @ w_qk @ hand_toys.SOURCE == 6
