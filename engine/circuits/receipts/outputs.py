"""Checks of what a head writes."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.receipts.scene import (
    DOUBLE,
    OF_LARGEST,
    Scene,
    apart,
    measured,
    undefined,
    written,
)
from engine.folding import centred
from engine.job import Job
from engine.messages import Head, Receipt

FLATTENED = 1024
"""Rows of the largest Kronecker product that is formed: 8 MB in double precision."""


def heads_add(scene: Scene, job: Job) -> Receipt:
    """Check that heads stacked through one big W_O, heads summed, and the model agree.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Attention heads are
    independent and additive". What a norm's centring takes off later is taken off first, and the
    scale of a norm after the heads is the one it has on this run.
    """
    model, layer = scene.model, scene.head.layer
    big, b_O = model.stacked_output(layer)
    after = scene.passed.output_scale(layer)[:, None]
    stacked = (scene.own["z"].flatten(1) @ big + b_O) / after  # [position, head * d_head] first
    bias = model.written_bias(layer)
    summed = bias.double().expand(len(scene.read), -1)
    for number in range(model.n_heads):
        job.step(number, model.n_heads, "adding heads")
        summed = summed + written(model, scene.passed, Head(layer, number), scene.read)
    summed = summed / after
    added = scene.own["written"]
    if model.centring:
        stacked, added = centred(stacked), centred(added)
    return measured(
        "stacked heads through the big W_O = the sum of heads = what the layer added",
        f"the model's own r of all {model.n_heads} heads side by side times W_O "
        f"({len(big)} x {model.d_model}) plus b_O, the sum of A (X W_V + b_V) W_O over heads "
        f"plus b_O, and what the layer added: {OF_LARGEST}",
        apart(stacked, summed, added),
        scene.single,
        ("stacked against summed, max |change|", float((stacked - summed).abs().max())),
        ("summed against the layer, max |change|", float((summed - added).abs().max())),
    )


def orders(scene: Scene, job: Job) -> Receipt:
    """Check that three steps, A first and W_OV first give one output, the model's.

    "One attention head, taken apart", "The paper's derivation, step by step". b_V, which is added
    to every value, is taken off the model's own r: rows of A sum to 1.
    """
    name = "three steps = A first = W_OV first"
    compares = f"A (X W_V) W_O, (A X) W_OV, A (X W_OV) and the model's own r W_O: {OF_LARGEST}"
    if scene.off:
        return undefined(name, compares, "the head is off: the model has no r of it")
    A, X, weights = scene.pattern, scene.read, scene.weights
    steps = A @ (X @ weights.W_V) @ weights.W_O
    W_OV = weights.W_V @ weights.W_O
    own = scene.own["z"][:, scene.head.number] - weights.b_V
    through = own.double() @ weights.W_O
    job.step(0, 4, "A first")
    mixed = A @ X
    job.step(1, 4, "A first")
    first_A = mixed @ W_OV
    job.step(2, 4, "W_OV first")
    moved = X @ W_OV
    job.step(3, 4, "W_OV first")
    first_W = A @ moved
    return measured(
        name,
        compares,
        apart(steps, first_A, first_W, through),
        scene.single,
        ("three steps against the model, max |change|", float((steps - through).abs().max())),
        ("A first against W_OV first, max |change|", float((first_A - first_W).abs().max())),
        ("A first against the three steps, max |change|", float((first_A - steps).abs().max())),
    )


def flattened(scene: Scene, job: Job) -> Receipt:
    """Check that A (x) W_OV, as one matrix, times X as one long vector is the head's output.

    "One attention head, taken apart", "The tensor product, made plain". The first rows of a causal
    pattern need no others, so a part is exact.
    """
    name = "the flattened form: A ⊗ W_OV as one Kronecker product"
    compares = f"kron(A, W_OV) times X laid out as one vector, against A X W_V W_O: {OF_LARGEST}"
    model, weights = scene.model, scene.weights
    count = min(len(scene.read), FLATTENED // model.d_model)
    if count == 0:
        return undefined(
            name,
            compares,
            f"one position already has {model.d_model} numbers: the product is formed up to "
            f"{FLATTENED}",
        )
    job.step(0, 1, "flattening")
    A, X = scene.pattern[:count, :count], scene.read[:count]
    flat = kronecker(A, weights.W_V @ weights.W_O) @ X.flatten()
    written = A @ X @ weights.W_V @ weights.W_O
    return measured(
        name,
        f"{compares} (the first {count} of {len(scene.read)} positions)",
        apart(flat.view_as(written), written),
        DOUBLE,
        ("rows of the product", float(len(flat))),
    )


def kronecker(
    A: Float[Tensor, "query key"], W_OV: Float[Tensor, "d_model d_model"]
) -> Float[Tensor, "query_d_model key_d_model"]:
    """Return A (x) W_O W_V as one matrix, which acts on a table laid out row after row.

    Parameters
    ----------
    A : Tensor
        The pattern.
    W_OV : Tensor
        W_V W_O, the transpose of the papers'.
    """
    return torch.kron(A, W_OV.mT.contiguous())
