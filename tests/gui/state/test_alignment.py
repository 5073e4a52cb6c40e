"""Which tokens of two prompts stand for each other, judged by the textbook's recursion."""

import numpy as np
import pytest

from gui.state.comparison import align


def longest(left, right):
    """Return the length of a longest common subsequence, by the textbook recursion."""
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for a, one in enumerate(left):
        for b, other in enumerate(right):
            best = max(table[a][b + 1], table[a + 1][b])
            table[a + 1][b + 1] = table[a][b] + 1 if one == other else best
    return table[-1][-1]


def test_as_many_tokens_are_taken_one_to_one_whatever_they_are():
    found = align((0, 5, 6, 7), (0, 7, 6, 5))
    assert found.pairs == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert (found.equal, found.matched, found.refusal) == (2, 4, "")


def test_what_was_put_in_has_no_counterpart():
    found = align((0, 1, 2, 3), (0, 1, 9, 8, 2, 3))
    assert found.pairs == ((0, 0), (1, 1), (None, 2), (None, 3), (2, 4), (3, 5))
    assert found.lengths == (4, 6)
    assert found.matched == found.equal == 4


def test_a_word_that_was_replaced_stands_for_its_replacement():
    found = align((0, 1, 2, 3), (0, 7, 1, 9, 3))
    assert (2, 3) in found.pairs
    assert (found.equal, found.matched) == (3, 4)


def test_one_word_changed_in_a_text_that_repeats_itself_moves_nothing_else():
    text = tuple(range(10)) * 9
    other = list(text)
    other[23] = 99
    found = align(text, (*other, 50))
    assert found.pairs == (*((at, at) for at in range(90)), (None, 90))


@pytest.mark.parametrize("seed", range(30))
def test_every_position_comes_once_in_order_and_as_many_as_can_are_equal(seed):
    rng = np.random.default_rng(seed)
    left, right = (tuple(rng.integers(0, 5, rng.integers(0, 20)).tolist()) for _ in range(2))
    if len(left) == len(right):
        right = (*right, 1)
    found = align(left, right)
    for side, ids in enumerate((left, right)):
        assert [pair[side] for pair in found.pairs if pair[side] is not None] == list(
            range(len(ids))
        )
    assert found.equal == longest(left, right)


def test_fewer_than_half_of_the_shorter_in_common_are_refused_with_what_to_do():
    refusal = align((0, 1, 2, 3, 4), (0, 1, 5, 6, 7, 8)).refusal
    assert "shorter prompt has 5 tokens and shares only 2" in refusal
    assert "write a second prompt of 5 tokens" in refusal
    assert align((0, 1, 2, 3), (0, 1, 5, 6, 7)).refusal == ""
