"""Numbers printed in cells while they fit, in ink that can be read on the cell's colour."""

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from gui import palette
from gui.numbers import decimals_for, fixed
from gui.widgets.colouring import Colouring, ink
from gui.widgets.grid_geometry import GridGeometry

MOST = 4096
"""No grid with more cells has room for numbers on any screen."""
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


def draw(
    painter: QPainter,
    grid: GridGeometry,
    values: npt.NDArray[np.floating],
    mask: npt.NDArray[np.bool_] | None,
    colouring: Colouring,
) -> None:
    """Print the numbers of all cells that may be seen, or none where they do not fit."""
    font = palette.ui_font(small=True)
    metrics = QFontMetricsF(font)
    seen = np.isfinite(values) if mask is None else np.isfinite(values) & mask
    if grid.pitch < metrics.height() or not seen.any():
        return
    decimals = decimals_that_fit(values[seen], grid.column_pitch, metrics)
    if decimals is None:
        return
    painter.setFont(font)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
    for row, column in np.argwhere(seen).tolist():
        value = float(values[row, column])
        text = fixed(value, decimals)
        # What rounds to nothing is printed, but quietly: it is the ground of the picture.
        quiet = not text.strip("0.")
        painter.setPen(ink(colouring.colour(value), quiet=quiet))
        painter.drawText(grid.cell(row, column), flags, text)
