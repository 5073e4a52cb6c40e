"""What the model would say next if it stopped after each layer."""

import numpy as np

from engine.messages import LayerGuesses, LogitLens, Request
from gui.charts import focus
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, yield_room
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import percent, plain
from gui.widgets import painting
from gui.widgets.cells import Colouring
from gui.widgets.layouts import HeightForWidth
from gui.widgets.matrix import CellSizes, Matrix
from gui.widgets.matrix_view import CellMap
from gui.widgets.number_tables import RankedList
from gui.widgets.text import Sentence, Token

LEAST_PICTURE, LEAST_LIST = 100, 66
ABOUT = (
    "each cell: the likeliest next token if the model stopped there; that stream through the "
    "final norm, computed anew, and the unembedding"
)
FORMULA = "softmax(norm(x) W_U + b_U) of the stream x before the first layer and after each"
SAME = 1e-3
"""Log-probabilities nearer than this, in nats, are the same up to rounding."""


class LensPanel(Panel):
    """Stages down, positions across, in each cell the first guess."""

    title = "Lens"
    main_slot = "guesses"
    redraw_on = frozenset({"query"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.header.setToolTip(painting.literal(FORMULA))
        self._drawn: LayerGuesses | None = None
        self._stage: int | None = None
        """The stage that was clicked; none is the last one."""
        self.sentence = Sentence("Where the final guess comes up")
        self.map = CellMap()
        self.map.setAccessibleName("First guesses, stage down and position across")
        self.map.set_describe(self.describe)
        self.map.clicked.connect(self._choose)
        self.map.hovered.connect(self._list)
        self._cap = HeightForWidth(self.map, self.map.height_at, LEAST_PICTURE)
        self.listed = Sentence("Which cell the list is about")
        self.guesses = RankedList()
        self.guesses.setAccessibleName("Guesses of the cell under the mouse, or of the marked one")
        yield_room(self.guesses, LEAST_LIST)
        self.small_print = Sentence("What the cells are")
        rows = (self.sentence, (self.map, 3), self.listed, (self.guesses, 2), self.small_print)
        stack(self.body, *rows)

    def wants(self) -> dict[str, Request]:
        """Ask for the guesses at every position, and for the run to compare the last row with."""
        wanted = self.basics("run")
        if self.common.run is not None:
            wanted["guesses"] = LogitLens(self.session.run)
        return wanted

    def draw(self) -> None:
        """Show the guesses."""
        found, run = self.known("guesses"), self.common.run
        if not isinstance(found, LayerGuesses) or run is None or self.focus is None:
            return
        self._drawn = found
        query = self.focus.query
        self.map.set_matrix(
            Matrix(
                np.exp(found.log_probs[:, :, 0].astype(np.float64)),
                Colouring("sequential", 0.0, 1.0),
                ([name_of(stage) for stage in found.stages], found.source_labels),
                tokens=(False, True),
                texts=[[guesses[0] for guesses in row] for row in found.labels],
                sizes=CellSizes(row=(18.0, 28.0), column=(44.0, 112.0)),
                unit="probability",
            )
        )
        self.map.set_pinned(self._marked_stage(found), query)
        self.subtitle.setText(focus.count(len(found.source_labels), "token"))
        self.sentence.set_parts(rise(found, query))
        self._list(-1, -1)
        self.small_print.set_parts([f"{ABOUT}. {self._receipt(found)}"])
        self._cap.update()

    def describe(self, stage: int, position: int) -> str:
        """Return what the tool tip of a cell or of a label says: its guesses."""
        found = self._drawn
        assert found is not None
        if stage < 0:
            return f"{found.source_labels[position]}\nposition {position}; click to pin it"
        if position < 0:
            return f"{name_of(found.stages[stage])}\n{ABOUT}"
        lines = [f"{name_of(found.stages[stage])}, after {found.source_labels[position]}"]
        shares = np.exp(found.log_probs[stage, position].astype(np.float64)).tolist()
        for label, share in zip(found.labels[stage][position], shares, strict=True):
            lines.append(f"{percent(share):>7}  {label}")
        return "\n".join(lines)

    def _marked_stage(self, found: LayerGuesses) -> int:
        last = len(found.stages) - 1
        return last if self._stage is None else min(self._stage, last)

    def _choose(self, stage: int, position: int) -> None:
        if stage >= 0:
            self._stage = stage
        if position >= 0:
            self.session.pin(position)
        self.redraw()

    def _list(self, stage: int, position: int) -> None:
        found = self._drawn
        if found is None:
            return
        if stage < 0 or position < 0:
            stage = self._marked_stage(found)
            position = self._query(found)
        self.listed.set_parts(
            [
                f"{name_of(found.stages[stage])}, the token that follows ",
                Token(found.source_labels[position]),
                f" (position {position})",
            ]
        )
        self.guesses.set_rows(
            found.ids[stage, position],
            found.labels[stage][position],
            np.exp(found.log_probs[stage, position].astype(np.float64)),
            signed=False,
            percent=True,
        )

    def _query(self, found: LayerGuesses) -> int:
        query, last = self.session.selection.query, len(found.source_labels) - 1
        return query if query is not None and 0 <= query <= last else last

    def _receipt(self, found: LayerGuesses) -> str:
        """Return whether the last row is what the model itself says, where that is known."""
        run = self.common.run
        if run is None:
            return ""
        lens = dict(zip(found.ids[-1, -1].tolist(), found.log_probs[-1, -1].tolist(), strict=True))
        own = dict(zip(run.next_ids.tolist(), run.next_log_probs.tolist(), strict=True))
        common = lens.keys() & own.keys()
        apart = max((abs(lens[token] - own[token]) for token in common), default=np.inf)
        if apart <= SAME:
            return "The last row is what the model itself says"
        return f"The last row differs from what the model itself says by {plain(apart, 2)} nats"


def name_of(stage: str) -> str:
    """Return a stage as rows are named: `embedding`, `after layer 0`."""
    return f"after {stage}" if stage.startswith("layer") else stage


def rise(found: LayerGuesses, position: int) -> list[str | Token]:
    """Say from which stage on the model's final guess at a position stands first."""
    first = found.ids[:, position, 0]
    last = len(first) - 1
    others = np.flatnonzero(first != first[last])
    since = int(others[-1]) + 1 if len(others) else 0
    share = percent(float(np.exp(found.log_probs[last, position, 0])))
    token = Token(found.source_labels[position])
    parts: list[str | Token] = ["after ", token, f" (position {position}) the model says "]
    parts += [Token(found.labels[last][position][0]), f" ({share}): "]
    if since == 0:
        return [*parts, "it stands first from the embedding on"]
    stage = name_of(found.stages[since])
    if since == last:
        return [*parts, f"it stands first only {stage}, the last"]
    return [*parts, f"it stands first {stage} and after every later one"]
