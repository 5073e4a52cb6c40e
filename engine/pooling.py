"""Patterns made small enough to show all at once, without losing a one-token stripe."""

from typing import TypeVar

import numpy as np

from engine.messages import BoolArray, FloatArray

_Cells = TypeVar("_Cells", FloatArray, BoolArray)


def pool(patterns: _Cells, size: int) -> _Cells:
    """Max-pool patterns, or masks, until they have at most `size` rows and columns.

    Parameters
    ----------
    patterns : ndarray
        Values that are 0 or more, or true where one may be seen, [..., query, key], queries and
        keys equally many.
    size : int
        Rows and columns at most, at least 1.

    Returns
    -------
    ndarray
        [..., row, column], each the largest of a square block; the last block may be smaller.
    """
    block = -(-patterns.shape[-1] // size)
    for axis in (-2, -1):
        patterns = _pool_axis(patterns, block, axis)
    return patterns


def _pool_axis(patterns: _Cells, block: int, axis: int) -> _Cells:
    # Strided slices against each other: a quarter of the time of a reshape or of reduceat.
    patterns = np.moveaxis(patterns, axis, -2)
    pooled = patterns[..., ::block, :].copy()
    for start in range(1, min(block, patterns.shape[-2])):
        part = patterns[..., start::block, :]
        met = pooled[..., : part.shape[-2], :]
        np.maximum(met, part, out=met)
    return np.moveaxis(pooled, -2, axis)
