"""What a head seems to do, in words, with the numbers that say so; no Qt.

Every rule is a comparison with a threshold named here and told in RULES.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite

from engine.messages import FloatArray, Head
from gui.head_names import head_name
from gui.measures import KINDS, NAMES, PROMPT, decimals, rank
from gui.numbers import fixed

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
"""The rules of this file, for a tool tip."""

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
