"""What distance does to the scores of a rotary model's head: of two tokens, and of all pairs."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.offsets import outstanding
from engine.circuits.source_vectors import check_source, token_read
from engine.folding import HeadWeights
from engine.job import Job
from engine.messages import USUAL_OFFSETS, OffsetScores, QKOffsets, Refused
from engine.model import Model


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
    count = _count(model, request.largest_offset)
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


def _count(model: Model, largest: int | None) -> int:
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
