"""Attention: one head, every head of a layer, or every head of the model at a glance."""

from collections.abc import Sequence

import numpy as np

from engine.messages import Attention, Head, Patterns, Refused, ThumbnailPatterns, Thumbnails
from gui.difference import Subtraction
from gui.figures import cells, heading, panels
from gui.figures.colours import SHARES, Scale, amounts, signed
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.numbers import plain
from gui.subtraction import UNSEEN
from gui.theme import LIGHT

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
    y = heading.draw(page, title if of is None else f"{title}, {of.words}", request.run.model)
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
        bottom = heading.sentence(
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
    y = heading.draw(page, f"{n_layers} × {n_heads} heads, attention", request.run.model)
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
    return heading.sentence(page, bottom, [words])
