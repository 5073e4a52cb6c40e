"""A question less another of its kind, and its answer: both sides and what is left; no Qt."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np

from engine.messages import (
    Attention,
    DestinationRow,
    FloatArray,
    HeadRows,
    IntArray,
    LogitAttribution,
    LogitParts,
    Patterns,
    Refused,
    Request,
    Run,
    RunPrompt,
)
from gui.state import comparison
from gui.state.comparison import Axis, Place, align

Subtracted = Attention | DestinationRow | LogitAttribution
KINDS: tuple[type, ...] = get_args(Subtracted)
"""Questions whose answers can be set against each other cell by cell."""
PROMPTS, HEADS = ("right", "left"), ("heads off", "whole model")
"""What the two sides are called: of two prompts, and of one with and without some heads."""


@dataclass(frozen=True)
class Difference:
    """One question less another: right minus left, or some heads off minus the whole model.

    Parameters
    ----------
    request
        What is drawn: the question about the prompt on the right, or with some heads off.
    base
        What is taken off it: the same question about the prompt on the left, or with no head off.

    Raises
    ------
    Refused
        If the two differ in more than that.
    """

    request: Subtracted
    base: Subtracted

    def __post_init__(self) -> None:
        """Refuse two questions that are not to be subtracted."""
        one, other = self.request, self.base
        if type(one) not in KINDS or type(one) is not type(other):
            raise Refused(
                "a difference is of two questions of one kind: attention, destination-row or "
                "logit-attribution"
            )
        if "sources" in (getattr(one, "split", ""), getattr(other, "split", "")):
            raise Refused("a difference of two attributions is split by heads, not by sources")
        alike: Any = replace(other, run=one.run)
        if self.prompts and not isinstance(one, Attention):
            alike = replace(alike, position=one.position)
        runs = (replace(one.run, heads_off=()), other.run)
        if self.prompts:
            runs = (replace(one.run, text=other.run.text), other.run)
        if alike != one or runs[0] != runs[1]:
            raise Refused(
                "the two questions of a difference are the same but for the prompt's text, or but "
                "for the heads that are off in one of them"
            )

    @property
    def run(self) -> RunPrompt:
        """The run that is drawn."""
        return self.request.run

    @property
    def prompts(self) -> bool:
        """Whether it is of two prompts, not of one with and without some heads."""
        return self.request.run.heads_off == self.base.run.heads_off

    @property
    def names(self) -> tuple[str, str]:
        """What the question and its base are called."""
        return PROMPTS if self.prompts else HEADS

    @property
    def words(self) -> str:
        """What is taken off what."""
        return in_words(self.names)

    @property
    def runs(self) -> tuple[RunPrompt, ...]:
        """The runs whose tokens it is about: that of the question, and another one of the base."""
        return (self.request.run, self.base.run) if self.prompts else (self.request.run,)

    @property
    def asked(self) -> tuple[Request, ...]:
        """What is to be asked to answer it."""
        return tuple(dict.fromkeys((self.request, self.base, *self.runs)))


@dataclass(frozen=True, eq=False)
class Subtraction:
    """Answer to a Difference.

    Parameters
    ----------
    names
        What the question and its base are called.
    difference
        A message like the two answers, its values those of the first less those of the second, on
        one axis: not a number where only one of two prompts has a token. Labels name both tokens,
        the base's first, where they differ; `+` and `−` mark one that only the question or only
        its base has.
    answer, base
        The two answers, as they are.
    positions, base_positions
        Where each place of the axis is in the prompt of either, -1 where it is not, [place]; of an
        attribution, the one position.
    """

    names: tuple[str, str]
    difference: Any
    answer: Any
    base: Any
    positions: IntArray
    base_positions: IntArray

    @property
    def words(self) -> str:
        """What is taken off what."""
        return in_words(self.names)

    @property
    def prompts(self) -> bool:
        """Whether it is of two prompts."""
        return self.names == PROMPTS

    @property
    def position(self) -> str:
        """Where in the prompt the last place is: `3`, or `3 | 4` where the base's is another."""
        return self.numbers[-1]

    @property
    def numbers(self) -> tuple[str, ...]:
        """Where in the prompt each place is, as `position` has it."""
        return tuple(self.axis.numbers(slot) for slot in range(len(self.positions)))

    @cached_property
    def axis(self) -> Axis:
        """The places again."""
        both = zip(self.base_positions.tolist(), self.positions.tolist(), strict=True)
        places = ((None if a < 0 else a, None if b < 0 else b) for a, b in both)
        return Axis(tuple(Place(a, b, a) for a, b in places), subtracts=True)


