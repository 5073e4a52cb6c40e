"""Cells: where a grid of them lies, and from numbers to pixels: nothing worth seeing is lost.

Where cells are larger than pixels each is repeated over whole pixels. Where they are smaller, a
pixel shows the strongest of its cells, so that one hot cell or a one-token stripe survives.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPixmap

from gui.style import colour_scale, palette
from gui.style.colour_scale import MASKED, ColourScale

IntArray = npt.NDArray[np.intp]


def edges(cells: int, pixels: int) -> IntArray:
    """Return where each cell begins and the last one ends, in whole pixels, [cells + 1]."""
    return (np.arange(cells + 1, dtype=np.intp) * pixels + cells // 2) // cells


def strongest(values: np.ndarray, size: int, axis: int, *, signed: bool = False) -> np.ndarray:
    """Pool an axis down to a size, keeping the largest value of each stretch.

    Parameters
    ----------
    values
        Any shape.
    size
        Length of the axis afterwards, at most what it is now.
    axis
        Which axis.
    signed
        Keep the value of largest magnitude instead.
    """
    starts = edges(size, values.shape[axis])
    last = starts[1:] - 1
    highest = np.take(values, starts[:-1], axis=axis)
    lowest = highest.copy() if signed else highest
    # All stretches at once, one member after another: few numpy calls, long inner loops.
    for member in range(1, int(np.diff(starts).max())):
        part = np.take(values, np.minimum(starts[:-1] + member, last), axis=axis)
        np.maximum(highest, part, out=highest)
        if signed:
            np.minimum(lowest, part, out=lowest)
    if signed:
        np.copyto(highest, lowest, where=-lowest > highest)
    return highest


def fit(
    values: np.ndarray, mask: np.ndarray | None, rows: int, columns: int, *, signed: bool = False
) -> tuple[np.ndarray, np.ndarray | None]:
    """Pool the last two axes where they have more cells than pixels; never enlarge.

    Parameters
    ----------
    values
        [..., row, column].
    mask
        True where a cell may be seen, [..., row, column], or none.
    rows, columns
        Pixels at hand.
    signed
        Keep the value of largest magnitude.

    Returns
    -------
    tuple
        The same two at most [..., rows, columns]; a pixel may be seen when any of its cells may.
    """
    for axis, size in ((-2, rows), (-1, columns)):
        if values.shape[axis] > size:
            values = strongest(values, size, axis, signed=signed)
            if mask is not None:
                mask = strongest(mask, size, axis)
    return values, mask


def enlarge(cells: np.ndarray, row_edges: IntArray, column_edges: IntArray) -> np.ndarray:
    """Repeat the last two axes over pixels, [..., row, column] to [..., height, width]."""
    return _repeat(_repeat(cells, np.diff(row_edges), -2), np.diff(column_edges), -1)


def _repeat(cells: np.ndarray, times: IntArray, axis: int) -> np.ndarray:
    if not times.size or (times == 1).all():
        return cells
    # Half the time of np.repeat of the cells themselves.
    return np.take(cells, np.repeat(np.arange(len(times)), times), axis=axis)


_UNEVEN_BELOW = 8
"""Cells of at least so many device pixels are all alike; smaller ones fill the room instead."""


@dataclass(frozen=True, eq=False)
class GridGeometry:
    """Edges of rows and of columns in device pixels from the widget's corner."""

    edges: tuple[IntArray, IntArray]
    ratio: float
    gap: int = 0
    """Logical pixels at the right and bottom of each cell that are not its own."""

    @classmethod
    def cells(
        cls,
        rows: tuple[int, float, float],
        columns: tuple[int, float, float],
        ratio: float,
        gap: int = 0,
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
        gap
            Logical pixels between two cells.
        """
        return cls((_edges(*rows, ratio), _edges(*columns, ratio)), ratio, gap)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        down, across = self.edges
        return len(down) - 1, len(across) - 1

    @property
    def pixels(self) -> tuple[int, int]:
        """Height and width in device pixels."""
        down, across = self.edges
        return int(down[-1] - down[0]), int(across[-1] - across[0])

    @property
    def pitches(self) -> tuple[float, float]:
        """Height and width of a cell, logical pixels."""
        (height, width), (rows, columns) = self.pixels, self.shape
        return height / self.ratio / rows, width / self.ratio / columns

    @cached_property
    def bounds(self) -> QRectF:
        """The whole grid, logical pixels."""
        return self._rect(slice(None), slice(None))

    def cell(self, row: int, column: int) -> QRectF:
        """Return the place of a cell, logical pixels."""
        place = self._rect(slice(row, row + 2), slice(column, column + 2))
        return place.adjusted(0, 0, -self.gap, -self.gap)

    def band(self, axis: int, place: int) -> QRectF:
        """Return the place of a whole row (axis 0) or column (1), logical pixels."""
        part, whole = slice(place, place + 2), slice(None)
        return self._rect(whole, part) if axis else self._rect(part, whole)

    def spans(self, axis: int) -> list[tuple[float, float]]:
        """Return where each row (axis 0) or column (1) begins and ends, logical pixels."""
        logical = (self.edges[axis] / self.ratio).tolist()
        return [(start, stop - self.gap) for start, stop in itertools.pairwise(logical)]

    def at(self, point: QPointF) -> tuple[int, int]:
        """Return row and column of a point, each -1 where the point is outside that axis."""
        down, across = self.edges
        return _place(down, point.y() * self.ratio), _place(across, point.x() * self.ratio)

    def _rect(self, rows: slice, columns: slice) -> QRectF:
        top, *_, bottom = (self.edges[0][rows] / self.ratio).tolist()
        left, *_, right = (self.edges[1][columns] / self.ratio).tolist()
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


Colours = Literal["sequential", "diverging"]


def levels(colours: Colours) -> npt.NDArray[np.uint8]:
    """Return the colours of the 255 levels, [255, 3]."""
    return colour_scale.levels(diverging=colours == "diverging")


@dataclass(frozen=True)
class Colouring:
    """A colour map between two limits; diverging maps want symmetric ones."""

    colours: Colours
    low: float
    high: float

    def level(self, values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """Return the level of each value, 0 to 254, and MASKED where it is not a number."""
        return ColourScale(self.colours == "diverging", self.low, self.high).level(values)

    def colours_of(self, values: npt.ArrayLike) -> list[QColor | None]:
        """Return the colour of each number, none where it is not a number."""
        table = levels(self.colours).tolist()
        return [
            None if level == MASKED else QColor(*table[level])
            for level in self.level(values).tolist()
        ]


def image(level: npt.NDArray[np.uint8], colours: Colours, masked: str) -> QImage:
    """Return an image of one pixel a cell.

    Parameters
    ----------
    level
        Levels, [height, width].
    colours
        Which map.
    masked
        Colour of the cells at level MASKED, `#rrggbb`.
    """
    data = np.ascontiguousarray(level)
    height, width = data.shape
    table = [0xFF000000 | r << 16 | g << 8 | b for r, g, b in levels(colours).tolist()]
    made = QImage(data.data, width, height, width, QImage.Format.Format_Indexed8)
    made.setColorTable([*table, QColor(masked).rgba()])
    return made.copy()  # the copy owns its pixels: numpy's may go


def ink(ground: QColor, *, quiet: bool = False) -> QColor:
    """Return the ink that can be read on a data colour, as `colour_scale.ink` chooses it."""
    return QColor(colour_scale.ink((ground.red(), ground.green(), ground.blue()), quiet=quiet))


def picture(
    values: npt.NDArray[np.floating],
    mask: npt.NDArray[np.bool_] | None,
    colouring: Colouring,
    grid: GridGeometry,
) -> QPixmap:
    """Return the cells in device pixels.

    Parameters
    ----------
    values
        [row, column]
    mask
        True where a cell is a number that may be seen, [row, column]; `None`: where it is a number.
    colouring
        Map and limits.
    grid
        Where the cells lie.
    """
    return _pixmap(_levels(values, mask, colouring, *grid.pixels), colouring, grid.ratio)


def mosaic(
    values: npt.NDArray[np.floating],
    mask: npt.NDArray[np.bool_] | None,
    colouring: Colouring,
    grid: GridGeometry,
) -> QPixmap:
    """Return one picture of a small grid in every cell of a grid; the gaps are masked.

    Parameters
    ----------
    values
        [row, column, small row, small column].
    mask
        True where a small cell may be seen, or none; its shape broadcasts with that of `values`.
    colouring
        Map and limits.
    grid
        Where the first cells lie; all of one size.
    """
    rows, columns = values.shape[:2]
    side = grid.pixels[0] // grid.shape[0]
    inner = side - round(grid.gap * grid.ratio)
    cells = np.full((rows, side, columns, side), MASKED, dtype=np.uint8)
    cells[:, :inner, :, :inner] = _levels(values, mask, colouring, inner, inner).swapaxes(1, 2)
    return _pixmap(cells.reshape(rows * side, columns * side), colouring, grid.ratio)


def _levels(
    values: npt.NDArray[np.floating],
    mask: npt.NDArray[np.bool_] | None,
    colouring: Colouring,
    height: int,
    width: int,
) -> npt.NDArray[np.uint8]:
    """Return the level of each pixel, [..., row, column] to [..., height, width]."""
    signed = colouring.colours == "diverging"
    if values.shape[-2] > height or values.shape[-1] > width:
        # What is masked must not win over what may be seen where several cells share a pixel.
        mask = np.isfinite(values) if mask is None else mask
        values = np.where(mask, values, 0.0 if signed else -np.inf)
        values, mask = fit(values, mask, height, width, signed=signed)
    level = colouring.level(values)
    if mask is not None:
        level = np.where(mask, level, np.uint8(MASKED))
    rows, columns = level.shape[-2:]
    return enlarge(level, edges(rows, height), edges(columns, width))


def _pixmap(level: npt.NDArray[np.uint8], colouring: Colouring, ratio: float) -> QPixmap:
    made = QPixmap.fromImage(image(level, colouring.colours, palette.theme().masked))
    made.setDevicePixelRatio(ratio)
    return made
