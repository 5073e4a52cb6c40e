"""What can be chosen about a figure, whatever it shows; read from a command line and from JSON."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

from engine.messages import Refused
from gui.style.colour_scale import DIVERGING_MAPS, SEQUENTIAL_MAPS

ROWS = (".csv", ".xlsx")
"""Kinds of file that hold rows of a table, and not what they were made from."""
PICTURES, DATA = (".pdf", ".svg", ".png"), (*ROWS, ".json", ".npz")
"""Kinds of file: figures, and numbers for other programs."""

MM = 1 / 25.4
"""A millimetre in inches."""


class Width(NamedTuple):
    """A width that journals and conferences ask for."""

    name: str
    inches: float


WIDTHS = (
    Width("3.25 in", 3.25),
    Width("5.5 in", 5.5),
    Width("6.75 in", 6.75),
    Width("89 mm", 89 * MM),
    Width("183 mm", 183 * MM),
)
"""Columns and pages of the usual venues."""

Ground = Literal["paper", "transparent"]
GROUNDS: tuple[Ground, ...] = get_args(Ground)

SMALLEST, LARGEST = 5.0, 24.0
"""Font sizes that a figure may have, in points."""
NARROWEST, WIDEST = 1.5, 20.0
"""Widths that a figure may have, in inches."""
COARSEST, FINEST = 72, 2400
"""Resolutions that a PNG may have, in dots per inch."""
LONGEST_TITLE = 300


class Advice(str):
    """What is told of a figure that is as it was asked for: how it could be better."""

    __slots__ = ()


@dataclass(frozen=True)
class FigureOptions:
    """How a figure is set.

    Parameters
    ----------
    width
        Width of the page in inches; its height follows from what it shows.
    font_size
        Size of the ordinary text in points.
    ground
        `paper` is white; data and text look the same on both.
    sequential, diverging
        Colour maps of amounts and of signed values, of SEQUENTIAL_MAPS and DIVERGING_MAPS.
    labels
        Which tokens along an axis are labelled: every so many-th (1: all, 0: none), or those at
        some positions. Those that would not fit are left out.
    title
        None is the figure's own, with the model's name; an empty text is no title.
    caption
        Whether the figure says under it what it was made from.
    dpi
        Dots per inch of a PNG. One that holds an image of cells has 600 or a multiple, so that
        each cell is whole pixels.

    Raises
    ------
    Refused
        If a value is none of its kind; the sentence says what it can be.
    """

    width: float = 3.25
    font_size: float = 7.0
    ground: Ground = "paper"
    sequential: str = "Blues"
    diverging: str = "RdBu"
    labels: int | tuple[int, ...] = 1
    title: str | None = None
    caption: bool = False
    dpi: int = 600

    def __post_init__(self) -> None:
        """Refuse what cannot be set."""
        for name, value, low, high, unit in (
            ("width", self.width, NARROWEST, WIDEST, "inches"),
            ("font size", self.font_size, SMALLEST, LARGEST, "points"),
            ("resolution", self.dpi, COARSEST, FINEST, "dpi"),
        ):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise Refused(f"the {name} of a figure is a number of {unit}, not {value!r}")
            if not low <= value <= high:
                raise Refused(f"a {name} of {value:g} {unit}: choose {low:g} to {high:g}")
        for name, chosen, there in (
            ("ground", self.ground, GROUNDS),
            ("sequential colour map", self.sequential, SEQUENTIAL_MAPS),
            ("diverging colour map", self.diverging, DIVERGING_MAPS),
        ):
            if not isinstance(chosen, str) or chosen not in there:
                raise Refused(f"there is no {name} {chosen!r}: there are {', '.join(there)}")
        if not isinstance(self.dpi, int):
            raise Refused(f"the resolution is a whole number of dpi, not {self.dpi!r}")
        if not isinstance(self.caption, bool):
            raise Refused(f"the caption is true or false, not {self.caption!r}")
        _check_title(self.title)
        _check_labels(self.labels)


def _check_title(title: Any) -> None:
    if title is not None and not isinstance(title, str):
        raise Refused(f"the title of a figure is text, not {title!r}")
    if title is not None and len(title) > LONGEST_TITLE:
        raise Refused(f"a title of {len(title):,} characters: {LONGEST_TITLE} is the most")


def _check_labels(labels: Any) -> None:
    numbers = labels if isinstance(labels, tuple) else (labels,)
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise Refused(f"labels are every so many-th token, such as 2, or positions, not {labels!r}")


def to_json(options: FigureOptions) -> dict[str, Any]:
    """Return options as plain values."""
    record = asdict(options)
    if isinstance(options.labels, tuple):
        record["labels"] = list(options.labels)
    return record


def from_json(record: Any) -> FigureOptions:
    """Read what `to_json` wrote; what is left out is as usual.

    Raises
    ------
    Refused
        If it holds something else; the sentence names it.
    """
    if not isinstance(record, Mapping):
        raise Refused(f"the options of a figure are a JSON object, not {str(record)[:80]!r}")
    names = [field.name for field in fields(FigureOptions)]
    for name in record:
        if name not in names:
            raise Refused(f"a figure has no option {name!r}: it has {', '.join(names)}")
    given = dict(record)
    if isinstance(given.get("labels"), list):
        given["labels"] = tuple(given["labels"])
    return FigureOptions(**given)


def parse_width(text: str) -> float:
    """Read a width such as `3.25`, `3.25in`, `89mm` or `8.9cm`; return inches.

    Raises
    ------
    Refused
        If it is none.
    """
    found = re.fullmatch(r"(\S+?)\s*(in|mm|cm)?", text.strip().lower())
    try:
        number = float(found[1]) if found else None
    except ValueError:
        number = None
    if found is None or number is None:
        raise Refused(f"--width is a number of inches, or such as 89mm, not {text!r}")
    if not found[2] and number > WIDEST and NARROWEST <= number * MM <= WIDEST:
        raise Refused(
            f"a width of {number:g} inches: choose {NARROWEST:g} to {WIDEST:g}, or say "
            f"{number:g}mm or {number * MM:.2g}in for millimetres"
        )
    return number * {"mm": MM, "cm": 10 * MM}.get(found[2], 1.0)


def parse_labels(text: str) -> int | tuple[int, ...]:
    """Read `all`, `none`, every so many-th such as `2`, or positions such as `0,4,9`.

    Raises
    ------
    Refused
        If it is none.
    """
    word = text.strip().lower()
    if word in ("all", "none"):
        return 1 if word == "all" else 0
    parts = [part for part in word.split(",") if part] if "," in word else [word]
    if not parts or not all(part.isascii() and part.isdecimal() for part in parts):
        raise Refused(
            f"--labels is all, none, every so many-th such as 2, or positions such as 0,4,9, "
            f"not {text!r}"
        )
    numbers = tuple(int(part) for part in parts)
    return numbers if "," in word else numbers[0]


def parse_colour_maps(text: str) -> dict[str, str]:
    """Read names of colour maps, such as `viridis,PuOr`; return the options that they set.

    A name that stands for amounts and for signed values sets both.

    Raises
    ------
    Refused
        If there is no such map.
    """
    found: dict[str, str] = {}
    for word in text.split(","):
        chosen = {
            option: name
            for option, maps in (("sequential", SEQUENTIAL_MAPS), ("diverging", DIVERGING_MAPS))
            for name in maps
            if name.lower() == word.strip().lower()
        }
        if not chosen:
            raise Refused(
                f"there is no colour map {word!r}: there are {', '.join(SEQUENTIAL_MAPS)} for "
                f"amounts and {', '.join(DIVERGING_MAPS)} for signed values"
            )
        found |= chosen
    return found
