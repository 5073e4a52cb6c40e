"""How strongly every head reads what every earlier head writes, through small QR cores."""

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.paths import check_order
from engine.circuits.positions import check_offset, said_offset
from engine.job import Job
from engine.messages import (
    Composition,
    CompositionKind,
    CompositionScores,
    Pair,
    Refused,
)
from engine.model import Model
from engine.network import factored
from engine.network.factored import Factored
from engine.network.folding import HeadWeights

ROTATIONS = 200
BEST = 50
"""Pairs whose z is measured, besides the one asked for."""
LARGEST_SEED = 2**64 - 1
"""What torch's generators take."""


class _Ends(NamedTuple):
    """Every head's circuits as their far end meets the stream, of norm 1."""

    writing: Float[Tensor, "layer head rank d_model"]
    reading: Float[Tensor, "layer head rank d_model"]


def composition(model: Model, request: Composition, job: Job) -> CompositionScores:
    """Score every pair of heads by ||A B|| / (||A|| ||B||).

    In row convention A is the earlier head's W_OV and B the later one's W_QK (q), its transpose
    (k) or its W_OV (v): "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021),
    "Three kinds of composition". Frobenius norms do not change when A is cut to the R of its
    reading end and B to that of its far end, so that no d_model x d_model matrix is formed. z
    compares with the same singular values under random rotations of the stream.
    """
    check_offset(model, request.offset)
    asked = _asked(model, request)
    if model.n_layers == 1:
        raise Refused(f"{model.name} has one layer, and composition is between two")
    if not 0 <= request.seed <= LARGEST_SEED:
        raise Refused(f"the seed must be 0 to {LARGEST_SEED:,}, not {request.seed:,}")
    ends = _ends(model, request, job)
    norms = pair_norms(ends.writing, ends.reading, job)
    job.step(0, 1, "listing pairs")
    heads, n_heads = model.heads, model.n_heads
    layers = [heads[start : start + n_heads] for start in range(0, len(heads), n_heads)]
    order = [(one, other) for other in range(model.n_layers) for one in range(other)]
    pairs = [Pair(*pair) for one, other in order for pair in product(layers[one], layers[other])]
    found = torch.cat([norms[one, :, other].flatten() for one, other in order]).numpy()
    best = np.argsort(-found, kind="stable")[:BEST].tolist()
    squares = _squared_corners(model, request.seed, job)
    z = np.full(len(pairs), np.nan)
    # The pair asked for goes alone, so that it changes no digit of the others.
    for places in (best, [pairs.index(asked)] if asked else []):
        chosen = [place for place in places if np.isfinite(found[place])]
        if chosen:
            chance = _chance(ends, [pairs[place] for place in chosen], squares, job)
            z[chosen] = (torch.from_numpy(found[chosen]) - chance.mean(0)) / chance.std(0)
    return CompositionScores(
        pairs=tuple(pairs),
        scores=found,
        baseline=1 / math.sqrt(_width(model)),
        z=z,
        offset=said_offset(model, request.offset, "ov" if request.kind == "v" else "qk"),
    )


def _asked(model: Model, request: Composition) -> Pair | None:
    if request.earlier is None and request.later is None:
        return None
    if request.earlier is None or request.later is None:
        raise Refused("a pair is two heads: give earlier and later, or neither")
    model.head(request.earlier)
    model.head(request.later)
    check_order(request.earlier, request.later)
    return Pair(request.earlier, request.later)


def _ends(model: Model, request: Composition, job: Job) -> _Ends:
    if request.kind != "v":
        model.check_scores()
    shape = (model.n_layers, model.n_heads, min(model.d_head, model.d_model), model.d_model)
    ends = _Ends(torch.empty(shape), torch.empty(shape))
    heads = model.heads
    for place, head in enumerate(heads):
        job.step(place, len(heads), "reducing heads")
        weights = model.head(head, request.offset)
        ends.writing[head] = _cut(weights.W_OV)
        ends.reading[head] = _cut(_reading(weights, request.kind).T)
    return ends


def _reading(weights: HeadWeights, kind: CompositionKind) -> Factored:
    """Return the matrix that reads, its reading end first."""
    return {"q": weights.W_QK, "k": weights.W_QK.T, "v": weights.W_OV}[kind]


def _cut(circuit: Factored) -> Float[Tensor, "rank d_model"]:
    """Return R B over its norm, with A = Q R: the circuit but for a rotation of its first end."""
    # Single precision once R is there: a score is a norm of thousands of entries, whose rounding
    # averages out, and the products take half the time.
    cut = factored.core(circuit.A.double()).float() @ circuit.B
    unit: Tensor = cut / cut.norm()
    return unit


def _width(model: Model) -> int:
    """Return how many dimensions of the stream heads can read and write."""
    return model.d_model - 1 if model.centring else model.d_model


def _squared_corners(model: Model, seed: int, job: Job) -> Float[Tensor, "rotation d_head d_head"]:
    # The meeting of two heads' subspaces under a random rotation: a corner of a random orthogonal
    # matrix, the same 200 for every pair.
    chance = torch.Generator().manual_seed(seed)
    n = min(model.d_head, _width(model))
    corners = []
    for rotation in range(ROTATIONS):
        job.step(rotation, ROTATIONS, "rotating at random")
        drawn = torch.randn(_width(model), n, generator=chance).double()
        core = factored.core(drawn)
        corner = torch.linalg.solve_triangular(core, drawn[:n], upper=True, left=False)
        corners.append(corner.square())
    return torch.stack(corners)


def _chance(
    ends: _Ends, pairs: list[Pair], squares: Float[Tensor, "rotation d_head d_head"], job: Job
) -> Float[Tensor, "rotation pair"]:
    """Return what pairs would score were the stream between them rotated at random."""
    n = squares.shape[-1]
    spectra = []
    for place, (earlier, later) in enumerate(pairs):
        job.step(place, len(pairs), "comparing with chance")
        near = _squared_values(ends.writing[earlier])[:n]
        far = _squared_values(ends.reading[later])[:n]
        spectra.append(torch.outer(near, far).flatten())
    chance: Tensor = (squares.flatten(1) @ torch.stack(spectra, 1)).sqrt()
    return chance


def _squared_values(cut: Float[Tensor, "rank d_model"]) -> Float[Tensor, " rank"]:
    """Return the squared singular values of a head's circuit, largest first."""
    wide = cut.double()
    return factored.symmetric_eigenvalues(wide @ wide.mT)


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

    Its square is a sum over the rank x rank numbers of A B^T, and it is <A^T A, B^T B> as well:
    once each head's Gram matrix is there, a pair takes half of d_model^2 multiplications, where the
    product takes rank^2 d_model. Gram matrices are symmetric and too large to hold for all heads,
    so that they are made and met tile by tile. The way that takes less work is gone.

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
