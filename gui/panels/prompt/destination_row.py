"""Where every head of the model looks from one token."""

from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from engine.messages import DestinationRow, HeadRows, Request
from gui.charts import focus
from gui.client.engine_client import EngineClient
from gui.panels.comparing import ComparingPanel, number_text
from gui.panels.frame import stack, switch
from gui.session.session import Session
from gui.state import difference
from gui.state.comparison import Axis, Sides
from gui.state.difference import UNSEEN
from gui.style.formatting import fixed, head_name, reach
from gui.widgets import painting
from gui.widgets.cells import Colouring
from gui.widgets.labels import Captioned
from gui.widgets.layouts import HeightForWidth
from gui.widgets.matrix import BarColumn, CellSizes, Matrix
from gui.widgets.matrix_view import CellMap
from gui.widgets.text import Sentence, Token, plain_text

Order = Literal["layer", "induction", "source"]
ORDERS: tuple[tuple[Order, str, str], ...] = (
    ("layer", "layer", "As the model computes them"),
    ("induction", "induction", "The largest induction score first"),
    ("source", "on source", "The largest attention on the pinned source token first"),
)
LEAST_PICTURE = 120
ABOUT = (
    "Row q of the pattern A = softmax(Q K^T / divisor) of every head, at the pinned query q:\n"
    "each row sums to 1. White is 0, dark is 1."
)
INDUCTION = (
    "induction score: mean attention from a repeated random token to the one that followed it "
    "the first time"
)
PREVIOUS = "previous-token score: mean attention to the token just before, on random tokens"
BEYOND = "beyond the window, the head may not look there"


