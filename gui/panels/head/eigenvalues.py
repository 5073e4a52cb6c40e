"""Eigenvalues of the open head in the complex plane; positivity of both circuits of all heads."""

from math import isnan
from typing import cast

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.messages import (
    CircuitName,
    ComplexValues,
    Eigenvalues,
    Head,
    HeadScores,
    MeasuredHeads,
    Request,
)
from gui.charts.focus import count
from gui.charts.measures import full_name, undefined
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import decimals_for, fixed, head_name, tokens_back
from gui.style.palette import ScaledSize
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.layouts import HeightForWidth
from gui.widgets.point_plots import ComplexPlane, Scatter
from gui.widgets.text import Sentence

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
        ScaledSize(self.scatter, self.scatter.setMinimumHeight, LEAST_PLOT)
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


LEAST_PLANE = 220
FLAT = 0.25
"""Below this magnitude, positivity says nothing either way."""
ABOUT = (
    "Eigenvalues of the full circuit, from tokens to tokens: of W_E W_V W_O W_U (OV) or of\n"
    "W_E W_Q (W_E W_K)^T (QK). A positive real one belongs to tokens that raise themselves (OV)\n"
    "or look for themselves (QK). Positivity: the sum of the eigenvalues over the sum of their\n"
    "magnitudes, −1 to 1."
)
MEANS = {
    "ov": (
        "on the whole, it raises the tokens that it reads",
        "reading a token says little about that same token",
        "on the whole, it lowers the tokens that it reads",
    ),
    "qk": (
        "on the whole, a token looks for its like",
        "a token looks neither for its like nor away from it",
        "on the whole, a token looks away from its like",
    ),
}
"""What a positivity well above 0, near it, and well below it means."""


class EigenvaluesPanel(Panel):
    """The complex plane of one circuit of the open head."""

    title = "Eigenvalues"
    main_slot = "values"
    redraw_on = frozenset({"head"})
    optional_slots = Panel.optional_slots | {"all"}

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._chosen: int | None = None
        self.header.setToolTip(painting.literal(ABOUT))
        self.circuit = switch(
            "Which circuit's eigenvalues",
            self._on_circuit,
            ("ov", "OV", "Does the head raise the tokens it reads?"),
            ("qk", "QK", "Does a token look for tokens like itself?"),
        )
        every = ("all", "all heads", "QK positivity against OV copying, every head a point")
        self.which = switch("One head or all", self._on_circuit, "head", every)
        self.add_controls([self.which, self.circuit])
        self.all = EigenvaluesOfAll()
        self.all.chosen.connect(session.choose_head)
        self.sentence = Sentence("What the eigenvalues say")
        self.plane = ComplexPlane()
        self.plane.setAccessibleName("Eigenvalues in the complex plane")
        self._cap = HeightForWidth(self.plane, self.plane.height_at, LEAST_PLANE)
        self.plane.chosen.connect(self.choose)
        self.small = Sentence("The eigenvalue that was clicked, or how to pick one")
        rows = (self.sentence, (self.plane, 8), self.small, (self.all, 100))
        stack(self.body, *rows, spacing=UNIT // 2).addStretch(0)
        self.all.hide()

    def wants(self) -> dict[str, Request]:
        """Ask for the eigenvalues; where scores depend on the distance, for the prompt first."""
        now, circuit = self.session.selection, self._circuit()
        wanted = self.basics("facts")
        if self.which.value() == "all":
            wanted["all"] = HeadScores(now.model, "weights")
        facts = self.common.facts
        if circuit == "ov" or (facts is not None and facts.positions != "rotary"):
            wanted["values"] = Eigenvalues(now.model, now.head, circuit)
        elif facts is not None:
            wanted |= self.basics("run", "patterns")
            offset = self.offset()
            if offset is not None:
                wanted["values"] = Eigenvalues(now.model, now.head, circuit, offset)
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return the eigenvalues of one head, or the measures of all."""
        every = self.which.value() == "all"
        return self.named({"all": "Measures of the weights"} if every else {"values": self.title})

    def choose(self, index: int) -> None:
        """Ring an eigenvalue and tell it."""
        self._chosen = index
        self.redraw()

    def draw(self) -> None:
        """Show the plane."""
        found = self.known("values")
        assert isinstance(found, ComplexValues)
        self._show_all(self.which.value() == "all")
        circuit = self._circuit()
        self.show_head()
        self.plane.set_points(found.real, found.imag, circuit)
        self.sentence.set_parts([_meaning(circuit, found.positivity)])
        shown = (
            self._chosen if self._chosen is not None and self._chosen < len(found.real) else None
        )
        self.plane.set_selected(shown)
        largest = float(np.hypot(found.real, found.imag).max(initial=0.0))
        if shown is not None:
            told = self.plane.say(shown)
        else:
            size = fixed(largest, decimals_for(largest))
            told = f"{len(found.real)} eigenvalues over the largest magnitude, {size}"
            told = f"{told} · click one to read it" if largest > 0 else ""
        self.small.set_parts([told + tokens_back(found.offset, " · ")])

    def _show_all(self, every: bool) -> None:
        """Show all heads, or the open one alone."""
        self.all.setVisible(every)
        for widget in (self.sentence, self.plane, self.small, self.circuit):
            widget.setVisible(not every)
        scores, facts = self.wanted("all"), self.common.facts
        if isinstance(scores, MeasuredHeads):
            rotary = facts is not None and facts.positions == "rotary"
            self.all.set_scores(scores, self.session.selection.head, 0 if rotary else None)
        else:
            self.all.wait("Reading the weights of every head: the status bar says how far.")

    def _circuit(self) -> CircuitName:
        return cast(CircuitName, self.circuit.value())

    def _on_circuit(self, _: str) -> None:
        self._chosen = None
        self.refresh()
        self.redraw()

    def _on_changed(self, what: str) -> None:
        if what in ("model", "head"):
            self._chosen = None
        super()._on_changed(what)


def _meaning(circuit: CircuitName, positivity: float) -> str:
    name = "Copying" if circuit == "ov" else "Positivity"
    if isnan(positivity):
        return f"{name} is not defined: all eigenvalues are 0."
    high, flat, low = MEANS[circuit]
    means = flat if abs(positivity) < FLAT else high if positivity > 0 else low
    return f"{name} {fixed(positivity, 2, signed=True)} (−1 to 1): {means}."
