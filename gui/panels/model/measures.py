"""Measures of heads: a list to choose from, a scatter of two, and a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.messages import Head
from gui.charts.measures import (
    GROUPS,
    PROMPT,
    SIGNED,
    Known,
    decimals,
    full_name,
    group_of,
    meaning,
    rank,
    short_name,
    undefined,
)
from gui.style.formatting import head_name
from gui.style.palette import ScaledSize, scaled
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.controls import ComboBox
from gui.widgets.labels import Captioned
from gui.widgets.layouts import FlowLayout, HeightForWidth
from gui.widgets.number_tables import ScoreTable
from gui.widgets.point_plots import Scatter
from gui.widgets.table_model import NumberColumn

_CHARACTERS = 12
"""What a narrow card has room for; what is chosen may be elided there, not in the list."""


class MeasureChoice(ComboBox):
    """Measures under the headings of their groups.

    Parameters
    ----------
    name
        Accessible name.
    unchosen
        What it says where none of its measures is chosen.
    """

    chosen = Signal(str)
    """A key of MEASURES that somebody picked; not emitted by `set_value`."""

    def __init__(self, name: str, unchosen: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(unchosen)
        self.setMaxVisibleItems(24)
        self.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_CHARACTERS)
        made = QStandardItemModel(self)
        bold = QFont()  # no size of its own: it follows the list's
        bold.setBold(True)
        for group in GROUPS:
            heading = QStandardItem(group.where)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            heading.setFont(bold)
            made.appendRow(heading)
            for field in group.fields:
                item = QStandardItem(full_name(field))
                item.setData(field, Qt.ItemDataRole.UserRole)
                item.setToolTip(painting.literal(meaning(field)))
                made.appendRow(item)
        self.setModel(made)
        view = self.view()
        view.setAccessibleName(name)
        ScaledSize(view, lambda: view.setMinimumWidth(view.sizeHintForColumn(0) + scaled(32)))
        self.setCurrentIndex(-1)
        self.activated.connect(self._tell)

    def value(self) -> str | None:
        """Return the measure that is chosen, or none."""
        found = self.currentData(Qt.ItemDataRole.UserRole)
        return found if isinstance(found, str) else None

    def set_value(self, field: str | None) -> None:
        """Choose a measure, or none, without telling anybody."""
        self.setCurrentIndex(-1 if field is None else self.findData(field))
        self._say()

    def _tell(self, _: int) -> None:
        field = self.value()
        self._say()
        if field is not None:
            self.chosen.emit(field)

    def _say(self) -> None:
        field = self.value()
        self.setToolTip(painting.literal(meaning(field) if field else "Every measure of heads"))


LEAST_PLOT = 200
TALLEST = 1.25
"""Height of the scatter in shares of its width, at most."""
FIRST_ACROSS, FIRST_UP = "previous_token", "induction"


class MeasurePlot(QWidget):
    """A click on a point asks for its head."""

    changed = Signal(str)
    """A measure that somebody picked."""
    chosen = Signal(object)
    """Head that is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._heads: tuple[Head, ...] = ()
        self.across = MeasureChoice("What points are placed by, left to right")
        self.up = MeasureChoice("What points are placed by, bottom to top")
        self.across.set_value(FIRST_ACROSS)
        self.up.set_value(FIRST_UP)
        self.scatter = Scatter()
        self.scatter.setAccessibleName("All heads by two measures")
        self.scatter.chosen.connect(lambda place: self.chosen.emit(self._heads[place]))
        choices = QWidget()
        row = FlowLayout(UNIT, UNIT // 2, choices)
        for text, choice in (("up", self.up), ("across", self.across)):
            choice.chosen.connect(self.changed)
            row.addWidget(Captioned(text, choice))
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(UNIT // 2)
        stack.addWidget(choices)
        stack.addWidget(self.scatter, 1)
        stack.addStretch(0)
        HeightForWidth(self.scatter, lambda width: round(TALLEST * width), LEAST_PLOT)

    @property
    def axes(self) -> tuple[str, str]:
        """The measure across and the one up."""
        across, up = self.across.value(), self.up.value()
        assert across is not None
        assert up is not None
        return across, up

    def missing(self, known: Known) -> list[str]:
        """Return which of the two are not there."""
        return [field for field in self.axes if field not in known.scores]

    def set_known(self, known: Known, place: int | None) -> None:
        """Show heads by the two measures, which are there; the open one in accent."""
        self._heads = known.heads
        across, up = self.axes
        nowhere = [field for field in (across, up) if not np.isfinite(known.scores[field]).any()]
        if nowhere:
            self.wait(f"No head has {full_name(nowhere[0])}: {undefined(nowhere[0])}.")
            return
        self.scatter.set_points(
            [head_name(head) for head in known.heads],
            known.scores[across],
            known.scores[up],
            (full_name(across), full_name(up)),
            equal=across.removeprefix(PROMPT) == up.removeprefix(PROMPT) and across != up,
        )
        self.scatter.set_selected(place)

    def wait(self, message: str) -> None:
        """Show a sentence instead."""
        self.scatter.clear(message)


HEADING_TIP = "Click to sort. The last line is the rank of the open head, 1 the largest."


class MeasureTable(ScoreTable):
    """Heads down, measures across."""

    def set_known(self, known: Known, fields: Sequence[str], *, groups: bool) -> None:
        """Show some measures, which are there; `groups` names the group of each in its heading."""
        self.set_rows(
            "head",
            [head_name(head) for head in known.heads],
            [
                NumberColumn(
                    f"{short_name(field)}\n{group_of(field).heading}"
                    if groups
                    else short_name(field),
                    known.scores[field],
                    decimals(known.scores[field]),
                    signed=field in SIGNED,
                    tip=f"{meaning(field)}\n{HEADING_TIP}",
                )
                for field in fields
            ],
        )

    def copied(self, row: int) -> tuple[Any, ...]:
        """Return the head and every number; as 1.10 the head would be pasted as a number."""
        name, *numbers = super().copied(row)
        return Head.parse(name), *numbers

    def set_ranks_of(self, known: Known, place: int, fields: Sequence[str]) -> None:
        """Say in the last line which rank a head has by each of the measures shown."""
        ranks = [rank(known.scores[field], place) for field in fields]
        total = len(known.heads)
        told = (f"{number} of {total}" if number else "–" for number in ranks)
        self.set_notes([head_name(known.heads[place]), *told])
