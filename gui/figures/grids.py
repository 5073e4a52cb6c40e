"""Whole tables of tokens, and the scores of all heads."""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.messages import MEASURES, Head, HeadScores, MeasuredHeads, Refused, Table, TokenTable
from gui.figures import cells, heading, panels
from gui.figures.colours import SHARES, signed
from gui.figures.heading import Token
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.measures import LEAST_SCORE, MOST_TIED, TIE, best
from gui.numbers import plain, tokens_back

_SIGNED = ("ov_eigenvalue_copying", "qk_eigenvalue_positivity")
_ACROSS = (5, 4, 2)


def draw_table(page: Page, request: Table, result: TokenTable) -> float:
    """Draw the OV or QK table of a small vocabulary."""
    ov = request.circuit == "ov"
    y = heading.draw(page, f"{request.head.name} {request.circuit.upper()} table", request.model)
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
    return heading.sentence(page, bottom + 4.0, ["all values alike in the rows of", *tokens, more])


def draw_head_scores(page: Page, request: HeadScores, result: MeasuredHeads) -> float:
    """Draw the shares among the measures, layer down and head across, the best outlined and named.

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
    return heading.sentence(page, bottom + 4.0, [" ".join(_footnotes(request, result))])


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
