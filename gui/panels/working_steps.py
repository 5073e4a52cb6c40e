"""From the steps of a head's workings to what a sheet shows: words, matrices, marks, read-outs."""

import re
from typing import Literal

import numpy as np

from engine.messages import PARTS, HeadWorkings, Step
from gui.numbers import plain
from gui.panels.sentence import Token
from gui.widgets.colouring import Colouring
from gui.widgets.labelled_grid import LabelledGrid
from gui.widgets.sheet_layout import Entry
from gui.widgets.text_block import Paragraph

Convention = Literal["rows", "papers"]
"""TransformerLens's shapes, one row a position; or the papers', whose weights are transposed."""

SHARES = ("T", "A")
"""Steps whose numbers lie between 0 and 1."""
MOST_FACTORS = 8
"""A sum of more products than this is not written out."""
_TURNED = {"(down)": "(across)", "(across)": "(down)", "one row": "one column"}
_ORIENTED = re.compile(f"({'|'.join(map(re.escape, _TURNED))})")
_TOKEN_AXES = ("query", "source", "position", "token")


def entry(found: HeadWorkings, step: Step, convention: Convention, source: int) -> Entry:
    """Return a step as a matrix of the sheet.

    Parameters
    ----------
    found
        All steps.
    step
        The step.
    convention
        How it is written, and whether what the papers transpose is shown so.
    source
        Position that is selected as the one that is read.
    """
    query = found.query
    values, mask = step.values, None
    if step.symbol == "A":
        mask = found.seen
    if step.symbol in SHARES:
        colouring = Colouring("sequential", 0.0, 1.0)
    else:
        finite = values[np.isfinite(values)]
        largest = float(np.abs(finite).max()) if finite.size else 0.0
        colouring = Colouring("diverging", -(largest or 1.0), largest or 1.0)
    labels, axes = (step.row_labels, step.column_labels), step.axes
    marked = (_marked(axes[0], query, source), _marked(axes[1], query, source))
    if turned(step, convention):
        values, labels, axes, marked = values.T, labels[::-1], axes[::-1], marked[::-1]
    grid = LabelledGrid(values, mask, labels, axes, "", colouring)
    return Entry(PARTS[step.part], _words(found, step, convention), grid, marked)


def turned(step: Step, convention: Convention) -> bool:
    """Return whether the transpose of a step's values is shown."""
    return convention == "papers" and step.transposed


def formula(step: Step, convention: Convention) -> str:
    """Return how a step is made, beginning with its symbol."""
    made = step.formula
    if turned(step, convention) and step.operands:
        # The transpose of a product is the product of the transposes the other way round.
        made = f"{step.symbol} = {' '.join(reversed(made.partition(' = ')[2].split()))}"
    elif convention == "papers" and made != step.symbol:
        made = step.paper
    if made == step.symbol or made.startswith(f"{step.symbol} ="):
        return made
    return f"{step.symbol} = {made}"


def sentence(step: Step, convention: Convention) -> str:
    """Return what a step means, with down and across as they are shown."""
    if not turned(step, convention):
        return step.sentence
    return "".join(_TURNED.get(word, word) for word in _ORIENTED.split(step.sentence))


def einsum(step: Step, convention: Convention) -> str:
    """Return the product in a step as index strings with what it multiplies, empty for none."""
    if not step.operands:
        return ""
    indices = step.einsum if convention == "rows" else step.paper_einsum
    operands = step.operands
    factors, out = indices.split(" -> ")
    if turned(step, convention):
        factors = ", ".join(reversed(factors.split(", ")))
        operands, out = operands[::-1], out[::-1]
    return f'einsum("{factors} -> {out}", {", ".join(operands)})'


def _sizes(found: HeadWorkings, step: Step, convention: Convention) -> str:
    """Return the sizes of what is multiplied and of what comes out."""
    if not step.operands:
        return ""
    shown = [found.step(name) for name in step.operands]
    turns = turned(step, convention)
    sizes = [s.shape[::-1] if turned(s, convention) else s.shape for s in shown]
    sizes = sizes[::-1] if turns else sizes
    factors = ", ".join(f"[{rows}, {columns}]" for rows, columns in sizes)
    rows, columns = step.shape[::-1] if turns else step.shape
    return f"{factors} -> [{rows}, {columns}]"


def _words(found: HeadWorkings, step: Step, convention: Convention) -> tuple[Paragraph, ...]:
    note = ""
    if step.transposed:
        other = "TransformerLens's" if convention == "papers" else "the papers'"
        note = f"{other} {step.symbol} is the transpose"
    product = einsum(step, convention)
    if product and (" + " in step.formula or "norm(" in step.formula):
        product = f"its product: {product}"
    return (
        Paragraph(formula(step, convention), "strong"),
        Paragraph(sentence(step, convention)),
        Paragraph(product, "code"),
        Paragraph(_sizes(found, step, convention), "code"),
        Paragraph(note, "small"),
    )


def _marked(axis: str, query: int, source: int) -> int | None:
    if axis in ("query", "position"):
        return query
    return source if axis == "source" else None


def cell_parts(
    found: HeadWorkings, step: Step, row: int, column: int, convention: Convention
) -> list[str | Token]:
    """Read a cell out: its row, its column, its value, and how it comes about.

    Parameters
    ----------
    found
        All steps.
    step
        The step.
    row, column
        As in `step.values`, whatever is shown.
    convention
        Which of the two is named first.
    """
    ends = [
        _end(step.axes[0], step.row_labels[row], row),
        _end(step.axes[1], step.column_labels[column], column),
    ]
    if turned(step, convention):
        ends.reverse()
    parts: list[str | Token] = [f"{step.symbol}: ", *ends[0], ", ", *ends[1], ": "]
    value = float(step.values[row, column])
    if not np.isfinite(value) or (step.symbol == "A" and not found.seen[row, column]):
        where = "in the future" if column > row else "beyond the window"
        return [*parts, f"{where}, the head may not look there"]
    return [*parts, f"{_factors(found, step, row, column)}{plain(value)}"]


def _end(axis: str, label: str, number: int) -> list[str | Token]:
    if axis == "bias":
        return ["bias"]
    if axis not in _TOKEN_AXES:
        return [f"{axis} {number}"]
    return [f"{axis} ", *([] if axis == "token" else [f"{number} "]), Token(label)]


def _factors(found: HeadWorkings, step: Step, row: int, column: int) -> str:
    """Write a short sum of products out, as the first text does; empty where there is none."""
    if step.symbol == "S/√d":
        return f"{plain(float(found.step('S').values[row, column]))} ÷ {plain(found.divisor)} = "
    if not step.operands or "norm(" in step.formula or (step.symbol == "X" and "+" in step.formula):
        return ""
    factors, out = step.einsum.split(" -> ")
    at = {out[0]: row, out[1]: column}
    lines = []
    for name, letters in zip(step.operands, factors.split(", "), strict=True):
        picked = tuple(at.get(letter, slice(None)) for letter in letters)
        lines.append(found.step(name).values[picked].tolist())
    if len(lines[0]) > MOST_FACTORS:
        return ""
    terms = [f"{_factor(a)} · {_factor(b)}" for a, b in zip(*lines, strict=True)]
    if " + b_" in step.formula:
        terms.append(_factor(float(found.step(f"b_{step.symbol}").values[0, column])))
    return f"{' + '.join(terms)} = "


def _factor(value: float) -> str:
    text = plain(value, 3)
    return text if value >= 0 else f"({text})"
