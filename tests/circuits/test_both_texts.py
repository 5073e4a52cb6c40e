"""What both texts print of their hand-sized heads, in their own digits, as the engine answers it.

Numbers that other files of this folder hold against the texts already (the pattern, the tables,
the two-layer toys) are here only where the text's digits themselves were not yet.
"""

import numpy as np
import pytest
import torch

from engine.circuits.checks.attention import kronecker
from engine.messages import Head, Receipts, RunPrompt, Table, VirtualHead, Workings
from engine.network import factored
from tests.oracles import hand_toys, made_models, toy_head

HEAD = Head(0, 0)
RESULT, EQUALS, ZERO, ANS, RETURN = range(5)


@pytest.fixture(scope="module")
def steps(answer):
    """Return the values of every step of a head, by symbol."""

    def of(model, text=toy_head.TEXT, head=HEAD):
        found = answer(Workings(RunPrompt(model, text), head)).steps
        return {step.symbol: step.values for step in found}

    return of


def digits(values, places=2):
    return [f"{value:.{places}f}" for value in values]


# "Attention in tensor notation".


def test_section_1_the_second_split_gives_the_same_circuit_scores_and_pattern(steps):
    first, second = steps("toy"), steps(made_models.SPLIT)
    assert second["Q"][RETURN].tolist() == [1, 1]
    assert second["K"][RESULT].tolist() == [2, 1]
    assert first["Q"][RETURN].tolist() == [2, 1]
    for symbol in ("W_QK", "S", "A", "h", "ΔL"):
        np.testing.assert_array_equal(first[symbol], second[symbol])


def test_section_1_the_two_splits_differ_by_an_invertible_matrix(steps):
    first, second = steps("toy"), steps(made_models.SPLIT)
    M = np.diag([1 / 2, 1])
    np.testing.assert_array_equal(first["W_Q"] @ M, second["W_Q"])
    np.testing.assert_array_equal(first["W_K"] @ np.linalg.inv(M).T, second["W_K"])


def test_section_2_row_4_of_the_lookup_is_ans_and_one_hot_rows_are_the_identity(steps):
    found = steps("toy")
    assert found["W_E"][ANS].tolist() == [1, -1, 0, 0]
    np.testing.assert_array_equal(found["T"], np.eye(5))
    twice = steps("toy", "ans return ans")
    np.testing.assert_array_equal(twice["X"][0], twice["X"][2])


def test_section_4_the_circuit_has_rank_1(steps):
    assert np.linalg.matrix_rank(steps("toy")["W_QK"]) == 1


def test_section_5_the_inner_product_keeps_slots_1_and_2(steps):
    found = steps("toy")
    np.testing.assert_array_equal(found["X"] @ found["W_OV"], toy_head.MOVED)
    np.testing.assert_allclose(found["h"][ANS], (0.5, 0, 0, 0), atol=1e-7)


def test_section_6_the_scores_are_the_qk_table_since_every_token_stands_at_one_position(
    answer, steps
):
    table = answer(Table("toy", HEAD, "qk"))
    np.testing.assert_allclose(table.divisor * table.values, steps("toy")["S"], atol=1e-6)
    ov = answer(Table("toy", HEAD, "ov")).values
    # [result] ... [return] -> result with 3 and 2, [ans] ... [return] -> ans with 1 and 2.
    for name, score in ((RESULT, 3), (ANS, 1)):
        assert table.divisor * table.values[RETURN, name] == pytest.approx(score)
        assert ov[name, name] == pytest.approx(2)
    change = steps("toy")["A"] @ steps("toy")["T"] @ ov
    np.testing.assert_allclose(change, steps("toy")["ΔL"], atol=1e-6)


def test_section_7_the_virtual_row_is_the_heads_row_moved_one_earlier(answer, steps):
    run = RunPrompt("toy-2l", toy_head.TEXT)
    virtual = answer(VirtualHead(run, Head(0, 0), Head(1, 0), "result")).product[RETURN]
    own = steps("toy")["A"][RETURN]
    # 0.62 and one 0.07 land on position 1, the 0.15 of `ans` on `0`.
    assert digits(own) == ["0.62", "0.07", "0.07", "0.15", "0.07"]
    assert digits(virtual) == ["0.70", "0.07", "0.15", "0.07", "0.00"]
    assert virtual[RESULT] == pytest.approx(own[RESULT] + own[EQUALS])
    np.testing.assert_allclose(virtual[1:4], own[2:5], atol=1e-7)


