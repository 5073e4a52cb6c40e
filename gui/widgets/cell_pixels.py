"""The cells of a grid as one picture: whole pixels a cell, or the strongest cells of a pixel."""

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QPixmap

from gui import palette
from gui.widgets import raster
from gui.widgets.colouring import MASKED, Colouring, image
from gui.widgets.grid_geometry import GridGeometry


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
        [row, column]; what is not a number is masked.
    mask
        True where a cell may be seen, [row, column], or none.
    colouring
        Map and limits.
    grid
        Where the cells lie.
    """
    signed = colouring.colours == "diverging"
    if values.shape[0] > grid.height or values.shape[1] > grid.width:
        # What is masked must not win over what may be seen where several cells share a pixel.
        seen = np.isfinite(values) if mask is None else np.isfinite(values) & mask
        values, mask = np.where(seen, values, 0.0 if signed else -np.inf), seen
    values, mask = raster.fit(values, mask, grid.height, grid.width, signed=signed)
    level = colouring.level(values)
    if mask is not None:
        level = np.where(mask, level, np.uint8(MASKED))
    rows, columns = level.shape
    level = raster.enlarge(
        level, raster.edges(rows, grid.height), raster.edges(columns, grid.width)
    )
    made = QPixmap.fromImage(image(level, colouring.colours, palette.theme().masked))
    made.setDevicePixelRatio(grid.ratio)
    return made


def mosaic(
    values: npt.NDArray[np.floating],
    mask: npt.NDArray[np.bool_] | None,
    colouring: Colouring,
    grid: GridGeometry,
    gap: int,
) -> QPixmap:
    """Return one picture of a small grid in every cell of a grid.

    Parameters
    ----------
    values
        [row, column, small row, small column].
    mask
        True where a small cell may be seen, or none; its shape broadcasts with that of `values`.
    colouring
        Map and limits.
    grid
        Where the cells lie; all of one size.
    gap
        Logical pixels left masked at the right and bottom of each cell.
    """
    rows, columns = values.shape[:2]
    side = grid.height // rows
    inner = side - round(gap * grid.ratio)
    if mask is not None:  # what is masked must not win over what may be seen
        values = np.where(mask, values, 0.0)
    values, mask = raster.fit(values, mask, inner, inner)
    level = colouring.level(values)
    if mask is not None:
        level = np.where(mask, level, np.uint8(MASKED))
    marks = [raster.edges(count, inner) for count in level.shape[2:]]
    cells = np.full((rows, side, columns, side), MASKED, dtype=np.uint8)
    cells[:, :inner, :, :inner] = raster.enlarge(level, *marks).swapaxes(1, 2)
    flat = cells.reshape(rows * side, columns * side)
    made = QPixmap.fromImage(image(flat, colouring.colours, palette.theme().masked))
    made.setDevicePixelRatio(grid.ratio)
    return made
