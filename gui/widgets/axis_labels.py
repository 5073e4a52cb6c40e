"""Labels along an axis of cells that never overlap and never stand at the wrong cell.

They are elided where they are too long, turned where cells are narrow, and thinned where cells are
thinner than a line of text. Those that matter (pinned, under the mouse) are placed first.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import ceil, inf
from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui import palette

Turn = Literal["across", "up"]
_GAP = 3.0
_STRIDES = (1, 2, 5)
_MEASURED = 200
_UP = Qt.AlignmentFlag.AlignRight | Qt.TextFlag.TextSingleLine
_ACROSS = (
    # Explicit: a right-to-left token must not mirror its box.
    Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
)


@dataclass(frozen=True)
class Placed:
    """One label: which cell it names, what is left of its text, and the box it fills."""

    index: int
    text: str
    box: QRectF


def turn_for(labels: Sequence[str], pitch: float, metrics: QFontMetricsF) -> Turn:
    """Say whether the labels under columns of a width can be read across or must be turned."""
    widest = widest_of(labels, metrics)
    return "across" if widest + _GAP <= pitch or pitch >= 7 * metrics.height() else "up"


def widest_of(labels: Sequence[str], metrics: QFontMetricsF) -> float:
    """Return how wide the widest label is; only the longest of very many are measured."""
    distinct = set(labels)
    longest = distinct if len(distinct) <= _MEASURED else nlargest(_MEASURED, distinct, key=len)
    return max((metrics.horizontalAdvance(label) for label in longest), default=0.0)


def room_for(labels: Sequence[str], metrics: QFontMetricsF, most: float) -> float:
    """Return how long the longest label is, at most so much, in pixels."""
    return min(ceil(widest_of(labels, metrics)) + 1.0, most)


def stride_for(pitch: float, need: float) -> int:
    """Return the least step of 1, 2, 5, 10, 20, … cells that keeps labels `need` apart."""
    power = 1
    while True:
        for step in _STRIDES:
            if step * power * pitch >= need:
                return step * power
        power *= 10


def beside_rows(
    labels: Sequence[str],
    spans: Sequence[tuple[float, float]],
    right: float,
    room: float,
    metrics: QFontMetricsF,
    first: Sequence[int] = (),
) -> list[Placed]:
    """Place labels to the left of rows.

    Parameters
    ----------
    labels
        One a row.
    spans
        Top and bottom of each row, in pixels.
    right
        Where labels end.
    room
        How long a label may be.
    metrics
        Of the font they are written in.
    first
        Rows whose labels are placed whatever happens to the others.
    """
    height = metrics.height()
    placed = []
    for index in _chosen(spans, height, first):
        top, bottom = spans[index]
        text = metrics.elidedText(labels[index], Qt.TextElideMode.ElideRight, room)
        width = metrics.horizontalAdvance(text) + 1
        middle = (top + bottom) / 2
        box = QRectF(right - width, middle - height / 2, width, height)
        placed.append(Placed(index, text, box))
    return placed


def below_columns(
    labels: Sequence[str],
    spans: Sequence[tuple[float, float]],
    top: float,
    room: float,
    metrics: QFontMetricsF,
    turn: Turn,
    first: Sequence[int] = (),
) -> list[Placed]:
    """Place labels below columns, turned or not; arguments as for `beside_rows`."""
    height = metrics.height()
    placed = []
    if turn == "up":
        for index in _chosen(spans, height, first):
            left, right = spans[index]
            text = metrics.elidedText(labels[index], Qt.TextElideMode.ElideRight, room)
            length = metrics.horizontalAdvance(text) + 1
            box = QRectF((left + right) / 2 - height / 2, top, height, length)
            placed.append(Placed(index, text, box))
        return placed
    for index, (left, right) in enumerate(spans):
        text = metrics.elidedText(labels[index], Qt.TextElideMode.ElideRight, right - left - _GAP)
        width = metrics.horizontalAdvance(text) + 1
        placed.append(Placed(index, text, QRectF((left + right - width) / 2, top, width, height)))
    return placed


def draw(
    painter: QPainter,
    placed: Sequence[Placed],
    turn: Turn,
    font: QFont,
    colour: str,
    marked: Sequence[int] = (),
    mark: str = "",
    quiet: Collection[int] = (),
) -> None:
    """Write placed labels; those of marked cells in the mark's colour, quiet ones muted."""
    painter.save()
    painter.setFont(font)
    if turn == "up":
        painter.rotate(-90)  # once: a hundred labels are drawn for every head
    for label in placed:
        plain = palette.theme().muted if label.index in quiet else colour
        painter.setPen(QColor(mark if label.index in marked else plain))
        box = label.box
        if turn == "up":
            turned = QRectF(-box.bottom(), box.left(), box.height(), box.width())
            painter.drawText(turned, _UP, label.text)
        else:
            painter.drawText(box, _ACROSS, label.text)
    painter.restore()


def _chosen(
    spans: Sequence[tuple[float, float]], need: float, first: Sequence[int]
) -> Iterator[int]:
    """Yield the cells whose labels fit: the first ones, then every so many-th between them."""
    if not spans:
        return
    pitch = (spans[-1][1] - spans[0][0]) / len(spans)
    stride = stride_for(pitch, need)
    taken: list[float] = []
    for index in first:
        middle = sum(spans[index]) / 2
        if all(abs(middle - other) >= need for other in taken):
            taken.append(middle)
            yield index
    last = -inf  # of those between, which lie in order
    for index in range(0, len(spans), stride):
        middle = sum(spans[index]) / 2
        if all(abs(middle - other) >= need for other in (last, *taken)):
            last = middle
            yield index
