"""A chart: what one answer says, as frozen values that a page typesets part by part."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.messages import Head
from gui.state.difference import Subtraction
from gui.style.colour_scale import ColourScale

Numbers = npt.NDArray[np.floating]


class Token(NamedTuple):
    """A token's label inside a sentence."""

    label: str


@dataclass(frozen=True)
class Sentence:
    """Words and tokens, wrapped."""

    parts: Sequence[str | Token]


@dataclass(frozen=True)
class Heading:
    """A line in bold."""

    text: str
    small: bool = False


@dataclass(frozen=True)
class Axis:
    """What stands along one side of a matrix."""

    title: str
    labels: Sequence[str]
    token: bool = True
    """Whether the labels are tokens; others carry their position in their name."""
    numbers: Sequence[str] = ()
    """The position of each; none where they are counted from 0."""

    def number(self, place: int) -> str:
        """Return the position of a place in words."""
        return self.numbers[place] if self.numbers else str(place)


@dataclass(frozen=True)
class Matrix:
    """Matrices that share their axes, their limits and one colour bar.

    Parameters
    ----------
    values
        [panel, row, column].
    seen
        True where a cell has a value, [row, column].
    scale
        Colours and limits of all panels.
    bar
        Title of the colour bar.
    titles
        Lines above each panel; without, there are none.
    joined
        Whether the lines of a title are a name and a list, set on one line as far as there is room.
    marked
        Cells to outline in each panel, row and column.
    every_row
        Whether each row has its label: rows are then higher than columns wide where labels need
        it. Where both sides are tokens, cells stay squares.
    longest
        How many times as long as usual labels may be before they are cut.
    across
        Numbers of panels side by side to try, best first; without, all that fill their rows.
    """

    values: Numbers
    seen: npt.NDArray[np.bool_]
    rows: Axis
    columns: Axis
    scale: ColourScale
    bar: str
    titles: Sequence[Sequence[str]] = ()
    joined: bool = False
    marked: Sequence[Sequence[tuple[int, int]]] = ()
    every_row: bool = False
    longest: float = 1.0
    across: Sequence[int] = ()


@dataclass(frozen=True)
class Thumbnails:
    """A small square matrix for every head.

    Parameters
    ----------
    values
        [layer, head, row, column].
    seen
        True where a cell has a value, [layer, row, column].
    """

    values: Numbers
    seen: npt.NDArray[np.bool_]
    scale: ColourScale
    bar: str


@dataclass(frozen=True)
class Ranked:
    """A list of labels with their values, [row], strongest first; one row may be `chosen`."""

    title: str
    labels: Sequence[str]
    values: Numbers
    chosen: int | None = None


@dataclass(frozen=True)
class RankedTokens:
    """One list or two whose bars have one scale; `shares` of 1 are printed in per cent."""

    lists: Sequence[Ranked]
    shares: bool = False


class Series(NamedTuple):
    """Values against a count: a line of some width, or markers, or both.

    Parameters
    ----------
    values
        [place].
    colour
        `#rrggbb`.
    width
        Of the line in points; 0 draws none.
    marker
        As matplotlib names it; empty for none.
    size
        Of a marker: at least, at most, and in steps of the horizontal axis.
    hollow
        Whether only the edges of markers are drawn.
    places
        Where each value stands; all from 0 on without.
    """

    values: Numbers
    colour: str
    width: float = 0.0
    marker: str = ""
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)
    hollow: bool = False
    places: npt.NDArray[np.integer] | None = None

    @property
    def where(self) -> npt.NDArray[np.integer]:
        """The place of each value."""
        return np.arange(len(self.values)) if self.places is None else self.places


@dataclass(frozen=True)
class Curves:
    """Series over places counted from 0.

    Parameters
    ----------
    title, below
        Of the vertical and of the horizontal axis.
    limits
        Least and largest value; their decimal logarithms where the axis is logarithmic.
    count
        Places across.
    height
        In points.
    series
        In the order of painting.
    bars, band
        Bars from 0 up to values, and a band between two edges, under the axes.
    zero
        Whether a line marks 0.
    brackets
        First and last places that a bracket joins above a height.
    cliff
        A place before which a dashed line stands, and its name.
    tokens
        Labels of the places in place of numbers.
    """

    title: str
    below: str
    limits: tuple[float, float]
    count: int
    height: float
    series: Sequence[Series] = ()
    logarithmic: bool = False
    bars: Series | None = None
    band: tuple[Numbers, Numbers] | None = None
    zero: bool = False
    brackets: Sequence[tuple[int, int, float]] = ()
    cliff: tuple[int, str] | None = None
    tokens: Axis | None = None


@dataclass(frozen=True)
class Points:
    """Points of the complex plane."""

    real: Numbers
    imag: Numbers
    colour: str


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, its texts, and whether they are tokens."""

    title: str
    texts: Sequence[str]
    token: bool = False
    spare: bool = False
    """Whether it is left out where the numbers would take too much room."""


@dataclass(frozen=True)
class Table:
    """Ranked rows of tokens and numbers."""

    columns: Sequence[Column]


@dataclass(frozen=True)
class NumberGrid:
    """A small matrix in numbers, with one row marked or none."""

    rows: Axis
    columns: Axis
    texts: Sequence[Sequence[str]]
    marked: int | None


@dataclass(frozen=True)
class Formula:
    """A formula, and the size of what it gives at the margin."""

    text: str
    size: str


class Check(NamedTuple):
    """One line of a list of checks; `passed` is None for an undefined one."""

    passed: bool | None
    outcome: str
    name: str
    detail: str


@dataclass(frozen=True)
class Checks:
    """A list of checks."""

    checks: Sequence[Check]


Part = (
    Sentence | Heading | Matrix | Thumbnails | RankedTokens | Curves | Points | Table
    | NumberGrid | Formula | Checks
)  # fmt: skip


@dataclass(frozen=True)
class Chart:
    """What an answer shows: its parts from top to bottom, numbers between them points of space."""

    title: str
    model: str
    parts: Sequence[Part | float]


@dataclass(frozen=True)
class View:
    """How an answer is looked at: the one head that is meant, and the difference it is part of."""

    head: Head | None = None
    of: Subtraction | None = None

    def titled(self, title: str) -> str:
        """Return a title that says what is taken off what, where something is."""
        return title if self.of is None else f"{title}, {self.of.words}"

    def bar(self, title: str) -> str:
        """Return the title of a colour bar likewise."""
        return title if self.of is None else f"{self.of.words}: {title}"

    def tokens(self, title: str, labels: Sequence[str]) -> Axis:
        """Return an axis of tokens, of a difference with their positions in both prompts."""
        return Axis(title, labels, numbers=() if self.of is None else self.of.numbers)

    @property
    def longest(self) -> float:
        """How long labels may be, in usual ones: of two prompts they may name two tokens."""
        return 1.4 if self.of is not None and self.of.prompts else 1.0
