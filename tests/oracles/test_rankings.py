"""The judge of a ranked list accepts a right one and turns every wrong one away."""

import numpy as np
import pytest

from tests.oracles import rankings

VALUES = np.array([0.5, 3.0, -1.0, 2.0, 2.0])


def test_rank_is_the_number_of_values_that_are_at_least_as_large():
    assert [rankings.rank(VALUES, i) for i in range(5)] == [4, 1, 5, 3, 3]


def test_right_list_is_accepted_whichever_way_its_ties_lie():
    rankings.assert_list([1, 3, 4], [3, 2, 2], VALUES, 3, 0)
    rankings.assert_list([1, 4, 3], [3, 2, 2], VALUES, 3, 0)
    rankings.assert_list([1, 4, 3, 0, 2], [3, 2, 2, 0.5, -1], VALUES, 10, 0)


@pytest.mark.parametrize(
    ("ids", "listed"),
    [
        ([1, 3], [3, 2]),  # too short
        ([1, 3, 3], [3, 2, 2]),  # the same twice
        ([1, 3, 0], [3, 2, 0.5]),  # a larger one left out
        ([3, 1, 4], [2, 3, 2]),  # out of order
        ([1, 3, 4], [3, 2, 1.9]),  # a wrong value
        ([2, 0, 4], [-1, 0.5, 2]),  # weakest first
    ],
)
def test_wrong_list_is_turned_away(ids, listed):
    with pytest.raises(AssertionError):
        rankings.assert_list(ids, listed, VALUES, 3, 1e-6)


def test_rank_may_differ_only_by_tokens_that_lie_near():
    rankings.assert_rank(2, VALUES, 3, 1e-6)
    rankings.assert_rank(3, VALUES, 3, 1e-6)  # its equal may have come out a hair larger
    for wrong in (1, 4):
        with pytest.raises(AssertionError):
            rankings.assert_rank(wrong, VALUES, 3, 1e-6)
