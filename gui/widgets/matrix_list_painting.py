"""Where the matrices of a sheet lie: their words beside or above them, one below the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPixmap

from gui.style import palette
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import heatmap_painting, matrix_axes, painting
from gui.widgets.cells import MASKED, GridGeometry, image
from gui.widgets.heatmap_painting import HeatmapLayout, LabelledGrid
from gui.widgets.text import Paragraph, TextBlock

BESIDE_FROM = 560
"""Words stand beside their matrix from this width on, above it below."""
WORDS_WIDTH = 208.0
FEW = 12
"""A matrix of at most so many rows and columns has cells made for numbers."""
TALLEST, TALLEST_SQUARE = 320.0, 440.0
"""Height of the largest picture of a matrix, and of one with as many rows as columns, pixels."""
_LARGEST_CELL = 24.0
_NARROWEST, _WIDEST = 26.0, 72.0
"""Widths of a cell made for numbers."""
_GAP = 3 * UNIT


@dataclass(frozen=True, eq=False)
class Entry:
    """One matrix of a sheet.

    Attributes
    ----------
    part
        Heading of the part of the sheet that it belongs to.
    words
        What stands beside it.
    grid
        The matrix; its titles are the names of its axes.
    marked
        Row and column that are selected, each none where none is.
    """

    part: str
    words: tuple[Paragraph, ...]
    grid: LabelledGrid
    marked: tuple[int | None, int | None]


@dataclass(frozen=True, eq=False)
class Placed:
    """Where an entry lies, in logical pixels of the whole sheet."""

    entry: Entry
    box: QRectF
    heading: QRectF | None
    """Place of the part's heading, where the entry is the first of its part."""
    words: TextBlock
    words_at: QPointF
    caption: QRectF
    """Where the names of the axes stand."""
    matrix: HeatmapLayout
    legend: QRectF | None
    """Where the colours are explained; none where the numbers themselves are printed."""


def lay_out(entries: Sequence[Entry], width: float, ratio: float) -> list[Placed]:
    """Place entries in a width, one below the other.

    Parameters
    ----------
    entries
        From above.
    width
        Of the sheet, logical pixels.
    ratio
        Device pixels per logical pixel.
    """
    placed: list[Placed] = []
    top, part = 0.0, None
    for entry in entries:
        placed.append(_place(entry, top, width, ratio, first=entry.part != part))
        part = entry.part
        top = placed[-1].box.bottom() + _GAP
    return placed


def _place(entry: Entry, top: float, width: float, ratio: float, *, first: bool) -> Placed:
    head = None
    begins = top
    if first:
        head = QRectF(0, top, width, QFontMetricsF(palette.ui_font(bold=True)).height() + UNIT)
        top = head.bottom() + UNIT
    beside = width >= palette.scaled(BESIDE_FROM)
    words = TextBlock(entry.words, palette.scaled(WORDS_WIDTH) if beside else width)
    left = palette.scaled(WORDS_WIDTH) + _GAP if beside else 0.0
    at = top if beside else top + words.height + UNIT / 2
    line = QFontMetricsF(palette.ui_font(small=True)).height()
    caption = QRectF(left, at, width - left, line)
    matrix = _matrix(entry.grid, left, caption.bottom() + UNIT / 2, width - left, ratio)
    bottom = matrix.grid.bounds.bottom() + UNIT / 2 + matrix.column_room
    legend = None
    if not numbered(entry.grid, matrix.grid):
        legend = QRectF(matrix.grid.bounds.left(), bottom + UNIT / 2, width - left, line)
        legend.setRight(width)
        bottom = legend.bottom()
    bottom = max(bottom, top + words.height)
    box = QRectF(0, begins, width, bottom - begins)
    return Placed(entry, box, head, words, QPointF(0, top), caption, matrix, legend)


def numbered(shown: LabelledGrid, grid: GridGeometry) -> bool:
    """Return whether the numbers of a matrix have room in its cells."""
    metrics = QFontMetricsF(palette.ui_font(small=True))
    if shown.values.size > matrix_axes.MOST or grid.pitch < metrics.height():
        return False
    fits = matrix_axes.decimals_that_fit(shown.seen_values, grid.column_pitch, metrics)
    return fits is not None


def _matrix(
    shown: LabelledGrid, left: float, top: float, width: float, ratio: float
) -> HeatmapLayout:
    metrics = QFontMetricsF(palette.token_font(small=True))
    rows, columns = shown.values.shape
    row_room = matrix_axes.room_for(
        shown.labels[0], metrics, min(palette.scaled(12 * UNIT), width / 4)
    )
    left += row_room + UNIT / 2
    room = max(width - row_room - UNIT, 1.0)
    across, down = _cell(shown, room, metrics)
    top += max((metrics.height() - down) / 2, 0.0)  # the first label is taller than its row
    grid = GridGeometry.cells((rows, down, top), (columns, across, left), ratio)
    turn = matrix_axes.turn_for(shown.labels[1], grid.column_pitch, metrics)
    column_room = metrics.height()
    if turn == "up":
        column_room = matrix_axes.room_for(shown.labels[1], metrics, palette.scaled(11 * UNIT))
    return HeatmapLayout(grid, turn, row_room, column_room)


