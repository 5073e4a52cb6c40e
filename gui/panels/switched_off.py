"""What switching heads off changed, in words and in numbers; computes nothing of the model."""

from collections.abc import Sequence

import numpy as np

from engine.messages import FloatArray, Head, IntArray, Run
from gui.numbers import fixed
from gui.panels.reading import named
from gui.subtraction import UNSEEN


def off_in_words(off: Sequence[Head]) -> str:
    """Return `L0H2 off`, and that of more heads."""
    return f"{named(off)} off"


def change_in_words(head: Head, off: Sequence[Head], seen: FloatArray) -> list[str]:
    """Return the end of a sentence about a head's pattern, or why there is nothing to see.

    Parameters
    ----------
    head
        The open one.
    off
        Those that are switched off, at least one.
    seen
        Its change in every cell that may be looked at.
    """
    if head.layer <= min(other.layer for other in off):
        return [" as before: no head of an earlier layer is off"]
    if not seen.size or float(np.abs(seen).max()) < UNSEEN:
        return [f" as before, even with {off_in_words(off)}"]
    return [f" more (+, blue) or less (−, red) than with {named(off)}"]


def number_in_words(kind: str, now: float, before: float) -> str:
    """Return a cell's number before and after, and by how much it changed."""
    change = fixed(now - before, 2, signed=True)
    name = "score" if kind == "scores" else kind
    return f"{name} {fixed(before, 2)} → {fixed(now, 2)} ({change})"


def guesses(now: Run, before: Run, k: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the first guesses of both, those that changed most first.

    Parameters
    ----------
    now, before
        Runs of one prompt that list the whole vocabulary.
    k
        How many guesses of each.

    Returns
    -------
    tuple
        Token ids; their probabilities before; and now, [guess] each.
    """
    ids = np.union1d(now.next_ids[:k], before.next_ids[:k])
    shares = [_shares(run)[ids] for run in (before, now)]
    order = np.argsort(-np.abs(shares[1] - shares[0]), kind="stable")
    return ids[order], shares[0][order], shares[1][order]


def _shares(run: Run) -> FloatArray:
    shares = np.zeros(int(run.next_ids.max()) + 1)
    shares[run.next_ids] = np.exp(run.next_log_probs)
    return shares
