"""Numbers and heads as window and figures write them.

Numbers have a real minus sign, and no more decimals than tell.
"""

from math import floor, isfinite, log10
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from engine.messages import Head

MINUS = "−"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decimals_for(values: npt.ArrayLike) -> int:
    """Return how many decimals tell the values of one list apart: two, fewer or more by size."""
    numbers = np.abs(np.asarray(values, dtype=np.float64))
    numbers = numbers[np.isfinite(numbers) & (numbers > 0)]
    if numbers.size == 0:
        return 2
    largest = float(numbers.max())
    if largest >= 0.1:
        return 2 if largest < 1000 else 1 if largest < 10_000 else 0
    return min(1 - floor(log10(largest)), 8)


def reach(values: npt.ArrayLike, least: float = 0.0) -> float:
    """Return how far values go from 0 either way: where a scale of them ends.

    Parameters
    ----------
    values
        What is to be shown; what is no number counts for nothing.
    least
        It goes at least as far; where all is 0, to 1.
    """
    numbers = np.abs(np.asarray(values))
    return max(float(numbers.max(where=np.isfinite(numbers), initial=0.0)), least) or 1.0


def fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """Write a number with so many decimals; `signed` writes the plus sign too, but not at 0."""
    if not isfinite(value):
        return "–" if value != value else f"{MINUS if value < 0 else '+' if signed else ''}∞"
    text = f"{abs(value):.{decimals}f}"
    nought = not text.strip("0.")
    sign = "" if nought else MINUS if value < 0 else "+" if signed else ""
    return sign + text


def plain(value: float, figures: int = 4) -> str:
    """Write a number in at most so many figures, no more than it has."""
    if not isfinite(value):
        return fixed(value, 0)
    return f"{value:.{figures}g}".replace("-", MINUS)


def ranked(rank: int, d_vocab: int, constant: bool) -> str:
    """Say where a token stands among all; nowhere where all have the same value."""
    if constant:
        return f"no rank, for all {d_vocab:,} tokens have the same value"
    return f"rank {rank:,} of {d_vocab:,}"


def percent(share: float) -> str:
    """Write a share of 1 in per cent: one decimal, two figures where that would say 0.0."""
    value = 100.0 * share
    if not isfinite(value) or value >= 0.1 or value == 0.0:
        return f"{fixed(value, 1)} %"
    return f"{value:.2g} %" if value >= 1e-4 else "< 0.0001 %"


def scientific(value: float) -> str:
    """Write a number as two figures and a power of ten; 0 as it is."""
    if value == 0 or not isfinite(value):
        return "0" if value == 0 else fixed(value, 0)
    figures, power = f"{value:.1e}".split("e")
    return f"{figures}e{int(power)}".replace("-", MINUS)


def power_of_ten(exponent: int) -> str:
    """Write 10 to an exponent."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def tokens_back(offset: int | None, before: str = "") -> str:
    """Write how far the key lies behind the query, after `before`; nothing where none is told."""
    if offset is None:
        return ""
    return f"{before}{offset:,} token{'' if offset == 1 else 's'} back"


def for_prompts(length: int | None, before: str = "") -> str:
    """Write how long the prompt is that scores by weights are for; nothing where all are alike.

    Longer ones turn by other angles.
    """
    return "" if length is None else f"{before}as in a prompt of {length:,} tokens"


def outstanding(mean: float, offset: int, z: float) -> str:
    """Write which distance has the largest mean score, and how far it stands out by its z."""
    told = f"largest mean {fixed(mean, 2)}, {tokens_back(offset)}"
    if isfinite(z):
        told += f": {fixed(z, 1)} standard deviations above the mean over distances"
    return told


Notation = Literal["L1H3", "1.3"]
NOTATIONS: tuple[Notation, ...] = get_args(Notation)

_chosen: Notation = NOTATIONS[0]


def head_name(head: Head) -> str:
    """Return a head as the user prefers to read it."""
    return head.name if _chosen == "L1H3" else str(head)


def use_notation(notation: Notation) -> None:
    """Write heads in a notation from now on; what is on the screen has to be drawn again."""
    global _chosen
    _chosen = notation
