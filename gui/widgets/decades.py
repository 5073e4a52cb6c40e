"""Where a logarithmic axis begins, where it has ticks, and what is written there."""

from math import ceil, floor, log10

from gui.numbers import power_of_ten

_BETWEEN = (2, 5)


def below(value: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is not above a positive value."""
    decade = 10.0 ** floor(log10(value) - 1e-9)
    return max(times * decade for times in (1, *_BETWEEN) if times == 1 or times * decade <= value)


def ticks(low: float, high: float, room: float) -> list[tuple[float, str]]:
    """Return where a logarithmic axis has ticks, as exponents, and what stands there.

    Between the powers of ten there are 2 and 5 where no more than `room` lines are wanted.
    """
    first, last = ceil(low - 1e-9), floor(high + 1e-9)
    step = max(1, ceil((last - first) / 6))
    found = [(float(n), power(n)) for n in range(first, last + 1, step)]
    if last - first > 2:
        return found
    between = [(n + log10(m), m * 10.0**n) for n in range(first - 1, last + 1) for m in _BETWEEN]
    more = [(at, f"{value:g}") for at, value in between if low - 1e-9 <= at <= high]
    return sorted(found + more) if len(found + more) <= room else found


def power(exponent: int) -> str:
    """Write a power of ten plainly where that is short."""
    if -4 < exponent < 4:
        return f"{10.0**exponent:g}"
    return power_of_ten(exponent)