def in_words(names: tuple[str, str]) -> str:
    """Return what is taken off what: `right − left`."""
    return " − ".join(names)


UNSEEN = 5e-5
"""A difference that four decimals do not show: rounding of two passes, which gets no colour."""


def subtract(question: Difference, now: Any, before: Any, runs: tuple[Run, ...]) -> Subtraction:
    """Set two answers against each other.

    Parameters
    ----------
    question
        What was asked.
    now, before
        The answers to its request and to its base.
    runs
        The answers to its `runs`.

    Raises
    ------
    Refused
        If the two prompts cannot be aligned, or the positions asked about do not stand for each
        other.
    """
    ids = tuple(tuple(run.ids.tolist()) for run in runs)
    axis = comparison.with_and_without(comparison.left(len(ids[0])))
    if question.prompts:
        alignment = align(ids[-1], ids[0])
        if alignment.refusal:
            said = alignment.refusal.removesuffix(".")
            raise Refused(f"{said[:1].lower()}{said[1:]}")
        axis = alignment.both
    found: Patterns | HeadRows | LogitParts
    if isinstance(now, Patterns):
        found = patterns(now, before, axis)
    else:
        axis = axis.up_to(_slot(axis, now.position, before.position, runs))
        if isinstance(now, HeadRows):
            found = rows(now, before, axis)
        else:
            axis, found = replace(axis, places=axis.places[-1:]), parts(now, before)
    return Subtraction(
        question.names, found, now, before,
        _positions([place.now for place in axis.places]),
        _positions([place.before for place in axis.places]),
    )  # fmt: skip


def patterns(now: Patterns, before: Patterns, axis: Axis, heads: slice = slice(None)) -> Patterns:
    """Return patterns of some heads less others, [head, query, key], on an axis of both."""
    return replace(
        now,
        labels=axis.labels(now.labels, before.labels),
        values=axis.sides(now.values[heads], before.values[heads], 1, 2).change,
        mask=axis.seen(now.mask, before.mask),
    )


def rows(now: HeadRows, before: HeadRows, axis: Axis) -> HeadRows:
    """Return rows of every head less others, [head, source], on an axis up to their positions."""
    change: FloatArray = axis.sides(now.values, before.values, 1).change
    labels = axis.labels(now.source_labels, before.source_labels)
    return replace(now, values=change, source_labels=labels)


def parts(now: LogitParts, before: LogitParts) -> LogitParts:
    """Return what each part gives more or less, the target and all else as it is now."""
    return replace(
        now,
        values=now.values - before.values,
        total=now.total - before.total,
        logit=now.logit - before.logit,
        remainder=now.remainder - before.remainder,
    )


def _slot(axis: Axis, now: int, before: int, runs: tuple[Run, ...]) -> int:
    """Return the place of both positions, refused where they do not stand for each other."""
    places = {place.before: slot for slot, place in enumerate(axis.places)}
    slot = places[before]
    if axis.places[slot].now == now:
        return slot
    token, counterpart = runs[-1].labels[before], axis.places[slot].now
    said = f"position {before} of the left prompt, {token!r},"
    if counterpart is None:
        raise Refused(f"{said} stands for no token of the right prompt: choose another position")
    raise Refused(
        f"{said} stands for position {counterpart} of the right prompt, not for {now}: say "
        f"--other-position {counterpart}"
    )


def _positions(places: list[int | None]) -> IntArray:
    return np.array([-1 if at is None else at for at in places], dtype=np.int64)
