"""Whole tables of tokens, and the scores of all heads."""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.messages import (
    MEASURES,
    Attention,
    DestinationRow,
    Head,
    HeadRows,
    HeadScores,
    LayerGuesses,
    LogitLens,
    MeasuredHeads,
    Patterns,
    Refused,
    Table,
    ThumbnailPatterns,
    Thumbnails,
    TokenTable,
)
from gui.charts.measures import LEAST_SCORE, MOST_TIED, TIE, best
from gui.figures import cells, circuits, lettering, panels
from gui.figures.circuits import Ranked
from gui.figures.lettering import Axis, Token
from gui.figures.page import Page
from gui.state.difference import UNSEEN, Subtraction
from gui.style.colour_scale import SHARES, Scale, amounts, signed
from gui.style.formatting import plain, tokens_back
from gui.style.theme import LIGHT

_SIGNED = ("ov_eigenvalue_copying", "qk_eigenvalue_positivity")
_ACROSS = (5, 4, 2)


def draw_table(page: Page, request: Table, result: TokenTable) -> float:
    """Draw the OV or QK table of a small vocabulary."""
    ov = request.circuit == "ov"
    y = lettering.draw(page, f"{request.head.name} {request.circuit.upper()} table", request.model)
    score = "score" if result.divisor is None else f"score, divided by {plain(result.divisor)}"
    score += tokens_back(result.offset, ", ")
    grids = panels.Grids(
        titles=[[]],
        values=result.values[None],
        seen=np.isfinite(result.values),
        rows=Axis("source token" if ov else "query token", result.labels),
        columns=Axis("output token" if ov else "key token", result.labels),
        scale=signed(result.values),
        bar="logit" if ov else score,
    )
    bottom = panels.draw(page, y, grids)
    if not result.constant:
        return bottom
    tokens = [Token(result.labels[row]) for row in result.constant[:MOST_TIED]]
    more = " …" if len(result.constant) > MOST_TIED else ""
    return lettering.sentence(
        page, bottom + 4.0, ["all values alike in the rows of", *tokens, more]
    )


def draw_head_scores(page: Page, request: HeadScores, result: MeasuredHeads) -> float:
    """Draw the shares among the measures, layer down and head across, the best outlined and named.

    Measures in other units would need colours of their own; rows of CSV hold them all.
    """
    y = lettering.draw(page, "Scores of all heads", request.model)
    names = [
        name
        for name, values in result.scores.items()
        if MEASURES[name].unit == "1" and name not in _SIGNED and np.isfinite(values).all()
    ]
    if not names:
        raise Refused("no measure is defined on this prompt: it needs more than one token")
    values = np.stack([result.grid(name) for name in names])
    count, n_layers, n_heads = values.shape
    winners = [best(grid) for grid in values]
    stacked = n_heads >= 3 * n_layers
    labels = page.measure(f"L{n_layers - 1}", page.small) + 4.0
    room = page.width - labels - cells.bar_width(page, SHARES, 120.0) - 12.0 if stacked else 0.0
    titles = [
        _title(page, _called(name), heads, grid, room)
        for name, heads, grid in zip(names, winners, values, strict=True)
    ]
    lines = max(map(len, titles))
    grids = panels.Grids(
        # The names of panels side by side stand on one line.
        titles=titles if stacked else [[*title, *[""] * (lines - len(title))] for title in titles],
        values=values,
        seen=np.ones((n_layers, n_heads), dtype=bool),
        rows=Axis("", [f"L{layer}" for layer in range(n_layers)], token=False),
        columns=Axis("", [f"H{number}" for number in range(n_heads)], token=False),
        scale=SHARES,
        bar="share",
        marked=winners,
    )
    across = (1,) if stacked else (*(n for n in _ACROSS if count % n == 0), 1)
    bottom = panels.draw(page, y, grids, across=across)
    return lettering.sentence(page, bottom + 4.0, [" ".join(_footnotes(request, result))])


def _called(name: str) -> str:
    words = name.removeprefix("prompt_").replace("_", " ")
    return f"{words}*" if name.startswith("prompt_") else words


