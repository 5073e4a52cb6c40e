"""What heads are scored for: names, groups, ranks, which are the best, what one seems to do; no Qt.

Every rule of what a head seems to do is a comparison with a threshold named here and told in RULES.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite
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
from gui.style.formatting import decimals_for, fixed, head_name

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


MUCH = 0.5
"""A measure from here on is what the head does."""
PART = 0.25
"""From here on it does so in part."""
HARDLY = 0.1
"""Below this it does not."""
FEW = 4.0
"""Tokens: attention with a larger exp(entropy) is spread."""
LEAST_PROMPT = 8
"""Tokens: in a shorter prompt, the first and the previous one have much attention by chance."""

DOES = {
    **{field: does for field, _, does in KINDS},
    "duplicate_token": "looks at earlier occurrences of the token",
}
RULES = (
    f"What a head seems to do is the measure on random tokens that is {MUCH} or more; from {PART} "
    "on,\nit does so in part. A head with no such measure rests on the token itself where previous "
    f"and\ndistance leave it at least {MUCH} of its attention, 1 − previous − (distance − "
    "previous) / 2,\nand spreads its attention where exp(entropy) is more than "
    f"{FEW:.0f} tokens. Rank 1 is the largest.\n\n"
    f"Random tokens and prompt disagree: a measure is {MUCH} or more on one of them and below "
    f"{HARDLY}\non the other, and some token of the prompt has it; much of previous or first on a "
    f"prompt\nof fewer than {LEAST_PROMPT} tokens does not count.\n\n"
    f"Weights and prompt disagree: copying share is {MUCH} or more, but what the pinned source "
    "makes\nthe head write is led by another token; or OV copying is "
    f"{MUCH} or more (−{MUCH} or less), but\nthe token read is in the lower (upper) half of what "
    "the head writes there."
)
"""The rules of `seems` and `disagreements`, for a tool tip."""

Scores = Mapping[str, FloatArray]
"""Measure -> its values in the order of heads, as far as they are known."""


@dataclass(frozen=True)
class Read:
    """What a head writes when it reads a token of the prompt: where that token comes in it."""

    label: str
    position: int
    rank: int
    d_vocab: int


def seems(heads: Sequence[Head], scores: Scores, place: int) -> str:
    """Return what a head seems to do and the evidence for it.

    Parameters
    ----------
    heads
        Every head of the model.
    scores
        Its measures on random tokens at least.
    place
        Which head.
    """
    told = f"{head_name(heads[place])} {_looks(scores, place)}."
    if "copying_share" in scores:
        told += f" {_writes(scores, place)}."
    return told


def disagreements(
    scores: Scores, place: int, tokens: int, read: Read | None = None
) -> tuple[str, ...]:
    """Return a sentence for each disagreement of a head's measures.

    Parameters
    ----------
    scores, place
        As in `seems`.
    tokens
        How many the prompt has, BOS included.
    read
        What the head does with a token of the prompt, if that is known.
    """
    found = [
        told
        for field in DOES
        if f"{PROMPT}{field}" in scores
        and (told := _on_prompt_otherwise(scores, place, field, tokens))
    ]
    if read is not None and "copying_share" in scores:
        found += _reads_otherwise(scores, place, read)
    return tuple(found)


def at_least_on_itself(scores: Scores, place: int, prompt: str = "") -> float:
    """Return a share of attention that surely rests on the token itself.

    With p on the token before and a mean distance d, at most (d - p) / 2 lies farther back.
    """
    previous = float(scores[f"{prompt}previous_token"][place])
    distance = float(scores[f"{prompt}distance"][place])
    return 1 - previous - (distance - previous) / 2


def _looks(scores: Scores, place: int) -> str:
    value = {field: float(scores[field][place]) for field in DOES}
    ranked = sorted((field for field in DOES if value[field] >= PART), key=lambda f: -value[f])
    much = [field for field in ranked if value[field] >= MUCH]
    itself = at_least_on_itself(scores, place)
    if much:
        return ", and ".join(f"{DOES[f]}: {_numbers(scores, place, f)}" for f in much)
    if itself >= MUCH:
        told = f"rests on the token itself: at least {fixed(itself, 2)} of it on random tokens"
        if f"{PROMPT}distance" in scores:
            here = max(0.0, at_least_on_itself(scores, place, PROMPT))
            told += f", at least {fixed(here, 2)} on this prompt" if isfinite(here) else ""
        return told
    if ranked:
        return f"in part {DOES[ranked[0]]}: {_numbers(scores, place, ranked[0])}"
    entropy, distance = float(scores["entropy"][place]), float(scores["distance"][place])
    back = f"{fixed(distance, 1)} tokens back on average on random tokens"
    if exp(entropy) > FEW:
        over = f"entropy {fixed(entropy, 2)} nat, as over {exp(entropy):.0f} tokens"
        return f"spreads its attention: {over}, {back}"
    return f"looks at few tokens, of no kind measured: entropy {fixed(entropy, 2)} nat, {back}"


def _numbers(scores: Scores, place: int, field: str) -> str:
    values = scores[field]
    told = f"{NAMES[field]} {fixed(float(values[place]), 2)} on random tokens"
    told += _ranked(values, place)
    if f"{PROMPT}{field}" not in scores:
        return told
    here = float(scores[f"{PROMPT}{field}"][place])
    if isfinite(here):
        return f"{told}; on this prompt {fixed(here, 2)}"
    return f"{told}; on this prompt no token has it"


def _ranked(values: FloatArray, place: int) -> str:
    return f", rank {rank(values, place)} of {len(values)}" if len(values) > 1 else ""


def _writes(scores: Scores, place: int) -> str:
    shares, eigen = scores["copying_share"], scores["ov_eigenvalue_copying"]
    share, copying = float(shares[place]), float(eigen[place])
    written = f"copying share {fixed(share, decimals(shares))}{_ranked(shares, place)}"
    if not isfinite(copying):
        also = "OV copying not defined, all its eigenvalues are 0"
    else:
        also = f"OV copying {fixed(copying, 2, signed=True)}{_ranked(eigen, place)}"
    if share >= MUCH:
        return f"It copies what it reads: {written}; {also}"
    if isfinite(copying) and copying >= MUCH:
        return f"On the whole it raises the tokens that it reads: {also}; {written}"
    if isfinite(copying) and copying <= -MUCH:
        return f"On the whole it lowers the tokens that it reads: {also}; {written}"
    return f"By its weights it copies little: {also}; {written}"


def _on_prompt_otherwise(scores: Scores, place: int, field: str, tokens: int) -> str:
    random, here = float(scores[field][place]), float(scores[f"{PROMPT}{field}"][place])
    name = NAMES[field]
    if random >= MUCH and here < HARDLY:
        return (
            f"Random tokens and prompt disagree: {name} {fixed(random, 2)} on random tokens, "
            f"{fixed(here, 2)} on this prompt."
        )
    by_chance = field in ("previous_token", "first_token") and tokens < LEAST_PROMPT
    if here >= MUCH and random < HARDLY and not by_chance:
        return (
            f"Random tokens and prompt disagree: on this prompt it {DOES[field]}, {name} "
            f"{fixed(here, 2)}; on random tokens {fixed(random, 2)}."
        )
    return ""


def _reads_otherwise(scores: Scores, place: int, read: Read) -> list[str]:
    share = float(scores["copying_share"][place])
    copying = float(scores["ov_eigenvalue_copying"][place])
    where = f"reading {read.label} at position {read.position}"
    ranked = f"rank {read.rank:,} of {read.d_vocab:,} in what it then writes"
    if share >= MUCH and read.rank > 1:
        says = f"copying share {fixed(share, 2)}"
        return [f"Weights and prompt disagree: {says}, but {where}, that token has {ranked}."]
    lower = read.rank > read.d_vocab / 2
    if (copying >= MUCH and lower) or (copying <= -MUCH and not lower):
        says = f"OV copying {fixed(copying, 2, signed=True)}"
        return [f"Weights and prompt disagree: {says}, but {where}, that token has {ranked}."]
    return []
