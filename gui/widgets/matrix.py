"""A matrix to be shown, and where its cells in sight and all that stands around them lie."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from gui.style import palette
from gui.style.formatting import fixed
from gui.style.theme import UNIT
from gui.widgets import matrix_axes, painting
from gui.widgets.cells import Colouring, GridGeometry
from gui.widgets.matrix_axes import PlacedLabel, Turn

Cell = tuple[int, int]
"""Row and column, -1 for none."""
NOWHERE: Cell = (-1, -1)
Labels = tuple[list[PlacedLabel], list[PlacedLabel]]
"""Of the rows and of the columns."""
_HALF = UNIT / 2


@dataclass(frozen=True, eq=False)
class BarColumn:
    """Numbers from 0 to 1 that stand between a row's label and its cells, as small bars.

    Parameters
    ----------
    title
        Written above them.
    values
        [row].
    tip
        What the tool tip of the title says.
    """

    title: str
    values: npt.NDArray[np.floating]
    tip: str = ""


@dataclass(frozen=True)
class CellSizes:
    """Least and most pixels of a row and of a column; what is narrower than the least scrolls."""

    row: tuple[float, float] = (16.0, 24.0)
    column: tuple[float, float] = (14.0, 64.0)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Numbers in rows and columns.

    Parameters
    ----------
    values
        [row, column]; what is not a number is drawn as masked.
    colouring
        Map and limits.
    labels
        One a row, one a column, shown as they are.
    mask
        True where a cell may be seen, [row, column]; `None`: everywhere.
    titles
        What the rows and what the columns are.
    unit
        What the numbers are, beside the colour bar.
    pieces
        Rows and columns whose labels are bytes of a character and no text: they are muted.
    tokens
        Whether the labels of rows and of columns are tokens.
    texts
        What is printed in the cells, [row][column]; `None`: their numbers, while they fit.
    bars
        Small columns of numbers.
    breaks
        Rows that begin a group.
    sizes
        Of rows and columns that scroll.

    Raises
    ------
    ValueError
        If shapes do not fit each other.
    """

    values: npt.NDArray[np.floating]
    colouring: Colouring
    labels: tuple[Sequence[str], Sequence[str]]
    mask: npt.NDArray[np.bool_] | None = None
    titles: tuple[str, str] = ("", "")
    unit: str = ""
    pieces: tuple[Collection[int], Collection[int]] = ((), ())
    tokens: tuple[bool, bool] = (True, True)
    texts: Sequence[Sequence[str]] | None = None
    bars: Sequence[BarColumn] = ()
    breaks: Sequence[int] = ()
    sizes: CellSizes = field(default_factory=CellSizes)

    def __post_init__(self) -> None:
        rows, columns = map(len, self.labels)
        if self.values.shape != (rows, columns):
            raise ValueError(f"{self.values.shape} numbers for {rows} x {columns} labels")
        if self.mask is not None and self.mask.shape != self.values.shape:
            raise ValueError(f"mask of {self.mask.shape} for {self.values.shape} numbers")

    @property
    def empty(self) -> bool:
        """Whether there is no cell."""
        return not self.values.size

    @cached_property
    def seen(self) -> npt.NDArray[np.bool_]:
        """True where a cell is a number that may be seen, [row, column]."""
        finite: npt.NDArray[np.bool_] = np.isfinite(self.values)
        return finite if self.mask is None else finite & self.mask

    @cached_property
    def seen_values(self) -> npt.NDArray[np.floating]:
        """The numbers that may be seen, [number]."""
        return self.values[self.seen]

    @cached_property
    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest number that may be seen."""
        seen = self.seen_values
        return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)

    @cached_property
    def bar_width(self) -> float:
        """Room for the colour bar, its numbers and its unit."""
        return matrix_axes.width_of(self.colouring, self.value_range, self.unit)

    def font(self, axis: int) -> QFont:
        """Return what rows (0) or columns (1) are named in."""
        font = palette.token_font if self.tokens[axis] else palette.ui_font
        return font(small=True)

    def lies_like(self, other: "Matrix") -> bool:
        """Return whether everything has the same place, as for another head of the same prompt."""
        mine, its = (
            (of.labels, of.titles, of.tokens, of.sizes, of.bar_width, [it.title for it in of.bars])
            for of in (self, other)
        )
        return mine == its

    def inside(self, row: int | None, column: int | None) -> Cell:
        """Return a row and a column, each -1 where it is not there."""
        rows, columns = self.values.shape
        return (
            row if row is not None and 0 <= row < rows else -1,
            column if column is not None and 0 <= column < columns else -1,
        )

    def beside(self, cell: Cell, step: tuple[int, int]) -> Cell:
        """Return the cell a step away, at most at the edge.

        Where only a row is known, the step begins at its strongest cell; where nothing is, that
        of the last row is returned.
        """
        rows, columns = self.values.shape
        row, column = cell
        if max(cell) < 0:
            return rows - 1, self._strongest(rows - 1)
        row = rows - 1 if row < 0 else row
        column = self._strongest(row) if column < 0 else column
        return min(max(row + step[0], 0), rows - 1), min(max(column + step[1], 0), columns - 1)

    def _strongest(self, row: int) -> int:
        return int(np.argmax(np.where(self.seen[row], self.values[row], -np.inf)))


@dataclass(frozen=True, eq=False)
class MatrixLayout:
    """Where what is in sight lies, in logical pixels of the canvas."""

    grid: GridGeometry
    """The rows and columns in sight."""
    whole: tuple[int, int]
    """How many rows and columns there are."""
    turn: Turn
    """How the labels of the columns are read."""
    room: tuple[float, float]
    """How long a label of a row, and of a column, may be."""
    edge: tuple[float, float]
    """Where labels of rows end; where labels of columns begin, or end where they stand above."""
    above: bool = False
    """Whether the labels of the columns stand above the cells."""
    first: tuple[int, int] = (0, 0)
    """The row and the column that come first in the grid."""
    bars: tuple[tuple[float, float], ...] = ()
    """Left and right of each small column."""
    bar: QRectF | None = None
    """The colour bar's place; its numbers stand to the right of it."""
    bottom: float = 0.0
    """How far down all that is drawn reaches."""

    @property
    def rows(self) -> slice:
        """The rows in sight."""
        return slice(self.first[0], self.first[0] + self.grid.shape[0])

    @property
    def columns(self) -> slice:
        """The columns in sight."""
        return slice(self.first[1], self.first[1] + self.grid.shape[1])

    def at(self, point: QPointF) -> Cell:
        """Return row and column at a point, -1 for none: a label is at only one of them."""
        row, column = self.grid.at(point)
        bounds, y = self.grid.bounds, point.y()
        low, high = 0.0, bounds.bottom()
        if not self.above:
            low, high = bounds.top(), bounds.bottom() + self.room[1] + UNIT
        return (
            row + self.first[0] if row >= 0 and point.x() < bounds.right() else -1,
            column + self.first[1] if column >= 0 and low <= y < high else -1,
        )

    def bar_at(self, point: QPointF) -> int:
        """Return which small column is at a point, -1 for none."""
        places = (n for n, (left, right) in enumerate(self.bars) if left <= point.x() < right)
        return next(places, -1) if point.y() < self.grid.bounds.bottom() else -1

    def in_sight(self, cell: Cell) -> Cell:
        """Return where a row and a column are among those in sight, each -1 where it is not."""
        row, column = (
            place - first if first <= place < first + count else -1
            for place, first, count in zip(cell, self.first, self.grid.shape, strict=True)
        )
        return row, column

    def place_labels(self, shown: Matrix, *cells: Cell) -> Labels:
        """Place the labels of rows and columns in sight; those of given cells before all others."""
        turns: tuple[Turn, Turn] = ("beside", self.turn)
        seen = list(map(self.in_sight, cells))
        rows, columns = (
            matrix_axes.place_labels(
                shown.labels[axis][part],
                self.grid.spans(axis),
                self.edge[axis],
                self.room[axis],
                QFontMetricsF(shown.font(axis)),
                turns[axis],
                list(dict.fromkeys(cell[axis] for cell in seen if cell[axis] >= 0)),
                above=self.above,
            )
            for axis, part in enumerate((self.rows, self.columns))
        )
        return rows, columns


