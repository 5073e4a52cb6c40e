"""What the fake engine answers about distance and position."""

import zlib

import numpy as np

from engine.messages import OffsetScores, PositionQK, PositionScores, QKOffsets, Refused


def qk_offsets(request: QKOffsets, labels: tuple[str, ...]) -> OffsetScores:
    assert isinstance(request.query, int)
    assert isinstance(request.key, int)
    assert request.largest_offset is not None
    rng = np.random.default_rng(zlib.crc32(repr(request).encode()))
    offsets = np.arange(request.largest_offset + 1)
    mean = np.cos(offsets / 5) + 2.0 * (offsets == 3)
    return OffsetScores(
        offsets=offsets,
        scores=mean + rng.normal(size=len(offsets)),
        mean=mean,
        deviation=1 + 0.1 * rng.random(len(offsets)),
        best_offset=int(mean.argmax()),
        best_z=2.5,
        query_id=request.query,
        query_label=labels[request.query],
        key_id=request.key,
        key_label=labels[request.key],
        source=request.source,
        divisor=2.5,
    )


def position_qk(request: PositionQK, positions: str, context: int) -> PositionScores:
    if positions != "learned":
        raise Refused(f"{request.model} has {positions} positions: ask qk-tokens")
    assert request.positions is not None
    assert 1 <= request.positions <= context
    count = request.positions
    rng = np.random.default_rng(zlib.crc32(repr(request).encode()))
    scores = rng.normal(size=(count, count)) + 9.0 * np.eye(count, k=-1)
    mean = np.array([np.diagonal(scores, -offset).mean() for offset in range(count)])
    scores[~np.tri(count, dtype=bool)] = np.nan
    return PositionScores(scores, np.arange(count), mean, int(mean.argmax()), 4.2, 2.5)
