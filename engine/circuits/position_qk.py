"""The scores that learned positions give by themselves."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.offsets import outstanding
from engine.folding import centred
from engine.job import Job
from engine.messages import USUAL_OFFSETS, PositionQK, PositionScores, Refused
from engine.model import Model

PRODUCT_WIDTH = 64
"""Positions whose products with the embeddings take as long as reading these."""


def position_qk(model: Model, request: PositionQK, job: Job) -> PositionScores:
    """Return the mean score of each query and key position over all tokens at both.

    A norm does not act on a position alone but on token and position together. So what stands for
    a position is what heads of the first layer read there on average over the vocabulary; the
    scores of these vectors are the mean scores over all pairs of tokens, exactly. A position's
    row put through the norm alone, or on top of the mean embedding, would be scaled up to the
    length of a whole token (`docs/decisions/`). Later layers read the same vectors through their
    own norm and weights, without what the layers before them wrote.
    """
    model.check_head(request.head)
    _check_learned(model)
    count = _count(model, request.positions)
    weights = model.head(request.head)
    read = _read_on_average(model, model.positions(count).double(), job)
    queries, keys = read @ weights.W_Q.double(), read @ weights.W_K.double()
    if request.biases:
        queries, keys = queries + weights.b_Q, keys + weights.b_K
    scores = queries @ keys.mT / model.divisor(request.head.layer)
    mean = torch.stack([scores.diagonal(-offset).mean() for offset in range(count)])
    future = torch.ones(scores.shape, dtype=torch.bool).triu(1)
    best, z = outstanding(mean[: count // 2 + 1])
    return PositionScores(
        scores=scores.masked_fill(future, torch.nan).numpy(),
        offsets=np.arange(count),
        mean=mean.numpy(),
        best_offset=best,
        best_z=z,
        divisor=model.divisor(request.head.layer),
    )


def _check_learned(model: Model) -> None:
    instead = {
        "rotary": "rotary positions, whose scores depend on the distance alone: ask qk-offsets",
        "none": "no positions: ask qk-tokens",
        "ALiBi": "ALiBi positions, which take the same from every score at a distance: ask "
        "attention on a prompt",
    }
    if model.position_kind in instead:
        raise Refused(
            "position-qk is about learned positions that are added to the stream, and "
            f"{model.name} has {instead[model.position_kind]}"
        )
    model.check_scores()


def _count(model: Model, asked: int | None) -> int:
    if asked is None:
        return min(USUAL_OFFSETS, model.n_ctx)
    if not 1 <= asked <= model.n_ctx:
        raise Refused(f"{model.name} has 1 to {model.n_ctx:,} positions to show, not {asked:,}")
    return asked


def _read_on_average(
    model: Model, positions: Float[Tensor, "position d_model"], job: Job
) -> Float[Tensor, "position d_model"]:
    """Return the mean over all tokens of what the first norm makes of token and position.

    A norm divides by the length of the sum, |e + p|^2 = |e|^2 + 2 e . p + |p|^2, which takes one
    product with the embeddings; the mean of what it divides takes another.
    """
    places = centred(positions) if model.centring else positions
    total = torch.zeros_like(places)
    for rows in model.vocabulary.embeddings(job, 1 + len(places) // PRODUCT_WIDTH):
        tokens = rows.double()
        if not model.normalized:
            total += tokens.sum(0) + len(tokens) * places
            continue
        tokens = centred(tokens) if model.centring else tokens
        squares = tokens.square().sum(1)[:, None] + places.square().sum(1)  # [part, position]
        squares += 2 * tokens @ places.mT
        shares = (squares / model.d_model + model.eps).rsqrt()
        total += shares.mT @ tokens + shares.sum(0)[:, None] * places
    return total / model.d_vocab
