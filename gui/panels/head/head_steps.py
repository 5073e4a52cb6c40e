"""A head's workings, step by step: a sheet of matrices, their words, marks and read-outs."""

import re
from typing import Literal, cast

import numpy as np

from engine.messages import PARTS, HeadWorkings, Part, Request, Run, Step, Workings
from gui.charts import focus
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch, yield_room
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import fixed, percent, plain
from gui.widgets.cells import Colouring
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_list import Entry, ListCell, MatrixList
from gui.widgets.text import Paragraph, Sentence, Token, plain_text

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
    grid = Matrix(values, colouring, labels, mask, axes)
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


LEAST_SHEET = 120
"""Height at which a small matrix can still be read."""


class WorkingsPanel(Panel):
    """The chain from one-hot tokens to logits, step by step."""

    title = "Workings"
    main_slot = "shown"
    redraw_on = frozenset({"head", "query", "source"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        whose = "Whose shapes: TransformerLens's, or the papers' with their transposes"
        rows = ("rows", "TransformerLens")
        self.convention = switch(whose, lambda _: self.redraw(), rows, "papers")
        self.convention.setToolTip(
            "The papers' weights are the transposes of TransformerLens's: the same head either way"
        )
        self.part = switch("Go to a part of the chain", self._go_to, *PARTS)
        self.part.setToolTip(
            "Go to what the head reads, where it looks, what it moves, or what that predicts"
        )
        self.add_controls([self.part, self.convention])
        self.follow = Sentence("What the selected query does with the selected source")
        self.sheet = MatrixList()
        self.sheet.setAccessibleName("The head's matrices, step by step")
        yield_room(self.sheet, LEAST_SHEET)
        self.sheet.set_describe(self.describe)
        self.sheet.clicked.connect(self._pin)
        self.sheet.hovered.connect(self._say_cell)
        self.sheet.part_shown.connect(self._show_part)
        self.cell = Sentence("The cell under the mouse, or the one that was clicked", muted=False)
        self._clicked: ListCell | None = None
        stack(self.body, self.follow, (self.sheet, 1), self.cell)

    def wants(self) -> dict[str, Request]:
        """Ask for the run, and once the prompt is known to be read, for the workings."""
        wanted = self.basics("run")
        if self.focus is not None:
            head, query = self.session.selection.head, self.focus.query
            wanted["shown"] = Workings(self.session.run, head, query)
        return wanted

    def draw(self) -> None:
        """Show the steps."""
        found = self._found()
        if found is None:
            return
        self.show_head()
        self.subtitle.setText(f"{len(found.steps)} steps")
        source = self._source(found)
        convention = self._convention()
        self.sheet.set_entries([entry(found, step, convention, source) for step in found.steps])
        self.follow.set_parts(self._follow(found, source))
        self._say_cell(None)

    def describe(self, cell: ListCell) -> str:
        """Return what the tool tip of a cell says."""
        return plain_text(self._cell(cell))

    def _found(self) -> HeadWorkings | None:
        found = self.known("shown")
        return found if isinstance(found, HeadWorkings) else None

    def _convention(self) -> Convention:
        return cast(Convention, self.convention.value())

    def _source(self, found: HeadWorkings) -> int:
        """Return the source position that is followed through."""
        run = self.known("run")
        assert isinstance(run, Run)
        row = found.step("A").values[found.query, : found.query + 1]
        return focus.source_of_row(self.session.selection, run, row)

    def _follow(self, found: HeadWorkings, source: int) -> list[str | Token]:
        """Say where the query looks and what comes of it, in numbers."""
        query = found.query
        score = float(found.step("S").values[query, source])
        share = float(found.step("A").values[query, source])
        change = found.step("ΔL")
        most = int(change.values[query].argmax())
        raised = fixed(float(change.values[query, most]), 2, signed=True)
        divided = f"{plain(score, 3)} ÷ {plain(found.divisor)} = {fixed(score / found.divisor, 2)}"
        before = " before the final norm" if "final norm" in change.sentence else ""
        return [
            "from ",
            Token(found.labels[query]),
            f" (query {query}) to ",
            Token(found.labels[source]),
            f" (source {source}): score {divided}, {percent(share)} of the attention. In all the "
            "head raises ",
            Token(change.column_labels[most]),
            f" most, by {raised}{before}",
        ]

    def _at(self, cell: ListCell) -> tuple[Step, int, int] | None:
        """Return a step and its row and column behind a cell of the sheet."""
        found = self._found()
        if found is None or cell.entry >= len(found.steps):
            return None
        step = found.steps[cell.entry]
        row, column = cell.row, cell.column
        if turned(step, self._convention()):
            row, column = column, row
        # A cell that was clicked may lie beyond the matrices of a shorter prompt.
        rows, columns = step.values.shape
        return (step, row, column) if row < rows and column < columns else None

    def _cell(self, cell: ListCell) -> list[str | Token]:
        found, at = self._found(), self._at(cell)
        if found is None or at is None:
            return []
        return cell_parts(found, *at, self._convention())

    def _say_cell(self, cell: ListCell | None) -> None:
        shown = cell or self._clicked
        parts = self._cell(shown) if shown is not None else []
        self.cell.set_parts(parts or ["Point at a number, or click it to pin its row and column."])

    def _pin(self, cell: ListCell) -> None:
        self._clicked = cell
        self._say_cell(cell)
        found, at = self._found(), self._at(cell)
        if found is None or at is None:
            return
        step, row, column = at
        places = dict(zip(step.axes, (row, column), strict=True))
        query = places.get("query", places.get("position", found.query))
        source = places.get("source")
        if not {"query", "position", "source"} & places.keys():
            return
        self.session.pin(query, source if source is not None and source <= query else None)

    def _go_to(self, part: str) -> None:
        self.sheet.show_part(PARTS[cast(Part, part)])

    def _show_part(self, heading: str) -> None:
        for part, name in PARTS.items():
            if name == heading:
                self.part.set_value(part)
