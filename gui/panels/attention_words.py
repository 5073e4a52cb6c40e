"""What the Attention panel says of its picture and of a cell, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.messages import Attention, BoolArray, FloatArray, Head, Kind
from gui.comparison import Axis, Sides
from gui.panels import switched_off
from gui.panels.comparing_panel import FROM_RIGHT, sides_in_words
from gui.panels.sentence import Token
from gui.subtraction import UNSEEN

Parts = list[str | Token]


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn: numbers on an axis, and what they are of.

    Parameters
    ----------
    request
        The question whose answer is drawn.
    axis
        Its rows and columns.
    labels
        Of the places of the axis.
    head
        Whose they are.
    off
        Heads that are off.
    values
        What the cells hold, [query, key] on the axis.
    sides
        Numbers of the run that is drawn, and of the one taken off it, if one is.
    mask
        True where a query may look, in both.
    prompts
        Whether they are of two prompts, not of one with and without some heads.
    """

    request: Attention
    axis: Axis
    labels: tuple[str, ...]
    head: Head
    off: tuple[Head, ...]
    values: FloatArray
    sides: Sides | None
    mask: BoolArray
    prompts: bool

    @property
    def kind(self) -> Kind:
        """What the cells hold, or would hold were nothing taken off."""
        return self.request.kind

    def unit(self, name: str) -> str:
        """Return what the numbers are, where those of one run are `name`."""
        if self.sides is None:
            return name
        return f"{FROM_RIGHT}: {name}" if self.prompts else f"change of {name}"


def headline(picture: Picture, query: int, looking: str) -> Parts:
    """Say what the strip of tokens is coloured by.

    Parameters
    ----------
    picture
        What is drawn.
    query
        The pinned row.
    looking
        `attends to` or `attended by`.
    """
    token = Token(picture.labels[query])
    number = picture.axis.numbers(query)
    if looking == "attends to":
        said: Parts = ["from ", token, f" (query {number}), this head reads"]
    else:
        said = [token, f" (key {number}) is read from"]
    if picture.sides is None:
        return [*said, f", with {switched_off.off_in_words(picture.off)}"] if picture.off else said
    seen = picture.values[picture.mask]
    if not picture.prompts:
        said += switched_off.change_in_words(picture.head, picture.off, seen)
    elif not seen.size or float(np.abs(seen).max()) < UNSEEN:
        said.append(" the same on the right as on the left")
    else:
        said.append(" more (+, blue) or less (−, red) on the right than on the left")
    return said


def cell(picture: Picture, query: int, key: int, told: Sequence[str]) -> Parts:
    """Say what is in a cell.

    Parameters
    ----------
    picture
        What is drawn.
    query, key
        Row and column.
    told
        What is known of the cell in a picture of one run.
    """
    labels = picture.labels
    parts: Parts = [f"query {picture.axis.numbers(query)} ", Token(labels[query])]
    parts += [f" → key {picture.axis.numbers(key)} ", Token(labels[key])]
    lone = picture.axis.lone(query) or picture.axis.lone(key)
    if lone:
        return [*parts, f": {lone}"]
    if not picture.mask[query, key]:
        where = "in the future" if key > query else "beyond the window"
        return [*parts, f": {where}, the head may not look there"]
    if picture.sides is None:
        return [*parts, ": ", ", ".join(told)]
    now, before = (float(values[query, key]) for values in picture.sides)
    say = sides_in_words if picture.prompts else switched_off.number_in_words
    return [*parts, ": ", say(picture.kind, now, before)]
