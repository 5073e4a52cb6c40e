"""Matrices one below the other, each with its words, its labels and its numbers or colours."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from gui.style import palette
from gui.style.colour_scale import MASKED
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import matrix_axes, matrix_painting, painting
from gui.widgets.cells import GridGeometry, image, picture
from gui.widgets.matrix import NOWHERE, Cell, Matrix, MatrixLayout
from gui.widgets.painting import ARROWS, PaintedScroll
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
_RAMP = 72.0
_LINE = Qt.TextFlag.TextSingleLine
_PAGES = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}


@dataclass(frozen=True, eq=False)
class Entry:
    """One matrix of a list.

    Attributes
    ----------
    part
        Heading of the part of the list that it belongs to.
    words
        What stands beside it.
    grid
        The matrix; its titles are the names of its axes.
    marked
        Row and column that are selected, each `None` where none is.
    """

    part: str
    words: tuple[Paragraph, ...]
    grid: Matrix
    marked: tuple[int | None, int | None]


@dataclass(frozen=True, eq=False)
class PlacedEntry:
    """Where an entry lies, in logical pixels of the whole list."""

    entry: Entry
    box: QRectF
    heading: QRectF | None
    """Place of the part's heading, where the entry is the first of its part."""
    words: TextBlock
    words_at: QPointF
    caption: QRectF
    """Where the names of the axes stand."""
    matrix: MatrixLayout
    legend: QRectF | None
    """Where the colours are explained; `None` where the numbers themselves are printed."""


class ListCell(NamedTuple):
    """One cell: which entry, which row and which column."""

    entry: int
    row: int
    column: int


