"""Rows of differences: both sides, and what is left."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.messages import Attention, DestinationRow, Head, LogitAttribution
from gui.difference import Difference, Subtraction
from gui.figures.columns import Row, Token, Tokens, Unlisted


def _attention(request: Attention, result: Subtraction, head: Head | None) -> Iterator[Row]:
    yield "head", *_places(result, "query"), *_places(result, "key"), *_sides(result)
    axis = result.axis
    count = len(result.answer.values)
    sides = axis.sides(result.answer.values, result.base.values, 1, 2)
    seen = axis.now(result.answer.mask, 0, 1) | axis.before(result.base.mask, 0, 1)
    cells = list(zip(*(at.tolist() for at in seen.nonzero()), strict=True))
    places = _tokens(result, result.answer.labels, result.base.labels)
    for number in range(count) if head is None else (head.number,):
        now, before, change = (
            values[number].tolist() for values in (*sides, result.difference.values)
        )
        for query, key in cells:
            yield (
                Head(request.layer, number), *places[query], *places[key], before[query][key],
                now[query][key], change[query][key],
            )  # fmt: skip


def _destination_row(request: DestinationRow, result: Subtraction, _: None) -> Iterator[Row]:
    yield "head", *_places(result, "source"), *_sides(result)
    places = _tokens(result, result.answer.source_labels, result.base.source_labels)
    sides = result.axis.sides(result.answer.values, result.base.values, 1)
    for number, head in enumerate(result.answer.heads):
        now, before, change = (
            values[number].tolist() for values in (*sides, result.difference.values)
        )
        for place, numbers in zip(places, zip(before, now, change, strict=True), strict=True):
            yield head, *place, *numbers


def _attribution(request: LogitAttribution, result: Subtraction, _: None) -> Iterator[Row]:
    yield "part", "head", *_sides(result)
    found = result.base, result.answer, result.difference
    for place, (label, head) in enumerate(
        zip(result.answer.labels, result.answer.heads, strict=True)
    ):
        yield label, "" if head is None else head, *(float(side.values[place]) for side in found)
    for total in ("total", "logit"):
        yield total, "", *(float(getattr(side, total)) for side in found)


_ROWS: dict[type, Callable[[Any, Subtraction, Any], Iterator[Row]]] = {
    Attention: _attention,
    DestinationRow: _destination_row,
    LogitAttribution: _attribution,
}


def rows(request: Difference, result: Subtraction, head: Head | None) -> Iterator[Row]:
    """Return the rows of a difference: the base's number, the question's, and what is left.

    A number that only one side has stands in its column, and the others are empty.
    """
    return _ROWS[type(request.request)](request.request, result, head)


def _sides(result: Subtraction) -> Row:
    """Return the names of the columns of numbers."""
    now, before = (name.replace(" ", "_") for name in result.names)
    return before, now, "difference"


def _places(result: Subtraction, what: str) -> Row:
    """Return the names of the columns of a place: of two prompts, in either."""
    if not result.prompts:
        return what, Tokens(f"{what}_")
    return tuple(
        name for side in ("left", "right") for name in (f"{side}_{what}", Tokens(f"{side}_{what}_"))
    )


def _tokens(result: Subtraction, now: Sequence[str], before: Sequence[str]) -> list[Row]:
    """Return the cells of each place, by the labels of both prompts."""
    sides = [_side(now, result.positions.tolist())]
    if result.prompts:
        sides.insert(0, _side(before, result.base_positions.tolist()))
    return [tuple(cell for side in place for cell in side) for place in zip(*sides, strict=True)]


def _side(labels: Sequence[str], positions: Sequence[int]) -> list[Row]:
    return [(at, Token(labels[at])) if at >= 0 else ("", Unlisted()) for at in positions]
