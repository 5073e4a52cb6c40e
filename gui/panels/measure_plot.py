"""A scatter of all heads by two measures, and the lists that choose them."""

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.messages import Head
from gui.head_names import head_name
from gui.measures import PROMPT, Known, full_name, undefined
from gui.panels.height_cap import HeightCap
from gui.panels.measure_choice import MeasureChoice
from gui.panels.named import Named
from gui.theme import UNIT
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.scatter import Scatter

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
            row.addWidget(Named(text, choice))
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(UNIT // 2)
        stack.addWidget(choices)
        stack.addWidget(self.scatter, 1)
        stack.addStretch(0)
        HeightCap(self.scatter, lambda width: round(TALLEST * width), LEAST_PLOT)

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
