"""How many directions the open head really uses, and which tokens lie at their ends."""

from typing import Literal, cast

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QWidget

from engine.messages import (
    CircuitName,
    Direction,
    OVDirection,
    QKDirection,
    Request,
    SingularValues,
    Spectrum,
)
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch, yield_room
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import fixed, plain, tokens_back
from gui.style.palette import ScaledSize, scaled
from gui.style.theme import UNIT
from gui.widgets.curve_plots import SpectrumPlot
from gui.widgets.labels import caption, side_by_side
from gui.widgets.number_tables import RankedList
from gui.widgets.text import Sentence

ENDS: dict[str, tuple[str, str]] = {"ov": ("read", "write"), "qk": ("query", "key")}
"""What the two ends of a direction are called."""
LEAST_PLOT, LEAST_PLOT_ALONE = 200, 120
"""Least heights of the plot: over the lists, where the card scrolls, and by itself."""
LEAST_LIST_HEIGHT = 66
LEAST_HEIGHT_WITH_LISTS, HEIGHT_WITH_LISTS = 425, 46
"""What the card takes with a direction open: pixels, and at most this much of the window in %."""


class SpectrumPanel(Panel):
    """Singular values of both circuits, and the tokens of one direction."""

    title = "Spectrum"
    main_slot = "ov"
    redraw_on = frozenset({"head"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._measured: set[tuple[str, object]] = set()
        self._chosen: tuple[CircuitName, int] | None = None
        self.measure = QPushButton("Measure the cliff")
        self.measure.setToolTip(
            "Compute every singular value of the d_model × d_model matrices, "
            "so that the fall after d_head is seen and not assumed"
        )
        self.measure.clicked.connect(self._measure)
        self.scale = switch("Scale of the values", self._set_scale, "log", "linear")
        self.add_controls([self.measure, self.scale])
        self.plot = SpectrumPlot()
        self.plot.setAccessibleName("Singular values of the OV and QK circuits")
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        ScaledSize(self.plot, self.plot.setMinimumSize, 160, LEAST_PLOT_ALONE)
        self.plot.chosen.connect(self.choose)
        self.plot.clicked_again.connect(self.put_away)
        self.overlap = Sentence("Overlap of the two ends")
        self.sentence = Sentence("The direction that was clicked")
        sides = (("", "+"), ("_negative", "−"))
        self.sign = switch("Which side of the direction", lambda _: self.redraw(), *sides)
        self.captions = (caption(""), caption(""))
        self.lists = (RankedList(), RankedList())
        for content, end in zip(self.lists, ("first", "second"), strict=True):
            content.setAccessibleName(f"Spectrum: tokens at the {end} end of the direction")
            yield_room(content, LEAST_LIST_HEIGHT)
        self.ends = QWidget()
        self.ends.setLayout(side_by_side(self.captions, self.lists))
        says = QGridLayout()
        says.addWidget(self.sentence, 0, 0)
        says.addWidget(self.sign, 0, 1)
        says.setColumnStretch(0, 1)
        stack(self.body, self.overlap, (self.plot, 3), says, (self.ends, 2), spacing=UNIT // 2)

    def wants(self) -> dict[str, Request]:
        """Ask for both spectra, and for the direction that was clicked."""
        now = self.session.selection
        dense = (now.model, now.head) in self._measured
        wanted: dict[str, Request] = {
            "ov": Spectrum(now.model, now.head, "ov", dense=dense),
            "qk": Spectrum(now.model, now.head, "qk", dense=dense),
        }
        if self._chosen is not None:
            circuit, index = self._chosen
            wanted["direction"] = Direction(now.model, now.head, circuit, index=index)
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return both spectra, and the direction that was clicked."""
        return self.named({"ov": "OV spectrum", "qk": "QK spectrum", "direction": "Direction"})

    def choose(self, circuit: str, index: int) -> None:
        """Show the tokens at both ends of a direction."""
        self._chosen = (cast(CircuitName, circuit), index)
        self.refresh()
        self.redraw()

    def put_away(self) -> None:
        """Show no direction, and give the cards above their room back."""
        self._chosen = None
        self.refresh()
        self.redraw()

    def draw(self) -> None:
        """Show the curves and the direction."""
        ov, qk = self.wanted("ov"), self.wanted("qk")
        if not (isinstance(ov, SingularValues) and isinstance(qk, SingularValues)):
            return
        self.show_head()
        self.measure.setEnabled(ov.dense_singular_values is None)
        self.plot.set_curves(
            ov.singular_values,
            qk.singular_values,
            ov.dense_singular_values,
            qk.dense_singular_values,
            len(ov.singular_values),
            ov.groups,
            qk.groups,
        )
        self.plot.select(*(self._chosen or (None, 0)))
        told = f"overlap: read/write {fixed(ov.read_write_overlap, 2)}"
        told += (
            f" · query/key {fixed(qk.read_write_overlap, 2)}{tokens_back(qk.offset, ', ')} · "
            f"random {fixed(ov.random_overlap, 2)}"
        )
        self.overlap.set_parts([told + self._cliff(ov)])
        self._draw_direction()

    def _cliff(self, ov: SingularValues) -> str:
        dense = ov.dense_singular_values
        width = len(ov.singular_values)
        if dense is None or len(dense) <= width or not dense[0] > 0:
            return ""
        return f" · OV value {width} is {plain(float(dense[width] / dense[0]), 1)} of the first"

    def _draw_direction(self) -> None:
        found = self.wanted("direction")
        shown = isinstance(found, OVDirection | QKDirection)
        self.ends.setVisible(shown)
        # The lists need room that the cards above can spare.
        room = self.window().height() * HEIGHT_WITH_LISTS // 100
        self.setMinimumHeight(min(scaled(LEAST_HEIGHT_WITH_LISTS), room) if shown else 0)
        self.plot.setMinimumHeight(scaled(LEAST_PLOT if shown else LEAST_PLOT_ALONE))
        self.sign.setVisible(shown)
        if not isinstance(found, OVDirection | QKDirection):
            self.sentence.set_parts(["Click a value for the tokens at its two ends."])
            return
        circuit: Literal["ov", "qk"] = "ov" if isinstance(found, OVDirection) else "qk"
        assert self._chosen is not None
        _, index = self._chosen
        told = f"{circuit.upper()} direction {index}, "
        told += f"value {plain(found.singular_value, 3)}"
        if isinstance(found, QKDirection):
            told += tokens_back(found.offset, ", ")
        first, last = found.group
        if last > first:
            told += f": values {first} to {last} are within 1 %, only their subspace "
            told += "is defined"
        self.sentence.set_parts([told])
        self._fit_sentence()
        sign = self.sign.value()
        for end, label, content in zip(ENDS[circuit], self.captions, self.lists, strict=True):
            label.setText(f"{end} end")
            ids, labels, values = (
                getattr(found, f"{end}_{what}{sign}") for what in ("ids", "labels", "values")
            )
            content.set_rows(ids, labels, np.asarray(values), signed=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the sentence anew."""
        super().resizeEvent(event)
        self._fit_sentence()

    def _fit_sentence(self) -> None:
        # A scroll area does not ask how high wrapped text is, and the plot's caption would lie
        # under it: the second sentence shares its row with the signs.
        width = self.width() - 4 * UNIT
        for sentence, beside in ((self.overlap, 0), (self.sentence, self.sign.sizeHint().width())):
            sentence.setMinimumHeight(sentence.heightForWidth(max(width - beside, 1)))

    def _set_scale(self, scale: str) -> None:
        self.plot.set_log(scale == "log")

    def _measure(self) -> None:
        now = self.session.selection
        self._measured.add((now.model, now.head))
        self.refresh()

    def _on_changed(self, what: str) -> None:
        if what in ("model", "head"):
            self._chosen = None
        super()._on_changed(what)
