"""How strongly every head reads what every earlier head writes, through small QR cores."""

import math

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine import lowrank
from engine.circuits.spectrum import factors
from engine.circuits.virtual_head import check_order
from engine.job import Job
from engine.messages import (
    Composition,
    CompositionKind,
    CompositionScores,
    FloatArray,
    Head,
    Pair,
    Refused,
)
from engine.model import Model

ROTATIONS = 200
BEST = 50
"""Pairs whose z is measured, besides the one asked for."""


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
        If the model has one layer, or the pair asked for does not exist or is half a pair.
    """
    asked = _asked(model, request)
    if model.n_layers == 1:
        raise Refused(f"{model.name} has one layer, and composition is between two")
    steps = 2 * model.n_layers
    writing, reading = [], []
    for layer in range(model.n_layers):
        job.step(layer, steps, "reducing heads")
        heads = [Head(layer, number) for number in range(model.n_heads)]
        writing.append(torch.stack([_cut(*factors(model, head, "ov")) for head in heads]))
        far = [_later(model, head, request.kind) for head in heads]
        reading.append(torch.stack([_cut(B.mT, A.mT).mT for A, B in far]))
    pairs: list[Pair] = []
    scores: list[Tensor] = []
    for layer in range(1, model.n_layers):
        job.step(model.n_layers + layer, steps, "scoring pairs")
        for before in range(layer):
            scores.append(_scores(writing[before], reading[layer]).flatten())
            pairs += [
                Pair(Head(before, one), Head(layer, other))
                for one in range(model.n_heads)
                for other in range(model.n_heads)
            ]
    found = torch.cat(scores).numpy()
    width = model.d_model - 1 if model.centring else model.d_model
    chosen = set(np.argsort(-found, kind="stable")[:BEST].tolist())
    chosen |= {pairs.index(asked)} if asked else set()
    return CompositionScores(
        pairs=tuple(pairs),
        scores=found,
        baseline=1 / math.sqrt(width),
        z=_z(model, request, pairs, found, sorted(chosen), width, job),
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
    model: Model, head: Head, kind: CompositionKind
) -> tuple[Float[Tensor, "d_model d_head"], Float[Tensor, "d_head d_model"]]:
    """Return the factors of the matrix that reads: its near end first."""
    if kind == "v":
        return factors(model, head, "ov")
    A, B = factors(model, head, "qk")
    return (A, B) if kind == "q" else (B.mT, A.mT)


def _cut(
    A: Float[Tensor, "d_model d_head"], B: Float[Tensor, "d_head d_model"]
) -> Float[Tensor, "d_head d_model"]:
    """Return R B with A = Q R: A B but for a rotation of its first end."""
    cut: Tensor = torch.linalg.qr(A, mode="r").R @ B
    return cut


def _scores(
    writing: Float[Tensor, "earlier d_head d_model"],
    reading: Float[Tensor, "later d_model d_head"],
) -> Float[Tensor, "earlier later"]:
    width = reading.shape[-1]
    rows = writing.flatten(0, 1)  # [earlier * d_head, d_model]
    columns = reading.transpose(0, 1).flatten(1)  # [d_model, later * d_head]
    blocks = (rows @ columns).square().view(len(writing), -1, len(reading), width)
    norms = writing.norm(dim=(1, 2))[:, None] * reading.norm(dim=(1, 2))
    scores: Tensor = blocks.sum((1, 3)).sqrt() / norms
    return scores


def _z(
    model: Model,
    request: Composition,
    pairs: list[Pair],
    scores: FloatArray,
    chosen: list[int],
    width: int,
    job: Job,
) -> FloatArray:
    # The meeting of two heads' subspaces under a random rotation: a corner of a random orthogonal
    # matrix, the same 200 for every pair.
    chance = torch.Generator().manual_seed(request.seed)
    n = min(model.d_head, width)
    corners = []
    for rotation in range(ROTATIONS):
        job.step(rotation, ROTATIONS, "rotating at random")
        drawn = torch.randn(width, n, generator=chance, dtype=torch.float64)
        corners.append(torch.linalg.qr(drawn).Q[:n].square())
    squares = torch.stack(corners)  # [rotation, d_head, d_head]
    z = np.full(len(pairs), np.nan)
    for place in chosen:
        job.step(place, len(pairs), "comparing with chance")
        near = lowrank.singular_values(*factors(model, pairs[place].earlier, "ov"))[:n]
        far = lowrank.singular_values(*_later(model, pairs[place].later, request.kind))[:n]
        random = torch.einsum("i,rij,j->r", near**2, squares, far**2).sqrt()
        random = random / (near.norm() * far.norm())
        z[place] = (scores[place] - float(random.mean())) / float(random.std())
    return z
