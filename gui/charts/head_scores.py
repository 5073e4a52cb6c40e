"""The scores of all heads, the best of each measure outlined and named."""

from collections.abc import Iterator

import numpy as np

from engine import messages as m
from gui.charts.chart import Axis, Chart, Matrix, Sentence, View
from gui.charts.measures import LEAST_SCORE, MOST_TIED, PROMPT, SIGNED, TIE, best
from gui.charts.tables import Row, listed
from gui.style.colour_scale import SHARES

_ACROSS = (5, 4, 2)


def head_scores(request: m.HeadScores, result: m.MeasuredHeads, view: View) -> Chart:
    """Show the shares among the measures, layer down and head across.

    Measures in other units would need colours of their own; rows of CSV hold them all.
    """
    names = [
        name
        for name, values in result.scores.items()
        if m.MEASURES[name].unit == "1" and name not in SIGNED and np.isfinite(values).all()
    ]
    if not names:
        raise m.Refused("no measure is defined on this prompt: it needs more than one token")
    values = np.stack([result.grid(name) for name in names])
    count, n_layers, n_heads = values.shape
    winners = [best(grid) for grid in values]
    titles = [
        [_called(name), *([f"{head.name} {grid[head]:.2f}" for head in heads] or ["none"])]
        for name, heads, grid in zip(names, winners, values, strict=True)
    ]
    stacked = n_heads >= 3 * n_layers
    matrix = Matrix(
        values,
        np.ones((n_layers, n_heads), dtype=bool),
        Axis("", [f"L{layer}" for layer in range(n_layers)], token=False),
        Axis("", [f"H{number}" for number in range(n_heads)], token=False),
        SHARES,
        "share",
        titles,
        joined=stacked,
        marked=winners,
        across=(1,) if stacked else (*(n for n in _ACROSS if count % n == 0), 1),
    )
    footnotes = Sentence([" ".join(_footnotes(request, result))])
    return Chart("Scores of all heads", request.model, [matrix, 4.0, footnotes])


def _called(name: str) -> str:
    words = name.removeprefix(PROMPT).replace("_", " ")
    return f"{words}*" if name.startswith(PROMPT) else words


def _footnotes(request: m.HeadScores, result: m.MeasuredHeads) -> Iterator[str]:
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


def head_score_rows(request: m.HeadScores, result: m.MeasuredHeads) -> Iterator[Row]:
    """Yield every measure of every head."""
    yield "head", *result.scores
    yield from listed(result.heads, *result.scores.values())
