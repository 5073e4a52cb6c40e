"""The strongest [source] … [query] -> [out] of a head, without a d_vocab x d_vocab matrix."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from engine.circuits.positions import check_offset, said_offset
from engine.circuits.ranking import largest
from engine.job import Job
from engine.messages import FloatArray, IntArray, Refused, SkipTrigrams, TrigramList
from engine.model import Model

ROWS = 64
MOST = 1000
"""Trigrams that may be listed."""

ROUNDING = 1e-4
"""Share by which a bound may be too low: single precision, with room to spare."""

RULE = (
    "the score of query and source times what reading the source adds to the logit of out, "
    "both positive"
)


class _Ends(NamedTuple):
    """Both circuits as thin factors over the vocabulary."""

    queries: Float[Tensor, "d_vocab d_head"]
    keys: Float[Tensor, "d_vocab d_head"]
    values: Float[Tensor, "d_vocab d_head"]
    outs: Float[Tensor, "d_vocab d_head"]


class _Found(NamedTuple):
    """Trigrams, one a row."""

    ids: IntArray  # [trigram, 3]: source, query, out
    qk: FloatArray
    ov: FloatArray


def skip_trigrams(model: Model, request: SkipTrigrams, job: Job) -> TrigramList:
    """List the strongest skip-trigrams of a head, exactly as many as asked for.

    [source] … [query] -> [out] as in "A Mathematical Framework for Transformer Circuits" (Elhage
    et al., 2021), "Interpretation as skip-trigrams": when the query attends to the source, out is
    raised. Ranked by QK times OV, both positive and as in QKTokens and OVTokens: folded, QK
    divided, without b_Q, b_K and positions. For one source the two factors are free of each other,
    so that its best trigram is its best query with its best out. Sources are taken in the order of
    an upper bound of that (lengths of their thin vectors), 64 at a time, until no bound left
    reaches the k-th best found.
    """
    check_offset(model, request.offset)
    if not 1 <= request.k <= MOST:
        raise Refused(f"k, the number of trigrams to list, must be 1 to {MOST:,}, not {request.k}")
    model.check_scores()
    ends = _ends(model, request, job)
    sources = _sources(model, request.filter)
    bounds = ends.keys.norm(dim=1) * ends.values.norm(dim=1)
    bounds = bounds * ends.queries.norm(dim=1).max() * ends.outs.norm(dim=1).max()
    bounds = bounds[sources]
    order = bounds.argsort(descending=True, stable=True)
    sources, bounds = sources[order], bounds[order] * (1 + ROUNDING)
    best = _Found(np.empty((0, 3), int), np.empty(0, np.float32), np.empty(0, np.float32))
    buffers = torch.empty(2, min(ROWS, len(sources)), model.d_vocab)
    for start in range(0, len(sources), ROWS):
        job.step(start, len(sources), "pairing what is read with what is raised")
        if float(bounds[start]) <= max(0.0, _least(best, request.k)):
            break
        best = _with_block(ends, buffers, sources[start : start + ROWS], best, request.k, job)
    names = model.tokens.labelled
    source, query, out = best.ids.T
    return TrigramList(
        source_ids=source,
        source_labels=names(source.tolist()),
        query_ids=query,
        query_labels=names(query.tolist()),
        out_ids=out,
        out_labels=names(out.tolist()),
        qk=best.qk,
        ov=best.ov,
        values=best.qk * best.ov,
        rule=RULE,
        divisor=model.divisor(request.head.layer),
        offset=said_offset(model, request.offset),
    )


def _ends(model: Model, request: SkipTrigrams, job: Job) -> _Ends:
    weights = model.head(request.head, request.offset)
    return _Ends(
        queries=model.vocabulary.read_by(weights.W_Q, job) / model.divisor(request.head.layer),
        keys=model.vocabulary.read_by(weights.W_K, job),
        values=model.vocabulary.read_by(weights.W_V, job),
        outs=model.vocabulary.logits(weights.W_O.mT, job),
    )


def _sources(model: Model, text: str) -> Int[Tensor, " sources"]:
    chosen = [token for token, known in enumerate(model.tokens.texts) if text in known]
    if not chosen:
        raise Refused(f"no token of {model.name} contains {text!r}: leave the filter empty for all")
    return torch.tensor(chosen)


def _least(best: _Found, k: int) -> float:
    """Return what a trigram must reach to be listed."""
    return float(best.qk[-1] * best.ov[-1]) if len(best.qk) == k else 0.0


def _with_block(
    ends: _Ends,
    buffers: Float[Tensor, "2 rows d_vocab"],
    sources: Int[Tensor, " sources"],
    best: _Found,
    k: int,
    job: Job,
) -> _Found:
    # Into the same memory each time: fresh pages cost more than the products.
    scores, raised = buffers[:, : len(sources)]
    torch.mm(ends.keys[sources], ends.queries.mT, out=scores)  # [source, query]
    torch.mm(ends.values[sources], ends.outs.mT, out=raised)  # [source, out]
    tops = (scores.amax(1).clamp(min=0) * raised.amax(1).clamp(min=0)).tolist()
    for place in np.argsort(np.negative(tops), kind="stable").tolist():
        if tops[place] <= 0 or tops[place] < _least(best, k):
            break
        job.step(place, len(tops), "pairing what is read with what is raised")
        found = _of_source(int(sources[place]), scores[place].numpy(), raised[place].numpy(), k)
        best = _best(best, found, k)
    return best


def _of_source(source: int, scores: FloatArray, raised: FloatArray, k: int) -> _Found:
    """Return pairs of a query and an out for one source, among them the k best."""
    queries, outs = largest(scores, k), largest(raised, k)
    queries, outs = queries[scores[queries] > 0], outs[raised[outs] > 0]
    # Pair (i, j) has (i + 1)(j + 1) - 1 others that are at least as good.
    counts = np.minimum(k // np.arange(1, len(queries) + 1), len(outs))
    i = np.repeat(np.arange(len(queries)), counts)
    j = np.arange(len(i)) - np.repeat(counts.cumsum() - counts, counts)
    ids = np.stack([np.full(len(i), source), queries[i], outs[j]], axis=1)
    return _Found(ids, scores[queries[i]], raised[outs[j]])


def _best(one: _Found, other: _Found, k: int) -> _Found:
    """Return the k best of both; equal ones by their ids."""
    ids, qk, ov = (np.concatenate(parts) for parts in zip(one, other, strict=True))
    order = np.lexsort((*ids.T[::-1], -(qk * ov)))[:k]
    return _Found(ids[order], qk[order], ov[order])