def test_section_7_copying_twice_is_copying(steps):
    copy = steps("toy")["W_OV"]
    np.testing.assert_array_equal(copy @ copy, copy)


# "One Attention Head, Taken Apart".


@pytest.mark.parametrize(
    ("model", "values"), [("three-tokens", (2, 1, 0)), ("three-tokens-rescaled", (4, 2, 0))]
)
def test_a_head_moves_information_1_8_arrives_in_dimension_3(steps, model, values):
    found = steps(model, "a b c")
    assert found["X"][2].tolist() == [0, 0, 1]
    assert tuple(found["V"][:, 0]) == values
    assert found["V"][2] == 0
    np.testing.assert_allclose(found["h"][2], (0, 0, 1.8), atol=1e-6)
    assert digits(found["h"][2], 1) == ["0.0", "0.0", "1.8"]


def test_doubled_values_and_halved_w_o_leave_every_output_as_it_was(steps):
    before, after = steps("three-tokens", "a b c"), steps("three-tokens-rescaled", "a b c")
    np.testing.assert_array_equal(after["V"], 2 * before["V"])
    np.testing.assert_array_equal(after["W_O"], before["W_O"] / 2)
    np.testing.assert_allclose(after["h"], before["h"], atol=1e-7)


def test_two_heads_side_by_side_have_the_printed_results_and_add(answer, steps):
    both = [steps("side-by-side", "a", Head(0, number)) for number in (0, 1)]
    assert [found["r"][0].tolist() for found in both] == [[1, 2], [3, -1]]
    together = hand_toys.BIG_W_O @ np.array([1, 2, 3, -1])
    np.testing.assert_allclose(sum(found["h"][0] for found in both), together, atol=1e-6)
    question = Receipts(RunPrompt("side-by-side", "a"), HEAD)
    (receipt,) = (r for r in answer(question).receipts if r.name.startswith("stacked heads"))
    assert receipt.residual < 1e-6


def test_the_kronecker_rows_are_the_printed_ones(steps):
    found = steps("half-of-each", "a b")
    pattern, circuit = (torch.tensor(found[symbol]).double() for symbol in ("A", "W_OV"))
    flat = kronecker(pattern, circuit)
    assert flat.tolist() == [
        [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.5, 0.0],
    ]  # fmt: skip
    assert (flat @ torch.tensor([1.0, 2, 3, 4]).double()).tolist() == [2.0, 1.0, 3.0, 2.0]
    assert found["X"].reshape(-1).tolist() == [1, 2, 3, 4]
    assert found["h"].reshape(-1).tolist() == [2, 1, 3, 2]


def test_the_mixed_product_rule_holds_with_a_difference_of_exactly_0(steps):
    found = steps("half-of-each", "a b")
    A, W = (torch.tensor(found[symbol]).double() for symbol in ("A", "W_OV"))
    in_turn = kronecker(A, W) @ kronecker(A, W)
    assert (in_turn - kronecker(A @ A, W @ W)).abs().max() == 0


def test_the_pattern_in_one_step_has_one_entry_and_a_score_of_6(steps):
    found = steps("meeting", "b a")  # the source before the destination
    assert found["W_QK"].tolist() == [[0, 1], [0, 0]]
    assert found["S"][1, 0] == 6


def test_one_singular_value_1_414_from_0_707_0_707_0_to_0_0_1(steps):
    found = steps("three-tokens", "a b c")
    W_V, W_O = (torch.tensor(found[symbol]).double() for symbol in ("W_V", "W_O"))
    U, S, Vh = factored.Factored(W_V, W_O).svd()
    assert digits(S, 3) == ["1.414"]
    sign = Vh[0].sign().sum()
    assert digits((sign * U[:, 0]).abs(), 3) == ["0.707", "0.707", "0.000"]
    assert digits(sign * Vh[0], 3) == ["0.000", "0.000", "1.000"]
    assert float(U[0, 0] * U[1, 0]) > 0
    # W_OV's "last row is (1, 1, 0) and the other rows are zero" in the papers' shape.
    assert found["W_OV"].T.tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 0]]
