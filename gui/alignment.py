"""Which tokens of two prompts stand for each other; no Qt."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from gui.comparison import Axis, Place


@dataclass(frozen=True)
class Alignment:
    """Which positions of two prompts stand for each other.

    Parameters
    ----------
    pairs
        Every position of both once, in order: left and right, none where there is no counterpart.
    equal
        How many stand for an equal token.
    """

    pairs: tuple[tuple[int | None, int | None], ...]
    equal: int

    @property
    def matched(self) -> int:
        """How many positions have a counterpart."""
        return sum(None not in pair for pair in self.pairs)

    @property
    def lengths(self) -> tuple[int, int]:
        """Tokens on the left and on the right."""
        left = sum(a is not None for a, _ in self.pairs)
        return left, sum(b is not None for _, b in self.pairs)

    @property
    def refusal(self) -> str:
        """Why there is no difference to show, in a sentence; empty where there is one."""
        left, right = self.lengths
        shorter = min(left, right)
        if left == right or 2 * self.equal >= shorter:
            return ""
        return (
            f"Left and right cannot be subtracted: the shorter prompt has {shorter} tokens and "
            f"shares only {self.equal} of them, in this order, with the other: fewer than half. "
            f"Show left or right, or write a second prompt of {left} tokens, as many as the first: "
            "then they are compared one to one."
        )

    @cached_property
    def right(self) -> Axis:
        """The axis of the right prompt by itself."""
        return Axis(tuple(Place(a, b) for a, b in self.pairs if b is not None))

    @cached_property
    def both(self) -> Axis:
        """The axis of right minus left."""
        return Axis(tuple(Place(a, b, a) for a, b in self.pairs), subtracts=True)


@lru_cache(maxsize=4)
def align(left: tuple[int, ...], right: tuple[int, ...]) -> Alignment:
    """Find which positions of two prompts stand for each other.

    Prompts of equally many tokens are taken one to one, so that a token may stand for a different
    one. Of others, the tokens of a longest common subsequence do, and between those what was
    replaced by equally many tokens.

    Parameters
    ----------
    left, right
        Token ids.
    """
    same = [] if len(left) == len(right) else _common(left, right)
    pairs: list[tuple[int | None, int | None]] = []
    a = b = 0
    for one, other in (*same, (len(left), len(right))):
        if one - a == other - b:
            pairs += zip(range(a, one), range(b, other), strict=True)
        else:
            pairs += [(at, None) for at in range(a, one)]
            pairs += [(None, at) for at in range(b, other)]
        if one < len(left) or other < len(right):
            pairs.append((one, other))
        a, b = one + 1, other + 1
    both = ((one, other) for one, other in pairs if one is not None and other is not None)
    equal = sum(left[one] == right[other] for one, other in both)
    return Alignment(tuple(pairs), equal)


def _common(left: tuple[int, ...], right: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the positions of a longest common subsequence in both.

    difflib looks for the longest stretch in common first, and on a text that repeats itself
    misses most of the rest; this takes 0.03 s for two prompts of 1,000 tokens, whatever they are.
    """
    begins = 0
    while begins < min(len(left), len(right)) and left[begins] == right[begins]:
        begins += 1
    rows, columns = np.array(left[begins:], dtype=np.int64), np.array(right[begins:])
    longest = np.zeros((len(rows) + 1, len(columns) + 1), dtype=np.int16)
    for row, token in enumerate(rows, 1):
        above = longest[row - 1]
        longest[row, 1:] = np.maximum(above[1:], above[:-1] + (columns == token))
        np.maximum.accumulate(longest[row], out=longest[row])
    found, a, b = [], len(rows), len(columns)
    while a and b:
        if rows[a - 1] == columns[b - 1]:
            a, b = a - 1, b - 1
            found.append((begins + a, begins + b))
        elif longest[a - 1, b] >= longest[a, b - 1]:
            a -= 1
        else:
            b -= 1
    return [(at, at) for at in range(begins)] + found[::-1]
