"""What lies at a place of a sheet of matrices."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF

from gui.theme import UNIT
from gui.widgets.sheet_layout import Placed


class SheetCell(NamedTuple):
    """One cell: which entry, which row and which column."""

    entry: int
    row: int
    column: int


def cell_at(placed: Sequence[Placed], at: QPointF) -> SheetCell | None:
    """Return the cell at a place of the sheet."""
    for number, one in enumerate(placed):
        if one.box.contains(at):
            row, column = one.matrix.grid.at(at)
            return SheetCell(number, row, column) if row >= 0 and column >= 0 else None
    return None


def label_at(placed: Sequence[Placed], at: QPointF) -> str:
    """Return the whole label beside a row or below a column at a place of the sheet."""
    one = next((one for one in placed if one.box.contains(at)), None)
    return "" if one is None else _label_at(one, at)


def entry_below(placed: Sequence[Placed], height: float) -> int:
    """Return the entry that is at the top where so many pixels are scrolled away."""
    tops = [one.box.top() for one in placed]
    return max(bisect_right(tops, height + 2 * UNIT) - 1, 0)


def _label_at(placed: Placed, at: QPointF) -> str:
    grid, labels = placed.matrix.grid, placed.entry.grid.labels
    row, column = grid.at(at)
    if row >= 0 and at.x() < grid.bounds.left():
        return labels[0][row]
    below = grid.bounds.bottom()
    if column >= 0 and below < at.y() < below + placed.matrix.column_room + UNIT:
        return labels[1][column]
    return ""
