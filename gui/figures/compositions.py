"""Pairs of heads by how strongly they compose, and eigenvalues in the complex plane."""

import numpy as np

from engine.messages import (
    ComplexValues,
    Composition,
    CompositionScores,
    Eigenvalues,
)
from gui.figures import chart, heading, panels
from gui.figures.chart import Frame
from gui.figures.colours import amounts
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.figures.ticks import ticks
from gui.numbers import plain, tokens_back
from gui.pairs import READS, PairMap, strongest
from gui.theme import LIGHT

_HEIGHT = 130.0


def draw_composition(page: Page, request: Composition, result: CompositionScores) -> float:
    """Draw the score of every pair, earlier head down and later head across."""
    y = heading.draw(page, f"{request.kind.upper()}-composition", request.model)
    shown = PairMap(result)
    best = strongest(result)
    row, column = shown.cell(best)
    assert row is not None
    assert column is not None
    grids = panels.Grids(
        titles=[[]],
        values=shown.values[None],
        seen=np.isfinite(shown.values),
        rows=Axis("earlier head", [head.name for head in shown.earlier], token=False),
        columns=Axis("later head", [head.name for head in shown.later], token=False),
        scale=amounts(shown.values),
        bar="composition score",
        marked=[[(row, column)]],
    )
    bottom = panels.draw(page, y, grids)
    words = (
        f"how much of the later head's {READS[request.kind]} reads what the earlier one writes; "
        f"best: {best.earlier.name} and {best.later.name}, "
        f"{plain(float(shown.values[row, column]))}; random directions: {plain(result.baseline)}"
        f"{tokens_back(result.offset, '; query and key ')}"
    )
    return heading.sentence(page, bottom + 4.0, [words])


def draw_eigenvalues(page: Page, request: Eigenvalues, result: ComplexValues) -> float:
    """Draw eigenvalues as points of the complex plane."""
    name = f"{request.head.name} {request.circuit.upper()} eigenvalues"
    y = heading.draw(page, name, request.model) + 4.0
    real, imag = (part.astype(np.float64) for part in (result.real, result.imag))
    limit = 1.08 * float(max(np.abs(real).max(), np.abs(imag).max())) or 1.0
    marks = ticks(-limit, limit, 4)
    left = chart.margin(page, [plain(mark) for mark in marks])
    side = min(_HEIGHT, page.width - left - 6.0)
    frame = Frame(left, y, left + side, y + side)
    middle, unit = (left + side / 2, y + side / 2), side / (2 * limit)
    page.line([frame.left, frame.right], [middle[1]] * 2, colour=LIGHT.line, width=0.4)
    page.line([middle[0]] * 2, [frame.top, frame.bottom], colour=LIGHT.line, width=0.4)
    frame.draw(page, [(middle[1] - unit * mark, plain(mark)) for mark in marks], "imaginary")
    line = page.line_height(page.small)
    for mark in marks:
        x = middle[0] + unit * mark
        page.line([x, x], [frame.bottom, frame.bottom + 2.0], width=0.4)
        below = frame.bottom + 3.0 + line / 2
        page.text(x, below, plain(mark), size=page.small, anchor="center")
    below = frame.bottom + 3.0 + 1.5 * line
    page.text(middle[0], below, "real", size=page.small, anchor="center", colour=LIGHT.muted)
    colour = LIGHT.curve_ov if request.circuit == "ov" else LIGHT.curve_qk
    points = middle[0] + unit * real, middle[1] - unit * imag
    page.line(*points, colour=colour, linestyle="none", marker="o", markersize=2.4)
    share = "copying" if request.circuit == "ov" else "positivity"
    words = f"sum over sum of magnitudes ({share}): {plain(result.positivity)}"
    words += tokens_back(result.offset, "; ")
    return heading.sentence(page, below + line / 2 + 2.0, [words])
