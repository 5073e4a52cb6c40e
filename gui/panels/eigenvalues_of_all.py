"""Which heads copy and which match: positivity of both circuits, all heads at once."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.messages import Head, MeasuredHeads
from gui.head_names import head_name
from gui.measures import full_name, undefined
from gui.numbers import tokens_back
from gui.palette import Held
from gui.panels.reading import count
from gui.panels.sentence import Sentence
from gui.theme import UNIT
from gui.widgets.scatter import Scatter

ACROSS, UP = "qk_eigenvalue_positivity", "ov_eigenvalue_copying"
LEAST_PLOT = 200


class EigenvaluesOfAll(QWidget):
    """QK positivity across and OV copying up; a click asks for a head by `chosen`."""

    chosen = Signal(object)
    """Head that is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._heads: tuple[Head, ...] = ()
        self.sentence = Sentence("How to read the scatter of all heads")
        self.scatter = Scatter()
        self.scatter.setAccessibleName("All heads, QK positivity across and OV copying up")
        Held(self.scatter, self.scatter.setMinimumHeight, LEAST_PLOT)
        self.scatter.chosen.connect(lambda place: self.chosen.emit(self._heads[place]))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT // 2)
        layout.addWidget(self.sentence)
        layout.addWidget(self.scatter, 1)

    def set_scores(self, found: MeasuredHeads, head: Head, offset: int | None = None) -> None:
        """Show every head, the open one in accent; say how far back a key lies if that matters."""
        self._heads = found.heads
        across, up = found.scores[ACROSS], found.scores[UP]
        for field in (ACROSS, UP):
            if not any(value == value for value in found.scores[field].tolist()):
                self.wait(f"No head has {full_name(field)}: {undefined(field)}.")
                return
        self.sentence.set_parts(
            [
                f"{count(len(found.heads), 'head')}. Above 0 a head raises the tokens it reads; "
                f"right of 0 a token looks for its like{tokens_back(offset, ', ')}. Click a point "
                "to open its head."
            ]
        )
        names = [head_name(each) for each in found.heads]
        self.scatter.set_points(names, across, up, (full_name(ACROSS), full_name(UP)))
        self.scatter.set_selected(found.heads.index(head) if head in found.heads else None)

    def wait(self, message: str) -> None:
        """Show a sentence instead."""
        self.sentence.set_parts([])
        self.scatter.clear(message)