_LONGEST = 14.0 * UNIT
"""Pixels that a label may take at most."""


def lay_out_square(shown: Matrix, size: tuple[int, int], ratio: float) -> MatrixLayout:
    """Fit square cells and all that stands around them into a size, labels and titles below.

    Parameters
    ----------
    shown
        What is shown.
    size
        Width and height of the widget.
    ratio
        Device pixels per logical pixel.
    """
    down, across = (QFontMetricsF(shown.font(axis)) for axis in (0, 1))
    title = painting.small_metrics().height()
    rows, columns = shown.values.shape
    longest = palette.scaled(_LONGEST)
    row_room = matrix_axes.room_for(shown.labels[0], down, min(longest, size[0] / 4))
    left = row_room + UNIT + (title + _HALF if shown.titles[0] else 0)
    width = size[0] - left - 2 * UNIT - shown.bar_width
    height = size[1] - 2 * UNIT - (title + _HALF if shown.titles[1] else 0)

    def fitted(below: float) -> GridGeometry:
        side = max(0.0, min(width / columns, (height - below) / rows))
        return GridGeometry.cells((rows, side, UNIT), (columns, side, left), ratio)

    column_room = across.height()
    grid = fitted(column_room)
    turn = matrix_axes.turn_for(shown.labels[1], grid.pitches[0], across)
    if turn == "up":
        column_room = matrix_axes.room_for(shown.labels[1], across, min(longest, size[1] / 4))
        grid = fitted(column_room)
    bounds = grid.bounds
    bar = bounds.translated(bounds.width() + 2 * UNIT, 0)
    edge = (bounds.left() - _HALF, bounds.bottom() + _HALF)
    room = (row_room, column_room)
    bottom = bounds.bottom() + column_room + UNIT + (title if shown.titles[1] else 0) + _HALF
    return MatrixLayout(grid, (rows, columns), turn, room, edge, bar=bar, bottom=bottom)


