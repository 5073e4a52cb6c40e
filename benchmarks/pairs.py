"""Two ways to do one thing, timed in turn."""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

PAIRS = 5


@dataclass(frozen=True)
class Comparison:
    """Medians over interleaved pairs.

    `ours` and `theirs` are in milliseconds and tell only about this machine; `ratio` is the
    median of theirs / ours pair by pair, and is what counts.
    """

    what: str
    than: str
    ours: float
    theirs: float
    ratio: float
    goal: float | None = None


def compare(
    what: str,
    than: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    goal: float | None = None,
    scaled: float = 1,
) -> Comparison:
    """Time two functions in turn, each first in every other pair.

    Parameters
    ----------
    what, than
        What is done, and what it is compared with.
    ours, theirs
        The two; each is run once before, so that neither pays for a first call.
    goal
        Ratio that is hoped for; below 1 where ours does more, and says how much slower it may be.
    scaled
        How often the other's work would have to be done to be all of ours.
    """
    ours(), theirs()
    pairs = []
    for turn in range(PAIRS):
        if turn % 2:
            slow = scaled * _milliseconds(theirs)
            pairs.append((_milliseconds(ours), slow))
        else:
            pairs.append((_milliseconds(ours), scaled * _milliseconds(theirs)))
    return Comparison(
        what,
        than,
        statistics.median(mine for mine, _ in pairs),
        statistics.median(other for _, other in pairs),
        statistics.median(other / mine for mine, other in pairs),
        goal,
    )


def _milliseconds(function: Callable[[], object]) -> float:
    # A collection in the middle of one of the two would be charged to it alone.
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        function()
        return (time.perf_counter() - start) * 1000
    finally:
        gc.enable()
