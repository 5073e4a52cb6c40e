"""A question less another of its kind, and its answer: both sides and what is left; no Qt."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

from engine.messages import (
    Attention,
    DestinationRow,
    IntArray,
    LogitAttribution,
    Refused,
    Request,
    RunPrompt,
)
from gui.comparison import Axis, Place

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
