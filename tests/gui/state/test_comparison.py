"""Rows and columns of pictures of one run or of two: numbers, names and pins in their places."""

import numpy as np

from gui.state import comparison
from gui.state.comparison import align

LEFT, RIGHT = ("a", "b", "c", "d"), ("a", "x", "b", "e", "d")
PAIRS = align((0, 1, 2, 3), (0, 9, 1, 8, 3))


def test_numbers_of_both_lie_on_one_axis_and_nowhere_else():
    axis = PAIRS.both
    left, right = np.arange(16.0).reshape(4, 4), 100 + np.arange(25.0).reshape(5, 5)
    found = axis.now(right, 0, 1) - axis.before(left, 0, 1)
    slots = {0: (0, 0), 2: (1, 2), 3: (2, 3), 4: (3, 4)}
    for row in range(5):
        for column in range(5):
            if row in slots and column in slots:
                (a, b), (c, d) = slots[row], slots[column]
                assert found[row, column] == right[b, d] - left[a, c]
            else:
                assert np.isnan(found[row, column])


def test_what_one_prompt_lacks_is_masked():
    seen = PAIRS.both.before(np.ones(4, bool), 0)
    assert seen.dtype == np.bool_
    assert seen.tolist() == [True, False, True, True, True]


def test_places_are_named_by_both_tokens_and_marked_where_there_is_one():
    assert PAIRS.both.labels(RIGHT, LEFT) == ("a", "+ x", "b", "c | e", "d")
    back = align((0, 9, 1, 8, 3), (0, 1, 2, 3)).both
    assert back.labels(LEFT, RIGHT) == ("a", "− x", "b", "e | c", "d")
    assert PAIRS.right.labels(RIGHT, None) == RIGHT
    assert [PAIRS.both.numbers(slot) for slot in range(5)] == ["0", "1", "1 | 2", "2 | 3", "3 | 4"]


def test_a_pin_is_found_where_there_are_numbers():
    both, back = PAIRS.both, align((0, 9, 1, 8, 3), (0, 1, 2, 3)).both
    assert [both.slot(pin) for pin in (0, 1, 3, 4, None)] == [0, 2, 4, None, None]
    assert back.slot(1) is None
    assert "left prompt only" in back.lone(1)
    assert both.last == 4
    assert align((0, 1, 2, 3, 4), (0, 1, 2)).both.last == 2


def test_a_run_less_itself_keeps_its_places():
    axis = comparison.with_and_without(comparison.left(3))
    values = np.arange(9.0).reshape(3, 3)
    assert axis.now(values, 0, 1) is values
    assert axis.before(values, 0, 1) is values
    assert axis.up_to(1).labels("abc", "abc") == ("a", "b")
