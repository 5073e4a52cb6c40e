"""Rows of the answers about distance and position."""

from collections.abc import Callable, Iterator
from typing import Any

from engine.messages import OffsetScores, PositionQK, PositionScores, QKOffsets
from gui.figures.columns import Row


def _offsets(request: QKOffsets, result: OffsetScores) -> Iterator[Row]:
    yield "offset", "score", "mean", "deviation"
    columns = (result.offsets, result.scores, result.mean, result.deviation)
    yield from zip(*(column.tolist() for column in columns), strict=True)


def _positions(request: PositionQK, result: PositionScores) -> Iterator[Row]:
    yield "query", "key", "offset", "score"
    for query, row in enumerate(result.scores.tolist()):
        for key, score in enumerate(row[: query + 1]):
            yield query, key, query - key, score
    for offset, mean in zip(result.offsets.tolist(), result.mean.tolist(), strict=True):
        yield "mean", "", offset, mean


POSITION_ROWS: dict[type, Callable[[Any, Any], Iterator[Row]]] = {
    QKOffsets: _offsets,
    PositionQK: _positions,
}
