"""What the fake engine answers about a position of a prompt: rows, parts, guesses.

The answers fit each other: what is split by source sums to what it is split from.
"""

import zlib

import numpy as np

from engine.messages import (
    DestinationRow,
    Head,
    HeadOutput,
    HeadRows,
    LayerGuesses,
    LogitAttribution,
    LogitLens,
    LogitParts,
    MeasuredHeads,
    OutputRanking,
    Run,
    RunPrompt,
)

SCALE = 2.0
REMAINDER = 1e-6


def destination_row(
    request: DestinationRow,
    ids: np.ndarray,
    labels: tuple[str, ...],
    heads: tuple[Head, ...],
    scores: MeasuredHeads,
) -> HeadRows:
    at = request.position % len(ids)
    rows = _rng(request).dirichlet(np.ones(at + 1), len(heads))
    return HeadRows(
        heads,
        rows,
        tuple(labels[i] for i in ids[: at + 1]),
        at,
        scores.scores["induction"],
        scores.scores["previous_token"],
    )


def head_output(request: HeadOutput, ids: np.ndarray, labels: tuple[str, ...]) -> OutputRanking:
    at = request.position % len(ids)
    target = _target(request.target, ids[at], labels)
    by_source = SCALE * _given(request.run, at, target, request.head)
    values = _rng(request).normal(size=len(labels))
    values[target] = by_source.sum()
    order = np.argsort(-values, kind="stable")
    top, bottom = order[: request.k], order[::-1][: request.k]
    return OutputRanking(
        ids=top,
        labels=tuple(labels[i] for i in top),
        values=values[top],
        bottom_ids=bottom,
        bottom_labels=tuple(labels[i] for i in bottom),
        bottom_values=values[bottom],
        target_id=target,
        target_label=labels[target],
        rank=1 + int((values > values[target]).sum()),
        value=float(values[target]),
        by_source=by_source,
        source_labels=tuple(labels[i] for i in ids[: at + 1]),
        position=at,
        d_vocab=len(labels),
        final_scale=SCALE,
    )


def logit_attribution(
    request: LogitAttribution,
    ids: np.ndarray,
    labels: tuple[str, ...],
    every: tuple[Head, ...],
) -> LogitParts:
    at = request.position % len(ids)
    target = _target(request.target, ids[at], labels)
    other = request.contrast_token
    names, values = ["embedding", "positions"], [1.5, -0.5]
    heads: list[Head | None] = [None, None]
    sources = [-1, -1]
    for head in every:
        given = _given(request.run, at, target, head)
        if other is not None:
            given = given - _given(request.run, at, _target(other, ids[at], labels), head)
        if request.contrast == "mean":
            given = given - 0.1
        places = list(range(at + 1))
        if request.split == "heads":
            given, places = given.sum(keepdims=True), [-1]
        for place, value in zip(places, given.tolist(), strict=True):
            names.append(head.name if place < 0 else f"{head.name} ← {place} {labels[ids[place]]}")
            values.append(value)
            heads.append(head)
            sources.append(place)
    total = sum(values) + 0.25
    return LogitParts(
        labels=(*names, "biases"),
        values=np.array([*values, 0.25]),
        heads=(*heads, None),
        sources=np.array([*sources, -1]),
        total=total,
        logit=total + REMAINDER,
        remainder=REMAINDER,
        target_id=target,
        target_label=labels[target],
        contrast_label=request.contrast if other is None else labels[int(other)],
        position=at,
        final_scale=SCALE,
    )


def logit_lens(request: LogitLens, own: Run, labels: tuple[str, ...], layers: int) -> LayerGuesses:
    shape = (layers + 1, len(own.labels))
    chance = _rng(request)
    ids = np.stack([chance.permutation(len(labels))[: request.k] for _ in range(np.prod(shape))])
    ids = ids.reshape(*shape, -1)
    log_probs = np.log(-np.sort(-chance.dirichlet(np.ones(request.k), shape), axis=-1))
    ids[-1, -1], log_probs[-1, -1] = own.next_ids, own.next_log_probs
    return LayerGuesses(
        stages=("embedding", *(f"layer {layer}" for layer in range(layers))),
        source_labels=own.labels,
        ids=ids,
        labels=tuple(tuple(tuple(labels[i] for i in guesses) for guesses in row) for row in ids),
        log_probs=log_probs,
    )


def _given(run: RunPrompt, at: int, target: int, head: Head) -> np.ndarray:
    """Return what each source gives by a head, [source], in logits."""
    return _rng(run, at, target, head).normal(size=at + 1)


def _target(target: int | str | None, here: int, labels: tuple[str, ...]) -> int:
    return (int(here) + 7) % len(labels) if target is None else int(target)


def _rng(*seed: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))