_ACROSS = 44.0
"""Columns at least so wide have labels that are read across, cut where they must be."""
_ROW_LABELS, _COLUMN_LABELS = 0.34, 0.28
"""Shares of the width and of the height that labels may take."""
_SHORTEST = 5.0 * UNIT
"""Pixels that a column's label may take whatever the height."""
_MARGIN = 3
"""Left of the labels, so that the focus ring does not touch them."""
_BAR_FROM = 420
"""A matrix that scrolls has a colour bar where there is at least so much width."""


def lay_out_scrolling(
    shown: Matrix, size: tuple[int, int], first: tuple[int, int], ratio: float
) -> MatrixLayout:
    """Fit the rows and columns in sight and all that stands around them, labels above.

    Parameters
    ----------
    shown
        What is shown.
    size
        Width and height of the viewport.
    first
        Row and column that are scrolled to; less where more would leave room unused.
    ratio
        Device pixels per logical pixel.
    """
    names, heads = (QFontMetricsF(shown.font(axis)) for axis in (0, 1))
    small, longest = painting.small_metrics(), palette.scaled(_LONGEST)
    row_labels, column_labels = shown.labels
    row_room = matrix_axes.room_for(row_labels, names, min(longest, _ROW_LABELS * size[0]))
    left, bars = _MARGIN + row_room + _HALF, list[tuple[float, float]]()
    for _ in shown.bars:
        right = left + ceil(small.horizontalAdvance(fixed(0.0, 2))) + UNIT
        bars.append((left, right))
        left = right + UNIT / 4
    margin = ceil(left + UNIT / 4)
    has_bar = size[0] >= palette.scaled(_BAR_FROM)
    bar_width = shown.bar_width + 2 * UNIT if has_bar else 0.0
    across = size[0] - margin - bar_width - 2
    wide, columns = _share(len(column_labels), across, shown.sizes.column)
    turn = matrix_axes.turn_for(column_labels, wide, heads)
    turn = "across" if wide >= palette.scaled(_ACROSS) else turn
    top: float = heads.height()
    if turn == "up":
        most = min(longest, max(palette.scaled(_SHORTEST), _COLUMN_LABELS * size[1]))
        top = matrix_axes.room_for(column_labels, heads, most)
    titles = [small.horizontalAdvance(item.title) + 2 for item in shown.bars]
    top = float(ceil(max([top, *titles]) + _HALF))
    high, rows = _share(len(row_labels), size[1] - top - 2, shown.sizes.row)
    start = (
        max(0, min(first[0], len(row_labels) - rows)),
        max(0, min(first[1], len(column_labels) - columns)),
    )
    grid = GridGeometry.cells((rows, high, top), (columns, wide, margin), ratio)
    bounds, bar = grid.bounds, None
    if has_bar:
        least = max(3 * small.height(), small.horizontalAdvance(shown.unit) + _HALF)
        height = max(min(bounds.height(), 20.0 * UNIT), least)
        bar = QRectF(bounds.right() + 2 * UNIT, bounds.top(), bar_width, height)
    return MatrixLayout(
        grid,
        whole=(len(row_labels), len(column_labels)),
        turn=turn,
        room=(row_room, bounds.top() - _HALF),
        edge=(_MARGIN + row_room + 1, bounds.top() - UNIT / 4),
        above=True,
        first=start,
        bars=tuple(bars),
        bar=bar,
        bottom=max(bounds.bottom(), bar.bottom() if bar else 0) + _MARGIN,
    )


def _share(count: int, room: float, limits: tuple[float, float]) -> tuple[float, int]:
    """Return how large each is and how many are in sight."""
    least, most = (size * palette.text_scale() for size in limits)
    room = max(room, least, 1.0)
    if count * least <= room:
        return min(room / count, most), count
    shown = max(1, int(room / least))
    return room / shown, shown
