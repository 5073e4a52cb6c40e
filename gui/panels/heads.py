"""Every head of every layer at once: patterns, or scores that tell what a head is for."""

from functools import partial

import numpy as np
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget
from superqt import QFlowLayout

from engine.messages import Head, MeasuredHeads, Request, Result, Thumbnails
from engine.messages import ThumbnailPatterns as Patterns
from gui.engine_client import EngineClient
from gui.measures import KINDS, MOST_TIED, best
from gui.numbers import fixed
from gui.palette import ui_font
from gui.panels.panel import Panel
from gui.session import Session
from gui.theme import UNIT
from gui.widgets.matrix_grid import MatrixGrid
from gui.widgets.segmented import Segmented

LEAST_HEIGHT = 120


class HeadsPanel(Panel):
    """The grid of heads; a click opens one."""

    title = "Heads"
    column = 0
    group = "Model"
    about = "all heads at once, and what each is good at"
    main = "thumbnails"
    draws = frozenset({"head", "measure", "heads_off"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.measure = Segmented(
            [("pattern", "pattern"), *[(field, name) for field, name, _ in KINDS]],
            "What the heads are coloured by",
        )
        self.measure.changed.connect(session.set_measure)
        self.measure.set_option_tip("pattern", "Each head's attention on this prompt")
        for field, name, does in KINDS:
            self.measure.set_option_tip(field, f"{name}: how much a head {does}")
        self.add_controls([self.measure])
        self.grid = MatrixGrid()
        self.grid.setAccessibleName("All heads, layer down, head across")
        self.grid.set_describe(self.describe)
        self.grid.selected.connect(session.choose_head)
        self.grid.switched.connect(session.switch_head)
        self.grid.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.grid.setMinimumHeight(LEAST_HEIGHT)
        self.best = QWidget()
        self._best_row = QFlowLayout(self.best)
        self._best_row.setContentsMargins(0, 0, 0, 0)
        self._best_row.setHorizontalSpacing(UNIT // 2)
        self._best_row.setVerticalSpacing(UNIT // 2)
        self.best_buttons = {
            field: [self._make_best_button(field, name, does, place) for place in range(MOST_TIED)]
            for field, name, does in KINDS
        }
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.best)
        layout.addWidget(self.grid, 1)

    def wants(self) -> dict[str, Request]:
        """Ask for the thumbnails of a prompt that could be run, and for the scores."""
        wanted: dict[str, Request] = {"run": self.session.run, "scores": self.session.scores}
        if self.run_result() is not None:
            wanted["thumbnails"] = Thumbnails(self.session.run)
        return wanted

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take an answer; pictures and scores together suggest the head to begin with."""
        super().receive(slot, request, result)
        self._suggest()

    def draw(self) -> None:
        """Show the grid."""
        patterns = self.known("thumbnails")
        assert isinstance(patterns, Patterns)
        scores = self.scores()
        now = self.session.selection
        shape = patterns.values.shape[:2]
        self.grid.set_thumbnails(patterns.values, patterns.mask)
        self.grid.set_off(now.heads_off)
        self.measure.set_value(now.measure)
        fitting = scores is not None and scores.grid("induction").shape == shape
        for field, _, _ in KINDS:
            self.measure.set_option_enabled(field, fitting, "the scores are not there yet")
        if scores is None or not fitting:
            self.grid.set_scores(None, "")
            self.grid.set_best({})
            for buttons in self.best_buttons.values():
                for button in buttons:
                    button.hide()
        else:
            self.grid.set_best({name: best(scores.grid(field)) for field, name, _ in KINDS})
            shown = now.measure != "pattern"
            names = {field: name for field, name, _ in KINDS}
            self.grid.set_scores(
                scores.grid(now.measure) if shown else None, names.get(now.measure, "")
            )
            for field, name, _ in KINDS:
                self._name_best(field, name, scores.grid(field))
        exists = now.head.layer < shape[0] and now.head.number < shape[1]
        self.grid.set_selected(now.head if exists else None)
        self.subtitle.setText(f"{shape[0]} × {shape[1]}")

    def scores(self) -> MeasuredHeads | None:
        """Return the scores of the model in use, if they are there."""
        found = self.current("scores", self.session.scores)
        return found if isinstance(found, MeasuredHeads) else None

    def _make_best_button(self, field: str, name: str, does: str, place: int) -> QPushButton:
        button = QPushButton()
        button.setProperty("quiet", True)
        button.setFont(ui_font(small=True))
        which = "best" if place == 0 else "equally good"
        button.setAccessibleName(f"Open the {which} {name} head")
        button.setToolTip(f"{name}: this head {does}; click to open it")
        button.clicked.connect(partial(self._open_best, field, place))
        button.hide()
        self._best_row.addWidget(button)
        return button

    def _name_best(self, field: str, name: str, values: np.ndarray) -> None:
        heads = best(values)
        for place, button in enumerate(self.best_buttons[field]):
            button.setVisible(place < len(heads))
            if place < len(heads):
                head = heads[place]
                measure = f"{name[0].upper()} · {name} " if place == 0 else ""
                button.setText(f"{measure}{head.name} {fixed(float(values[head]), 2)}")

    def _open_best(self, field: str, place: int) -> None:
        scores = self.scores()
        if scores is not None:
            self.session.choose_head(best(scores.grid(field))[place])

    def _suggest(self) -> None:
        """Begin with the best induction head; of equals, the one that does it on this prompt."""
        scores, run = self.scores(), self.run_result()
        shown = self.current("thumbnails", Thumbnails(self.session.run))
        if scores is None or run is None or not isinstance(shown, Patterns):
            return
        heads = best(scores.grid("induction"))
        followed = np.flatnonzero(run.ids[:-1] == run.ids[-1]) + 1
        if heads and len(followed) and shown.block == 1:
            doing = max(heads, key=lambda head: shown.values[head][-1, followed].sum())
            self.session.suggest_head(doing)
        elif heads and self.session.selection.head not in heads:
            self.session.suggest_head(heads[0])

    def describe(self, head: Head) -> str:
        """Return a head's name and scores, for its tool tip."""
        scores = self.scores()
        if scores is None:
            return head.name
        told = [f"{name} {fixed(float(scores.grid(field)[head]), 2)}" for field, name, _ in KINDS]
        return f"{head.name}: " + ", ".join(told)
