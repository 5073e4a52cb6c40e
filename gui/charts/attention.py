"""Attention: patterns of a layer, of all heads, of two heads in a row, one row of every head."""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from engine import messages as m
from engine.messages import Head
from gui.charts.chart import (
    Axis,
    Chart,
    Matrix,
    Part,
    Sentence,
    Thumbnails,
    Token,
    View,
)
from gui.charts.focus import count
from gui.charts.rankings import both_ends
from gui.charts.tables import Row, TokenCell, Tokens, Unlisted, listed, token_cells
from gui.state.difference import UNSEEN, Subtraction
from gui.style.colour_scale import SHARES, ColourScale, amounts, signed
from gui.style.formatting import percent, plain

NO_TOKENS = "there is no token to draw: type a prompt, or put BOS first"


def attention(request: m.Attention, result: m.Patterns, view: View) -> Chart:
    """Show the patterns, scores or value-weighted patterns of a layer, or of one head of it."""
    head = view.head
    numbers = list(range(result.values.shape[0])) if head is None else [head.number]
    values = result.values[numbers]
    names = [Head(request.layer, number).name for number in numbers]
    several = len(names) > 1
    bar = {"pattern": "attention", "value-weighted": "attention × value norm"}.get(request.kind)
    if bar is None:
        after = f", after the cap of {plain(result.cap)}" if result.cap else ""
        bar = f"score, q · k / {plain(result.divisor)}{after}"
    matrix = Matrix(
        values,
        result.mask,
        view.tokens("" if several else "query (destination)", result.labels),
        view.tokens("" if several else "key (source)", result.labels),
        _scale(request, values[:, result.mask], view),
        view.bar(bar),
        titles=[[name] for name in names] if head is None else (),
        longest=view.longest,
    )
    parts: list[Part | float] = [matrix]
    if several:
        parts += [4.0, Sentence(["query (destination) down, key (source) across"])]
    title = f"{names[0] if head is not None else f'Layer {request.layer}'} attention"
    return Chart(view.titled(title), request.run.model, parts)


def _scale(request: m.Attention, values: np.ndarray, view: View) -> ColourScale:
    if view.of is not None:
        return signed(values, UNSEEN)
    if request.kind == "scores":
        return signed(values)
    return SHARES if request.kind == "pattern" else amounts(values)


def attention_rows(
    request: m.Attention, result: m.Patterns, head: Head | None = None
) -> Iterator[Row]:
    """Yield every cell that a query may look at, of all heads or one."""
    yield "head", "query", Tokens("query_"), "key", Tokens("key_"), request.kind
    numbers = range(len(result.values)) if head is None else (head.number,)
    queries, keys = result.mask.nonzero()
    tokens = token_cells(result.labels)
    names = [[tokens[at] for at in side.tolist()] for side in (queries, keys)]
    for number in numbers:
        heads = [Head(request.layer, number)] * len(queries)
        values = result.values[number][queries, keys]
        yield from listed(heads, queries, names[0], keys, names[1], values)


def attention_change(request: m.Attention, result: Subtraction, head: Head | None) -> Iterator[Row]:
    """Yield every cell that either run has a number for: both numbers and what is left."""
    yield "head", *_places(result, "query"), *_places(result, "key"), *sides(result)
    axis, base = result.axis, result.base
    now, before = axis.sides(result.answer.values, base.values, 1, 2)
    seen = axis.now(result.answer.mask, 0, 1) | axis.before(base.mask, 0, 1)
    queries, keys = seen.nonzero()
    places = _tokens(result, result.answer.labels, base.labels)
    at = [
        (*places[query], *places[key])
        for query, key in zip(queries.tolist(), keys.tolist(), strict=True)
    ]
    for number in range(len(now)) if head is None else (head.number,):
        found = (values[number][queries, keys] for values in (before, now, _change(result)))
        for place, row in zip(at, listed(*found), strict=True):
            yield Head(request.layer, number), *place, *row


def _change(result: Subtraction) -> np.ndarray:
    change: np.ndarray = result.difference.values
    return change


def sides(result: Subtraction) -> Row:
    """Return the names of the columns of numbers of a difference: the base's first."""
    now, before = (name.replace(" ", "_") for name in result.names)
    return before, now, "difference"


def _places(result: Subtraction, what: str) -> Row:
    """Return the names of the columns of a place: of two prompts, in either."""
    if not result.prompts:
        return what, Tokens(f"{what}_")
    names = (f"{side}_{what}" for side in ("left", "right"))
    return tuple(chain(*((name, Tokens(f"{name}_")) for name in names)))


def _tokens(result: Subtraction, now: Sequence[str], before: Sequence[str]) -> list[Row]:
    """Return the cells of each place, by the labels of both prompts."""
    found = [_side(now, result.positions.tolist())]
    if result.prompts:
        found.insert(0, _side(before, result.base_positions.tolist()))
    return [tuple(chain(*place)) for place in zip(*found, strict=True)]


def _side(labels: Sequence[str], positions: Sequence[int]) -> list[Row]:
    return [(at, TokenCell(labels[at])) if at >= 0 else ("", Unlisted()) for at in positions]


