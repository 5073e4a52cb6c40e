"""How strongly every head reads what every earlier head writes, through small QR cores."""

import math
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine import lowrank
from engine.circuits.offsets import check_offset, said_offset
from engine.circuits.spectrum import factors
from engine.circuits.virtual_head import check_order
from engine.job import Job
from engine.messages import (
    Composition,
    CompositionKind,
    CompositionScores,
    Head,
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
    """Every head's circuits as their far end meets the stream, of norm 1, layer by layer."""

    writing: list[Float[Tensor, "head rank d_model"]]
    reading: list[Float[Tensor, "head rank d_model"]]


def composition(model: Model, request: Composition, job: Job) -> CompositionScores:
    """Score every pair of heads by ||A B|| / (||A|| ||B||).

    In row convention A is the earlier head's W_OV and B the later one's W_QK (q), its transpose
    (k) or its W_OV (v): "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021),
    "Three kinds of composition". Frobenius norms do not change when A is cut to the R of its
    reading end and B to that of its far end, so that no d_model x d_model matrix is formed. z
    compares with the same singular values under random rotations of the stream.

    Parameters
    ----------
    model : Model
        The open model.
    request : Composition
        The question.
    job : Job
        Steps between layers.

    Raises
    ------
    Refused
        If the model has one layer, the pair asked for does not exist or is half a pair, the seed
        is not one, or the offset means nothing to the model.
    """
    check_offset(model, request.offset)
    asked = _asked(model, request)
    if model.n_layers == 1:
        raise Refused(f"{model.name} has one layer, and composition is between two")
    if not 0 <= request.seed <= LARGEST_SEED:
        raise Refused(f"the seed must be 0 to {LARGEST_SEED:,}, not {request.seed:,}")
    ends = _ends(model, request, job)
    pairs: list[Pair] = []
    scores: list[Tensor] = []
    for layer in range(1, model.n_layers):
        for before in range(layer):
            job.step(layer, model.n_layers, "scoring pairs")
            scores.append(_scores(ends.writing[before], ends.reading[layer]).flatten())
            pairs += [
                Pair(Head(before, one), Head(layer, other))
                for one in range(model.n_heads)
                for other in range(model.n_heads)
            ]
    found = torch.cat(scores).numpy()
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


def _later(
    model: Model, head: Head, kind: CompositionKind, offset: int
) -> tuple[Float[Tensor, "d_model d_head"], Float[Tensor, "d_head d_model"]]:
    """Return the factors of the matrix that reads: its near end first."""
    if kind == "v":
        return factors(model, head, "ov")
    A, B = factors(model, head, "qk", offset)
    return (A, B) if kind == "q" else (B.mT, A.mT)


def _ends(model: Model, request: Composition, job: Job) -> _Ends:
    writing, reading = [], []
    for layer in range(model.n_layers):
        job.step(layer, model.n_layers, "reducing heads")
        heads = [Head(layer, number) for number in range(model.n_heads)]
        writing.append(torch.stack([_cut(*factors(model, head, "ov")) for head in heads]))
        far = [_later(model, head, request.kind, request.offset) for head in heads]
        reading.append(torch.stack([_cut(B.mT, A.mT) for A, B in far]))
    return _Ends(writing, reading)


def _cut(
    A: Float[Tensor, "d_model d_head"], B: Float[Tensor, "d_head d_model"]
) -> Float[Tensor, "rank d_model"]:
    """Return R B over its norm, with A = Q R: A B but for a rotation of its first end."""
    cut = lowrank.core(A) @ B
    # Single precision from here: a score is a norm of thousands of entries, whose rounding
    # averages out, and the products take half the time.
    unit: Tensor = (cut / cut.norm()).float()
    return unit


def _scores(
    writing: Float[Tensor, "earlier rank d_model"], reading: Float[Tensor, "later rank d_model"]
) -> Float[Tensor, "earlier later"]:
    products = writing.flatten(0, 1) @ reading.flatten(0, 1).mT  # [earlier * rank, later * rank]
    blocks = products.square_().view(len(writing), -1, len(reading), reading.shape[1])
    scores: Tensor = blocks.sum(3).sum(1, dtype=torch.float64).sqrt()
    return scores


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
        near = _squared_values(ends.writing[earlier.layer][earlier.number])[:n]
        far = _squared_values(ends.reading[later.layer][later.number])[:n]
        spectra.append(torch.outer(near, far).flatten())
    chance: Tensor = (squares.flatten(1) @ torch.stack(spectra, 1)).sqrt()
    return chance


def _squared_values(cut: Float[Tensor, "rank d_model"]) -> Float[Tensor, " rank"]:
    """Return the squared singular values of a head's circuit, largest first."""
    wide = cut.double()
    squared: Tensor = torch.linalg.eigvalsh(wide @ wide.mT).flip(0).clamp(min=0)
    return squared
