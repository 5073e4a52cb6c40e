"""Rows of the answers about distance and position."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engine.messages import (
    Attention,
    Direction,
    DirectPath,
    Downloaded,
    DownloadModel,
    DownloadPlan,
    EstimateModel,
    FindDownload,
    Head,
    HeadReceipts,
    HeadScores,
    HeadWorkings,
    ListModels,
    LoadModel,
    MeasuredHeads,
    ModelEstimate,
    ModelFacts,
    ModelList,
    OffsetScores,
    OVTokens,
    Patterns,
    PositionQK,
    PositionScores,
    QKOffsets,
    QKTokens,
    Receipts,
    Refused,
    Run,
    RunPrompt,
    SingularValues,
    SkipTrigrams,
    Spectrum,
    Table,
    ThumbnailPatterns,
    Thumbnails,
    TokenRanking,
    TokenTable,
    TrigramList,
    Vocabulary,
    VocabularyTokens,
    Workings,
)
from gui.charts.tables import Row, Token, Tokens, Unlisted, cell, filled
from gui.figures import rows_of_prompts
from gui.figures.circuits import ends
from gui.figures.provenance import Origin
from gui.figures.rows_of_prompts import PATH_ROWS, both_ends
from gui.state.difference import Difference


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


_OF_TOKENS = ("query", "source", "position", "token")


def _workings(request: Workings, result: HeadWorkings) -> Iterator[Row]:
    yield "step", "row", Tokens("row_", "label"), "column", Tokens("column_", "label"), "value"
    for step in result.steps:
        down, across = (
            [(Token if axis in _OF_TOKENS else Unlisted)(label) for label in labels]
            for axis, labels in zip(step.axes, (step.row_labels, step.column_labels), strict=True)
        )
        for row, values in enumerate(step.values.tolist()):
            for column, value in enumerate(values):
                yield step.symbol, row, down[row], column, across[column], value


def _receipts(request: Receipts, result: HeadReceipts) -> Iterator[Row]:
    yield "check", "quantity", "value", "tolerance", "passed", "reason"
    for receipt in result.receipts:
        if receipt.passed is None:
            yield receipt.name, "residual", math.nan, math.nan, "", receipt.reason
            continue
        yield receipt.name, "residual", receipt.residual, receipt.tolerance, receipt.passed, ""
        for name, value in receipt.measured:
            yield receipt.name, name, value, math.nan, "", ""


WORKING_ROWS: dict[type, Callable[[Any, Any], Iterator[Row]]] = {
    Workings: _workings,
    Receipts: _receipts,
}


_UNKNOWN = Origin()


def encode(rows: Iterable[Row]) -> bytes:
    """Return rows as CSV in UTF-8, texts as they are."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    quoting = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        texts = [cell(value) for value in row]
        # csv leaves a lone carriage return unquoted, and readers end the row there.
        (quoting if any("\r" in text for text in texts) else writer).writerow(texts)
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def _attention(request: Attention, result: Patterns, head: Head | None) -> Iterator[Row]:
    yield "head", "query", Tokens("query_"), "key", Tokens("key_"), request.kind
    values = result.values.tolist()
    numbers = range(len(values)) if head is None else (head.number,)
    queries, keys = result.mask.nonzero()
    tokens = [Token(label) for label in result.labels]
    for number in numbers:
        head = Head(request.layer, number)
        for query, key in zip(queries.tolist(), keys.tolist(), strict=True):
            yield (
                head, query, tokens[query], key, tokens[key], values[number][query][key],
            )  # fmt: skip


def _thumbnails(request: Thumbnails, result: ThumbnailPatterns) -> Iterator[Row]:
    yield "head", "row", "column", "pattern"
    for layer, heads in enumerate(result.values.tolist()):
        places = list(zip(*(axis.tolist() for axis in result.mask[layer].nonzero()), strict=True))
        for number, pattern in enumerate(heads):
            for row, column in places:
                yield Head(layer, number), row, column, pattern[row][column]


def _run(request: RunPrompt, result: Run) -> Iterator[Row]:
    yield "list", "place", Tokens(), "log_prob", "loss"
    loss = [math.nan, *result.loss.tolist()]
    for place, (token, label) in enumerate(zip(result.ids.tolist(), result.labels, strict=True)):
        yield "prompt", place, Token(label, token), math.nan, loss[place]
    following = zip(
        result.next_ids.tolist(), result.next_labels, result.next_log_probs.tolist(), strict=True
    )
    for place, (token, label, value) in enumerate(following):
        yield "next", place + 1, Token(label, token), value, math.nan


def _ranking(request: OVTokens | QKTokens | DirectPath, result: TokenRanking) -> Iterator[Row]:
    yield from both_ends(result)
    itself = Token(result.token_label, result.token_id)
    yield "itself", result.rank, itself, float(result.value)


