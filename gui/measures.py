"""What heads are scored for: names, groups, ranks, and which heads are the best; no Qt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.messages import (
    MEASURES,
    PATTERN_MEASURES,
    WEIGHT_MEASURES,
    FloatArray,
    Head,
    Measures,
)
from gui.numbers import decimals_for

KINDS = (
    ("induction", "induction", "looks at what followed this token last time"),
    ("previous_token", "previous", "looks one token back"),
    ("first_token", "first", "rests on the first token"),
)
"""(measure of HeadScores, its name, what a head that has much of it does)."""

PROMPT = "prompt_"
"""What the name of a measure on the prompt begins with."""
NAMES = {
    **{field: name for field, name, _ in KINDS},
    "duplicate_token": "duplicate",
    "entropy": "entropy",
    "distance": "distance",
    "copying_share": "copying share",
    "ov_eigenvalue_copying": "OV copying",
    "qk_eigenvalue_positivity": "QK positivity",
    "read_write_overlap": "overlap",
    "ov_norm": "OV norm",
    "qk_norm": "QK norm",
}
"""Short names of measures, those on the prompt without what they begin with."""
SIGNED = ("ov_eigenvalue_copying", "qk_eigenvalue_positivity")
"""Measures from −1 to 1; the others are never below 0."""
UNBOUNDED = ("entropy", "distance", "ov_norm", "qk_norm")
"""Measures that may lie above 1."""


class Group(NamedTuple):
    """Measures of one question: which, their heading, where they were taken, their fields."""

    which: Measures
    heading: str
    where: str
    fields: tuple[str, ...]


GROUPS = (
    Group("random", "random", "on random tokens that repeat", tuple(PATTERN_MEASURES)),
    Group(
        "prompt", "prompt", "on this prompt", tuple(f"{PROMPT}{name}" for name in PATTERN_MEASURES)
    ),
    Group("weights", "weights", "of the weights", tuple(WEIGHT_MEASURES)),
)


@dataclass(frozen=True, eq=False)
class Known:
    """Measures of the heads of one model, [head], as far as they are there."""

    heads: tuple[Head, ...]
    scores: Mapping[str, FloatArray]

    def place(self, head: Head) -> int | None:
        """Return where a head stands among all, none if the model has no such head."""
        return self.heads.index(head) if head in self.heads else None

    def differs(self, other: "Known") -> bool:
        """Return whether other answers are there."""
        one, two = self.scores, other.scores
        return one.keys() != two.keys() or any(one[name] is not two[name] for name in one)


TIE = 0.02
"""Scores this close to the best are as good: another seed would turn them round."""
LEAST_SCORE = 0.1
"""A head below this does it no more than by chance, and is not called the best at it."""
MOST_TIED = 4
"""Heads of one measure that are named; a large model may have many as good."""


def random_text(begins: str | None) -> str:
    """Name the random tokens that repeat, and what stands before them where that is known."""
    if begins is None:
        return "repeated random tokens"
    return f"repeated random tokens {f'after {begins}' if begins else 'with no BOS before them'}"


def best(values: np.ndarray) -> tuple[Head, ...]:
    """Return the head with the largest value of [layer, head], then those that are as good.

    None where no head does it.
    """
    order = np.argsort(-values, axis=None, kind="stable")[:MOST_TIED]
    ranked = [Head(*(int(part) for part in np.unravel_index(flat, values.shape))) for flat in order]
    least = max(values[ranked[0]] - TIE, LEAST_SCORE)
    return tuple(head for head in ranked if values[head] >= least)


def group_of(field: str) -> Group:
    """Return the group of a measure, a key of MEASURES."""
    return next(group for group in GROUPS if field in group.fields)


def short_name(field: str) -> str:
    """Return `induction`, for the measure on random tokens and for that on the prompt."""
    return NAMES[field.removeprefix(PROMPT)]


def full_name(field: str) -> str:
    """Return `induction, random` or `induction, prompt`; of the weights the name alone."""
    group = group_of(field)
    name = short_name(field)
    return name if group.which == "weights" else f"{name}, {group.heading}"


def meaning(field: str) -> str:
    """Return what a measure says, where it was taken, and in what unit."""
    said, group = MEASURES[field], group_of(field)
    text = said.text.removesuffix(", on the prompt")
    unit = f" ({said.unit})" if said.unit not in ("", "1") else ""
    return f"{short_name(field)}, {group.where}: {text}{unit}"


def decimals(values: FloatArray) -> int:
    """Return how many decimals a measure of all heads is shown with: four at most."""
    return min(decimals_for(values), 4)


def undefined(field: str) -> str:
    """Return why no head has a measure, a clause."""
    if field in SIGNED:
        return "all eigenvalues are 0"
    if field.removeprefix(PROMPT) in ("induction", "duplicate_token"):
        return "no token occurs twice"
    return "there is one token only"


def rank(values: FloatArray, place: int) -> int | None:
    """Return 1 + how many values [head] are larger; none where it is not a number."""
    return 1 + int((values > values[place]).sum()) if np.isfinite(values[place]) else None


def scale(field: str, values: FloatArray) -> tuple[float, float]:
    """Return the ends of the colour range of a measure.

    Shares run from 0 to 1 and signed ones from −1 to 1, so that two models can be compared by
    eye; what has no such end, from 0 to the largest value.
    """
    if field in SIGNED:
        return -1.0, 1.0
    if field.removeprefix(PROMPT) not in UNBOUNDED:
        return 0.0, 1.0
    return 0.0, float(np.nanmax(values, initial=0.0)) or 1.0
