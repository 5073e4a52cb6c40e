"""The first text's card gives the numbers that the first text prints (so the oracle is right)."""

import numpy as np
import pytest

from tests.oracles import checkpoint, dense_circuits, plain_transformer, toy_head


@pytest.fixture(scope="module")
def seen():
    toy = checkpoint.toy()
    return plain_transformer.run(toy, toy.encode(toy_head.TEXT))


def test_query_scores_and_pattern_are_the_printed_ones(seen):
    assert tuple(seen.queries[0][0, 4].tolist()) == toy_head.QUERY_AT_RETURN
    np.testing.assert_allclose(2**0.5 * seen.scores[0][0, 4], toy_head.SCORES_AT_RETURN)
    np.testing.assert_allclose(seen.patterns[0][0], toy_head.PATTERN, atol=5e-4)


def test_head_output_and_logit_increments_are_the_printed_ones(seen):
    output = seen.head_outputs[0][0]
    np.testing.assert_allclose(output[4], toy_head.HEAD_OUTPUT_AT_RETURN, atol=6e-3)
    np.testing.assert_allclose(output[3], toy_head.HEAD_OUTPUT_AT_ANS, atol=1e-12)
    np.testing.assert_allclose(
        output[4].numpy() @ toy_head.W_U.T, toy_head.LOGITS_AT_RETURN, atol=5e-4
    )


def test_a_head_is_two_products_neither_of_which_is_split_in_only_one_way():
    w_qk = np.zeros((4, 4))
    for place, value in toy_head.W_QK_ENTRIES.items():
        w_qk[place] = value
    assert (w_qk == toy_head.W_Q.T @ toy_head.W_K).all()
    assert (w_qk == toy_head.SECOND_W_Q.T @ toy_head.SECOND_W_K).all()
    assert (toy_head.W_O @ toy_head.W_V == toy_head.W_OV_PRINTED).all()
    assert np.linalg.matrix_rank(w_qk) == 1
    assert (toy_head.X @ toy_head.W_OV_PRINTED.T == toy_head.MOVED).all()
    # Section 7: "copying twice is copying".
    assert (toy_head.W_OV_PRINTED @ toy_head.W_OV_PRINTED == toy_head.W_OV_PRINTED).all()


def test_end_to_end_tables_are_the_printed_ones():
    toy = checkpoint.toy()
    ov, qk = dense_circuits.ov_table(toy, 0, 0), dense_circuits.qk_table(toy, 0, 0)
    np.testing.assert_allclose(ov, toy_head.table(toy_head.M_OV_ENTRIES), atol=1e-12)
    np.testing.assert_allclose(2**0.5 * qk, toy_head.table(toy_head.QK_ENTRIES), atol=1e-12)


def test_tripled_query_gives_the_sharp_row():
    sharp = checkpoint.toy(toy_head.SHARP_FACTOR)
    seen = plain_transformer.run(sharp, sharp.encode(toy_head.TEXT))
    np.testing.assert_allclose(seen.patterns[0][0, 4], toy_head.SHARP_PATTERN_AT_RETURN, atol=5e-4)
    increments = seen.head_outputs[0][0, 4].numpy() @ toy_head.W_U.T
    np.testing.assert_allclose(increments, toy_head.SHARP_LOGITS_AT_RETURN, atol=6e-3)
