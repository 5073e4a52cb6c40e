"""Whole tables of tokens, and the scores of all heads."""

from collections.abc import Iterator

import numpy as np

from engine.messages import MEASURES, Head, HeadScores, MeasuredHeads, Refused, Table, TokenTable
from gui.figures import heading, panels
from gui.figures.colours import SHARES, signed
from gui.figures.labels import Axis
from gui.figures.numbers import plain
from gui.figures.page import Page

_SIGNED = ("ov_eigenvalue_copying", "qk_eigenvalue_positivity")
_ACROSS = (5, 4, 2)


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


def draw_head_scores(page: Page, request: HeadScores, result: MeasuredHeads) -> float:
    """Draw the shares among the measures, layer down and head across, the largest outlined.

    Measures in other units would need colours of their own; rows of CSV hold them all.
    """
    y = heading.draw(page, "Scores of all heads", request.model)
    names = [
        name
        for name, values in result.scores.items()
        if MEASURES[name].unit == "1" and name not in _SIGNED and np.isfinite(values).all()
    ]
    if not names:
        raise Refused("no measure is defined on this prompt: it needs more than one token")
    values = np.stack([result.grid(name) for name in names])
    count, n_layers, n_heads = values.shape
    best = [divmod(int(grid.argmax()), n_heads) for grid in values]
    titles = [
        [_called(name), f"{Head(*place).name} {grid[place]:.2f}"]
        for name, place, grid in zip(names, best, values, strict=True)
    ]
    wide = n_heads >= 3 * n_layers
    grids = panels.Grids(
        titles=[[": ".join(title)] for title in titles] if wide else titles,
        values=values,
        seen=np.ones((n_layers, n_heads), dtype=bool),
        rows=Axis("", [f"L{layer}" for layer in range(n_layers)], token=False),
        columns=Axis("", [f"H{number}" for number in range(n_heads)], token=False),
        scale=SHARES,
        bar="share",
        marked=best,
    )
    across = [1] if wide else [*(n for n in _ACROSS if count % n == 0), 1]
    bottom = panels.draw(page, y, grids, across=across)
    return heading.sentence(page, bottom + 4.0, [" ".join(_footnotes(request, result))])


def _called(name: str) -> str:
    words = name.removeprefix("prompt_").replace("_", " ")
    return f"{words}*" if name.startswith("prompt_") else words


def _footnotes(request: HeadScores, result: MeasuredHeads) -> Iterator[str]:
    if result.length is not None:
        yield (
            f"{request.sequences} sequences (seed {request.seed}): {result.length} random tokens, "
            "then the same again;"
        )
    if request.run is not None:
        yield "* on the prompt;"
    yield "the best head of each measure is outlined and named."