def _footnotes(request: HeadScores, result: MeasuredHeads) -> Iterator[str]:
    if result.length is not None:
        first = "" if result.begins is None else "no BOS, "
        first = f"{result.begins}, " if result.begins else first
        yield (
            f"{request.sequences} sequences (seed {request.seed}): {first}{result.length} random "
            "tokens, then the same again;"
        )
    if request.run is not None:
        begins = f", which begins with {result.prompt_begins}" if result.prompt_begins else ""
        yield f"* on the prompt{begins};"
    yield (
        "outlined and named are the best head of each measure and those "
        f"within {TIE} of it ({MOST_TIED} at most), none below {LEAST_SCORE}."
    )


def _title(
    page: Page, name: str, heads: Sequence[Head], values: np.ndarray, room: float
) -> list[str]:
    """Return the lines that name a measure and its best heads, as many on one as there is room."""
    lines = [name]
    for place, text in enumerate([f"{head.name} {values[head]:.2f}" for head in heads] or ["none"]):
        joined = f"{lines[-1]}{', ' if place else ': '}{text}"
        if page.measure(joined, page.small) <= room:
            lines[-1] = joined
        else:
            lines.append(text)
    return lines


def draw_destination_row(
    page: Page, request: DestinationRow, result: HeadRows, of: Subtraction | None = None
) -> float:
    """Draw one row of every head, or how it changed: head down, source token across."""
    title = "Every head from one position" if of is None else f"Every head, {of.words}"
    y = lettering.draw(page, title, request.run.model)
    position = result.position if of is None else of.position
    at = Token(result.source_labels[-1])
    y = lettering.sentence(page, y, ["attention from", at, f"(position {position})"]) + 2.0
    scores = zip(
        result.heads, result.induction.tolist(), result.previous_token.tolist(), strict=True
    )
    names = [f"{head.name} {_short(one)} {_short(two)}" for head, one, two in scores]
    grids = panels.Grids(
        titles=[[]],
        values=result.values[None],
        seen=np.isfinite(result.values),
        rows=Axis("head, induction, previous token", names, token=False),
        columns=tokens("source", result.source_labels, of),
        scale=SHARES if of is None else signed(result.values, UNSEEN),
        bar=named("attention", of),
        every_row=True,
        longest=longest(of),
    )
    return panels.draw(page, y, grids)


def _short(score: float) -> str:
    """Return a share in as little room as two decimals take."""
    return f"{score:.2f}".removeprefix("0")


def draw_logit_lens(page: Page, request: LogitLens, result: LayerGuesses) -> float:
    """Draw the next-token guesses at the last position after each layer."""
    y = lettering.draw(page, "Guesses after each layer", request.run.model)
    y = lettering.sentence(page, y, ["after", Token(result.source_labels[-1])]) + 2.0
    for stage, name in enumerate(result.stages):
        shares = np.exp(result.log_probs[stage, -1].astype(np.float64))
        y = (
            circuits.draw(page, y, [Ranked(name, result.labels[stage][-1], shares)], shares=True)
            + 5.0
        )
    return y - 5.0


_GAP = 2.0
_BAR = "attention"


def draw_attention(
    page: Page,
    request: Attention,
    result: Patterns,
    head: Head | None = None,
    of: Subtraction | None = None,
) -> float:
    """Draw the patterns, scores or value-weighted patterns of a layer, or of one head of it.

    Of a difference it is drawn what is left, `result`, and `of` says of what.
    """
    numbers = list(range(result.values.shape[0])) if head is None else [head.number]
    values = result.values[numbers]
    names = [Head(request.layer, number).name for number in numbers]
    several = len(names) > 1
    title = f"{names[0] if head is not None else f'Layer {request.layer}'} attention"
    y = lettering.draw(page, title if of is None else f"{title}, {of.words}", request.run.model)
    grids = panels.Grids(
        titles=[[name] for name in names] if head is None else [[]],
        values=values,
        seen=result.mask,
        rows=tokens("" if several else "query (destination)", result.labels, of),
        columns=tokens("" if several else "key (source)", result.labels, of),
        scale=_scale(request, values[:, result.mask], of),
        bar=named(_bar_title(request, result), of),
        longest=longest(of),
    )
    bottom = panels.draw(page, y, grids)
    if several:
        bottom = lettering.sentence(
            page, bottom + 4.0, ["query (destination) down, key (source) across"]
        )
    return bottom


