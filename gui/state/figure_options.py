"""What can be chosen about a figure, whatever it shows; read from a command line and from JSON."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal, NamedTuple, get_args

from engine.messages import Refused
from gui.state.options import Control, Flag, Range, Values, annotations, number
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

SMALLEST = 5.0
"""Least font size of a figure, in points."""
NARROWEST, WIDEST = 1.5, 20.0
"""Widths that a figure may have, in inches."""
LONGEST_TITLE = 300
LABELS_TIP = "all, none, every so many-th such as 2, or positions such as 0,4,9"


class Advice(str):
    """Says how a figure that is as it was asked for could be better."""

    __slots__ = ()


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


def width_text(inches: float) -> str:
    """Return a width as a command line has it: a usual one by its name."""
    named = {width.inches: width.name.replace(" ", "") for width in WIDTHS}
    return named.get(inches, repr(inches))


def labels_text(labels: int | tuple[int, ...]) -> str:
    """Return labels as `parse_labels` reads them."""
    if isinstance(labels, tuple):
        return ",".join(map(str, labels)) + "," if labels else "none"
    return {1: "all", 0: "none"}.get(labels, str(labels))


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


def _title(text: str) -> str:
    return "" if text.strip() == "none" else text


def _title_text(title: str) -> str:
    return title or "none"


MAPS_FLAG = "--colour-map"
_MAPS = ", ".join(dict.fromkeys([*SEQUENTIAL_MAPS, *DIVERGING_MAPS]))
_LABELS_HELP = "tokens along an axis: every N-th, or some"
_CAPTION_HELP = "say under the figure what it was made from"


@dataclass(frozen=True)
class FigureOptions:
    """How a figure is set: the form, the command line and the check follow from the fields.

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
        `None` is the figure's own, with the model's name; an empty text is no title.
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

    width: Annotated[
        float,
        Range("width", NARROWEST, WIDEST, "inches"),
        Control("Width", "Width of the figure"),
        Flag("--width", "WIDTH", "inches, or such as 89mm (default 3.25)", parse_width, width_text),
    ] = 3.25
    font_size: Annotated[
        float,
        Range("font size", SMALLEST, 24.0, "points"),
        Control("Font size", "Font size in points", " pt", 0.5),
        Flag("--font-size", "POINTS", "(default 7)", number("--font-size"), repr),
    ] = 7.0
    ground: Annotated[
        Ground,
        Values("ground", GROUNDS),
        Control("Ground", "Ground"),
        Flag("--transparent", "", "no white ground", switch="transparent"),
    ] = "paper"
    sequential: Annotated[
        str,
        Values("sequential colour map", SEQUENTIAL_MAPS),
        Control("Amounts", "Colour map of amounts"),
        Flag(MAPS_FLAG, "NAME[,NAME]", f"for amounts, signed values: {_MAPS}", parse_colour_maps),
    ] = "Blues"
    diverging: Annotated[
        str,
        Values("diverging colour map", DIVERGING_MAPS),
        Control("Signed values", "Colour map of signed values"),
    ] = "RdBu"
    labels: Annotated[
        int | tuple[int, ...],
        Control("Label tokens", "Tokens that are labelled"),
        Flag("--labels", "all|none|N|P,P,…", _LABELS_HELP, parse_labels, labels_text),
    ] = 1
    title: Annotated[
        str | None,
        Control("Title", "Other title"),
        Flag("--title", "none|TEXT", "none, or another than the figure's own", _title, _title_text),
    ] = None
    caption: Annotated[
        bool,
        Control("Caption", f"Caption: {_CAPTION_HELP}"),
        Flag("--caption", "", _CAPTION_HELP, switch=True),
    ] = False
    dpi: Annotated[
        int,
        Range("resolution", 72, 2400, "dpi"),
        Control("Resolution", "Resolution in dots per inch", " dpi", 100),
        Flag("--dpi", "N", "dots per inch of a PNG (default 600)", number("--dpi", int)),
    ] = 600

    def __post_init__(self) -> None:
        """Refuse what cannot be set."""
        for name, allowed in (RANGES | VALUES).items():
            allowed.check(getattr(self, name))
        if not isinstance(self.dpi, int):
            raise Refused(f"the resolution is a whole number of dpi, not {self.dpi!r}")
        if not isinstance(self.caption, bool):
            raise Refused(f"the caption is true or false, not {self.caption!r}")
        if self.title is not None and not isinstance(self.title, str):
            raise Refused(f"the title of a figure is text, not {self.title!r}")
        if self.title is not None and len(self.title) > LONGEST_TITLE:
            raise Refused(f"a title of {len(self.title):,} characters: {LONGEST_TITLE} is the most")
        numbers = self.labels if isinstance(self.labels, tuple) else (self.labels,)
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise Refused(
                f"labels are every so many-th token, such as 2, or positions, not {self.labels!r}"
            )


RANGES, VALUES = annotations(FigureOptions, Range), annotations(FigureOptions, Values)
CONTROLS, FLAGS = annotations(FigureOptions, Control), annotations(FigureOptions, Flag)
"""What the fields say, by their names."""


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
