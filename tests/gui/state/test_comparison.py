"""Two runs compared: which tokens stand for each other, and one answer less another, by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import messages as m
from engine.messages import Head, Refused
from gui.state import comparison, question
from gui.state.comparison import align
from gui.state.difference import Difference, subtract
from tests.gui.figures import samples


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


LEFT_LABELS, RIGHT_LABELS = ("a", "b", "c", "d"), ("a", "x", "b", "e", "d")
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
    assert PAIRS.both.labels(RIGHT_LABELS, LEFT_LABELS) == ("a", "+ x", "b", "c | e", "d")
    back = align((0, 9, 1, 8, 3), (0, 1, 2, 3)).both
    assert back.labels(LEFT_LABELS, RIGHT_LABELS) == ("a", "− x", "b", "e | c", "d")
    assert PAIRS.right.labels(RIGHT_LABELS, None) == RIGHT_LABELS
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


LEFT, RIGHT = m.RunPrompt("toy", "a b c d"), m.RunPrompt("toy", "a x b e d")
OFF = replace(LEFT, heads_off=(Head(0, 1),))
ATTENTION = Difference(m.Attention(RIGHT, 1), m.Attention(LEFT, 1))


def a_run(ids: tuple[int, ...], labels: str) -> m.Run:
    _, run = samples.next_tokens(tuple(labels))
    return replace(run, ids=np.array(ids))


RUNS = a_run((0, 9, 1, 8, 3), "axbed"), a_run((0, 1, 2, 3), "abcd")
"""Of the right prompt and of the left one: x is only on the right, c stands for e."""
SLOTS = {0: (0, 0), 2: (1, 2), 3: (2, 3), 4: (3, 4)}


def patterns(labels: str, first: float) -> m.Patterns:
    count = len(labels)
    values = first + np.arange(2.0 * count**2).reshape(2, count, count)
    return m.Patterns(tuple(labels), values, np.tri(count, dtype=bool), 4.0)


def rows(labels: str, first: float) -> m.HeadRows:
    values = first + np.arange(2.0 * len(labels)).reshape(2, -1)
    heads = (Head(0, 0), Head(0, 1))
    return m.HeadRows(heads, values, tuple(labels), len(labels) - 1, np.zeros(2), np.ones(2))


def test_every_cell_of_two_prompts_is_the_right_one_less_the_left_or_not_a_number() -> None:
    right, left = patterns("axbed", 100), patterns("abcd", 0)
    found = subtract(ATTENTION, right, left, RUNS)
    assert found.names == ("right", "left")
    assert found.difference.labels == ("a", "+ x", "b", "c | e", "d")
    for row in range(5):
        for column in range(5):
            cell = found.difference.values[:, row, column]
            if row in SLOTS and column in SLOTS:
                (a, b), (c, d) = SLOTS[row], SLOTS[column]
                np.testing.assert_array_equal(cell, right.values[:, b, d] - left.values[:, a, c])
                assert found.difference.mask[row, column] == (column <= row)
            else:
                assert np.isnan(cell).all()
                assert not found.difference.mask[row, column]
    assert found.positions.tolist() == [0, 1, 2, 3, 4]
    assert found.base_positions.tolist() == [0, -1, 1, 2, 3]
    assert found.numbers == ("0", "1", "1 | 2", "2 | 3", "3 | 4")
    assert (found.answer, found.base) == (right, left)


def test_rows_of_every_head_end_at_the_token_asked_about() -> None:
    asked = Difference(m.DestinationRow(RIGHT, 3), m.DestinationRow(LEFT, 2))
    right, left = rows("axbe", 100), rows("abc", 0)
    found = subtract(asked, right, left, RUNS)
    np.testing.assert_array_equal(
        found.difference.values,
        np.stack([right.values[:, 0] - left.values[:, 0], np.full(2, np.nan),
                  right.values[:, 2] - left.values[:, 1], right.values[:, 3] - left.values[:, 2]],
                 axis=1),
    )  # fmt: skip
    assert found.position == "2 | 3"


def test_parts_of_a_logit_are_subtracted_one_by_one() -> None:
    _, now = samples.logit_attribution()
    before = replace(now, values=now.values**2, total=1.0, logit=2.0, remainder=1.0)
    asked = Difference(m.LogitAttribution(OFF, 9), m.LogitAttribution(LEFT, 9))
    _, run = samples.next_tokens()
    at = replace(now, position=9), replace(before, position=9)
    found = subtract(asked, *at, (run,))
    np.testing.assert_array_equal(found.difference.values, now.values - now.values**2)
    assert found.difference.total == now.total - 1.0
    assert found.names == ("heads off", "whole model")
    assert (found.positions.tolist(), found.position) == ([9], "9")


@pytest.mark.parametrize(
    ("here", "there", "said"),
    [
        (4, 2, "position 2 of the left prompt, 'c', stands for position 3 of the right prompt"),
        (2, 2, "say --other-position 3"),
    ],
)
def test_positions_that_do_not_stand_for_each_other_are_refused(here: int, there: int, said: str):
    asked = Difference(m.DestinationRow(RIGHT, here), m.DestinationRow(LEFT, there))
    right, left = rows("axbed"[: here + 1], 0), rows("abcd"[: there + 1], 0)
    with pytest.raises(Refused, match=said):
        subtract(asked, right, left, RUNS)


def test_a_token_that_only_the_left_prompt_has_is_refused() -> None:
    asked = Difference(m.DestinationRow(LEFT, 1), m.DestinationRow(RIGHT, 1))
    with pytest.raises(Refused, match="'x', stands for no token of the right prompt"):
        subtract(asked, rows("ab", 0), rows("ax", 0), RUNS[::-1])


def test_prompts_that_share_too_little_are_refused_in_a_sentence() -> None:
    runs = a_run((7, 8, 9), "xyz"), a_run((0, 1, 2, 3), "abcd")
    with pytest.raises(Refused, match="left and right cannot be subtracted: the shorter") as said:
        subtract(ATTENTION, patterns("xyz", 0), patterns("abcd", 0), runs)
    assert not str(said.value).endswith(".")


ONE: Any = m.Attention(RIGHT, 1)


@pytest.mark.parametrize(
    ("request_", "base", "said"),
    [
        (ONE, m.DestinationRow(LEFT), "two questions of one kind"),
        (m.Spectrum("toy", Head(0, 0)), m.Spectrum("toy", Head(0, 1)), "two questions of one kind"),
        (ONE, m.Attention(LEFT, 0), "the same but for the prompt's text"),
        (ONE, m.Attention(LEFT, 1, "scores"), "the same but for"),
        (ONE, m.Attention(replace(LEFT, model="attn-2l"), 1), "the same but for"),
        (ONE, m.Attention(OFF, 1), "the same but for"),
        (m.Attention(LEFT, 1), m.Attention(OFF, 1), "the same but for"),
        (m.DestinationRow(OFF, 1), m.DestinationRow(LEFT, 2), "the same but for"),
        (
            m.LogitAttribution(RIGHT, split="sources"), m.LogitAttribution(LEFT, split="sources"),
            "split by heads",
        ),
    ],
)  # fmt: skip
def test_what_differs_in_more_than_the_prompt_or_the_heads_off_is_refused(
    request_: Any, base: Any, said: str
) -> None:
    with pytest.raises(Refused, match=said):
        Difference(request_, base)


@pytest.mark.parametrize(
    "asked",
    [
        ATTENTION,
        Difference(m.DestinationRow(RIGHT, 3), m.DestinationRow(LEFT, 2)),
        Difference(m.LogitAttribution(OFF), m.LogitAttribution(LEFT)),
        m.Attention(OFF, 1),
    ],
)
def test_plain_values_are_read_back(asked: question.Question) -> None:
    assert question.from_json(question.to_json(asked)) == asked


def test_what_is_asked_is_both_questions_and_the_runs_whose_tokens_tell_how_they_align() -> None:
    assert ATTENTION.asked == (ATTENTION.request, ATTENTION.base, RIGHT, LEFT)
    off = Difference(m.Attention(OFF, 1), m.Attention(LEFT, 1))
    assert off.asked == (off.request, off.base, OFF)
    assert question.asked(off.request) == (off.request,)


@pytest.mark.parametrize(
    ("position", "tokens", "found"),
    [(3, 0, 3), (-1, 5, 4), (-5, 5, 0), (-6, 5, None), (-1, 0, None)],
)
def test_positions_are_counted_from_the_beginning_where_that_is_known(
    position: int, tokens: int, found: int | None
) -> None:
    assert question.from_start(position, tokens) == found
