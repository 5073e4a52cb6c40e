"""Rows of differences: both sides, and what is left."""

from collections.abc import Callable, Iterator
from typing import Any

from engine.messages import Attention, DestinationRow, Head, LogitAttribution
from gui.difference import Difference, Subtraction
from gui.figures.rows_of_paths import Row


def _attention(request: Attention, result: Subtraction, head: Head | None) -> Iterator[Row]:
    yield "head", *_places(result, "query"), *_places(result, "key"), *_sides(result)
    axis, labels = result.axis, result.difference.labels
    count = len(result.answer.values)
    sides = axis.sides(result.answer.values, result.base.values, 1, 2)
    seen = axis.now(result.answer.mask, 0, 1) | axis.before(result.base.mask, 0, 1)
    cells = list(zip(*(places.tolist() for places in seen.nonzero()), strict=True))
    for number in range(count) if head is None else (head.number,):
        now, before, change = (
            values[number].tolist() for values in (*sides, result.difference.values)
        )
        for query, key in cells:
            yield (
                str(Head(request.layer, number)), *_place(result, labels, query),
                *_place(result, labels, key), before[query][key], now[query][key],
                change[query][key],
            )  # fmt: skip


def _destination_row(request: DestinationRow, result: Subtraction, _: None) -> Iterator[Row]:
    yield "head", *_places(result, "source"), *_sides(result)
    labels = result.difference.source_labels
    sides = result.axis.sides(result.answer.values, result.base.values, 1)
    for place, head in enumerate(result.answer.heads):
        now, before, change = (
            values[place].tolist() for values in (*sides, result.difference.values)
        )
        for source in range(len(labels)):
            at = _place(result, labels, source)
            yield str(head), *at, before[source], now[source], change[source]


def _attribution(request: LogitAttribution, result: Subtraction, _: None) -> Iterator[Row]:
    yield "part", "head", *_sides(result)
    found = result.base, result.answer, result.difference
    for place, (label, head) in enumerate(
        zip(result.answer.labels, result.answer.heads, strict=True)
    ):
        name = "" if head is None else str(head)
        yield label, name, *(float(side.values[place]) for side in found)
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
    """Return the names of the columns of a place: its position, or both, and its token."""
    if not result.prompts:
        return what, f"{what}_token"
    return f"left_{what}", f"right_{what}", f"{what}_token"


def _place(result: Subtraction, labels: tuple[str, ...], slot: int) -> Row:
    now, before = (int(at[slot]) for at in (result.positions, result.base_positions))
    if not result.prompts:
        return now, labels[slot]
    return "" if before < 0 else before, "" if now < 0 else now, labels[slot]
