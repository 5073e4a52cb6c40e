"""Every head of every layer at once: patterns, or scores that tell what a head is for."""

from functools import partial

import numpy as np
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget
from superqt import QFlowLayout

from engine.messages import Head, HeadGrid, HeadGridScores, Request, Result, Thumbnails
from engine.messages import ThumbnailPatterns as Patterns
from gui.engine_client import EngineClient
from gui.numbers import fixed
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
TIE = 0.02
"""Scores this close to the best are as good: another seed would turn them round."""
LEAST_SCORE = 0.1
"""A head below this does it no more than by chance, and is not called the best at it."""
MOST_TIED = 4
"""Heads of one measure that are named; a large model may have many as good."""


class HeadsPanel(Panel):
    """The grid of heads; a click opens one."""

    title = "Heads"
    column = 0
    group = "Model"
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
        self.best_buttons = {
            field: [self._make_best_button(field, name, does, place) for place in range(MOST_TIED)]
            for field, name, does in MEASURES
        }
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
        self.measure.set_value(now.measure)
        fitting = scores is not None and scores.induction.shape == shape
        for field, _, _ in MEASURES:
            self.measure.set_option_enabled(field, fitting, "the scores are not there yet")
        if scores is None or not fitting:
            self.grid.set_scores(None, "")
            self.grid.set_best({})
            for buttons in self.best_buttons.values():
                for button in buttons:
                    button.hide()
        else:
            self.grid.set_best({name: best(getattr(scores, field)) for field, name, _ in MEASURES})
            shown = now.measure != "pattern"
            names = {field: name for field, name, _ in MEASURES}
            self.grid.set_scores(
                getattr(scores, now.measure) if shown else None, names.get(now.measure, "")
            )
            for field, name, _ in MEASURES:
                self._name_best(field, name, getattr(scores, field))
        exists = now.head.layer < shape[0] and now.head.number < shape[1]
        self.grid.set_selected(now.head if exists else None)
        self.subtitle.setText(f"{shape[0]} × {shape[1]}")

    def scores(self) -> HeadGridScores | None:
        """Return the scores of the model in use, if they are there."""
        found = self.current("scores", self._scores_request())
        return found if isinstance(found, HeadGridScores) else None

    def _scores_request(self) -> HeadGrid:
        return HeadGrid(self.session.selection.model)

    def _make_best_button(self, field: str, name: str, does: str, place: int) -> QPushButton:
        button = QPushButton()
        button.setProperty("quiet", True)
        button.setFont(ui_font(small=True))
        which = "best" if place == 0 else "equally good"
        button.setAccessibleName(f"Open the {which} {name} head")
        button.setToolTip(f"A head that most {does}; click to open it")
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
            self.session.choose_head(best(getattr(scores, field))[place])

    def _suggest(self) -> None:
        """Begin with the best induction head; of equals, the one that does it on this prompt."""
        scores, run = self.scores(), self.run_result()
        shown = self.current("thumbnails", Thumbnails(self.session.run))
        if scores is None or run is None or not isinstance(shown, Patterns):
            return
        heads = best(scores.induction)
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
        told = [
            f"{name} {fixed(float(getattr(scores, field)[head]), 2)}" for field, name, _ in MEASURES
        ]
        return f"{head.name}: " + ", ".join(told)


def best(values: np.ndarray) -> tuple[Head, ...]:
    """Return the head with the largest value of [layer, head], then those that are as good.

    None where no head does it.
    """
    order = np.argsort(-values, axis=None, kind="stable")[:MOST_TIED]
    ranked = [Head(*(int(part) for part in np.unravel_index(flat, values.shape))) for flat in order]
    least = max(values[ranked[0]] - TIE, LEAST_SCORE)
    return tuple(head for head in ranked if values[head] >= least)
