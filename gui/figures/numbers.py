"""Numbers as a figure prints them."""

import math

import numpy as np
import numpy.typing as npt
from matplotlib.ticker import MaxNLocator

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def minus(text: str) -> str:
    """Return a number's text with a true minus sign."""
    return text.replace("-", "−")


def decimals(values: npt.NDArray[np.floating]) -> int:
    """Return how many decimals tell values apart: two, more where all are small."""
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if largest == 0.0:
        return 2
    return min(6, max(2, 2 - math.floor(math.log10(largest))))


def signed_number(value: float, places: int) -> str:
    """Return a value with its sign; 0 has none."""
    text = f"{value:+.{places}f}"
    return f"{0:.{places}f}" if float(text) == 0.0 else minus(text)


def percent(share: float) -> str:
    """Return a share in percent: one decimal, two figures where that would say 0.0."""
    value = 100.0 * share
    if value >= 0.1 or value == 0.0:
        return f"{value:.1f} %"
    return f"{value:.2g} %" if value >= 1e-4 else "< 0.0001 %"


def plain(value: float) -> str:
    """Return a number in at most four figures."""
    return minus(f"{value:.4g}")


def ticks(low: float, high: float, count: int) -> list[float]:
    """Return at most `count` + 1 round numbers from low to high."""
    found = MaxNLocator(nbins=max(1, count), steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    return [float(tick) for tick in found if low - slack <= tick <= high + slack]


def decades(low: float, high: float, count: int) -> list[int]:
    """Return at most `count` exponents of ten from low to high, evenly spaced."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / max(1, count)))
    return list(range(last, first - 1, -step))


def power_of_ten(exponent: int) -> str:
    """Return 10 to an exponent."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)
