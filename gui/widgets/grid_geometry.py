"""Where the cells of a grid lie, in whole device pixels, so that edges are crisp at any scale."""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from gui.widgets.raster import IntArray, edges

_UNEVEN_BELOW = 8
"""Cells of at least so many device pixels are all alike; smaller ones fill the room instead."""


@dataclass(frozen=True, eq=False)
class GridGeometry:
    """Edges of rows and columns in device pixels from the widget's corner."""

    row_edges: IntArray
    column_edges: IntArray
    ratio: float

    @classmethod
    def square(
        cls, rows: int, columns: int, area: QRectF, ratio: float, most: float = 1e9
    ) -> "GridGeometry":
        """Lay out square cells in the top left of an area.

        Parameters
        ----------
        rows, columns
            Number of cells.
        area
            Room for them, logical pixels.
        ratio
            Device pixels per logical pixel.
        most
            Side of a cell at most, logical pixels.
        """
        side = max(0.0, min(area.width() / columns, area.height() / rows, most))
        return cls.cells((rows, side, area.top()), (columns, side, area.left()), ratio)

    @classmethod
    def cells(
        cls, rows: tuple[int, float, float], columns: tuple[int, float, float], ratio: float
    ) -> "GridGeometry":
        """Lay out cells of a size.

        Parameters
        ----------
        rows
            How many there are, how high each is and where the first begins, logical pixels.
        columns
            The same across.
        ratio
            Device pixels per logical pixel.
        """
        return cls(_edges(*rows, ratio), _edges(*columns, ratio), ratio)

    @cached_property
    def bounds(self) -> QRectF:
        """The whole grid, logical pixels."""
        return self._rect(self.row_edges[[0, -1]], self.column_edges[[0, -1]])

    @property
    def height(self) -> int:
        """Height in device pixels."""
        return int(self.row_edges[-1] - self.row_edges[0])

    @property
    def width(self) -> int:
        """Width in device pixels."""
        return int(self.column_edges[-1] - self.column_edges[0])

    @property
    def pitch(self) -> float:
        """Height of a cell, logical pixels."""
        return self.height / self.ratio / (len(self.row_edges) - 1)

    @property
    def column_pitch(self) -> float:
        """Width of a cell, logical pixels; that of a square one is its height."""
        return self.width / self.ratio / (len(self.column_edges) - 1)

    def cell(self, row: int, column: int) -> QRectF:
        """Return the place of a cell, logical pixels."""
        return self._rect(self.row_edges[row : row + 2], self.column_edges[column : column + 2])

    def row(self, row: int) -> QRectF:
        """Return the place of a whole row, logical pixels."""
        return self._rect(self.row_edges[row : row + 2], self.column_edges[[0, -1]])

    def column(self, column: int) -> QRectF:
        """Return the place of a whole column, logical pixels."""
        return self._rect(self.row_edges[[0, -1]], self.column_edges[column : column + 2])

    def row_spans(self) -> list[tuple[float, float]]:
        """Return top and bottom of each row, logical pixels."""
        return self._spans(self.row_edges)

    def column_spans(self) -> list[tuple[float, float]]:
        """Return left and right of each column, logical pixels."""
        return self._spans(self.column_edges)

    def at(self, point: QPointF) -> tuple[int, int]:
        """Return row and column of a point, each -1 where the point is outside that axis."""
        return (
            _place(self.row_edges, point.y() * self.ratio),
            _place(self.column_edges, point.x() * self.ratio),
        )

    def _spans(self, marks: IntArray) -> list[tuple[float, float]]:
        logical = (marks / self.ratio).tolist()
        return list(itertools.pairwise(logical))

    def _rect(self, rows: IntArray, columns: IntArray) -> QRectF:
        top, bottom = (rows / self.ratio).tolist()
        left, right = (columns / self.ratio).tolist()
        return QRectF(left, top, right - left, bottom - top)


def _place(marks: IntArray, at: float) -> int:
    if not marks[0] <= at < marks[-1]:
        return -1
    return int(np.searchsorted(marks, at, side="right")) - 1


def _edges(count: int, side: float, start: float, ratio: float) -> IntArray:
    pixels = side * ratio
    if pixels >= _UNEVEN_BELOW:
        pixels = float(int(pixels))
    return edges(count, max(1, int(pixels * count))) + round(start * ratio)
