"""Answers as rows of a table, for spreadsheets and for reading back."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator
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
    HeadScores,
    ListModels,
    LoadModel,
    MeasuredHeads,
    ModelEstimate,
    ModelFacts,
    ModelList,
    OVTokens,
    Patterns,
    QKTokens,
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
)
from gui.difference import Difference
from gui.figures import rows_of_differences
from gui.figures.circuits import ends
from gui.figures.rows_of_paths import PATH_ROWS, Row, both_ends
from gui.figures.rows_of_positions import POSITION_ROWS
from gui.figures.rows_of_workings import WORKING_ROWS

_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")


def cell(value: object) -> str:
    """Return one cell: numbers at full precision, nothing for what is not a number.

    A text that a spreadsheet would take for a formula gets an apostrophe in front; one that
    already has apostrophes there gets one more, so that taking one off always gives the text.
    """
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    text = str(value)
    return "'" + text if isinstance(value, str) and _FORMULA.match(text) else text


def encode(rows: Iterator[Row]) -> bytes:
    """Return rows as CSV in UTF-8."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    quoting = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        texts = [cell(value) for value in row]
        # csv leaves a lone carriage return unquoted, and readers end the row there.
        (quoting if any("\r" in text for text in texts) else writer).writerow(texts)
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def _attention(request: Attention, result: Patterns, head: Head | None) -> Iterator[Row]:
    yield "head", "query", "query_token", "key", "key_token", request.kind
    values = result.values.tolist()
    numbers = range(len(values)) if head is None else (head.number,)
    queries, keys = result.mask.nonzero()
    for number in numbers:
        name = str(Head(request.layer, number))
        for query, key in zip(queries.tolist(), keys.tolist(), strict=True):
            yield (
                name, query, result.labels[query], key, result.labels[key],
                values[number][query][key],
            )  # fmt: skip


def _thumbnails(request: Thumbnails, result: ThumbnailPatterns) -> Iterator[Row]:
    yield "head", "row", "column", "pattern"
    for layer, heads in enumerate(result.values.tolist()):
        places = list(zip(*(axis.tolist() for axis in result.mask[layer].nonzero()), strict=True))
        for number, pattern in enumerate(heads):
            for row, column in places:
                yield str(Head(layer, number)), row, column, pattern[row][column]


def _run(request: RunPrompt, result: Run) -> Iterator[Row]:
    yield "list", "place", "id", "token", "log_prob", "loss"
    loss = [math.nan, *result.loss.tolist()]
    for place, (token, label) in enumerate(zip(result.ids.tolist(), result.labels, strict=True)):
        yield "prompt", place, token, label, math.nan, loss[place]
    following = zip(
        result.next_ids.tolist(), result.next_labels, result.next_log_probs.tolist(), strict=True
    )
    for place, (token, label, value) in enumerate(following):
        yield "next", place + 1, token, label, value, math.nan


def _ranking(request: OVTokens | QKTokens | DirectPath, result: TokenRanking) -> Iterator[Row]:
    yield from both_ends(result)
    yield "itself", result.rank, result.token_id, result.token_label, float(result.value)


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
    yield "end", "list", "place", "id", "token", "value"
    for prefix, _ in ends(request):
        for name, suffix in (("positive", ""), ("negative", "_negative")):
            ids, labels, values = (
                getattr(result, f"{prefix}_{field}{suffix}")
                for field in ("ids", "labels", "values")
            )
            listed = zip(ids.tolist(), labels, values.tolist(), strict=True)
            for place, (token, label, value) in enumerate(listed):
                yield prefix, name, place + 1, token, label, value


def _table(request: Table, result: TokenTable) -> Iterator[Row]:
    down, across = ("source", "output") if request.circuit == "ov" else ("query", "key")
    yield f"{down}_id", f"{down}_token", f"{across}_id", f"{across}_token", "value"
    for row, values in enumerate(result.values.tolist()):
        for column, value in enumerate(values):
            yield row, result.labels[row], column, result.labels[column], value


def _head_scores(request: HeadScores, result: MeasuredHeads) -> Iterator[Row]:
    yield "head", *result.scores
    columns = [values.tolist() for values in result.scores.values()]
    for head, values in zip(result.heads, zip(*columns, strict=True), strict=True):
        yield str(head), *values


def _skip_trigrams(request: SkipTrigrams, result: TrigramList) -> Iterator[Row]:
    yield (
        "place", "source_id", "source_token", "query_id", "query_token", "out_id", "out_token",
        "qk", "ov", "value",
    )  # fmt: skip
    listed = zip(
        result.source_ids.tolist(), result.source_labels, result.query_ids.tolist(),
        result.query_labels, result.out_ids.tolist(), result.out_labels, result.qk.tolist(),
        result.ov.tolist(), result.values.tolist(), strict=True,
    )  # fmt: skip
    for place, trigram in enumerate(listed):
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


def rows(request: Any, result: Any, head: Head | None) -> Iterator[Row]:
    """Return the rows of an answer, the names of the columns first.

    Raises
    ------
    Refused
        If the answer has no rows.
    """
    if isinstance(request, Difference):
        return rows_of_differences.rows(request, result, head)
    if isinstance(request, Attention):
        return _attention(request, result, head)
    if type(request) not in ROWS:
        raise Refused(f"{type(request).__name__} has no rows to write as CSV")
    return ROWS[type(request)](request, result)
