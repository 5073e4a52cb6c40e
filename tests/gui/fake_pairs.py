"""What the fake engine answers about pairs of heads, eigenvalues and the direct path."""

import zlib

import numpy as np

from engine.messages import (
    ComplexValues,
    Composition,
    CompositionScores,
    DirectPath,
    Eigenvalues,
    Head,
    Pair,
    Refused,
    TokenRanking,
    VirtualHead,
    VirtualHeadParts,
)

BEST_PAIR = Pair(Head(0, 1), Head(1, 2))
BASELINE = 0.2
BEST = 5
"""Pairs whose z is known without asking for them."""


def composition(request: Composition, layers: int, heads: int) -> CompositionScores:
    if layers == 1:
        raise Refused(f"{request.model} has one layer, and composition is between two")
    every = [Head(layer, number) for layer in range(layers) for number in range(heads)]
    pairs = tuple(
        Pair(earlier, later) for earlier in every for later in every if earlier[0] < later[0]
    )
    scores = 0.1 + 0.2 * _rng(request.model, request.kind).random(len(pairs))
    if BEST_PAIR in pairs:
        scores[pairs.index(BEST_PAIR)] = 0.6
    z = (scores - BASELINE) * 100
    known = set(np.argsort(-scores)[:BEST].tolist())
    if request.earlier is not None and request.later is not None:
        known.add(pairs.index(Pair(request.earlier, request.later)))
    z[[place for place in range(len(pairs)) if place not in known]] = np.nan
    return CompositionScores(pairs, scores, BASELINE, z)


def virtual_head(
    request: VirtualHead, ids: np.ndarray, labels: tuple[str, ...], d_head: int
) -> VirtualHeadParts:
    n = len(ids)
    rng = _rng(request.run, request.earlier, request.later)
    assert isinstance(request.token, int)
    ranking = _ranking((request.earlier, request.later), request.token, labels, request.k)
    return VirtualHeadParts(
        source_labels=tuple(labels[i] for i in ids),
        product=np.zeros((n, n)),  # the engine puts the patterns' in
        exact=None,
        **{name: ranking[name] for name in ranking if name != "median"},  # type: ignore[arg-type]
        eigenvalue_copying=0.5,
        singular_values=np.sort(rng.random(d_head))[::-1],
        share=0.25,
        shares=rng.random(n),
    )


def eigenvalues(request: Eigenvalues, d_head: int) -> ComplexValues:
    rng = _rng(request.model, request.head, request.circuit, request.offset)
    half = rng.normal(size=d_head // 2) + 1j * rng.normal(size=d_head // 2)
    values = np.concatenate([half, half.conj()])
    values = values[np.argsort(-np.abs(values), kind="stable")]
    return ComplexValues(values.real, values.imag, float(values.real.sum() / np.abs(values).sum()))


def direct_path(request: DirectPath, labels: tuple[str, ...]) -> TokenRanking:
    assert isinstance(request.token, int)
    ranking = _ranking((request.model, request.direction), request.token, labels, request.k)
    return TokenRanking(**ranking, source="token", vocabulary_source="unembedding")  # type: ignore[arg-type]


def _ranking(
    seed: tuple[object, ...], token: int, labels: tuple[str, ...], k: int
) -> dict[str, object]:
    values = _rng(*seed, token).normal(size=len(labels))
    order = np.argsort(-values, kind="stable")
    top, bottom = order[:k], order[::-1][:k]
    return {
        "ids": top,
        "labels": tuple(labels[i] for i in top),
        "values": values[top],
        "bottom_ids": bottom,
        "bottom_labels": tuple(labels[i] for i in bottom),
        "bottom_values": values[bottom],
        "token_id": token,
        "token_label": labels[token],
        "rank": 1 + int((values > values[token]).sum()),
        "value": float(values[token]),
        "median": float(np.median(values)),
        "d_vocab": len(labels),
    }


def _rng(*seed: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))
