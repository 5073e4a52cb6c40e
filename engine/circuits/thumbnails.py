"""Patterns made small enough to show all at once, without losing a one-token stripe."""

import numpy as np

from engine.job import Job
from engine.messages import FloatArray, Refused, ThumbnailPatterns, Thumbnails
from engine.model import Model


def pool(patterns: FloatArray, size: int) -> FloatArray:
    """Max-pool patterns until they have at most `size` rows and columns.

    Parameters
    ----------
    patterns : ndarray
        Values that are 0 or more, [..., query, key], queries and keys equally many.
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


def _pool_axis(patterns: FloatArray, block: int, axis: int) -> FloatArray:
    # Strided slices against each other: a quarter of the time of a reshape or of reduceat.
    patterns = np.moveaxis(patterns, axis, -2)
    pooled = patterns[..., ::block, :].copy()
    for start in range(1, min(block, patterns.shape[-2])):
        part = patterns[..., start::block, :]
        met = pooled[..., : part.shape[-2], :]
        np.maximum(met, part, out=met)
    return np.moveaxis(pooled, -2, axis)


def thumbnails(model: Model, request: Thumbnails, job: Job) -> ThumbnailPatterns:
    """Return the max-pooled patterns of every head.

    Parameters
    ----------
    model : Model
        The open model.
    request : Thumbnails
        The question.
    job : Job
        Steps between layers.

    Raises
    ------
    Refused
        If the size is less than 1, or the prompt cannot be run.
    """
    if request.size < 1:
        raise Refused(f"size, the rows of a thumbnail, must be at least 1, not {request.size}")
    passed = model.run(request.run, job)
    length = len(passed.ids)
    pooled = []
    for layer, pattern in enumerate(passed.patterns):
        job.step(layer, model.n_layers, f"shrinking layer {layer}")
        pooled.append(pool(pattern.numpy(), request.size))
    mask = pool(np.tri(length), request.size) > 0
    return ThumbnailPatterns(
        labels=model.tokens.labelled(passed.ids),
        values=np.stack(pooled),
        mask=mask,
        block=-(-length // request.size),
    )