def tokens(title: str, labels: Sequence[str], of: Subtraction | None) -> Axis:
    """Return an axis of tokens, of a difference with their positions in both prompts."""
    return Axis(title, labels, numbers=() if of is None else of.numbers)


def longest(of: Subtraction | None) -> float:
    """Return how long labels may be, in usual ones: of two prompts they may name two tokens."""
    return 1.4 if of is not None and of.prompts else 1.0


def named(bar: str, of: Subtraction | None) -> str:
    """Return the title of a colour bar, with what is taken off what where something is."""
    return bar if of is None else f"{of.words}: {bar}"


def _scale(request: Attention, values: np.ndarray, of: Subtraction | None) -> Scale:
    if of is not None:
        return signed(values, UNSEEN)
    if request.kind == "scores":
        return signed(values)
    return SHARES if request.kind == "pattern" else amounts(values)


def _bar_title(request: Attention, result: Patterns) -> str:
    if request.kind == "scores":
        after = f", after the cap of {plain(result.cap)}" if result.cap else ""
        return f"score, q · k / {plain(result.divisor)}{after}"
    return _BAR if request.kind == "pattern" else "attention × value norm"


def draw_thumbnails(page: Page, request: Thumbnails, result: ThumbnailPatterns) -> float:
    """Draw the pattern of every head, layer down and head across."""
    n_layers, n_heads, side, _ = result.values.shape
    if side == 0:
        raise Refused("there is no token to draw: type a prompt, or put BOS first")
    y = lettering.draw(page, f"{n_layers} × {n_heads} heads, attention", request.run.model)
    scale = page.scale(_BAR, SHARES)
    bar = cells.bar_width(page, scale, 120.0) if page.has_bar(_BAR, scale) else 0.0
    names = max(page.measure(f"L{layer}", page.small) for layer in range(n_layers)) + 4.0
    room = (page.width - names - bar - 8.0 - (n_heads - 1) * _GAP) / n_heads
    cell = cells.whole_pixels(page, room, side, 40.0 / side)
    if cell is None:
        raise Refused(f"{n_heads} heads a layer do not fit a figure of this width: make it wider")
    rectangles = cells.as_rectangles(side, side, n_layers * n_heads)
    pitch = page.snap(side * cell + _GAP)
    first, top = page.snap(names), page.snap(y + page.line_height(page.small))
    every = 1
    while page.measure(f"H{n_heads - 1}", page.small) + 1.0 > every * pitch:
        every += 1
    for number in range(0, n_heads, every):
        x = first + number * pitch + side * cell / 2
        page.text(x, top - 5.0, f"H{number}", size=page.small, anchor="center", colour=LIGHT.muted)
    every = int(np.ceil(page.small / pitch))
    for layer in range(n_layers):
        corner = top + layer * pitch
        if layer % every == 0:
            middle = corner + side * cell / 2
            page.text(
                first - 3.0,
                middle,
                f"L{layer}",
                size=page.small,
                anchor="right",
                colour=LIGHT.muted,
            )
        for number in range(n_heads):
            cells.draw(
                page,
                first + number * pitch,
                corner,
                cell,
                result.values[layer, number],
                result.mask[layer],
                scale,
                rectangles=rectangles,
            )
    bottom = top + n_layers * pitch
    if page.has_bar(_BAR, scale):
        height = min(max(bottom - top - _GAP, 40.0), 120.0)
        cells.draw_bar(page, first + n_heads * pitch + 4.0, top, height, scale, _BAR)
        bottom = max(bottom, top + height)
    bottom += 4.0
    count = len(result.labels)
    words = f"{count:,} token{'s' * (count > 1)}; query down, key across"
    if result.block > 1:
        words += f"; a cell is the largest of {result.block} × {result.block}"
    return lettering.sentence(page, bottom, [words])
