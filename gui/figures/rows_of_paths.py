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
from gui.figures.columns import Row, Token, Tokens, Unlisted


def both_ends(result: TokenRanking | OutputRanking) -> Iterator[Row]:
    """Yield the tokens at both ends of a ranking."""
    yield "list", "place", Tokens(), "value"
    lists = (
        ("highest", result.ids, result.labels, result.values),
        ("lowest", result.bottom_ids, result.bottom_labels, result.bottom_values),
    )
    for name, ids, labels, values in lists:
        listed = zip(ids.tolist(), labels, values.tolist(), strict=True)
        for place, (token, label, value) in enumerate(listed):
            yield name, place + 1, Token(label, token), value


def _head_output(request: HeadOutput, result: OutputRanking) -> Iterator[Row]:
    yield from both_ends(result)
    target = Token(result.target_label, result.target_id)
    yield "target", result.rank, target, float(result.value)
    for place, value in enumerate(result.by_source.tolist()):
        yield "source", place, Token(result.source_labels[place]), value


def _attribution(request: LogitAttribution, result: LogitParts) -> Iterator[Row]:
    yield "part", "head", "source", Tokens("source_"), "value"
    parts = zip(
        result.labels, result.heads, result.sources.tolist(), result.values.tolist(), strict=True
    )
    for label, head, source, value in parts:
        # "L1H3 ← 4 ·tea": no label of a token holds a space.
        at = (source, Token(label.rpartition(" ")[2])) if source >= 0 else ("", Unlisted())
        yield label, "" if head is None else head, *at, value
    yield "total", "", "", Unlisted(), float(result.total)
    yield "logit", "", "", Unlisted(), float(result.logit)


def _virtual_head(request: VirtualHead, result: VirtualHeadParts) -> Iterator[Row]:
    yield "query", Tokens("query_"), "source", Tokens("source_"), "product", "exact"
    tokens = [Token(label) for label in result.source_labels]
    for query, row in enumerate(result.product.tolist()):
        for source, value in enumerate(row[: query + 1]):
            exact = math.nan if result.exact is None else float(result.exact[query, source])
            yield query, tokens[query], source, tokens[source], value, exact


def _composition(request: Composition, result: CompositionScores) -> Iterator[Row]:
    yield "earlier", "later", "score", "z"
    scored = zip(result.pairs, result.scores.tolist(), result.z.tolist(), strict=True)
    for pair, score, z in scored:
        yield pair.earlier, pair.later, score, z


def _eigenvalues(request: Eigenvalues, result: ComplexValues) -> Iterator[Row]:
    yield "index", "real", "imag"
    for index, (real, imag) in enumerate(
        zip(result.real.tolist(), result.imag.tolist(), strict=True)
    ):
        yield index, real, imag


def _destination_row(request: DestinationRow, result: HeadRows) -> Iterator[Row]:
    yield "head", "source", Tokens("source_"), "pattern", "induction", "previous_token"
    for place, head in enumerate(result.heads):
        scores = float(result.induction[place]), float(result.previous_token[place])
        for source, value in enumerate(result.values[place].tolist()):
            yield head, source, Token(result.source_labels[source]), value, *scores


def _logit_lens(request: LogitLens, result: LayerGuesses) -> Iterator[Row]:
    yield "stage", "position", Tokens(), "place", Tokens("next_"), "log_prob"
    for stage, name in enumerate(result.stages):
        for at, label in enumerate(result.source_labels):
            guesses = zip(
                result.ids[stage, at].tolist(),
                result.labels[stage][at],
                result.log_probs[stage, at].tolist(),
                strict=True,
            )
            for place, (token, text, value) in enumerate(guesses):
                yield name, at, Token(label), place + 1, Token(text, token), value


PATH_ROWS: dict[type, Callable[[Any, Any], Iterator[Row]]] = {
    HeadOutput: _head_output,
    LogitAttribution: _attribution,
    VirtualHead: _virtual_head,
    Composition: _composition,
    Eigenvalues: _eigenvalues,
    DestinationRow: _destination_row,
    LogitLens: _logit_lens,
}
