"""Norms of the product of every head with every later one, whichever way takes less work.

||A B||_F^2 is a sum over the rank x rank numbers of A B, and it is <A^T A, B B^T> as well: once
each head's Gram matrix is there, a pair takes half of d_model^2 multiplications, where the product
takes rank^2 d_model. Gram matrices are symmetric and too large to hold for all heads, so that they
are made and met tile by tile.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from engine.job import Job

WORK = 2**29
"""Multiplications between two steps: some 20 milliseconds of work."""

TILE = 64
"""Rows of Gram matrices that are made at a time."""

TOGETHER = 64
"""Later heads that meet all earlier ones at a time: fewer are slow, more are met in vain."""

EXACT = 1e-6
"""A norm that one rounding of its square changes by more is made from the product itself."""


def pair_norms(
    writing: Float[Tensor, "layer head rank d_model"],
    reading: Float[Tensor, "layer head rank d_model"],
    job: Job,
) -> Float[Tensor, "layer head layer head"]:
    """Return ||A B^T||_F of every head that writes with every head of a later layer that reads.

    Parameters
    ----------
    writing, reading : Tensor
        A and B of each head, of norm 1, in single precision [layer, head, rank, d_model].

    Returns
    -------
    Tensor
        In float64 [earlier layer, head, later layer, head]; 0 where the layer is not a later one.
    """
    n_layers, n_heads, rank, d_model = writing.shape
    pairs = n_heads**2 * n_layers * (n_layers - 1) // 2
    # In multiplications for a dimension of the stream. Those by tiles take twice the time.
    by_tiles = 2 * d_model * (pairs // 2 + n_layers * n_heads * rank)
    if pairs * rank**2 <= by_tiles:
        return _multiplied(writing, reading, job)
    return _by_tiles(writing, reading, job)


def _multiplied(
    writing: Float[Tensor, "layer head rank d_model"],
    reading: Float[Tensor, "layer head rank d_model"],
    job: Job,
) -> Float[Tensor, "layer head layer head"]:
    n_layers, n_heads, rank, d_model = writing.shape
    found = torch.zeros(n_layers, n_heads, n_layers, n_heads, dtype=torch.float64)
    most = max(1, WORK // (rank * rank * d_model))
    later = min(most, n_heads)
    earlier = most // later
    for layer in range(1, n_layers):
        for before in range(layer):
            for one in range(0, n_heads, earlier):
                for other in range(0, n_heads, later):
                    job.step(layer, n_layers, "scoring pairs")
                    near, far = slice(one, one + earlier), slice(other, other + later)
                    made = _norms(writing[before, near], reading[layer, far])
                    found[before, near, layer, far] = made
    return found


def _norms(
    writing: Float[Tensor, "earlier rank d_model"], reading: Float[Tensor, "later rank d_model"]
) -> Float[Tensor, "earlier later"]:
    products = writing.flatten(0, 1) @ reading.flatten(0, 1).mT  # [earlier * rank, later * rank]
    blocks = products.square_().view(len(writing), -1, len(reading), reading.shape[1])
    norms: Tensor = blocks.sum(3).sum(1, dtype=torch.float64).sqrt()
    return norms


def _by_tiles(
    writing: Float[Tensor, "layer head rank d_model"],
    reading: Float[Tensor, "layer head rank d_model"],
    job: Job,
) -> Float[Tensor, "layer head layer head"]:
    n_layers, n_heads, rank, d_model = writing.shape
    writers, readers = writing.flatten(0, 1), reading.flatten(0, 1)
    heads, last = n_layers * n_heads, (n_layers - 1) * n_heads
    squares = torch.zeros(heads, heads, dtype=torch.float64)
    near_squares, far_squares = squares.new_zeros(heads), squares.new_zeros(heads)
    tiles = list(_tiles(d_model, max(TILE, WORK // (heads * rank * TILE))))
    layers = max(1, TOGETHER // n_heads)
    for place, (rows, columns) in enumerate(tiles):
        times = 1 if rows == columns else 2  # what lies below the diagonal is the same again
        near = _gram(writers[:last], rows, columns)
        near_squares[:last] += times * torch.linalg.vector_norm(near, dim=1).square()
        for first in range(1, n_layers, layers):
            job.step(place, len(tiles), "scoring pairs")
            end = min(first + layers, n_layers)
            later, seen = slice(first * n_heads, end * n_heads), (end - 1) * n_heads
            far = _gram(readers[later], rows, columns)
            far_squares[later] += times * torch.linalg.vector_norm(far, dim=1).square()
            squares[:seen, later] += times * (near[:seen] @ far.mT)
    layer = torch.arange(heads) // n_heads
    pairs = layer[:, None] < layer
    norms = torch.where(pairs, squares.clamp(min=0).sqrt(), 0)
    rounding = torch.finfo(near.dtype).eps * torch.outer(near_squares, far_squares).sqrt()
    doubtful = (pairs & (rounding > 2 * EXACT * norms)).nonzero().tolist()
    for place, (one, other) in enumerate(doubtful):
        job.step(place, len(doubtful), "scoring pairs once more")
        norms[one, other] = _norms(writers[one : one + 1], readers[other : other + 1])[0, 0]
    return norms.view(n_layers, n_heads, n_layers, n_heads)


def _tiles(d_model: int, width: int) -> Iterator[tuple[slice, slice]]:
    """Yield rows and columns of the upper half of a symmetric matrix, the diagonal's apart."""
    for start in range(0, d_model, TILE):
        rows = slice(start, min(start + TILE, d_model))
        yield rows, rows
        for first in range(rows.stop, d_model, width):
            yield rows, slice(first, min(first + width, d_model))


def _gram(
    cuts: Float[Tensor, "head rank d_model"], rows: slice, columns: slice
) -> Float[Tensor, "head entry"]:
    made: Tensor = cuts[:, :, rows].mT @ cuts[:, :, columns]
    return made.flatten(1)