def _spectrum(request: Spectrum, result: SingularValues) -> Iterator[Row]:
    yield "index", "group_first", "group_last", "singular_value", "dense_singular_value"
    groups = {
        index: group for group in result.groups for index in range(group.first, group.last + 1)
    }
    thin = result.singular_values.tolist()
    dense = result.dense_singular_values
    measured = [] if dense is None else dense.tolist()
    for index in range(max(len(thin), len(measured))):
        group = groups.get(index)
        yield (
            index,
            "" if group is None else group.first,
            "" if group is None else group.last,
            thin[index] if index < len(thin) else math.nan,
            measured[index] if index < len(measured) else math.nan,
        )


def _direction(request: Direction, result: Any) -> Iterator[Row]:
    yield "end", "list", "place", Tokens(), "value"
    for prefix, _ in ends(request):
        for name, suffix in (("positive", ""), ("negative", "_negative")):
            ids, labels, values = (
                getattr(result, f"{prefix}_{field}{suffix}")
                for field in ("ids", "labels", "values")
            )
            listed = zip(ids.tolist(), labels, values.tolist(), strict=True)
            for place, (token, label, value) in enumerate(listed):
                yield prefix, name, place + 1, Token(label, token), value


def _table(request: Table, result: TokenTable) -> Iterator[Row]:
    down, across = ("source", "output") if request.circuit == "ov" else ("query", "key")
    yield Tokens(f"{down}_"), Tokens(f"{across}_"), "value"
    tokens = [Token(label, number) for number, label in enumerate(result.labels)]
    for row, values in zip(tokens, result.values.tolist(), strict=True):
        for column, value in zip(tokens, values, strict=True):
            yield row, column, value


def _head_scores(request: HeadScores, result: MeasuredHeads) -> Iterator[Row]:
    yield "head", *result.scores
    columns = [values.tolist() for values in result.scores.values()]
    for head, values in zip(result.heads, zip(*columns, strict=True), strict=True):
        yield head, *values


def _skip_trigrams(request: SkipTrigrams, result: TrigramList) -> Iterator[Row]:
    yield "place", Tokens("source_"), Tokens("query_"), Tokens("out_"), "qk", "ov", "value"
    named = (
        map(Token, labels, ids.tolist())
        for labels, ids in (
            (result.source_labels, result.source_ids),
            (result.query_labels, result.query_ids),
            (result.out_labels, result.out_ids),
        )
    )
    numbers = (values.tolist() for values in (result.qk, result.ov, result.values))
    for place, trigram in enumerate(zip(*named, *numbers, strict=True)):
        yield place + 1, *trigram


def _models(request: ListModels, result: ModelList) -> Iterator[Row]:
    yield "name", "source", "about"
    yield from result.models


def _facts(
    request: LoadModel | EstimateModel | DownloadModel,
    result: ModelFacts | ModelEstimate | Downloaded,
) -> Iterator[Row]:
    yield "field", "value"
    for name, value in vars(result).items():
        yield name, "; ".join(value) if isinstance(value, tuple) else value


def _download(request: FindDownload, result: DownloadPlan) -> Iterator[Row]:
    yield "file", "bytes"
    yield from zip(result.files, result.sizes.tolist(), strict=True)


def _vocabulary(request: Vocabulary, result: VocabularyTokens) -> Iterator[Row]:
    yield "id", "text", "label"
    for token, (text, label) in enumerate(zip(result.texts, result.labels, strict=True)):
        yield token, text, label


ROWS: dict[type, Callable[[Any, Any], Iterator[Row]]] = {
    ListModels: _models,
    LoadModel: _facts,
    EstimateModel: _facts,
    FindDownload: _download,
    DownloadModel: _facts,
    Vocabulary: _vocabulary,
    RunPrompt: _run,
    Thumbnails: _thumbnails,
    OVTokens: _ranking,
    QKTokens: _ranking,
    Spectrum: _spectrum,
    Direction: _direction,
    Table: _table,
    HeadScores: _head_scores,
    SkipTrigrams: _skip_trigrams,
    DirectPath: _ranking,
    **PATH_ROWS,
    **WORKING_ROWS,
    **POSITION_ROWS,
}
"""How the answer to each question is written as rows; attention may be cut to one head."""


def rows(request: Any, result: Any, head: Head | None, origin: Origin = _UNKNOWN) -> Iterator[Row]:
    """Return the rows of an answer, the names of the columns first.

    Parameters
    ----------
    request, result
        A question and its answer.
    head
        For attention, the one head that is meant; without, all heads of the layer.
    origin
        Where the answer is from: its vocabulary tells texts and ids of tokens.

    Raises
    ------
    Refused
        If the answer has no rows.
    """
    return filled(_rows(request, result, head), origin.vocabulary, origin.unusual)


def _rows(request: Any, result: Any, head: Head | None) -> Iterator[Row]:
    if isinstance(request, Difference):
        return rows_of_prompts.rows(request, result, head)
    if isinstance(request, Attention):
        return _attention(request, result, head)
    if type(request) not in ROWS:
        raise Refused(f"{type(request).__name__} has no rows to write")
    return ROWS[type(request)](request, result)
