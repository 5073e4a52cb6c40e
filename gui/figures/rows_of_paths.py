"""Rows of the answers about paths through the model: outputs, parts, pairs, layers."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from engine.messages import (
    ComplexValues,
    Composition,
    CompositionScores,
    DestinationRow,
    Eigenvalues,
    HeadOutput,
    HeadRows,
    LayerGuesses,
    LogitAttribution,
    LogitLens,
    LogitParts,
    OutputRanking,
    TokenRanking,
    VirtualHead,
    VirtualHeadParts,
)

Row = tuple[Any, ...]


def both_ends(result: TokenRanking | OutputRanking) -> Iterator[Row]:
    """Yield the tokens at both ends of a ranking."""
    yield "list", "place", "id", "token", "value"
    lists = (
        ("highest", result.ids, result.labels, result.values),
        ("lowest", result.bottom_ids, result.bottom_labels, result.bottom_values),
    )
    for name, ids, labels, values in lists:
        listed = zip(ids.tolist(), labels, values.tolist(), strict=True)
        for place, (token, label, value) in enumerate(listed):
            yield name, place + 1, token, label, value


def _head_output(request: HeadOutput, result: OutputRanking) -> Iterator[Row]:
    yield from both_ends(result)
    yield "target", result.rank, result.target_id, result.target_label, float(result.value)
    for place, value in enumerate(result.by_source.tolist()):
        yield "source", place, "", result.source_labels[place], value


def _attribution(request: LogitAttribution, result: LogitParts) -> Iterator[Row]:
    yield "part", "head", "source", "value"
    parts = zip(
        result.labels, result.heads, result.sources.tolist(), result.values.tolist(), strict=True
    )
    for label, head, source, value in parts:
        yield label, "" if head is None else str(head), "" if source < 0 else source, value
    yield "total", "", "", float(result.total)
    yield "logit", "", "", float(result.logit)


def _virtual_head(request: VirtualHead, result: VirtualHeadParts) -> Iterator[Row]:
    yield "query", "query_token", "source", "source_token", "product", "exact"
    labels = result.source_labels
    for query, row in enumerate(result.product.tolist()):
        for source, value in enumerate(row[: query + 1]):
            exact = math.nan if result.exact is None else float(result.exact[query, source])
            yield query, labels[query], source, labels[source], value, exact


def _composition(request: Composition, result: CompositionScores) -> Iterator[Row]:
    yield "earlier", "later", "score", "z"
    scored = zip(result.pairs, result.scores.tolist(), result.z.tolist(), strict=True)
    for pair, score, z in scored:
        yield str(pair.earlier), str(pair.later), score, z


def _eigenvalues(request: Eigenvalues, result: ComplexValues) -> Iterator[Row]:
    yield "index", "real", "imag"
    for index, (real, imag) in enumerate(
        zip(result.real.tolist(), result.imag.tolist(), strict=True)
    ):
        yield index, real, imag


def _destination_row(request: DestinationRow, result: HeadRows) -> Iterator[Row]:
    yield "head", "source", "source_token", "pattern", "induction", "previous_token"
    for place, head in enumerate(result.heads):
        scores = float(result.induction[place]), float(result.previous_token[place])
        for source, value in enumerate(result.values[place].tolist()):
            yield str(head), source, result.source_labels[source], value, *scores


def _logit_lens(request: LogitLens, result: LayerGuesses) -> Iterator[Row]:
    yield "stage", "position", "token", "place", "next_id", "next_token", "log_prob"
    for stage, name in enumerate(result.stages):
        for at, label in enumerate(result.source_labels):
            guesses = zip(
                result.ids[stage, at].tolist(),
                result.labels[stage][at],
                result.log_probs[stage, at].tolist(),
                strict=True,
            )
            for place, (token, text, value) in enumerate(guesses):
                yield name, at, label, place + 1, token, text, value


PATH_ROWS: dict[type, Callable[[Any, Any], Iterator[Row]]] = {
    HeadOutput: _head_output,
    LogitAttribution: _attribution,
    VirtualHead: _virtual_head,
    Composition: _composition,
    Eigenvalues: _eigenvalues,
    DestinationRow: _destination_row,
    LogitLens: _logit_lens,
}