def _cell(shown: LabelledGrid, room: float, metrics: QFontMetricsF) -> tuple[float, float]:
    """Return width and height of a cell."""
    rows, columns = shown.values.shape
    if max(rows, columns) <= FEW:
        labels = matrix_axes.widest_of(shown.labels[1], metrics) + UNIT
        across = min(
            max(_number_width(shown), labels, palette.scaled(_NARROWEST)),
            palette.scaled(_WIDEST),
            room / columns,
        )
        return across, ceil(metrics.height()) + UNIT * 0.75
    if rows == columns:
        side = min(room, TALLEST_SQUARE) / columns
        return min(side, palette.scaled(_LARGEST_CELL)), min(side, palette.scaled(_LARGEST_CELL))
    down = min(TALLEST / rows, ceil(metrics.height()) + 4.0)
    return min(room / columns, palette.scaled(_LARGEST_CELL)), down


def _number_width(shown: LabelledGrid) -> float:
    metrics = QFontMetricsF(palette.ui_font(small=True))
    width = float(palette.scaled(_NARROWEST))
    while width < palette.scaled(_WIDEST):
        if matrix_axes.decimals_that_fit(shown.seen_values, width, metrics) is not None:
            break
        width += 2.0
    return width + UNIT / 2


_RAMP = 72.0
_LINE = Qt.TextFlag.TextSingleLine

Cell = tuple[int, int]


def draw_words(painter: QPainter, placed: Placed) -> None:
    """Write the heading of a part where it begins, the words, and the names of the axes."""
    theme = palette.theme()
    if placed.heading is not None:
        painter.setFont(palette.ui_font(bold=True))
        painter.setPen(QColor(theme.text))
        painter.drawText(placed.heading, Qt.AlignmentFlag.AlignBottom | _LINE, placed.entry.part)
        painter.setPen(painting.pen(theme.line))
        bottom = placed.heading.bottom() + UNIT / 4
        painter.drawLine(QPointF(0, bottom), QPointF(placed.heading.right(), bottom))
    placed.words.draw(painter, placed.words_at)
    painter.setFont(palette.ui_font(small=True))
    painter.setPen(QColor(theme.muted))
    text = painter.fontMetrics().elidedText(
        axes_text(placed.entry.grid), Qt.TextElideMode.ElideRight, int(placed.caption.width())
    )
    painter.drawText(placed.caption, _LINE, text)


def axes_text(shown: LabelledGrid) -> str:
    """Return how many rows and columns there are, and what they are."""
    rows, columns = shown.values.shape
    return f"{rows} × {columns}: {shown.titles[0]} down, {shown.titles[1]} across"


def draw_matrix(painter: QPainter, placed: Placed, cells: QPixmap, pointed: Cell | None) -> None:
    """Draw the cells with their numbers or their legend, labels and frames."""
    shown, matrix, marked = placed.entry.grid, placed.matrix, placed.entry.marked
    painter.drawPixmap(matrix.grid.bounds.topLeft(), cells)
    heatmap_painting.draw_lines(painter, matrix.grid)
    if placed.legend is None:
        matrix_axes.draw_numbers(painter, matrix.grid, shown.values, shown.mask, shown.colouring)
    else:
        _draw_legend(painter, placed.legend, shown)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(painting.pen(palette.theme().line))
    painter.drawRect(matrix.grid.bounds.adjusted(-0.5, -0.5, 0.5, 0.5))
    _draw_labels(painter, placed, pointed)
    heatmap_painting.draw_frames(painter, matrix.grid, marked, pointed)


def _draw_labels(painter: QPainter, placed: Placed, pointed: Cell | None) -> None:
    theme, font = palette.theme(), palette.token_font(small=True)
    shown, matrix, marked = placed.entry.grid, placed.matrix, placed.entry.marked
    first = [
        list(dict.fromkeys(place for place in pair if place is not None))
        for pair in zip(marked, pointed or (None, None), strict=True)
    ]
    rows = matrix.beside_rows(shown.labels[0], first[0])
    columns = matrix.below_columns(shown.labels[1], first[1])
    turns: tuple[matrix_axes.Turn, matrix_axes.Turn] = ("across", matrix.turn)
    for labels, mark, turn in zip((rows, columns), marked, turns, strict=True):
        marks = () if mark is None else (mark,)
        matrix_axes.draw_labels(painter, labels, turn, font, theme.text, marks, theme.accent)


def _draw_legend(painter: QPainter, place: QRectF, shown: LabelledGrid) -> None:
    """Draw the colours from their lowest to their highest number."""
    theme, colouring = palette.theme(), shown.colouring
    painter.setFont(palette.ui_font(small=True))
    painter.setPen(QColor(theme.muted))
    decimals = decimals_for([colouring.low, colouring.high])
    low, high = (fixed(end, decimals) for end in (colouring.low, colouring.high))
    left = place.left()
    metrics = painter.fontMetrics()
    painter.drawText(place, _LINE, low)
    left += metrics.horizontalAdvance(low) + UNIT / 2
    bar = QRectF(left, place.center().y() - UNIT / 2, _RAMP, UNIT)
    ramp = np.arange(MASKED, dtype=np.uint8)[np.newaxis]
    painter.drawImage(bar, image(ramp, colouring.colours, theme.masked))
    painter.drawText(
        QRectF(bar.right() + UNIT / 2, place.top(), place.width(), place.height()), _LINE, high
    )
    painter.setPen(painting.pen(theme.line))
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
