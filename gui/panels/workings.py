"""One head on the prompt with every number of it, as the first text works it out by hand."""

from typing import cast

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from engine.messages import PARTS, HeadWorkings, Part, Request, Run, Step, Workings
from gui.engine_client import EngineClient
from gui.numbers import fixed, percent, plain
from gui.palette import Held
from gui.panels import reading
from gui.panels.panel import Panel
from gui.panels.sentence import Sentence, Token, plain_text
from gui.panels.working_steps import Convention, cell_parts, entry, turned
from gui.session import Session
from gui.theme import UNIT
from gui.widgets.matrix_sheet import MatrixSheet
from gui.widgets.segmented import Segmented
from gui.widgets.sheet_places import SheetCell

LEAST_SHEET = 120
"""Height at which a small matrix can still be read."""


class WorkingsPanel(Panel):
    """The chain from one-hot tokens to logits, step by step."""

    title = "Workings"
    main = "shown"
    draws = frozenset({"head", "query", "source"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.convention = Segmented(
            [("rows", "TransformerLens"), ("papers", "papers")],
            "Whose shapes: TransformerLens's, or the papers' with their transposes",
        )
        self.convention.setToolTip(
            "The papers' weights are the transposes of TransformerLens's: the same head either way"
        )
        self.convention.changed.connect(lambda convention: self.redraw())
        self.part = Segmented([(part, part) for part in PARTS], "Go to a part of the chain")
        self.part.setToolTip(
            "Go to what the head reads, where it looks, what it moves, or what that predicts"
        )
        self.part.changed.connect(self._go_to)
        self.add_controls([self.part, self.convention])
        self.follow = Sentence("What the selected query does with the selected source")
        self.sheet = MatrixSheet()
        self.sheet.setAccessibleName("The head's matrices, step by step")
        self.sheet.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        Held(self.sheet, self.sheet.setMinimumHeight, LEAST_SHEET)
        self.sheet.set_describe(self.describe)
        self.sheet.clicked.connect(self._pin)
        self.sheet.hovered.connect(self._say_cell)
        self.sheet.part_shown.connect(self._show_part)
        self.cell = Sentence("The cell under the mouse, or the one that was clicked", muted=False)
        self._clicked: SheetCell | None = None
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.follow)
        layout.addWidget(self.sheet, 1)
        layout.addWidget(self.cell)

    def wants(self) -> dict[str, Request]:
        """Ask for the run, and once the prompt is known to be read, for the workings."""
        now, run = self.session.selection, self.session.run
        wanted: dict[str, Request] = {"run": run}
        found = self.run_result()
        if found is not None:
            wanted["shown"] = Workings(run, now.head, reading.pinned_query(now, found))
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

    def describe(self, cell: SheetCell) -> str:
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
        return reading.source_of_row(self.session.selection, run, row)

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

    def _at(self, cell: SheetCell) -> tuple[Step, int, int] | None:
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

    def _cell(self, cell: SheetCell) -> list[str | Token]:
        found, at = self._found(), self._at(cell)
        if found is None or at is None:
            return []
        return cell_parts(found, *at, self._convention())

    def _say_cell(self, cell: SheetCell | None) -> None:
        shown = cell or self._clicked
        parts = self._cell(shown) if shown is not None else []
        self.cell.set_parts(parts or ["Point at a number, or click it to pin its row and column."])

    def _pin(self, cell: SheetCell) -> None:
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
