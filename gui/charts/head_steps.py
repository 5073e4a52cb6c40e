"""A head's arithmetic set out step by step, and the list of what was checked of it."""

import math
from collections.abc import Iterator

import numpy as np

from engine import messages as m
from gui.charts.chart import (
    Axis,
    Chart,
    Check,
    Checks,
    Formula,
    Heading,
    Matrix,
    NumberGrid,
    Part,
    Sentence,
    Token,
    View,
)
from gui.charts.tables import Row, TokenCell, Tokens, Unlisted
from gui.style.colour_scale import SHARES
from gui.style.formatting import MINUS, decimals_for, fixed

_MOST_ROWS, _MOST_COLUMNS = 12, 8
"""Size of the largest matrix whose numbers are printed."""
_OF_TOKENS = ("query", "source", "position", "token")
_OUTCOMES = {False: "failed", True: "passed", None: "undefined here"}
"""What is said of a check; in this order."""


def steps(request: m.Workings, result: m.HeadWorkings, view: View) -> Chart:
    """Show every step of a head: its formula and meaning, its numbers where they are few.

    The pattern is drawn whatever its size; other large matrices are named with their size.
    """
    at = Token(result.labels[result.query])
    parts: list[Part | float] = [
        Sentence(["followed through at", at, f"(position {result.query})"])
    ]
    met: m.Part | None = None
    for step in result.steps:
        if step.part != met:
            met = step.part
            parts += [6.0, Heading(m.PARTS[met])]
        parts += [3.0, *_step(result, step)]
    if any(_large(step) for step in result.steps):
        words = "matrices too large to print are in -o FILE.csv, number by number"
        parts += [6.0, Sentence([words])]
    return Chart(f"{request.head.name} step by step", request.run.model, parts)


def _large(step: m.Step) -> bool:
    return step.shape[0] > _MOST_ROWS or step.shape[1] > _MOST_COLUMNS


def _step(found: m.HeadWorkings, step: m.Step) -> Iterator[Part | float]:
    rows, columns = step.shape
    yield Formula(step.formula, f"{rows} × {columns}")
    yield Sentence([step.sentence])
    paper = f"; the papers: {step.paper}" if step.paper != step.formula else ""
    yield Sentence([f"{step.axes[0]} down, {step.axes[1]} across{paper}"])
    if not _large(step):
        tokens = [axis not in ("d_model", "d_head", "bias") for axis in step.axes]
        texts = [[_number(value, step) for value in row] for row in step.values.tolist()]
        down = Axis("", step.row_labels, tokens[0])
        yield 1.0
        yield NumberGrid(down, Axis("", step.column_labels, tokens[1]), texts, step.marked_row)
    elif step.symbol == "A":
        down, across = Axis("query", step.row_labels), Axis("source", step.column_labels)
        yield 2.0
        yield Matrix(step.values[None], found.seen, down, across, SHARES, "attention")


def _number(value: float, step: m.Step) -> str:
    if not math.isfinite(value):
        return "–"
    finite = step.values[np.isfinite(step.values)]
    whole = bool((finite == np.round(finite)).all())
    return fixed(value, 0 if whole else decimals_for(finite))


def step_rows(request: m.Workings, result: m.HeadWorkings) -> Iterator[Row]:
    """Yield every number of every step."""
    yield "step", "row", Tokens("row_", "label"), "column", Tokens("column_", "label"), "value"
    for step in result.steps:
        down, across = (
            [(TokenCell if axis in _OF_TOKENS else Unlisted)(label) for label in labels]
            for axis, labels in zip(step.axes, (step.row_labels, step.column_labels), strict=True)
        )
        for row, values in enumerate(step.values.tolist()):
            for column, value in enumerate(values):
                yield step.symbol, row, down[row], column, across[column], value


def checks(request: m.Receipts, result: m.HeadReceipts, view: View) -> Chart:
    """List every check with its outcome: failed ones first, undefined ones last."""
    found = [
        Check(check.passed, word, check.name, _detail(check))
        for outcome, word in _OUTCOMES.items()
        for check in result.receipts
        if check.passed == outcome
    ]
    counts = {
        word: len([1 for check in found if check.outcome == word]) for word in _OUTCOMES.values()
    }
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    title = f"{request.head.name} receipts"
    return Chart(title, request.run.model, [Sentence([said]), 2.0, Checks(found)])


def _detail(check: m.Receipt) -> str:
    if check.residual is None or check.tolerance is None:
        return check.reason
    return f"{check.residual:.1e}, at most {check.tolerance:.1e}".replace("-", MINUS)


def check_rows(request: m.Receipts, result: m.HeadReceipts) -> Iterator[Row]:
    """Yield every check with what it measured, or why it is undefined."""
    yield "check", "quantity", "value", "tolerance", "passed", "reason"
    for check in result.receipts:
        if check.passed is None:
            yield check.name, "residual", math.nan, math.nan, "", check.reason
            continue
        yield check.name, "residual", check.residual, check.tolerance, check.passed, ""
        for name, value in check.measured:
            yield check.name, name, value, math.nan, "", ""
