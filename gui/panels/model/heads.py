"""All heads as a grid of patterns or of a measure, and buttons that open the best of each kind."""

from functools import partial

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from engine.messages import (
    FloatArray,
    Head,
    HeadScores,
    MeasuredHeads,
    Request,
    Result,
    ThumbnailPatterns,
    Thumbnails,
)
from gui.charts import focus
from gui.charts.measures import (
    KINDS,
    MOST_TIED,
    best,
    decimals,
    full_name,
    group_of,
    scale,
    undefined,
)
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch
from gui.panels.model.measures import MeasureChoice
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import fixed, head_name
from gui.style.theme import UNIT
from gui.widgets.head_grid import HeadGrid
from gui.widgets.layouts import FlowLayout, HeightForWidth


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


LEAST_HEIGHT = 120
SHORT = ("pattern", *(field for field, _, _ in KINDS))
"""What the switch offers; the list beside it has every measure."""


class HeadsPanel(Panel):
    """The grid of heads; a click opens one."""

    title = "Heads"
    main_slot = "thumbnails"
    redraw_on = frozenset({"head", "measure", "heads_off"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.measure = switch(
            "What the heads are coloured by",
            session.set_measure,
            ("pattern", "pattern", "Each head's attention on this prompt"),
            *((field, name, f"{name}: how much a head {does}") for field, name, does in KINDS),
        )
        self.more = MeasureChoice("Colour the heads by any measure", "more …")
        self.more.chosen.connect(session.set_measure)
        self.add_controls([self.measure, self.more])
        self.grid = HeadGrid()
        self.grid.setAccessibleName("All heads, layer down, head across")
        self.grid.set_describe(lambda layer, number: self.describe(Head(layer, number)))
        self.grid.selected.connect(session.choose_head)
        self.grid.switched.connect(session.switch_head)
        self.grid.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._cap = HeightForWidth(self.grid, self.grid.height_at, LEAST_HEIGHT)
        self.best = BestHeads()
        self.best.opened.connect(session.choose_head)
        stack(self.body, (self.grid, 1), self.best).addStretch(0)

    def wants(self) -> dict[str, Request]:
        """Ask for the thumbnails of a prompt that could be run, and for the scores shown."""
        wanted = self.basics("run", "scores", "facts")
        if self.common.run is not None:
            wanted["thumbnails"] = Thumbnails(self.session.run)
        more = self._more()
        if more is not None:
            wanted["more"] = more
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return the patterns, or the measures that colour the heads."""
        wanted = self.wants()
        measured = {"Measures of the heads": wanted.get("more", wanted["scores"])}
        patterns = {"Patterns": wanted["thumbnails"]} if "thumbnails" in wanted else {}
        return patterns if self.session.selection.measure == "pattern" else measured | patterns

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take an answer; pictures and scores together suggest the head to begin with."""
        super().receive(slot, request, result)
        self._suggest()

    def _on_common(self, slot: str) -> None:
        super()._on_common(slot)
        self._suggest()

    def draw(self) -> None:
        """Show the grid."""
        patterns = self.known("thumbnails")
        assert isinstance(patterns, ThumbnailPatterns)
        scores = self.common.scores
        now = self.session.selection
        shape = patterns.values.shape[:2]
        self.grid.set_thumbnails(patterns.values, patterns.mask)
        self._cap.update()
        self.grid.set_off(now.heads_off)
        self._show_measure(now.measure)
        fitting = scores is not None and scores.grid("induction").shape == shape
        for field, _, _ in KINDS:
            self.measure.set_option_enabled(field, fitting, "the scores are not there yet")
        self.best.set_scores(scores if fitting else None)
        if scores is None or not fitting:
            self.grid.set_best({})
        else:
            self.grid.set_best({name: best(scores.grid(field)) for field, name, _ in KINDS})
        values = self._coloured_by()
        told = f"{shape[0]} × {shape[1]}"
        if values is None or values.shape != shape:
            self.grid.set_scores(None)
            self.best.set_largest(now.measure, None)
        else:
            limits = scale(now.measure, values)
            self.grid.set_scores(values, limits)
            self.best.set_largest(now.measure, None if now.measure in SHORT else values)
            if not np.isfinite(values).any():
                told = f"none: {undefined(now.measure)} · {told}"
        exists = now.head.layer < shape[0] and now.head.number < shape[1]
        self.grid.set_selected(now.head if exists else None)
        facts = self.common.facts
        shared = focus.shared_keys(now.head, facts) if facts is not None and exists else ""
        self.subtitle.setText(f"{told} · {shared}" if shared else told)
        self.subtitle.setToolTip(f"{head_name(now.head)} reads with {shared}" if shared else "")

    def _more(self) -> HeadScores | None:
        """Return what to ask for colours by a measure on the prompt, or of the weights."""
        now = self.session.selection
        if now.measure == "pattern":
            return None
        which = group_of(now.measure).which
        if which == "weights":
            return HeadScores(now.model, "weights")
        if which == "prompt" and self.common.run is not None:
            return HeadScores(now.model, "prompt", heads_off=now.heads_off, run=self.session.run)
        return None

    def _coloured_by(self) -> FloatArray | None:
        """Return the measure that heads are coloured by, [layer, head], if it is there."""
        measure = self.session.selection.measure
        if measure == "pattern":
            return None
        scores = self.common.scores
        more = self._more()
        if more is not None:
            found = self.current("more", more)
            scores = found if isinstance(found, MeasuredHeads) else None
        return scores.grid(measure) if scores is not None and measure in scores.scores else None

    def _show_measure(self, measure: str) -> None:
        if measure in SHORT:
            self.measure.set_value(measure)
            self.more.set_value(None)
        else:
            self.measure.choose_none()
            self.more.set_value(measure)

    def _suggest(self) -> None:
        """Begin with the best induction head; of equals, the one that does it on this prompt."""
        scores, run = self.common.scores, self.common.run
        shown = self.current("thumbnails", Thumbnails(self.session.run))
        if scores is None or run is None or not isinstance(shown, ThumbnailPatterns):
            return
        heads = best(scores.grid("induction"))
        followed = np.flatnonzero(run.ids[:-1] == run.ids[-1]) + 1
        if heads and len(followed) and shown.block == 1:
            seen = np.nan_to_num(shown.values[:, :, -1, followed]).sum(-1)
            doing = max(heads, key=lambda head: float(seen[head]))
            self.session.suggest_head(doing)
        elif heads and self.session.selection.head not in heads:
            self.session.suggest_head(heads[0])

    def describe(self, head: Head) -> str:
        """Return a head's name and scores, for its tool tip."""
        scores = self.common.scores
        # The picture may still be that of the model before, which had more heads.
        if scores is None or not _has(scores.grid(KINDS[0][0]), head):
            return head_name(head)
        told = [f"{name} {fixed(float(scores.grid(field)[head]), 2)}" for field, name, _ in KINDS]
        values, measure = self._coloured_by(), self.session.selection.measure
        if values is not None and _has(values, head) and measure not in SHORT:
            number = fixed(float(values[head]), decimals(values))
            told.insert(0, f"{full_name(measure)} {number}")
        return f"{head_name(head)}: " + ", ".join(told)


def _has(values: FloatArray, head: Head) -> bool:
    """Return whether a measure, [layer, head], was taken of a head."""
    layers, heads = values.shape
    return bool(head.layer < layers and head.number < heads)
