"""Every head of every layer at once: patterns, or scores that tell what a head is for."""

from functools import partial

import numpy as np
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget
from superqt import QFlowLayout

from engine.messages import Head, HeadGrid, HeadGridScores, Request, Result, Thumbnails
from engine.messages import ThumbnailPatterns as Patterns
from gui.engine_client import EngineClient
from gui.palette import ui_font
from gui.panels.panel import Panel
from gui.session import Session
from gui.theme import UNIT
from gui.widgets.matrix_grid import MatrixGrid
from gui.widgets.segmented import Segmented

MEASURES = (
    ("induction", "induction", "looks at what followed this token last time"),
    ("previous_token", "previous", "looks one token back"),
    ("first_token", "first", "rests on the first token"),
)
"""(field of HeadGridScores, its name, what a head that has much of it does)."""


LEAST_HEIGHT = 120


class HeadsPanel(Panel):
    """The grid of heads; a click opens one."""

    title = "Heads"
    column = 0
    share = 6
    about = "all heads at once, and what each is good at"
    main = "thumbnails"
    draws = frozenset({"head", "measure"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.measure = Segmented(
            [("pattern", "pattern"), *[(field, name) for field, name, _ in MEASURES]],
            "What the heads are coloured by",
        )
        self.measure.changed.connect(session.set_measure)
        self.add_controls([self.measure])
        self.grid = MatrixGrid()
        self.grid.setAccessibleName("All heads, layer down, head across")
        self.grid.set_describe(self.describe)
        self.grid.selected.connect(session.choose_head)
        self.grid.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.grid.setMinimumHeight(LEAST_HEIGHT)
        self.best = QWidget()
        self._best_row = QFlowLayout(self.best)
        self._best_row.setContentsMargins(0, 0, 0, 0)
        self._best_row.setHorizontalSpacing(UNIT // 2)
        self._best_row.setVerticalSpacing(UNIT // 2)
        self.best_buttons = {field: QPushButton() for field, _, _ in MEASURES}
        for field, name, does in MEASURES:
            button = self.best_buttons[field]
            button.setProperty("quiet", True)
            button.setFont(ui_font(small=True))
            button.setAccessibleName(f"Open the best {name} head")
            button.setToolTip(f"The head that most {does}; click to open it")
            button.clicked.connect(partial(self._open_best, field))
            button.hide()
            self._best_row.addWidget(button)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.best)
        layout.addWidget(self.grid, 1)

    def wants(self) -> dict[str, Request]:
        """Ask for the thumbnails of a prompt that could be run, and for the scores."""
        wanted: dict[str, Request] = {"run": self.session.run, "scores": self._scores_request()}
        if self.run_result() is not None:
            wanted["thumbnails"] = Thumbnails(self.session.run)
        return wanted

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take an answer; the scores suggest the head to begin with."""
        super().receive(slot, request, result)
        if slot == "scores" and request == self._scores_request():
            assert isinstance(result, HeadGridScores)
            self.session.suggest_head(best(result.induction))

    def draw(self) -> None:
        """Show the grid."""
        patterns = self.known("thumbnails")
        assert isinstance(patterns, Patterns)
        scores = self.scores()
        now = self.session.selection
        shape = patterns.values.shape[:2]
        self.grid.set_thumbnails(patterns.values, patterns.mask)
        self.measure.set_value(now.measure)
        fitting = scores is not None and scores.induction.shape == shape
        for field, _, _ in MEASURES:
            self.measure.set_option_enabled(field, fitting, "the scores are not there yet")
        if scores is None or not fitting:
            self.grid.set_scores(None, "")
            self.grid.set_best({})
        else:
            found = {name: best(getattr(scores, field)) for field, name, _ in MEASURES}
            self.grid.set_best(found)
            shown = now.measure != "pattern"
            names = {field: name for field, name, _ in MEASURES}
            self.grid.set_scores(
                getattr(scores, now.measure) if shown else None, names.get(now.measure, "")
            )
            for field, name, _ in MEASURES:
                head = found[name]
                value = getattr(scores, field)[head]
                self.best_buttons[field].setText(
                    f"{name[0].upper()} · {name} {head.name} {value:.2f}"
                )
                self.best_buttons[field].show()
        exists = now.head.layer < shape[0] and now.head.number < shape[1]
        self.grid.set_selected(now.head if exists else None)
        self.subtitle.setText(f"{shape[0]} × {shape[1]}")

    def scores(self) -> HeadGridScores | None:
        """Return the scores of the model in use, if they are there."""
        found = self.current("scores", self._scores_request())
        return found if isinstance(found, HeadGridScores) else None

    def _scores_request(self) -> HeadGrid:
        return HeadGrid(self.session.selection.model)

    def _open_best(self, field: str) -> None:
        scores = self.scores()
        if scores is not None:
            self.session.choose_head(best(getattr(scores, field)))

    def describe(self, head: Head) -> str:
        """Return a head's name and scores, for its tool tip."""
        scores = self.scores()
        if scores is None:
            return head.name
        told = [f"{name} {getattr(scores, field)[head]:.2f}" for field, name, _ in MEASURES]
        return f"{head.name}: " + ", ".join(told)


def best(values: np.ndarray) -> Head:
    """Return the head with the largest value of [layer, head]."""
    layer, number = np.unravel_index(int(np.argmax(values)), values.shape)
    return Head(int(layer), int(number))
