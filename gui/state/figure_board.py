"""A figure board as one frozen value, and as plain values for a session or a figure; no Qt."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.messages import Head, Refused, from_plain
from gui.state import figure_options, question
from gui.state.figure_options import FigureOptions
from gui.state.question import Question

MOST_ITEMS = 26
"""Figures on a board: as many as there are letters."""
MOST_COLUMNS = 8

_SETTINGS = ("columns", "letters", "shared")
USUAL = FigureOptions(width=6.75)
"""How a board is set where nothing else is chosen: as wide as a page."""


@dataclass(frozen=True)
class Item:
    """One figure of a board.

    Parameters
    ----------
    request
        The question that it answers.
    head
        For attention, the one head that is drawn.
    title
        None is the figure's own; an empty text is no title.
    labels
        Which tokens are labelled, as `FigureOptions` has it; none is as on the other figures.
    """

    request: Question
    head: Head | None = None
    title: str | None = None
    labels: int | tuple[int, ...] | None = None


@dataclass(frozen=True)
class Board:
    """Several figures on one page.

    Parameters
    ----------
    items
        The figures, row by row.
    columns
        How many stand side by side, all of one width.
    letters
        Whether each has its letter.
    shared
        Whether maps of one quantity share their limits and one colour bar.
    options
        Width of the page, and how all figures are set; a title stands over all of them.
    """

    items: tuple[Item, ...] = ()
    columns: int = 2
    letters: bool = True
    shared: bool = True
    options: FigureOptions = USUAL

    def __post_init__(self) -> None:
        """Refuse what cannot be set."""
        if not 1 <= self.columns <= MOST_COLUMNS:
            raise Refused(f"a board has 1 to {MOST_COLUMNS} columns, not {self.columns}")
        if len(self.items) > MOST_ITEMS:
            raise Refused(
                f"a board holds {MOST_ITEMS} figures, a letter each, and not {len(self.items)}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The letter of each item."""
        return tuple(chr(ord("a") + place) for place in range(len(self.items)))

    def with_item(self, item: Item) -> "Board":
        """Return the board with one more figure at its end."""
        return replace(self, items=(*self.items, item))

    def without(self, place: int) -> "Board":
        """Return the board without one of its figures."""
        return replace(self, items=self.items[:place] + self.items[place + 1 :])

    def moved(self, place: int, to: int) -> "Board":
        """Return the board with a figure put in the place of another; those between give way."""
        items = list(self.items)
        items.insert(to, items.pop(place))
        return replace(self, items=tuple(items))

    def titled(self, place: int, title: str | None) -> "Board":
        """Return the board with another title of one of its figures."""
        items = list(self.items)
        items[place] = replace(items[place], title=title)
        return replace(self, items=tuple(items))

    def with_models(self, change: Callable[[str], str]) -> "Board":
        """Return the board with each model named as `change` returns it."""
        return replace(
            self,
            items=tuple(
                replace(item, request=question.with_models(item.request, change))
                for item in self.items
            ),
        )


def to_json(board: Board) -> dict[str, Any]:
    """Return a board as plain values."""
    return {
        **{name: getattr(board, name) for name in _SETTINGS},
        "options": figure_options.to_json(board.options),
        "items": [_item_to_json(item) for item in board.items],
    }


def _item_to_json(item: Item) -> dict[str, Any]:
    labels = list(item.labels) if isinstance(item.labels, tuple) else item.labels
    record = {
        **question.to_json(item.request),
        "head": None if item.head is None else str(item.head),
        "title": item.title,
        "labels": labels,
    }
    return {name: value for name, value in record.items() if value is not None}


def from_json(record: Any) -> Board:
    """Read what `to_json` wrote; what is left out is as usual.

    Raises
    ------
    Refused
        If it is no board; the sentence says what is wrong.
    """
    given = _fields(record, "a board", (*_SETTINGS, "options", "items"))
    options, items = given.pop("options", {}), given.pop("items", [])
    if not isinstance(items, list):
        raise Refused(f"the figures of a board are a list, not {str(items)[:80]!r}")
    usual = figure_options.to_json(USUAL)
    set_so = figure_options.from_json({**usual, **options} if type(options) is dict else options)
    settings: Board = from_plain(Board, given, "a board")
    found = tuple(_item_from_json(item) for item in items[: MOST_ITEMS + 1])
    return replace(settings, items=found, options=set_so)


def _item_from_json(record: Any) -> Item:
    names = ("request", "base", "head", "title", "labels")
    given = _fields(record, "a figure of a board", names)
    labels = given.get("labels")
    if isinstance(labels, list):
        labels = tuple(labels)
    numbers = labels if isinstance(labels, tuple) else () if labels is None else (labels,)
    if not all(type(number) is int for number in numbers):
        raise Refused(f"labels of a figure are whole numbers, not {labels!r}")
    return Item(
        question.from_json(given),
        from_plain(Head | None, given.get("head"), "head"),
        from_plain(str | None, given.get("title"), "title"),
        labels,
    )


def _fields(record: Any, what: str, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        raise Refused(f"{what} is a JSON object, not {str(record)[:80]!r}")
    for name in record:
        if name not in names:
            raise Refused(f"{what} has no field {name!r}: it has {', '.join(names)}")
    return dict(record)


def of_session(kept: Sequence[Any]) -> Board:
    """Return the board that a session keeps as plain values: its first, or an empty one.

    Raises
    ------
    Refused
        If what is kept is no board.
    """
    return from_json(kept[0]) if kept else Board()


def for_session(board: Board) -> list[Any]:
    """Return what a session keeps of a board."""
    return [to_json(board)] if board.items else []
