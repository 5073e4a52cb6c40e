"""Whole tables of tokens, and the scores of all heads."""

import numpy as np

from engine.messages import Head, HeadGrid, HeadGridScores, Table, TokenTable
from gui.figures import heading, panels
from gui.figures.colours import SHARES, signed
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.numbers import plain

MEASURES = (
    ("induction", "induction"),
    ("previous_token", "previous token"),
    ("first_token", "first token"),
)
"""Fields of HeadGridScores and what they are called."""


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
    """Draw the three measures of every head, layer down and head across, the best outlined."""
    y = heading.draw(page, "Heads on repeated random tokens", request.model)
    values = np.stack([getattr(result, field) for field, _ in MEASURES])
    _, n_layers, n_heads = values.shape
    best = [divmod(int(np.nanargmax(grid)), n_heads) for grid in values]
    stacked = n_heads >= 3 * n_layers
    titles = []
    for panel, ((_, name), place) in enumerate(zip(MEASURES, best, strict=True)):
        winner = f"{Head(*place).name} {values[panel][place]:.2f}"
        titles.append([f"{name}: {winner}"] if stacked else [name, winner])
    grids = panels.Grids(
        titles=titles,
        values=values,
        seen=np.isfinite(values).all(axis=0),
        rows=Axis("", [f"L{layer}" for layer in range(n_layers)], token=False),
        columns=Axis("", [f"H{number}" for number in range(n_heads)], token=False),
        scale=SHARES,
        bar="mean attention",
        marked=best,
    )
    bottom = panels.draw(page, y, grids, across=(1,) if stacked else (3,))
    words = (
        f"{request.sequences} sequences (seed {request.seed}): {result.length} random tokens, "
        "then the same again; the best head of each measure is outlined and named."
    )
    return heading.sentence(page, bottom + 4.0, [words])
