"""Two answers set against each other on one axis, for panels and figures alike; no Qt."""

from dataclasses import replace
from typing import Any

import numpy as np

from engine.messages import FloatArray, HeadRows, IntArray, LogitParts, Patterns, Refused, Run
from gui import comparison
from gui.alignment import align
from gui.comparison import Axis
from gui.difference import Difference, Subtraction

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
