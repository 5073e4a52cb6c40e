"""Rows of the answers about paths through the model: outputs, parts, pairs, layers."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.messages import (
    Attention,
    ComplexValues,
    Composition,
    CompositionScores,
    DestinationRow,
    Eigenvalues,
    Head,
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
from gui.charts.tables import Row, Token, Tokens, Unlisted
from gui.state.difference import Difference, Subtraction


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


def _attention(request: Attention, result: Subtraction, head: Head | None) -> Iterator[Row]:
    yield "head", *_places(result, "query"), *_places(result, "key"), *_sides(result)
    axis = result.axis
    count = len(result.answer.values)
    sides = axis.sides(result.answer.values, result.base.values, 1, 2)
    seen = axis.now(result.answer.mask, 0, 1) | axis.before(result.base.mask, 0, 1)
    cells = list(zip(*(at.tolist() for at in seen.nonzero()), strict=True))
    places = _tokens(result, result.answer.labels, result.base.labels)
    for number in range(count) if head is None else (head.number,):
        now, before, change = (
            values[number].tolist() for values in (*sides, result.difference.values)
        )
        for query, key in cells:
            yield (
                Head(request.layer, number), *places[query], *places[key], before[query][key],
                now[query][key], change[query][key],
            )  # fmt: skip


def _changed_destination_row(
    request: DestinationRow, result: Subtraction, _: None
) -> Iterator[Row]:
    yield "head", *_places(result, "source"), *_sides(result)
    places = _tokens(result, result.answer.source_labels, result.base.source_labels)
    sides = result.axis.sides(result.answer.values, result.base.values, 1)
    for number, head in enumerate(result.answer.heads):
        now, before, change = (
            values[number].tolist() for values in (*sides, result.difference.values)
        )
        for place, numbers in zip(places, zip(before, now, change, strict=True), strict=True):
            yield head, *place, *numbers


def _changed_attribution(request: LogitAttribution, result: Subtraction, _: None) -> Iterator[Row]:
    yield "part", "head", *_sides(result)
    found = result.base, result.answer, result.difference
    for place, (label, head) in enumerate(
        zip(result.answer.labels, result.answer.heads, strict=True)
    ):
        yield label, "" if head is None else head, *(float(side.values[place]) for side in found)
    for total in ("total", "logit"):
        yield total, "", *(float(getattr(side, total)) for side in found)


_ROWS: dict[type, Callable[[Any, Subtraction, Any], Iterator[Row]]] = {
    Attention: _attention,
    DestinationRow: _changed_destination_row,
    LogitAttribution: _changed_attribution,
}


def rows(request: Difference, result: Subtraction, head: Head | None) -> Iterator[Row]:
    """Return the rows of a difference: the base's number, the question's, and what is left.

    A number that only one side has stands in its column, and the others are empty.
    """
    return _ROWS[type(request.request)](request.request, result, head)


def _sides(result: Subtraction) -> Row:
    """Return the names of the columns of numbers."""
    now, before = (name.replace(" ", "_") for name in result.names)
    return before, now, "difference"


def _places(result: Subtraction, what: str) -> Row:
    """Return the names of the columns of a place: of two prompts, in either."""
    if not result.prompts:
        return what, Tokens(f"{what}_")
    return tuple(
        name for side in ("left", "right") for name in (f"{side}_{what}", Tokens(f"{side}_{what}_"))
    )


def _tokens(result: Subtraction, now: Sequence[str], before: Sequence[str]) -> list[Row]:
    """Return the cells of each place, by the labels of both prompts."""
    sides = [_side(now, result.positions.tolist())]
    if result.prompts:
        sides.insert(0, _side(before, result.base_positions.tolist()))
    return [tuple(cell for side in place for cell in side) for place in zip(*sides, strict=True)]


def _side(labels: Sequence[str], positions: Sequence[int]) -> list[Row]:
    return [(at, Token(labels[at])) if at >= 0 else ("", Unlisted()) for at in positions]
