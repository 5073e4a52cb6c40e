"""What is written along, beside and in cells: labels, a colour bar with its numbers, texts.

Labels never overlap and never stand at the wrong cell: they are elided where they are too long,
turned where cells are narrow, and thinned where cells are thinner than a line of text. Those that
matter (pinned, under the mouse) are placed first.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import ceil, inf
from typing import Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui.style import palette
from gui.style.colour_scale import MASKED
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.cells import Colouring, GridGeometry, image, ink

Turn = Literal["beside", "across", "up", "apart"]
"""Of rows, to their left; of columns, cut at their width, read upwards, or read across, thinned."""
_GAP = 3.0
_STRIDES = (1, 2, 5)
_MEASURED = 200
_UP = Qt.AlignmentFlag.AlignRight | Qt.TextFlag.TextSingleLine
_ACROSS = (
    # Explicit: a right-to-left token must not mirror its box.
    Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
)


@dataclass(frozen=True)
class PlacedLabel:
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


def place_labels(
    labels: Sequence[str],
    spans: Sequence[tuple[float, float]],
    edge: float,
    room: float,
    metrics: QFontMetricsF,
    turn: Turn,
    first: Sequence[int] = (),
    *,
    above: bool = False,
) -> list[PlacedLabel]:
    """Place labels along an axis.

    Parameters
    ----------
    labels
        One a row or column.
    spans
        Where each row or column begins and ends, in pixels.
    edge
        Where labels of rows end; where those of columns begin, or end where they stand above.
    room
        How long a label may be.
    metrics
        Of the font they are written in.
    turn
        Which axis, and how its labels are read.
    first
        Cells whose labels are placed whatever happens to the others.
    above
        Whether labels of columns stand above them.
    """
    height = metrics.height()
    chosen: Iterable[int] = range(len(spans))
    if turn != "across":
        need = widest_of(labels, metrics) + 2 if turn == "apart" else height
        chosen = _chosen(spans, need, first)
    placed = []
    for index in chosen:
        start, stop = spans[index]
        most = stop - start - _GAP if turn == "across" else room
        text = metrics.elidedText(labels[index], Qt.TextElideMode.ElideRight, most)
        length, middle = metrics.horizontalAdvance(text) + 1, (start + stop) / 2
        if turn == "beside":
            box = QRectF(edge - length, middle - height / 2, length, height)
        else:
            wide, high = (height, length) if turn == "up" else (length, height)
            box = QRectF(middle - wide / 2, edge - high if above else edge, wide, high)
        placed.append(PlacedLabel(index, text, box))
    return placed


def draw_labels(
    painter: QPainter,
    placed: Iterable[PlacedLabel],
    turn: Turn,
    font: QFont,
    colour: str,
    others: Mapping[int, str],
) -> None:
    """Write placed labels in a colour; those of some cells in colours of their own."""
    painter.save()
    painter.setFont(font)
    if turn == "up":
        painter.rotate(-90)  # once: a hundred labels are drawn for every head
    for label in placed:
        painter.setPen(QColor(others.get(label.index, colour)))
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


BAR_WIDTH = 10.0
_BAR_GAP = UNIT / 2
_COUNTS = (5, 6, 3)


def tick_texts(
    colouring: Colouring, value_range: tuple[float, float], most: int
) -> list[tuple[float, str]]:
    """Return the numbers beside the bar, as shares of its height from below and texts.

    Parameters
    ----------
    colouring
        Map and limits.
    value_range
        Smallest and largest number drawn; one outside the limits shows in the end's text.
    most
        How many have room; the two ends are always there.
    """
    counts = [count for count in _COUNTS if count <= most] or [2]
    choices = [np.linspace(colouring.low, colouring.high, count) for count in counts]
    decimals = decimals_for(choices[0])
    # A number that is rounded beside its tick would lie a little: take those that are not.
    exact = (v for v in choices if np.abs(v - v.round(decimals)).max() <= 1e-9 * np.abs(v).max())
    values = next(exact, choices[0])
    slack = 1e-6 * (colouring.high - colouring.low)
    made = []
    for share, value in zip(np.linspace(0, 1, len(values)).tolist(), values.tolist(), strict=True):
        text = fixed(value, decimals)
        if share == 1 and value_range[1] > colouring.high + slack:
            text = "≥" + text
        if share == 0 and value_range[0] < colouring.low - slack:
            text = "≤" + text
        made.append((share, text))
    return made


def width_of(colouring: Colouring, value_range: tuple[float, float], unit: str) -> float:
    """Return how wide bar, numbers and unit are together, pixels."""
    metrics = painting.small_metrics()
    texts = [text for _, text in tick_texts(colouring, value_range, _COUNTS[1])]
    title = metrics.height() + _BAR_GAP if unit else 0.0
    return BAR_WIDTH + _BAR_GAP + max(map(metrics.horizontalAdvance, texts)) + title + 1


def draw_colour_bar(
    painter: QPainter,
    area: QRectF,
    colouring: Colouring,
    value_range: tuple[float, float],
    unit: str,
    bottom: float = 0.0,
) -> None:
    """Draw the bar at the left of an area, its numbers and its unit beside it.

    A unit that is longer than the bar goes on below it, as far as `bottom`.
    """
    theme = palette.theme()
    font = palette.ui_font(small=True)
    metrics = QFontMetricsF(font)
    ramp = np.arange(MASKED - 1, -1, -1, dtype=np.uint8)[:, np.newaxis]
    bar = QRectF(area.left(), area.top(), BAR_WIDTH, area.height())
    painter.drawImage(bar, image(ramp, colouring.colours, theme.masked))
    painter.setPen(painting.pen(theme.line))
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
    most = 1 + int(area.height() / (1.5 * metrics.height()))
    painter.setFont(font)
    painter.setPen(QColor(theme.muted))
    left = bar.right() + _BAR_GAP
    widest = 0.0
    for share, text in tick_texts(colouring, value_range, most):
        # The ends' texts stay inside the bar's height, so that nothing is cut off above it.
        top = area.bottom() - share * area.height() - metrics.height() / 2
        top = min(max(top, area.top()), area.bottom() - metrics.height())
        width = metrics.horizontalAdvance(text) + 1
        widest = max(widest, width)
        painter.drawText(
            QRectF(left, top, width, metrics.height()), Qt.TextFlag.TextSingleLine, text
        )
    if unit:
        longest = max(area.height(), bottom - area.top())
        text = metrics.elidedText(unit, Qt.TextElideMode.ElideRight, longest)
        length = max(area.height(), metrics.horizontalAdvance(text) + 1)
        box = QRectF(left + widest + _BAR_GAP / 2, area.top(), metrics.height(), length)
        painting.rotated_text(painter, box, Qt.AlignmentFlag.AlignCenter, text)


_MOST_NUMBERS = 4096
"""No more cells in sight have room for numbers on any screen."""
_ROUNDING = 1e-6
"""What whole numbers may be off by, over the largest of them, in single precision."""
_LARGE = 2
"""From here on one decimal less still tells the large numbers of a grid apart."""


def decimals_that_fit(
    values: npt.NDArray[np.floating], width: float, metrics: QFontMetricsF
) -> int | None:
    """Return how many decimals fit into cells of a width, none where even the fewest do not.

    Parameters
    ----------
    values
        All the numbers that would be printed.
    width
        Of a cell, pixels.
    metrics
        Of the font.
    """
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return None
    ends = (float(finite.min()), float(finite.max()))
    choices = [(0, 0.9)]
    if np.abs(finite - np.rint(finite)).max() > _ROUNDING * np.abs(finite).max():
        least = decimals_for(finite)
        choices = [(least + 1, 0.5), (least, 0.9)]
        if np.abs(finite).max() >= _LARGE and least > 1:
            choices.append((least - 1, 0.9))
    for decimals, share in choices:
        if max(metrics.horizontalAdvance(fixed(end, decimals)) for end in ends) <= share * width:
            return decimals
    return None


def decimals_in(values: npt.NDArray[np.floating], grid: GridGeometry) -> int | None:
    """Return how many decimals of numbers have room in the cells of a grid, `None` if none do."""
    metrics = painting.small_metrics()
    rows, columns = grid.shape
    if rows * columns > _MOST_NUMBERS or grid.pitches[0] < metrics.height():
        return None
    return decimals_that_fit(values, grid.pitches[1], metrics)


def draw_texts(
    painter: QPainter,
    grid: GridGeometry,
    values: npt.NDArray[np.floating],
    texts: Iterable[str],
    colouring: Colouring,
    *,
    quiet: bool = False,
    low: Container[tuple[int, int]] = (),
) -> None:
    """Print a text in each cell that holds a number, in ink that can be read on its colour.

    Parameters
    ----------
    painter
        With the font set.
    grid
        Where the cells lie.
    values
        [row, column]
    texts
        Of the cells that hold a number, row by row.
    colouring
        Colours of the cells.
    quiet
        Mute what rounds to nothing: it is the ground of the picture.
    low
        Cells whose text stands at the bottom.
    """
    seen = np.isfinite(values)
    grounds = colouring.colours_of(values[seen])
    centre = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextSingleLine
    for cell, ground, text in zip(np.argwhere(seen).tolist(), grounds, texts, strict=True):
        row, column = cell
        assert ground is not None
        painter.setPen(ink(ground, quiet=quiet and not text.strip("0.")))
        bottom = (row, column) in low
        place = Qt.AlignmentFlag.AlignBottom if bottom else Qt.AlignmentFlag.AlignVCenter
        painter.drawText(grid.cell(row, column), centre | place, text)