class PosterPanel(ComparingPanel):
    """One row a head, one column a token up to the pinned one."""

    title = "Poster"
    main_slot = "rows"
    redraw_on = ComparingPanel.compares | {"head", "query", "source"}

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.header.setToolTip(painting.literal(ABOUT))
        self._drawn: HeadRows | None = None
        self._sides: Sides | None = None
        """What is drawn is the first less the second, [head, column]."""
        self._axis, self._column = Axis(()), -1
        """Its columns, and the one that the open head reads, -1 where it is not there."""
        self._shown: list[int] = []
        """Which head of what is drawn stands in each row."""
        self.order = switch("Order of the heads", lambda _: self.redraw(), *ORDERS)
        self.add_controls([self.side, Captioned("order by", self.order)])
        self.sentence = Sentence("Whose rows these are")
        self.map = CellMap()
        self.map.setAccessibleName("Every head's attention, head down and source token across")
        self.map.set_describe(self.describe)
        self.map.clicked.connect(self._choose)
        self.map.hovered.connect(self._say_cell)
        self._cap = HeightForWidth(self.map, self.map.height_at, LEAST_PICTURE)
        self.cell = Sentence("The cell under the mouse, or the pinned one")
        stack(self.body, self.sentence, (self.map, 1), self.cell).addStretch(0)

    def wants(self) -> dict[str, Request]:
        """Ask for the row of every head at the pinned token."""
        wanted, axis, base = self.runs(), self.axis(), self.session.base_run
        if axis is not None:
            now, before = self.positions(axis)
            wanted["rows"] = DestinationRow(self.session.drawn_run, now)
            if base is not None:
                wanted["before"] = DestinationRow(base, before)
        return wanted

    def draw(self) -> None:
        """Show the rows in the chosen order."""
        rows, axis, now = self.known("rows"), self.axis(), self.session.selection
        if not isinstance(rows, HeadRows) or axis is None:
            return
        shown, sides = axis.up_to(self.query(axis)), None
        column = -1
        if now.head in rows.heads:
            column = self.source(axis, rows.values[rows.heads.index(now.head)])
        if axis.subtracts:
            before = self.wanted("before")
            if not isinstance(before, HeadRows):
                return
            sides = shown.sides(rows.values, before.values, 1)
            rows = difference.rows(rows, before, shown)
        self._drawn, self._axis, self._column, self._sides = rows, shown, column, sides
        order = cast(Order, self.order.value())
        self._shown = in_order(rows, order, self._column)
        by_layer = order == "layer"
        starts = [
            row
            for row, place in enumerate(self._shown)
            if row and by_layer and rows.heads[place].number == 0
        ]
        unit = f"{self.subtraction}: attention" if axis.subtracts else "attention"
        self.map.set_matrix(
            Matrix(
                rows.values[self._shown],
                self._colouring(rows),
                ([head_name(rows.heads[place]) for place in self._shown], rows.source_labels),
                tokens=(False, True),
                bars=(
                    BarColumn("induction", rows.induction[self._shown], INDUCTION),
                    BarColumn("previous", rows.previous_token[self._shown], PREVIOUS),
                ),
                breaks=starts,
                sizes=CellSizes(row=(16.0, 24.0), column=(0.0, 56.0)),
                unit=unit,
            )
        )
        here = rows.heads.index(now.head) if now.head in rows.heads else -1
        self.map.set_pinned(self._shown.index(here) if here >= 0 else -1, self._column)
        self.subtitle.setText(
            f"{focus.count(len(rows.heads), 'head')} × "
            f"{focus.count(len(rows.source_labels), 'token')}"
        )
        self.sentence.set_parts(self._says(rows))
        self._say_cell(-1, -1)
        self._cap.update()

    def _colouring(self, rows: HeadRows) -> Colouring:
        if not self._axis.subtracts:
            return Colouring("sequential", 0.0, 1.0)
        largest = reach(rows.values, UNSEEN)
        return Colouring("diverging", -largest, largest)

    def _says(self, rows: HeadRows) -> list[str | Token]:
        """Say whose rows these are."""
        what = "how much it looks"
        if self._axis.subtracts:
            what = f"how much more (+, blue) or less (−, red) it looks ({self.subtraction})"
        return [
            f"each row is a head: {what}, from ",
            Token(rows.source_labels[-1]),
            f" (query {self._axis.numbers(self._axis.last)}), at each token. "
            "Click a row to open its head, a column to pin its token",
            *self.elsewhere(self._axis),
        ]

    def describe(self, row: int, column: int) -> str:
        """Return what the tool tip of a cell or of a label says."""
        if row < 0:
            rows = self._drawn
            assert rows is not None
            at = self._axis.numbers(column)
            return f"{rows.source_labels[column]}\nposition {at}; click to pin it"
        return plain_text(self._cell(row, column)).replace("; ", "\n")

    def _choose(self, row: int, column: int) -> None:
        rows = self._drawn
        if rows is None:
            return
        if column < 0 and self.order.value() == "source":
            column = self._column  # or the order would change under the mouse
        if row >= 0:
            self.session.choose_head(rows.heads[self._shown[row]])
        if column >= 0:
            self.pin(self._axis, self._axis.last, column)

    def _say_cell(self, row: int, column: int) -> None:
        rows, now = self._drawn, self.session.selection
        if row < 0 and rows is not None and now.head in rows.heads:
            row = self._shown.index(rows.heads.index(now.head))
            column = self._column if column < 0 else column
        self.cell.set_parts(self._cell(row, column) if row >= 0 else [])

    def _cell(self, row: int, column: int) -> list[str | Token]:
        rows = self._drawn
        if rows is None:
            return []
        place = self._shown[row]
        parts: list[str | Token] = [head_name(rows.heads[place])]
        if 0 <= column < len(rows.source_labels):
            parts += [" → ", Token(rows.source_labels[column])]
            parts.append(f" (position {self._axis.numbers(column)}): {self._weight(place, column)}")
        induction, previous = (
            fixed(float(score[place]), 2) for score in (rows.induction, rows.previous_token)
        )
        return [*parts, f"; induction {induction}, previous token {previous}"]

    def _weight(self, place: int, column: int) -> str:
        """Return the attention of a head to a column, and what it was where that is taken off."""
        if self._sides is None:
            assert self._drawn is not None
            weight = float(self._drawn.values[place, column])
            return BEYOND if np.isnan(weight) else f"attention {fixed(weight, 2)}"
        lone = self._axis.lone(column)
        if lone:
            return lone
        now, before = (float(side[place, column]) for side in self._sides)
        if np.isnan(now - before):
            return BEYOND
        return number_text("attention", now, before, prompts=self.subtracts_prompts)


def in_order(rows: HeadRows, order: Order, source: int) -> list[int]:
    """Return which head comes first, second, …: largest first, equals by layer.

    Of changes the largest is the one of greatest magnitude.
    """
    by: npt.NDArray[np.floating] = np.zeros(len(rows.heads))
    if order == "induction":
        by = rows.induction
    elif order == "source" and source >= 0:
        by = np.nan_to_num(np.abs(rows.values[:, source]), nan=-1.0)
    found: list[int] = np.argsort(-by, kind="stable").tolist()
    return found
