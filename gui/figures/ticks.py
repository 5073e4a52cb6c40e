"""Where the ticks of a figure's axis stand."""

import math

from matplotlib.ticker import MaxNLocator


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
