"""Whole tables of tokens, and the scores of all heads."""

from collections.abc import Sequence

import numpy as np

from engine.messages import Head, HeadGrid, HeadGridScores, Table, TokenTable
from gui.figures import cells, heading, panels
from gui.figures.colours import SHARES, signed
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.measures import LEAST_SCORE, MEASURES, MOST_TIED, TIE, best
from gui.numbers import plain


def draw_table(page: Page, request: Table, result: TokenTable) -> float:
    """Draw the OV or QK table of a small vocabulary."""
    ov = request.circuit == "ov"
    y = heading.draw(page, f"{request.head.name} {request.circuit.upper()} table", request.model)
    score = "score" if result.divisor is None else f"score, divided by {plain(result.divisor)}"
    grids = panels.Grids(
        titles=[[]],
        values=result.values[None],
        seen=np.isfinite(result.values),
        rows=Axis("source token" if ov else "query token", result.labels),
        columns=Axis("output token" if ov else "key token", result.labels),
        scale=signed(result.values),
        bar="logit" if ov else score,
    )
    return panels.draw(page, y, grids)


def draw_head_grid(page: Page, request: HeadGrid, result: HeadGridScores) -> float:
    """Draw the measures of every head, layer down and head across, the best outlined and named."""
    y = heading.draw(page, "Heads on repeated random tokens", request.model)
    values = np.stack([getattr(result, field) for field, _, _ in MEASURES])
    _, n_layers, n_heads = values.shape
    winners = [best(grid) for grid in values]
    stacked = n_heads >= 3 * n_layers
    labels = page.measure(f"L{n_layers - 1}", page.small) + 4.0
    room = page.width - labels - cells.bar_width(page, SHARES, 120.0) - 12.0 if stacked else 0.0
    titles = [
        _title(page, field.replace("_", " "), heads, grid, room)
        for (field, _, _), heads, grid in zip(MEASURES, winners, values, strict=True)
    ]
    lines = max(map(len, titles))
    grids = panels.Grids(
        # The names of panels side by side stand on one line.
        titles=titles if stacked else [[*title, *[""] * (lines - len(title))] for title in titles],
        values=values,
        seen=np.isfinite(values).all(axis=0),
        rows=Axis("", [f"L{layer}" for layer in range(n_layers)], token=False),
        columns=Axis("", [f"H{number}" for number in range(n_heads)], token=False),
        scale=SHARES,
        bar="mean attention",
        marked=winners,
    )
    bottom = panels.draw(page, y, grids, across=(1,) if stacked else (3,))
    words = (
        f"{request.sequences} sequences (seed {request.seed}): {result.length} random tokens, "
        "then the same again; outlined and named are the best head of each measure and those "
        f"within {TIE} of it ({MOST_TIED} at most), none below {LEAST_SCORE}."
    )
    return heading.sentence(page, bottom + 4.0, [words])


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
