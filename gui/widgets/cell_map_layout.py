"""How a cell map shares out its room: labels, small columns, the cells in sight, colour bar."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from gui import palette
from gui.numbers import fixed
from gui.theme import UNIT
from gui.widgets import axis_labels, colour_bar
from gui.widgets.axis_labels import Turn
from gui.widgets.colouring import Colouring
from gui.widgets.grid_geometry import GridGeometry

_HALF = UNIT // 2
_ACROSS = 44.0
"""Columns at least so wide have labels that are read across, cut where they must be."""
_ROW_LABELS, _COLUMN_LABELS = 0.34, 0.28
"""Shares of the width and of the height that labels may take."""
_LONGEST, _SHORTEST = 14.0 * UNIT, 5.0 * UNIT
"""Pixels that a label may take at most, and may take whatever the height."""
_MARGIN = 3
"""Left of the labels, so that the focus ring does not touch them."""
_BAR_FROM = 420
"""A map at least so wide has a colour bar."""


@dataclass(frozen=True, eq=False)
class Beside:
    """Numbers from 0 to 1 that stand between a row's label and its cells, as small bars.

    Parameters
    ----------
    title
        Written above them.
    values
        [row].
    """

    title: str
    values: npt.NDArray[np.floating]


@dataclass(frozen=True)
class Sizes:
    """Least and most pixels of a row and of a column; what is narrower than the least scrolls."""

    row: tuple[float, float] = (16.0, 24.0)
    column: tuple[float, float] = (14.0, 64.0)


@dataclass(frozen=True, eq=False)
class Cells:
    """What a cell map shows.

    Parameters
    ----------
    values
        [row, column]; what is not a number is drawn as masked.
    colouring
        Map and limits.
    row_labels, column_labels
        One a row, one a column, shown as they are.
    texts
        What is printed in the cells, [row][column]; none: their numbers, while they fit.
    beside
        Small columns of numbers.
    breaks
        Rows that begin a group.
    sizes
        Least and most pixels of rows and columns.
    unit
        What the numbers are, beside the colour bar.
    row_tokens, column_tokens
        Whether labels are tokens.
    """

    values: npt.NDArray[np.floating]
    colouring: Colouring
    row_labels: Sequence[str]
    column_labels: Sequence[str]
    texts: Sequence[Sequence[str]] | None = None
    beside: Sequence[Beside] = ()
    breaks: Sequence[int] = ()
    sizes: Sizes = field(default_factory=Sizes)
    unit: str = ""
    row_tokens: bool = False
    column_tokens: bool = True

    @property
    def row_font(self) -> QFont:
        """What rows are named in."""
        return palette.token_font(small=True) if self.row_tokens else palette.ui_font(small=True)

    @property
    def column_font(self) -> QFont:
        """What columns are named in."""
        return palette.token_font(small=True) if self.column_tokens else palette.ui_font(small=True)

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest number."""
        seen = self.values[np.isfinite(self.values)]
        return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class CellMapLayout:
    """Where what is in sight lies, in logical pixels of the viewport."""

    grid: GridGeometry
    """The rows and columns in sight."""
    first: tuple[int, int]
    """The row and the column that come first in it."""
    whole: tuple[int, int]
    """How many of each there are."""
    row_room: float
    """How long a row's label may be."""
    row_right: float
    """Where rows' labels end."""
    beside: tuple[tuple[float, float], ...]
    """Left and right of each small column."""
    turn: Turn
    bar: QRectF | None

    @property
    def shown(self) -> tuple[int, int]:
        """How many rows and columns are in sight."""
        return len(self.grid.row_edges) - 1, len(self.grid.column_edges) - 1

    @property
    def rows(self) -> slice:
        """The rows in sight."""
        return slice(self.first[0], self.first[0] + self.shown[0])

    @property
    def columns(self) -> slice:
        """The columns in sight."""
        return slice(self.first[1], self.first[1] + self.shown[1])

    def at(self, point: QPointF) -> tuple[int, int]:
        """Return row and column at a point, -1 for none: a label is at only one of them."""
        row, column = self.grid.at(point)
        return (
            row + self.first[0] if row >= 0 and point.x() < self.grid.bounds.right() else -1,
            column + self.first[1] if column >= 0 and point.y() < self.grid.bounds.bottom() else -1,
        )

    def beside_at(self, point: QPointF) -> int:
        """Return which small column is at a point, -1 for none."""
        places = (n for n, (left, right) in enumerate(self.beside) if left <= point.x() < right)
        return next(places, -1) if point.y() < self.grid.bounds.bottom() else -1


