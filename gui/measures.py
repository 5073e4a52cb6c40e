"""What heads are scored for, and which of them are the best at it; no Qt."""

import numpy as np

from engine.messages import Head

KINDS = (
    ("induction", "induction", "looks at what followed this token last time"),
    ("previous_token", "previous", "looks one token back"),
    ("first_token", "first", "rests on the first token"),
)
"""(measure of HeadScores, its name, what a head that has much of it does)."""

TIE = 0.02
"""Scores this close to the best are as good: another seed would turn them round."""
LEAST_SCORE = 0.1
"""A head below this does it no more than by chance, and is not called the best at it."""
MOST_TIED = 4
"""Heads of one measure that are named; a large model may have many as good."""


def best(values: np.ndarray) -> tuple[Head, ...]:
    """Return the head with the largest value of [layer, head], then those that are as good.

    None where no head does it.
    """
    order = np.argsort(-values, axis=None, kind="stable")[:MOST_TIED]
    ranked = [Head(*(int(part) for part in np.unravel_index(flat, values.shape))) for flat in order]
    least = max(values[ranked[0]] - TIE, LEAST_SCORE)
    return tuple(head for head in ranked if values[head] >= least)
