"""Fitting a grid of numbers to a grid of pixels so that nothing worth seeing is lost.

Where cells are larger than pixels each is repeated over whole pixels. Where they are smaller, a
pixel shows the strongest of its cells, so that one hot cell or a one-token stripe survives.
"""

import numpy as np
import numpy.typing as npt

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
