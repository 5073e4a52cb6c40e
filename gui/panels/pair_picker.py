"""Two lists of heads, an earlier and a later one, that always make a pair."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from engine.messages import Head, ModelFacts, Pair
from gui.head_names import head_name
from gui.theme import UNIT
from gui.widgets.boxes import ComboBox


class PairPicker(QWidget):
    """Picks a pair; a head that the other could not go with makes way."""

    picked = Signal(object)
    """The pair that somebody picked."""

    def __init__(self) -> None:
        super().__init__()
        self._shape, self._first = (0, 0), ""
        self._pair: Pair | None = None
        self.earlier, self.later = ComboBox(), ComboBox()
        self.earlier.setAccessibleName("Earlier head, the one that writes")
        self.later.setAccessibleName("Later head, the one that reads")
        self.earlier.setToolTip("The earlier head: it reads the prompt and writes")
        self.later.setToolTip("The later head: it reads what the earlier one wrote")
        self.earlier.activated.connect(self._pick_earlier)
        self.later.activated.connect(self._pick_later)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT // 2)
        for box in (self.earlier, self.later):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            box.view().setAccessibleName(box.accessibleName())
        for widget in (self.earlier, QLabel("→"), self.later):
            row.addWidget(widget)

    def show_pair(self, facts: ModelFacts, pair: Pair) -> None:
        """Show a pair among the heads of a model."""
        first = head_name(Head(0, 0))  # in another notation once that is preferred
        if (self._shape, self._first) != ((facts.n_layers, facts.n_heads), first):
            self._first, self._shape = first, (facts.n_layers, facts.n_heads)
            self._fill(self.earlier, range(facts.n_layers - 1))
            self._fill(self.later, range(1, facts.n_layers))
        self._pair = pair
        self.earlier.setCurrentIndex(self.earlier.findText(head_name(pair.earlier)))
        self.later.setCurrentIndex(self.later.findText(head_name(pair.later)))

    def _fill(self, box: ComboBox, layers: range) -> None:
        with QSignalBlocker(box):
            box.clear()
            heads = (Head(layer, number) for layer in layers for number in range(self._shape[1]))
            box.addItems([head_name(head) for head in heads])

    def _pick_earlier(self, index: int) -> None:
        assert self._pair is not None
        head, later = Head.parse(self.earlier.itemText(index)), self._pair.later
        if later.layer <= head.layer:
            later = Head(head.layer + 1, later.number)
        self.picked.emit(Pair(head, later))

    def _pick_later(self, index: int) -> None:
        assert self._pair is not None
        head, earlier = Head.parse(self.later.itemText(index)), self._pair.earlier
        if earlier.layer >= head.layer:
            earlier = Head(head.layer - 1, earlier.number)
        self.picked.emit(Pair(earlier, head))
