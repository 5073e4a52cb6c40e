"""Two runs on one axis: which positions stand for each other, and what is taken off what; no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gui.numbers import MINUS

Array = npt.NDArray[Any]


class Place(NamedTuple):
    """One row or column of a picture, as positions; none where a run has no token there."""

    pin: int | None
    """In the prompt on the left, where it can be pinned."""
    now: int | None
    """In the run that is drawn."""
    before: int | None = None
    """In the run that is taken off it, if one is."""


@dataclass(frozen=True)
class Axis:
    """The rows or columns of a picture of one run, or of what changed between two.

    Parameters
    ----------
    places
        In order.
    subtracts
        Whether a run is taken off: then a place that only one of them has holds no number.
    """

    places: tuple[Place, ...]
    subtracts: bool = False

    def has_number(self, slot: int) -> bool:
        """Return whether a place is in every run that its numbers come from."""
        _, now, before = self.places[slot]
        return now is not None and (before is not None or not self.subtracts)

    def lone(self, slot: int) -> str:
        """Say why a place has no number, empty where it has one."""
        if self.has_number(slot):
            return ""
        side = "left" if self.places[slot].now is None else "right"
        return f"in the {side} prompt only, so there is no difference"

    def slot(self, pin: int | None) -> int | None:
        """Return the place of a pinned position, if it is there and has a number."""
        for slot, place in enumerate(self.places):
            if pin is not None and place.pin == pin and self.has_number(slot):
                return slot
        return None

    def slot_of(self, position: int) -> int:
        """Return the place of a position of the run that is drawn."""
        return [place.now for place in self.places].index(position)

    def numbers(self, slot: int) -> str:
        """Return the position of a place, `3`, or both where they differ, `3 | 4`."""
        _, now, before = self.places[slot]
        if now is None or before is None or now == before:
            return str(before if now is None else now)
        return f"{before} | {now}"

    @cached_property
    def last(self) -> int:
        """The last place that has a number; the first one where none has."""
        return max((s for s in range(len(self.places)) if self.has_number(s)), default=0)

    def up_to(self, slot: int) -> "Axis":
        """Return the places up to one, itself included."""
        return replace(self, places=self.places[: slot + 1])

    def now(self, values: Array, *axes: int) -> Array:
        """Put values of the run that is drawn in order; not a number, or false, where it has none.

        Parameters
        ----------
        values
            Numbers or a mask, any shape.
        axes
            Which of its axes are positions.
        """
        return _spread(values, [place.now for place in self.places], axes)

    def before(self, values: Array, *axes: int) -> Array:
        """Put values of the run that is taken off in order, as `now` does."""
        return _spread(values, [place.before for place in self.places], axes)

    def sides(self, now: Array, before: Array, *axes: int) -> "Sides":
        """Put values of both runs in order, to be subtracted; parameters are those of `now`."""
        return Sides(self.now(now, *axes), self.before(before, *axes))

    def seen(self, now: Array, before: Array) -> Array:
        """Return where a query may look in both runs, from the mask of each, [query, key]."""
        seen: Array = self.now(now, 0, 1) & self.before(before, 0, 1)
        return seen

    def labels(self, now: Sequence[str], before: Sequence[str] | None) -> tuple[str, ...]:
        """Name every place by its token, or by both tokens, the left one first.

        What only one of two prompts has is marked, + on the right and − on the left; a space in a
        token is a dot, so that no token looks like it.
        """
        named = []
        for place in self.places:
            one = before[place.before] if before and place.before is not None else None
            other = now[place.now] if place.now is not None else None
            if other is None:
                named.append(f"{MINUS} {one}")
            elif one is None:
                named.append(f"+ {other}" if self.subtracts else other)
            else:
                named.append(one if one == other else f"{one} | {other}")
        return tuple(named)


class Sides(NamedTuple):
    """Values of the run that is drawn, and of the one taken off it, on one axis."""

    now: Array
    before: Array

    @property
    def change(self) -> Array:
        """The first less the second; not a number where either has none."""
        change: Array = self.now - self.before
        return change


@lru_cache(maxsize=4)
def left(length: int) -> Axis:
    """Return the axis of the left prompt, or of the only one, by itself."""
    return Axis(tuple(Place(at, at) for at in range(length)))


def with_and_without(axis: Axis) -> Axis:
    """Return the axis of a run less the same prompt's with no head off."""
    return Axis(tuple(Place(pin, now, now) for pin, now, _ in axis.places), subtracts=True)


def _spread(values: Array, positions: Sequence[int | None], axes: Sequence[int]) -> Array:
    """Put positions along axes in another order; not a number, or false, where there is none."""
    missing = np.array([at is None for at in positions], dtype=bool)
    spread = np.asarray(values)
    for axis in axes:
        if not missing.any() and list(positions) == list(range(spread.shape[axis])):
            continue
        spread = np.take(spread, [at or 0 for at in positions], axis=axis)
        gap: list[slice | npt.NDArray[np.bool_]] = [slice(None)] * spread.ndim
        gap[axis] = missing
        spread[tuple(gap)] = False if spread.dtype == np.bool_ else np.nan
    return spread
