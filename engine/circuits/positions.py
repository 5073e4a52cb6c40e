"""What a query's distance from its key does to scores: rotary offsets and learned positions."""

import math
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.source_vectors import check_source, token_read
from engine.job import Job
from engine.messages import (
    USUAL_OFFSETS,
    CircuitName,
    OffsetScores,
    PositionQK,
    PositionScores,
    QKOffsets,
    Refused,
)
from engine.model import Model
from engine.network.folding import HeadWeights, centred

ROUNDING = 1e-6
"""A spread below this share of the largest mean is rounding."""


def check_offset(model: Model, offset: int, adds: bool = False) -> None:
    """Refuse an offset where it means nothing.

    Parameters
    ----------
    offset : int
        Query position minus key position.
    adds : bool
        Whether the answer holds what a distance adds to a score, and not a matrix alone.
    """
    kind = model.position_kind
    if kind == "rotary" or (kind == "ALiBi" and adds):
        if not 0 <= offset < model.n_ctx:
            raise Refused(
                f"offset is query position minus key position, 0 to {model.n_ctx - 1:,}, not "
                f"{offset}"
            )
    elif offset != 0 and kind == "ALiBi":
        raise Refused(
            f"in {model.name} a distance takes the same number off every pair of tokens (ALiBi), "
            "and changes no matrix: leave offset at 0"
        )
    elif offset != 0:
        has = "no positions" if kind == "none" else f"{kind} positions"
        raise Refused(
            f"an offset changes scores in rotary models only, and {model.name} has {has}: "
            "leave offset at 0"
        )


def said_offset(model: Model, offset: int, circuit: CircuitName = "qk") -> int | None:
    """Return the offset that an answer says it is for; none where distance changes nothing."""
    return offset if circuit == "qk" and model.position_kind == "rotary" else None


def outstanding(mean: Float[Tensor, " offset"]) -> tuple[int, float]:
    """Return the offset with the largest mean score, and how far it stands out.

    Parameters
    ----------
    mean : Tensor
        Mean score at each offset from 0 on, [offset].

    Returns
    -------
    offset, z
        z in standard deviations (over the offsets, uncorrected) above the mean over the offsets;
        not a number where all means are alike.
    """
    best = int(mean.argmax())
    spread = float(mean.std(correction=0))
    if not spread > ROUNDING * float(mean.abs().max()):
        return best, math.nan
    return best, float(mean[best] - mean.mean()) / spread


class _Moments(NamedTuple):
    """Mean and covariance over the vocabulary of a head's queries, or of its keys."""

    mean: Float[Tensor, " d_head"]
    covariance: Float[Tensor, "d_head d_head"]


def qk_offsets(model: Model, request: QKOffsets, job: Job) -> OffsetScores:
    """Return the score of a query and a key at each distance, and its mean over all pairs.

    Rotary positions turn a query against a key by their distance ("RoFormer: Enhanced Transformer
    with Rotary Position Embedding", Su et al., 2021): a score is q M k^T, M being that turn over
    the divisor. So its mean over all pairs of tokens is that of the mean query and the mean key,
    and its variance follows from both covariances: q M C_K M^T q + k M^T C_Q M k + tr(C_Q M C_K
    M^T). Both are exact over the whole vocabulary. Sums are float64.
    """
    model.check_head(request.head)
    _check_rotary(model)
    check_source(model, request)
    count = _offsets_asked(model, request.largest_offset)
    query, key = model.tokens.resolve(request.query), model.tokens.resolve(request.key)
    weights = model.unturned_head(request.head)
    length = model.turned_length(request.head.layer, count - 1)  # one for the whole curve
    b_Q, b_K = (
        bias.double() if request.biases else torch.zeros(model.d_head, dtype=torch.float64)
        for bias in (weights.b_Q, weights.b_K)
    )
    q = (token_read(model, query, request.source) @ weights.W_Q).double() + b_Q
    k = (token_read(model, key, request.source) @ weights.W_K).double() + b_K
    queries, keys = _moments(model, request, weights, job)
    mean_q, mean_k = queries.mean + b_Q, keys.mean + b_K
    scores, means, variances = torch.empty(3, count, dtype=torch.float64)
    for offset in range(count):
        job.step(offset, count, "turning queries")
        turn = _turn(model, request.head.layer, offset, length)
        scores[offset] = q @ turn @ k
        means[offset] = mean_q @ turn @ mean_k
        onto_keys, onto_queries = mean_q @ turn, turn @ mean_k
        variances[offset] = (
            onto_keys @ keys.covariance @ onto_keys
            + onto_queries @ queries.covariance @ onto_queries
            + ((queries.covariance @ turn) * (turn @ keys.covariance)).sum()
        )
    best, z = outstanding(means)
    return OffsetScores(
        offsets=np.arange(count),
        scores=scores.numpy(),
        mean=means.numpy(),
        deviation=variances.clamp(min=0).sqrt().numpy(),
        best_offset=best,
        best_z=z,
        query_id=query,
        query_label=model.tokens.labels[query],
        key_id=key,
        key_label=model.tokens.labels[key],
        source=request.source,
        divisor=model.divisor(request.head.layer),
        length=length,
    )


