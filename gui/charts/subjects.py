"""What is drawn, and what is written as rows, of the answer to each question."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from engine import messages as m
from engine.messages import Head
from gui.charts import attention, attribution, circuits, head_scores, head_steps, rankings, tables
from gui.charts.chart import Chart, Sentence, View
from gui.charts.tables import Row, listed
from gui.state.difference import Difference, Subtraction
from gui.style.formatting import MINUS


class Subject(NamedTuple):
    """How an answer is shown and tabulated: as a chart, as rows, and its change as rows."""

    chart: Callable[[Any, Any, View], Chart] | None
    rows: Callable[[Any, Any], Iterator[Row]]
    change: Callable[[Any, Subtraction, Any], Iterator[Row]] | None = None


def _fields(request: Any, result: Any) -> Iterator[Row]:
    yield "field", "value"
    for name, value in vars(result).items():
        yield name, "; ".join(value) if isinstance(value, tuple) else value


def _models(request: m.ListModels, result: m.ModelList) -> Iterator[Row]:
    yield "name", "source", "about"
    yield from result.models


def _download(request: m.FindDownload, result: m.DownloadPlan) -> Iterator[Row]:
    yield "file", "bytes"
    yield from listed(result.files, result.sizes)


def _vocabulary(request: m.Vocabulary, result: m.VocabularyTokens) -> Iterator[Row]:
    yield "id", "text", "label"
    yield from listed(range(len(result.texts)), result.texts, result.labels)


SUBJECTS: dict[type, Subject] = {
    m.ListModels: Subject(None, _models),
    m.LoadModel: Subject(None, _fields),
    m.EstimateModel: Subject(None, _fields),
    m.FindDownload: Subject(None, _download),
    m.DownloadModel: Subject(None, _fields),
    m.Vocabulary: Subject(None, _vocabulary),
    m.RunPrompt: Subject(rankings.run, rankings.run_rows),
    m.Attention: Subject(
        attention.attention, attention.attention_rows, attention.attention_change
    ),
    m.Thumbnails: Subject(attention.thumbnails, attention.thumbnail_rows),
    m.OVTokens: Subject(rankings.ov_tokens, rankings.ranking_rows),
    m.QKTokens: Subject(rankings.qk_tokens, rankings.ranking_rows),
    m.Spectrum: Subject(circuits.spectrum, circuits.spectrum_rows),
    m.Direction: Subject(rankings.direction, rankings.direction_rows),
    m.Table: Subject(circuits.table, circuits.table_rows),
    m.DirectPath: Subject(rankings.direct_path, rankings.ranking_rows),
    m.HeadOutput: Subject(rankings.head_output, rankings.head_output_rows),
    m.LogitAttribution: Subject(
        attribution.logit_attribution, attribution.logit_attribution_rows,
        attribution.logit_attribution_change,
    ),
    m.VirtualHead: Subject(attention.virtual_head, attention.virtual_head_rows),
    m.Composition: Subject(circuits.composition, circuits.composition_rows),
    m.Eigenvalues: Subject(circuits.eigenvalues, circuits.eigenvalue_rows),
    m.DestinationRow: Subject(
        attention.destination_row, attention.destination_rows, attention.destination_change
    ),
    m.LogitLens: Subject(rankings.logit_lens, rankings.logit_lens_rows),
    m.HeadScores: Subject(head_scores.head_scores, head_scores.head_score_rows),
    m.SkipTrigrams: Subject(rankings.skip_trigrams, rankings.skip_trigram_rows),
    m.QKOffsets: Subject(circuits.qk_offsets, circuits.qk_offset_rows),
    m.PositionQK: Subject(circuits.position_qk, circuits.position_rows),
    m.Workings: Subject(head_steps.steps, head_steps.step_rows),
    m.Receipts: Subject(head_steps.checks, head_steps.check_rows),
}  # fmt: skip


DRAWN = frozenset(kind for kind, subject in SUBJECTS.items() if subject.chart is not None)
"""Questions whose answers have a picture; so has a difference of two of them."""


def chart(question: Any, answer: Any, head: Head | None = None) -> Chart:
    """Return what an answer shows; of a difference, what is left in signed colours.

    Parameters
    ----------
    question, answer
        One that has a chart, and its answer.
    head
        For attention, the one head that is meant; without, all heads of the layer.
    """
    if not isinstance(question, Difference):
        return _chart_of(question)(question, answer, View(head))
    of = question.request
    made = _chart_of(of)(of, answer.difference, View(head, answer))
    said = _of_labels(answer)
    return replace(made, parts=[*made.parts, 2.0, Sentence([said])]) if said else made


def _chart_of(request: Any) -> Callable[[Any, Any, View], Chart]:
    made = SUBJECTS[type(request)].chart
    assert made is not None, "checked before"
    return made


def _of_labels(result: Subtraction) -> str:
    """Say how labels name two prompts, where that is to be seen."""
    if not result.prompts:
        return ""
    places, said = result.axis.places, []
    if any(None not in (place.now, place.before) for place in places) and len(places) > 1:
        said.append("“a | b” is a on the left and b on the right")
    if any(place.now is None for place in places):
        said.append(f"{MINUS} only on the left")
    if any(place.before is None for place in places):
        said.append("+ only on the right")
    return "; ".join(said)


def rows(
    question: Any,
    answer: Any,
    head: Head | None = None,
    vocabulary: m.VocabularyTokens | None = None,
    precision: str = "",
) -> Iterator[Row]:
    """Return the rows of an answer, the names of the columns first.

    A difference has the base's number, the question's, and what is left; a number that only one
    side has stands in its column, and the others are empty.

    Parameters
    ----------
    question, answer, head
        As in `chart`.
    vocabulary, precision
        What tells texts and ids of tokens, and how the model was run (see `tables.filled`).

    Raises
    ------
    Refused
        If the answer has no rows.
    """
    return tables.filled(_rows(question, answer, head), vocabulary, precision)


def _rows(question: Any, answer: Any, head: Head | None) -> Iterator[Row]:
    if isinstance(question, Difference):
        change = SUBJECTS[type(question.request)].change
        assert change is not None, "a difference is of what has one"
        return change(question.request, answer, head)
    if isinstance(question, m.Attention):
        return attention.attention_rows(question, answer, head)
    if type(question) not in SUBJECTS:
        raise m.Refused(f"{type(question).__name__} has no rows to write")
    return SUBJECTS[type(question)].rows(question, answer)
