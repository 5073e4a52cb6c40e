"""A head's arithmetic set out step by step, and the list of what was checked of it."""

import math

import numpy as np

from engine.messages import (
    PARTS,
    HeadReceipts,
    HeadWorkings,
    Part,
    Receipt,
    Receipts,
    Step,
    Workings,
)
from gui.figures import lettering, panels
from gui.figures.lettering import Axis, Token
from gui.figures.page import Page
from gui.style.colour_scale import SHARES
from gui.style.formatting import MINUS, decimals_for, fixed
from gui.style.theme import LIGHT

_MOST_ROWS, _MOST_COLUMNS = 12, 8
"""Size of the largest matrix whose numbers are printed."""


def draw_workings(page: Page, request: Workings, result: HeadWorkings) -> float:
    """Set every step of a head: its formula and meaning, its numbers where they are few.

    The pattern is drawn whatever its size; other large matrices are named with their size.
    """
    y = lettering.draw(page, f"{request.head.name} step by step", request.run.model)
    at = Token(result.labels[result.query])
    y = lettering.sentence(page, y, ["followed through at", at, f"(position {result.query})"])
    part: Part | None = None
    for step in result.steps:
        if step.part != part:
            part = step.part
            y += 6.0
            page.text(2.0, y + page.line_height() / 2, PARTS[part], bold=True)
            y += page.line_height()
        y = _draw_step(page, y + 3.0, result, step)
    if any(_large(step) for step in result.steps):
        words = "matrices too large to print are in -o FILE.csv, number by number"
        y = lettering.sentence(page, y + 6.0, [words])
    return y


def _large(step: Step) -> bool:
    return step.shape[0] > _MOST_ROWS or step.shape[1] > _MOST_COLUMNS


def _draw_step(page: Page, y: float, found: HeadWorkings, step: Step) -> float:
    line = page.line_height(page.small)
    rows, columns = step.shape
    size = f"{rows} × {columns}"
    page.text(page.width - 2.0, y + line / 2, size, size=page.small, anchor="right")
    y = lettering.wrapped(
        page, y, step.formula, right=page.width - 6.0 - page.measure(size, page.small)
    )
    names = f"{step.axes[0]} down, {step.axes[1]} across"
    if step.paper != step.formula:
        names += f"; the papers: {step.paper}"
    y = lettering.sentence(page, y, [step.sentence])
    y = lettering.sentence(page, y, [names])
    if not _large(step):
        return _draw_numbers(page, y + 1.0, step)
    if step.symbol == "A":
        grids = panels.Grids(
            titles=[[]],
            values=step.values[None],
            seen=found.seen,
            rows=Axis("query", step.row_labels),
            columns=Axis("source", step.column_labels),
            scale=SHARES,
            bar="attention",
        )
        return panels.draw(page, y + 2.0, grids)
    return y


def _draw_numbers(page: Page, y: float, step: Step) -> float:
    """Print a small matrix with its labels, the query's row marked."""
    size, line = page.small, page.line_height(page.small)
    tokens = [axis not in ("d_model", "d_head", "bias") for axis in step.axes]
    texts = [[_number(value, step) for value in row] for row in step.values.tolist()]
    room = 0.2 * page.width
    beside = [page.elide(label, room, size, token=tokens[0]) for label in step.row_labels]
    left = 8.0 + max(page.measure(label, size, token=tokens[0]) for label in beside)
    widest = max(page.measure(text, size) for row in texts for text in row)
    widest = max(
        widest, *(page.measure(label, size, token=tokens[1]) for label in step.column_labels)
    )
    columns = len(step.column_labels)
    pitch = min(max(widest + 6.0, 22.0), (page.width - 4.0 - left) / columns)
    above = [page.elide(label, pitch - 3.0, size, token=tokens[1]) for label in step.column_labels]
    for column, label in enumerate(above):
        page.text(
            left + (column + 1) * pitch, y + line / 2, label,
            size=size, anchor="right", colour=LIGHT.muted, token=tokens[1],
        )  # fmt: skip
    y += line
    for row, label in enumerate(beside):
        middle = y + (row + 0.5) * line
        if row == step.marked_row:
            box = [4.0, middle - line / 2, left + columns * pitch + 2.0, middle + line / 2]
            page.boxes(np.array([box]), LIGHT.accent_ground)
        page.text(6.0, middle, label, size=size, colour=LIGHT.muted, token=tokens[0])
        for column, text in enumerate(texts[row]):
            page.text(left + (column + 1) * pitch, middle, text, size=size, anchor="right")
    return y + len(beside) * line


def _number(value: float, step: Step) -> str:
    if not math.isfinite(value):
        return "–"
    finite = step.values[np.isfinite(step.values)]
    whole = bool((finite == np.round(finite)).all())
    return fixed(value, 0 if whole else decimals_for(finite))


def draw_receipts(page: Page, request: Receipts, result: HeadReceipts) -> float:
    """List every check with its outcome: failed ones first, undefined ones last."""
    y = lettering.draw(page, f"{request.head.name} receipts", request.run.model)
    counts = {outcome: 0 for outcome in _OUTCOMES}
    for receipt in result.receipts:
        counts[receipt.passed] += 1
    said = [f"{count} {_OUTCOMES[outcome][0]}" for outcome, count in counts.items() if count]
    y = lettering.sentence(page, y, [", ".join(said)]) + 2.0
    order = list(_OUTCOMES)
    met = [_OUTCOMES[outcome][0] for outcome, count in counts.items() if count]
    left = 8.0 + max(page.measure(word, page.small, bold=True) for word in met)
    for receipt in sorted(result.receipts, key=lambda found: order.index(found.passed)):
        y = _draw_receipt(page, y + 2.0, receipt, left)
    return y


_OUTCOMES = {
    False: ("failed", LIGHT.bad),
    True: ("passed", LIGHT.good),
    None: ("undefined here", LIGHT.muted),
}


def _draw_receipt(page: Page, y: float, receipt: Receipt, left: float) -> float:
    word, colour = _OUTCOMES[receipt.passed]
    line = page.line_height(page.small)
    page.text(2.0, y + line / 2, word, size=page.small, colour=colour, bold=True)
    y = lettering.wrapped(page, y, receipt.name, left=left)
    if receipt.residual is None or receipt.tolerance is None:
        return lettering.sentence(page, y, [receipt.reason], x=left)
    words = f"{receipt.residual:.1e}, at most {receipt.tolerance:.1e}"
    return lettering.sentence(page, y, [words.replace("-", MINUS)], x=left)