def _check_rotary(model: Model) -> None:
    instead = {
        "learned": "learned positions, which do not turn queries by their distance from a key: ask "
        "position-qk",
        "none": "no positions, so that its scores do not depend on distance: ask qk-tokens",
        "ALiBi": "ALiBi positions, which take the same from every score at a distance: ask "
        "attention on a prompt",
    }
    if model.position_kind in instead:
        raise Refused(
            f"qk-offsets is about rotary models, and {model.name} has "
            f"{instead[model.position_kind]}"
        )
    model.check_scores()


def _offsets_asked(model: Model, largest: int | None) -> int:
    """Return how many offsets are asked for, 0 among them."""
    last = model.n_ctx - 1
    if largest is None:
        return min(USUAL_OFFSETS, last) + 1
    if not 0 <= largest <= last:
        raise Refused(
            f"the largest offset, query position minus key position, must be 0 to {last:,} in "
            f"{model.name}, not {largest:,}"
        )
    return largest + 1


def _turn(
    model: Model, layer: int, offset: int, length: int | None
) -> Float[Tensor, "d_head d_head"]:
    """Return what stands between a query and a key at a distance, over the divisor."""
    axes, rotation = torch.eye(model.d_head), model.rotation(layer)
    if rotation is None:  # a layer of a rotary model may leave its queries as they are
        return axes.double() / model.divisor(layer)
    near, far = (
        rotation.turned(axes, place, length or offset + 1).double() for place in (offset, 0)
    )
    turn: Tensor = near @ far.mT / model.divisor(layer)
    return turn


def _moments(
    model: Model, request: QKOffsets, weights: HeadWeights, job: Job
) -> tuple[_Moments, _Moments]:
    """Return the moments of queries and keys without biases; kept by the model."""
    key = (request.head, request.source, "moments")
    if key not in model.kept:
        both = torch.cat([weights.W_Q, weights.W_K], 1)
        total = torch.zeros(both.shape[1], dtype=torch.float64)
        squares = torch.zeros(2 * both.shape[1:], dtype=torch.float64)
        for rows in model.vocabulary.tokens_read(job, request.source):
            read = (rows @ both).double()
            total += read.sum(0)
            squares += read.mT @ read
        mean = total / model.d_vocab
        covariance = squares / model.d_vocab - torch.outer(mean, mean)
        model.kept[key] = (mean.numpy(), covariance.numpy())  # arrays, whose size is counted
    mean, covariance = map(torch.from_numpy, model.kept[key])
    near, far = slice(0, model.d_head), slice(model.d_head, None)
    return _Moments(mean[near], covariance[near, near]), _Moments(mean[far], covariance[far, far])


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
    count = _positions_shown(model, request.positions)
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


def _positions_shown(model: Model, asked: int | None) -> int:
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
