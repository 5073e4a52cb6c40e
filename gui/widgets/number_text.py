"""Numbers as the window writes them: fixed decimals, a real minus sign, nothing not finite."""

from math import floor, isfinite, log10

import numpy as np
import numpy.typing as npt

MINUS = "−"


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


def fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """Write a number with so many decimals; `signed` writes the plus sign too."""
    if not isfinite(value):
        return "–" if value != value else f"{MINUS if value < 0 else '+' if signed else ''}∞"
    text = f"{abs(value):.{decimals}f}"
    nought = not text.strip("0.")
    sign = "" if nought else MINUS if value < 0 else "+" if signed else ""
    return sign + text


def percent(share: float) -> str:
    """Write a share of 1 in per cent, one decimal, a narrow space before the sign."""
    return f"{fixed(100 * share, 1)} %"
