"""Checks of a head's matrices: their rank, what is superficial in them, how two combine."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine import lowrank
from engine.circuits.receipts.scene import (
    DOUBLE,
    OF_LARGEST,
    Scene,
    apart,
    double,
    measured,
    undefined,
)
from engine.circuits.spectrum import factors
from engine.job import Job
from engine.messages import Head, Receipt

RANK = 1e-5
LARGEST = 1024
"""Width of the widest matrix that is decomposed whole, which nothing can stop."""

BY_ITSELF = 768
"""Width up to which that takes less than 0.2 seconds without going through the square."""

LEAST, MOST = 0.5, 2.0
"""Bounds of the scales in a change of coordinates."""


def low_rank(scene: Scene, job: Job) -> Receipt:
    """Check that W_OV and W_QK have no more than d_head directions.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Observations about
    attention heads": the matrices are multiplied out, so that nothing is assumed.
    """
    model, weights = scene.model, scene.weights
    name = f"W_OV and W_QK have rank {model.d_head} at most"
    compares = (
        f"singular value {model.d_head + 1} over the first of the whole {model.d_model} x "
        f"{model.d_model} matrix, double precision: the larger of W_OV's and W_QK's"
    )
    if model.d_head >= model.d_model:
        return undefined(name, compares, "a head is as wide as the stream: nothing to be shown")
    if model.d_model > LARGEST:
        return undefined(name, compares, f"decomposed whole up to a width of {LARGEST} only")
    ratios = []
    for place, whole in enumerate((weights.W_V @ weights.W_O, weights.W_Q @ weights.W_K.mT)):
        job.step(place, 2, "decomposing")
        values = _singular_values(whole, job)
        ratios.append(float(values[model.d_head] / values[0]) if values[0] else 0.0)
    met = zip(("W_OV", "W_QK"), ratios, strict=True)
    return measured(name, compares, max(ratios), RANK, *met)


def _singular_values(whole: Float[Tensor, "row column"], job: Job) -> Float[Tensor, " column"]:
    """Return singular values in half the time where it counts, exact to 1e-7 of the largest."""
    if len(whole) <= BY_ITSELF:
        values = lowrank.all_singular_values(whole)
    else:
        square = whole.mT @ whole
        job.step(1, 2, "decomposing the square")
        values = lowrank.symmetric_eigenvalues(square).sqrt()
    return values


def values_are_superficial(scene: Scene, job: Job) -> Receipt:
    """Check that an invertible matrix changes the values and not the output.

    "One attention head, taken apart", "Queries, keys and values are superficial".
    """
    weights, M, inverse = scene.weights, *_change(scene)
    before, after = scene.read @ weights.W_V, scene.read @ (weights.W_V @ M)
    moved = scene.pattern @ before @ weights.W_O
    again = scene.pattern @ after @ (inverse @ weights.W_O)
    return _superficial(
        "values",
        "what the head writes",
        "W_V M and M^-1 W_O",
        (before, after),
        (moved, again),
    )


def queries_are_superficial(scene: Scene, job: Job) -> Receipt:
    """Check that an invertible matrix changes queries and keys and no score."""
    weights, M, inverse = scene.weights, *_change(scene)
    queries, keys = (
        scene.read @ weights.W_Q + weights.b_Q,
        scene.read @ weights.W_K + weights.b_K,
    )
    new = (
        scene.read @ (weights.W_Q @ M) + weights.b_Q @ M,
        scene.read @ (weights.W_K @ inverse.mT) + weights.b_K @ inverse.mT,
    )
    return _superficial(
        "queries",
        "every score",
        "W_Q M and W_K M^-T, biases too",
        (queries, new[0]),
        (queries @ keys.mT, new[0] @ new[1].mT),
    )


def _superficial(
    what: str, kept: str, how: str, inner: tuple[Tensor, Tensor], outer: tuple[Tensor, Tensor]
) -> Receipt:
    name = f"{what} changed by an invertible matrix leave {kept} as it is"
    compares = (
        f"{how}, M a random rotation times scales from {LEAST} to {MOST}, double precision: "
        f"{OF_LARGEST} in {kept}, which counts only where the {what} do change"
    )
    size, change = (float(part.abs().mean()) for part in (inner[0], inner[1] - inner[0]))
    if size == 0:
        return undefined(name, compares, f"all {what} of this head are 0 on this prompt")
    numbers = (
        (f"{what}, mean |change|", change),
        (f"{what}, mean size", size),
        (f"{kept}, max |change|", float((outer[1] - outer[0]).abs().max())),
        (f"{kept}, mean size", float(outer[0].abs().mean())),
    )
    residual = apart(*outer) if change > 0.01 * size else float("nan")
    return measured(name, compares, residual, DOUBLE, *numbers)


def _change(
    scene: Scene,
) -> tuple[Float[Tensor, "d_head d_head"], Float[Tensor, "d_head d_head"]]:
    """Return a random invertible matrix and its inverse, the same for every head."""
    chance, n = torch.Generator().manual_seed(0), scene.model.d_head
    drawn = torch.randn(n, n, generator=chance, dtype=torch.float64)
    rotation = torch.linalg.qr(drawn).Q
    scales = LEAST + (MOST - LEAST) * torch.rand(n, generator=chance, dtype=torch.float64)
    M = rotation * scales
    return M, torch.linalg.inv(M)


def mixed_product(scene: Scene, job: Job) -> Receipt:
    """Check that two heads applied in turn are one head: (A2 A1) X (W_OV1 W_OV2).

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Virtual attention
    heads", by the mixed-product rule.
    """
    name = "mixed-product rule: two heads in a row form one"
    compares = f"(A2 ⊗ W2)(A1 ⊗ W1) X against (A2 A1 ⊗ W2 W1) X, double precision: {OF_LARGEST}"
    other = _other(scene)
    if other is None:
        return undefined(name, compares, f"{scene.model.name} has only one head")
    first, second = sorted((other, scene.head))
    W_1, W_2 = (double(scene.model.head(head)) for head in (first, second))
    OV_1, OV_2 = (A @ B for A, B in (factors(scene.model, h, "ov") for h in (first, second)))
    A_1, A_2 = (scene.passed.patterns[head.layer][head.number].double() for head in (first, second))
    job.step(1, 6, "one head after the other")
    values = A_1 @ (scene.read @ W_1.W_V) @ W_1.W_O @ W_2.W_V
    in_turn = A_2 @ values @ W_2.W_O
    job.step(2, 6, "multiplying patterns")
    A = A_2 @ A_1
    job.step(3, 6, "multiplying circuits")
    OV = OV_1 @ OV_2
    job.step(4, 6, "both as one")
    mixed = A @ scene.read
    job.step(5, 6, "both as one")
    as_one = mixed @ OV
    return measured(f"{name} ({first} then {second})", compares, apart(in_turn, as_one), DOUBLE)


def _other(scene: Scene) -> Head | None:
    """Return another head: of the layer before, else the one after, else of the same layer."""
    (layer, number), model = scene.head, scene.model
    if layer:
        return Head(layer - 1, number)
    if layer + 1 < model.n_layers:
        return Head(layer + 1, number)
    return Head(layer, (number + 1) % model.n_heads) if model.n_heads > 1 else None
