"""What an attribution shows, as arrays: heads as a map, one head by source; no Qt."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.messages import FloatArray, Head, LogitParts, OutputRanking, Result
from gui.state.comparison import Axis


def map_of(found: LogitParts) -> npt.NDArray[np.float64]:
    """Return what each head gives, [layer, head]; not a number where there is none."""
    heads = [head for head in found.heads if head is not None]
    shape = tuple(1 + max(place) for place in zip(*heads, strict=True)) if heads else (1, 1)
    made = np.full(shape, np.nan)
    for head, value in zip(found.heads, found.values.tolist(), strict=True):
        if head is not None:
            made[head] = value
    return made


def by_source(found: Sequence[Result | None], head: Head, axis: Axis) -> FloatArray | None:
    """Return what each source gives by a head, in logits, or how that changed.

    A source that only one of two prompts has changed by all that it gives, so that the changes
    sum to the head's.

    Parameters
    ----------
    found
        What the head adds in the run that is drawn and, if one is taken off, in that: its output,
        or all heads' parts split by source.
    head
        Which head.
    axis
        The sources.

    Returns
    -------
    array or None
        [place of the axis]; none while an answer is missing.
    """
    given = [_given(result, head) for result in found]
    now, before = given[0], given[-1]
    if now is None or before is None:
        return None
    if not axis.subtracts:
        return now
    change: FloatArray = np.nan_to_num(axis.now(now, 0)) - np.nan_to_num(axis.before(before, 0))
    return change


def _given(found: Result | None, head: Head) -> FloatArray | None:
    if isinstance(found, OutputRanking):
        given: FloatArray = found.by_source / found.final_scale
        return given
    if isinstance(found, LogitParts):
        return found.values[[other == head for other in found.heads]]
    return None