def thumbnails(request: m.Thumbnails, result: m.ThumbnailPatterns, view: View) -> Chart:
    """Show the pattern of every head, layer down and head across."""
    n_layers, n_heads, side, _ = result.values.shape
    if side == 0:
        raise m.Refused(NO_TOKENS)
    words = f"{count(len(result.labels), 'token')}; query down, key across"
    if result.block > 1:
        words += f"; a cell is the largest of {result.block} × {result.block}"
    heads = Thumbnails(result.values, result.mask, SHARES, "attention")
    title = f"{n_layers} × {n_heads} heads, attention"
    return Chart(title, request.run.model, [heads, 4.0, Sentence([words])])


def thumbnail_rows(request: m.Thumbnails, result: m.ThumbnailPatterns) -> Iterator[Row]:
    """Yield every cell that a query may look at."""
    yield "head", "row", "column", "pattern"
    for layer, heads in enumerate(result.values):
        rows, columns = result.mask[layer].nonzero()
        for number, pattern in enumerate(heads):
            named = [Head(layer, number)] * len(rows)
            yield from listed(named, rows, columns, pattern[rows, columns])


def destination_row(request: m.DestinationRow, result: m.HeadRows, view: View) -> Chart:
    """Show one row of every head, or how it changed: head down, source token across."""
    of = view.of
    position = result.position if of is None else of.position
    at = Token(result.source_labels[-1])
    scores = zip(
        result.heads, result.induction.tolist(), result.previous_token.tolist(), strict=True
    )
    # A share in as little room as two decimals take.
    names = [
        " ".join([head.name, *(f"{share:.2f}".removeprefix("0") for share in shares)])
        for head, *shares in scores
    ]
    matrix = Matrix(
        result.values[None],
        np.isfinite(result.values),
        Axis("head, induction, previous token", names, token=False),
        view.tokens("source", result.source_labels),
        SHARES if of is None else signed(result.values, UNSEEN),
        view.bar("attention"),
        every_row=True,
        longest=view.longest,
    )
    title = "Every head from one position" if of is None else view.titled("Every head")
    words = Sentence(["attention from", at, f"(position {position})"])
    return Chart(title, request.run.model, [words, 2.0, matrix])


def destination_rows(request: m.DestinationRow, result: m.HeadRows) -> Iterator[Row]:
    """Yield where every head looks from one position."""
    yield "head", "source", Tokens("source_"), "pattern", "induction", "previous_token"
    length = len(result.source_labels)
    tokens = token_cells(result.source_labels)
    for place, head in enumerate(result.heads):
        scores = [[float(of[place])] * length for of in (result.induction, result.previous_token)]
        yield from listed([head] * length, range(length), tokens, result.values[place], *scores)


def destination_change(
    request: m.DestinationRow, result: Subtraction, head: Head | None
) -> Iterator[Row]:
    """Yield where every head looks in both runs, and what is left."""
    yield "head", *_places(result, "source"), *sides(result)
    places = _tokens(result, result.answer.source_labels, result.base.source_labels)
    now, before = result.axis.sides(result.answer.values, result.base.values, 1)
    for number, name in enumerate(result.answer.heads):
        found = (values[number] for values in (before, now, _change(result)))
        for place, row in zip(places, listed(*found), strict=True):
            yield name, *place, *row


def virtual_head(request: m.VirtualHead, result: m.VirtualHeadParts, view: View) -> Chart:
    """Show the pattern of two heads in a row and what their product raises for a token."""
    exact = result.exact is not None
    values = np.stack([result.product] if result.exact is None else [result.product, result.exact])
    matrix = Matrix(
        values,
        np.tri(len(result.source_labels), dtype=bool),
        Axis("query", result.source_labels),
        Axis("source", result.source_labels),
        amounts(values) if exact else SHARES,
        "attention",
        titles=[["product"], ["exact, with the norm"]] if exact else (),
    )
    words = (
        f"eigenvalue copying {plain(result.eigenvalue_copying)}; {percent(result.share)} of "
        "what the later head gives comes from the earlier"
    )
    parts: list[Part | float] = [
        matrix, 3.0,
        Sentence(["reading", Token(result.token_label), "the pair raises and lowers"]),
        both_ends(result, result.token_id, "raised", "lowered"), 2.0,
        Sentence([words]),
    ]  # fmt: skip
    title = f"{request.earlier.name} then {request.later.name}"
    return Chart(title, request.run.model, parts)


def virtual_head_rows(request: m.VirtualHead, result: m.VirtualHeadParts) -> Iterator[Row]:
    """Yield every cell that a query may look at."""
    yield "query", Tokens("query_"), "source", Tokens("source_"), "product", "exact"
    tokens = token_cells(result.source_labels)
    exact = np.full(result.product.shape, np.nan) if result.exact is None else result.exact
    for query, row in enumerate(result.product):
        end = query + 1
        places = [query] * end, [tokens[query]] * end, range(end), tokens[:end]
        yield from listed(*places, row[:end], exact[query, :end])