def lay_out(
    cells: Cells, size: tuple[int, int], first: tuple[int, int], ratio: float
) -> CellMapLayout:
    """Fit the cells and all that stands around them into a size.

    Parameters
    ----------
    cells
        What is shown.
    size
        Width and height of the viewport.
    first
        Row and column that are scrolled to; less where more would leave room unused.
    ratio
        Device pixels per logical pixel.
    """
    names, heads = QFontMetricsF(cells.row_font), QFontMetricsF(cells.column_font)
    small = QFontMetricsF(palette.ui_font(small=True))
    row_room = axis_labels.room_for(
        cells.row_labels, names, min(palette.scaled(_LONGEST), _ROW_LABELS * size[0])
    )
    left, beside = _MARGIN + row_room + _HALF, list[tuple[float, float]]()
    for _ in cells.beside:
        right = left + ceil(small.horizontalAdvance(fixed(0.0, 2))) + UNIT
        beside.append((left, right))
        left = right + _HALF / 2
    margin = ceil(left + _HALF / 2)
    bar_width = 0.0
    if size[0] >= palette.scaled(_BAR_FROM):
        bar_width = colour_bar.width_of(cells.colouring, cells.reach, cells.unit) + 2 * UNIT
    across = size[0] - margin - bar_width - 2
    wide, columns = _share(len(cells.column_labels), across, cells.sizes.column)
    turn: Turn = "up"
    if (
        wide >= palette.scaled(_ACROSS)
        or axis_labels.turn_for(cells.column_labels, wide, heads) == "across"
    ):
        turn = "across"
    top: float = heads.height()
    if turn == "up":
        top = axis_labels.room_for(
            cells.column_labels,
            heads,
            min(palette.scaled(_LONGEST), max(palette.scaled(_SHORTEST), _COLUMN_LABELS * size[1])),
        )
    titles = [small.horizontalAdvance(item.title) + 2 for item in cells.beside]
    top = float(ceil(max([top, *titles]) + _HALF))
    high, rows = _share(len(cells.row_labels), size[1] - top - 2, cells.sizes.row)
    start = (
        max(0, min(first[0], len(cells.row_labels) - rows)),
        max(0, min(first[1], len(cells.column_labels) - columns)),
    )
    grid = GridGeometry.cells((rows, high, top), (columns, wide, margin), ratio)
    bar = None
    if bar_width:
        least = max(3 * small.height(), small.horizontalAdvance(cells.unit) + _HALF)
        height = max(min(grid.bounds.height(), 20.0 * UNIT), least)
        bar = QRectF(grid.bounds.right() + 2 * UNIT, grid.bounds.top(), bar_width, height)
    whole = (len(cells.row_labels), len(cells.column_labels))
    right = _MARGIN + row_room + 1
    return CellMapLayout(grid, start, whole, row_room, right, tuple(beside), turn, bar)


def _share(count: int, room: float, limits: tuple[float, float]) -> tuple[float, int]:
    """Return how large each is and how many are in sight."""
    least, most = (size * palette.text_scale() for size in limits)
    room = max(room, least, 1.0)
    if count * least <= room:
        return min(room / count, most), count
    shown = max(1, int(room / least))
    return room / shown, shown
