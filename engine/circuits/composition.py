"""How strongly every head reads what every earlier head writes, through small QR cores."""

import math
from itertools import product
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine import lowrank
from engine.circuits.offsets import check_offset, said_offset
from engine.circuits.pair_norms import pair_norms
from engine.circuits.virtual_head import check_order
from engine.folding import HeadWeights
from engine.job import Job
from engine.messages import (
    Composition,
    CompositionKind,
    CompositionScores,
    Pair,
    Refused,
)
from engine.model import Model

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
        ends.writing[head] = _cut(weights.W_V, weights.W_O)
        near, far = _later(weights, request.kind)
        ends.reading[head] = _cut(far.mT, near.mT)
    return ends


def _later(
    weights: HeadWeights, kind: CompositionKind
) -> tuple[Float[Tensor, "d_model d_head"], Float[Tensor, "d_head d_model"]]:
    """Return the factors of the matrix that reads: its near end first."""
    if kind == "v":
        return weights.W_V, weights.W_O
    return (weights.W_Q, weights.W_K.mT) if kind == "q" else (weights.W_K, weights.W_Q.mT)


def _cut(
    A: Float[Tensor, "d_model d_head"], B: Float[Tensor, "d_head d_model"]
) -> Float[Tensor, "rank d_model"]:
    """Return R B over its norm, with A = Q R: A B but for a rotation of its first end."""
    # Single precision once R is there: a score is a norm of thousands of entries, whose rounding
    # averages out, and the products take half the time.
    cut = lowrank.core(A.double()).float() @ B
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
        core = lowrank.core(drawn)
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
    return lowrank.symmetric_eigenvalues(wide @ wide.mT)
