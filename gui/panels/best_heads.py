"""Buttons that name the best heads of each kind, and open them."""

from functools import partial

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from engine.messages import FloatArray, Head, MeasuredHeads
from gui.head_names import head_name
from gui.measures import KINDS, MOST_TIED, best, decimals, full_name
from gui.numbers import fixed
from gui.theme import UNIT
from gui.widgets.flow_layout import FlowLayout


class BestHeads(QWidget):
    """A button for each head that is as good as the best, measure by measure."""

    opened = Signal(object)
    """Head that was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.setLayout(FlowLayout(UNIT // 2, UNIT // 2))
        self._heads: dict[QPushButton, Head] = {}
        self.buttons = {
            field: [self._make(name, does, place) for place in range(MOST_TIED)]
            for field, name, does in KINDS
        }
        self.largest = self._add("Open the head with most of what the grid is coloured by")

    def set_scores(self, scores: MeasuredHeads | None) -> None:
        """Name the best of each kind, or none."""
        for field, name, _ in KINDS:
            values = None if scores is None else scores.grid(field)
            heads = () if values is None else best(values)
            for place, button in enumerate(self.buttons[field]):
                button.setVisible(place < len(heads))
                if values is not None and place < len(heads):
                    measure = f"{name[0].upper()} · {name} " if place == 0 else ""
                    number = fixed(float(values[heads[place]]), 2)
                    self._name(button, heads[place], f"{measure}{head_name(heads[place])} {number}")
        self._keep_whole()

    def set_largest(self, field: str, values: FloatArray | None) -> None:
        """Name the head with the largest value of any measure, [layer, head], or none."""
        there = values is not None and bool(np.isfinite(values).any())
        self.largest.setVisible(there)
        if values is not None and there:
            place = np.unravel_index(int(np.nanargmax(values)), values.shape)
            head = Head(int(place[0]), int(place[1]))
            number = fixed(float(values[head]), decimals(values))
            self._name(self.largest, head, f"most {full_name(field)}: {head_name(head)} {number}")
            self.largest.setToolTip(
                f"{head_name(head)} has most of it of all heads; click to open it"
            )
        self._keep_whole()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._keep_whole()

    def _keep_whole(self) -> None:
        # What scrolls asks for the least height only, which is that of one row of buttons.
        self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))

    def _make(self, name: str, does: str, place: int) -> QPushButton:
        which = "best" if place == 0 else "equally good"
        button = self._add(f"Open the {which} {name} head")
        button.setToolTip(f"{name}: this head {does}; click to open it")
        return button

    def _add(self, name: str) -> QPushButton:
        button = QPushButton()
        button.setProperty("quiet", True)
        button.setProperty("face", "small")
        button.setAccessibleName(name)
        button.clicked.connect(partial(self._open, button))
        button.hide()
        layout = self.layout()
        assert layout is not None
        layout.addWidget(button)
        return button

    def _name(self, button: QPushButton, head: Head, text: str) -> None:
        self._heads[button] = head
        button.setText(text)

    def _open(self, button: QPushButton) -> None:
        self.opened.emit(self._heads[button])