class MatrixList(PaintedScroll[ListCell]):
    """A click or an arrow key asks for a cell by `clicked`; Page Up and Down change the matrix."""

    usual, least = (60, 70), (24, 20)
    keys = "Arrow keys move, Page Up and Page Down go to another matrix."
    clicked = Signal(object)
    """ListCell that a click or an arrow key asks for."""
    hovered = Signal(object)
    """ListCell under the mouse, `None` when it has left."""
    part_shown = Signal(str)
    """Heading of the part that is at the top now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Matrices", parent)
        self._entries: Sequence[Entry] = ()
        self._placed: list[PlacedEntry] = []
        self._pictures: dict[int, QPixmap] = {}
        self._describe: Callable[[ListCell], str] | None = None
        self._current: ListCell | None = None
        self._part = ""
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show matrices from above; what is at the top stays there if they are as before."""
        self._entries = tuple(entries)
        self.hovered_item = None
        if self._current is not None and not self._holds(self._current):
            self._current = None
        self.lay_out()

    def set_describe(self, describe: Callable[[ListCell], str]) -> None:
        """Say what the tool tip of a cell says, as plain text."""
        self._describe = describe

    def set_current(self, cell: ListCell | None) -> None:
        """Frame a cell: the one that is read out, from which arrow keys go on."""
        self._current = cell if cell is not None and self._holds(cell) else None
        if self.hasFocus():
            self.update_accessible_text()
        self.viewport().update()

    def show_part(self, heading: str) -> None:
        """Scroll to where a part begins."""
        tops = (one.box.top() for one in self._placed if one.entry.part == heading)
        self.verticalScrollBar().setValue(int(next(tops, self.scrolled())))

    def show_entry(self, number: int) -> None:
        """Scroll until a matrix is seen, with as much of its words as there is room for."""
        self.bring_into_sight(self._placed[number].box)

    def cell_rect(self, cell: ListCell) -> QRectF:
        """Return where a cell is drawn, in pixels of the viewport."""
        grid = self._placed[cell.entry].matrix.grid
        return grid.cell(cell.row, cell.column).translated(0, -self.scrolled())

    def placed(self) -> list[PlacedEntry]:
        """Return where everything lies, in pixels of the whole list."""
        return self._placed

    def item_at(self, point: QPointF) -> ListCell | None:
        """Return the cell at a place of the viewport."""
        cell = self._at(point)
        return cell if cell is not None and min(cell) >= 0 else None

    def tip_at(self, point: QPointF) -> str:
        """Return the description of a cell, or a whole label."""
        cell = self._at(point)
        if cell is None:
            return ""
        if min(cell) >= 0:
            return self._describe(cell) if self._describe is not None else ""
        rows, columns = self._entries[cell.entry].grid.labels
        return rows[cell.row] if cell.row >= 0 else columns[cell.column] if cell.column >= 0 else ""

    def marked(self) -> str:
        """Return the current cell in words."""
        if self._current is None or self._describe is None:
            return ""
        return self._describe(self._current)

    def activate(self, thing: ListCell) -> None:
        """Ask for the cell that was clicked."""
        self.set_current(thing)
        self.clicked.emit(thing)

    def point_at(self, thing: ListCell | None) -> None:
        """Say which cell is under the mouse, and that the mouse has left."""
        if thing != self.hovered_item:
            super().point_at(thing)
            self.hovered.emit(thing)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        self._fit_ratio(painter.deviceTransform().m11())
        painter.save()
        painter.translate(0, -self.scrolled())
        seen = QRectF(event.rect()).translated(0, self.scrolled())
        for number, placed in enumerate(self._placed):
            if placed.box.adjusted(0, -UNIT, 0, UNIT).intersects(seen):
                _draw_words(painter, placed)
                pointed = self._in(number, self.hovered_item) or self._in(number, self._current)
                _draw_matrix(painter, placed, self._picture(number), pointed or NOWHERE)
        painter.restore()
        self.draw_ring(painter)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the cell beside the current one, or for one of the next matrix."""
        key = Qt.Key(event.key())
        if not self._placed or key not in (*ARROWS, *_PAGES):
            super().keyPressEvent(event)
            return
        self.show_ring()
        now = self._current or self._start(self._at_top())
        if key in _PAGES:
            cell = self._start(min(max(now.entry + _PAGES[key], 0), len(self._placed) - 1))
        else:
            shown = self._entries[now.entry].grid
            cell = ListCell(now.entry, *shown.beside((now.row, now.column), ARROWS[key]))
        self.show_entry(cell.entry)
        self.activate(cell)

    def lay_out(self, ratio: float | None = None) -> None:
        """Place the matrices from above; what is at the top stays there."""
        bar = self.verticalScrollBar()
        top = self._at_top() if self._placed else 0
        into = bar.value() - self._placed[top].box.top() if self._placed else 0.0
        self._pictures.clear()
        width = self.viewport().width() - UNIT / 2
        self._placed = lay_out(self._entries, width, ratio or self.devicePixelRatioF())
        self.set_extent(self._placed[-1].box.bottom() + UNIT if self._placed else 0.0)
        if top < len(self._placed):
            bar.setValue(int(self._placed[top].box.top() + into))
        self._on_scrolled()
        self.viewport().update()

    def _at(self, point: QPointF) -> ListCell | None:
        """Return the entry, row and column at a place of the viewport, -1 for none of both."""
        at = self.on_page(point)
        places = (n for n, one in enumerate(self._placed) if one.box.contains(at))
        number = next(places, None)
        return None if number is None else ListCell(number, *self._placed[number].matrix.at(at))

    def _start(self, number: int) -> ListCell:
        row, column = self._entries[number].marked
        return ListCell(number, row or 0, column or 0)

    def _holds(self, cell: ListCell) -> bool:
        if cell.entry >= len(self._entries):
            return False
        rows, columns = self._entries[cell.entry].grid.values.shape
        return bool(cell.row < rows and cell.column < columns)

    def _in(self, number: int, cell: ListCell | None) -> Cell | None:
        return (cell.row, cell.column) if cell is not None and cell.entry == number else None

    def _picture(self, number: int) -> QPixmap:
        if number not in self._pictures:
            shown, grid = self._entries[number].grid, self._placed[number].matrix.grid
            self._pictures[number] = picture(shown.values, shown.seen, shown.colouring, grid)
        return self._pictures[number]

    def _at_top(self) -> int:
        """Return the entry at the top of what is seen."""
        tops = [one.box.top() for one in self._placed]
        return max(bisect_right(tops, self.scrolled() + 2 * UNIT) - 1, 0)

    def _fit_ratio(self, ratio: float) -> None:
        # A picture at another scale than the screen's has edges of its own.
        if self._placed and self._placed[0].matrix.grid.ratio != ratio:
            at = self.scrolled()
            self.lay_out(ratio)
            self.verticalScrollBar().setValue(at)

    def _on_scrolled(self) -> None:
        if not self._placed:
            return
        self.point_at(None)  # another cell has come under the mouse, which has not moved
        part = self._placed[self._at_top()].entry.part
        bar = self.verticalScrollBar()
        if bar.maximum() and bar.value() == bar.maximum():
            part = self._placed[-1].entry.part
        if part != self._part:
            self._part = part
            self.part_shown.emit(part)


def lay_out(entries: Sequence[Entry], width: float, ratio: float) -> list[PlacedEntry]:
    """Place entries in a width in logical pixels, one below the other."""
    placed: list[PlacedEntry] = []
    top, part = 0.0, None
    for entry in entries:
        placed.append(_place(entry, top, width, ratio, first=entry.part != part))
        part = entry.part
        top = placed[-1].box.bottom() + _GAP
    return placed


def _place(entry: Entry, top: float, width: float, ratio: float, *, first: bool) -> PlacedEntry:
    head, begins = None, top
    if first:
        head = QRectF(0, top, width, QFontMetricsF(palette.ui_font(bold=True)).height() + UNIT)
        top = head.bottom() + UNIT
    beside = width >= palette.scaled(BESIDE_FROM)
    words = TextBlock(entry.words, palette.scaled(WORDS_WIDTH) if beside else width)
    left = palette.scaled(WORDS_WIDTH) + _GAP if beside else 0.0
    at = top if beside else top + words.height + UNIT / 2
    line = painting.small_metrics().height()
    caption = QRectF(left, at, width - left, line)
    matrix = _lay_out_matrix(entry.grid, left, caption.bottom() + UNIT / 2, width - left, ratio)
    bottom, legend = matrix.bottom, None
    if matrix_axes.decimals_in(entry.grid.seen_values, matrix.grid) is None:
        left = matrix.grid.bounds.left()
        legend = QRectF(left, bottom + UNIT / 2, width - left, line)
        bottom = legend.bottom()
    bottom = max(bottom, top + words.height)
    box = QRectF(0, begins, width, bottom - begins)
    return PlacedEntry(entry, box, head, words, QPointF(0, top), caption, matrix, legend)


def _lay_out_matrix(
    shown: Matrix, left: float, top: float, width: float, ratio: float
) -> MatrixLayout:
    metrics = QFontMetricsF(palette.token_font(small=True))
    rows, columns = shown.values.shape
    longest = min(palette.scaled(12 * UNIT), width / 4)
    row_room = matrix_axes.room_for(shown.labels[0], metrics, longest)
    left += row_room + UNIT / 2
    across, down = _cell_size(shown, max(width - row_room - UNIT, 1.0), metrics)
    top += max((metrics.height() - down) / 2, 0.0)  # the first label is taller than its row
    grid = GridGeometry.cells((rows, down, top), (columns, across, left), ratio)
    turn = matrix_axes.turn_for(shown.labels[1], grid.pitches[1], metrics)
    column_room = metrics.height()
    if turn == "up":
        column_room = matrix_axes.room_for(shown.labels[1], metrics, palette.scaled(11 * UNIT))
    edge = (grid.bounds.left() - UNIT / 2, grid.bounds.bottom() + UNIT / 2)
    room, bottom = (row_room, column_room), edge[1] + column_room
    return MatrixLayout(grid, (rows, columns), turn, room, edge, bottom=bottom)


def _cell_size(shown: Matrix, room: float, metrics: QFontMetricsF) -> tuple[float, float]:
    """Return width and height of a cell."""
    rows, columns = shown.values.shape
    line = ceil(metrics.height())
    largest = palette.scaled(_LARGEST_CELL)
    if max(rows, columns) <= FEW:
        labels = matrix_axes.widest_of(shown.labels[1], metrics) + UNIT
        wide = max(_number_width(shown), labels, palette.scaled(_NARROWEST))
        return min(wide, palette.scaled(_WIDEST), room / columns), line + UNIT * 0.75
    if rows == columns:
        side = min(min(room, TALLEST_SQUARE) / columns, largest)
        return side, side
    return min(room / columns, largest), min(TALLEST / rows, line + 4.0)


def _number_width(shown: Matrix) -> float:
    metrics = painting.small_metrics()
    width = float(palette.scaled(_NARROWEST))
    while width < palette.scaled(_WIDEST):
        if matrix_axes.decimals_that_fit(shown.seen_values, width, metrics) is not None:
            break
        width += 2.0
    return width + UNIT / 2


def axes_text(shown: Matrix) -> str:
    """Return how many rows and columns there are, and what they are."""
    rows, columns = shown.values.shape
    return f"{rows} × {columns}: {shown.titles[0]} down, {shown.titles[1]} across"


def _draw_words(painter: QPainter, placed: PlacedEntry) -> None:
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


def _draw_matrix(painter: QPainter, placed: PlacedEntry, cells: QPixmap, pointed: Cell) -> None:
    """Draw the cells with their numbers or their legend, labels and frames."""
    shown, layout = placed.entry.grid, placed.matrix
    marked, theme = shown.inside(*placed.entry.marked), palette.theme()
    matrix_painting.draw_cells(painter, shown, layout, cells)
    if placed.legend is not None:
        _draw_legend(painter, placed.legend, shown)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(painting.pen(theme.line))
    painter.drawRect(layout.grid.bounds.adjusted(-0.5, -0.5, 0.5, 0.5))
    labels = layout.place_labels(shown, marked, pointed)
    matrix_painting.draw_labels(painter, shown, layout, labels, (marked, pointed), theme.text)
    matrix_painting.draw_frames(painter, layout, marked, pointed)


def _draw_legend(painter: QPainter, place: QRectF, shown: Matrix) -> None:
    """Draw the colours from their lowest to their highest number."""
    theme, colouring = palette.theme(), shown.colouring
    painter.setFont(palette.ui_font(small=True))
    painter.setPen(QColor(theme.muted))
    decimals = decimals_for([colouring.low, colouring.high])
    low, high = (fixed(end, decimals) for end in (colouring.low, colouring.high))
    painter.drawText(place, _LINE, low)
    left = place.left() + painter.fontMetrics().horizontalAdvance(low) + UNIT / 2
    bar = QRectF(left, place.center().y() - UNIT / 2, _RAMP, UNIT)
    ramp = np.arange(MASKED, dtype=np.uint8)[np.newaxis]
    painter.drawImage(bar, image(ramp, colouring.colours, theme.masked))
    painter.drawText(place.translated(bar.right() + UNIT / 2 - place.left(), 0), _LINE, high)
    painter.setPen(painting.pen(theme.line))
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
