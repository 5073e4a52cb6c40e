"""Which heads read which: how strongly every later head reads what an earlier one writes."""

from typing import cast

import numpy as np
from PySide6.QtWidgets import QSizePolicy

from engine.messages import (
    Composition,
    CompositionKind,
    CompositionScores,
    FloatArray,
    IntArray,
    Pair,
    Request,
)
from gui.charts import pairs
from gui.charts.focus import count
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch, yield_room
from gui.panels.panel import PairPanel
from gui.session.session import Session
from gui.style.formatting import fixed, head_name, tokens_back
from gui.style.palette import scaled
from gui.widgets import painting
from gui.widgets.cells import Colouring
from gui.widgets.layouts import ResponsiveColumns
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_view import Heatmap
from gui.widgets.number_tables import ScoreTable
from gui.widgets.table_model import NumberColumn
from gui.widgets.text import Sentence

SIDE_BY_SIDE = 600
MOST_CELL, AROUND = 64, 120
"""Side of a cell at most, and what labels and titles need beside the cells."""
LEAST_MAP, LEAST_TABLE = 240, 130
MOST_LISTED = 300
"""Pairs in the list at most: nobody reads on, and a large model has 35,000."""
ABOUT = (
    "How much of what a later head reads lies where an earlier head writes, from the weights "
    "alone:\n||A B|| / (||A|| ||B||) with Frobenius norms, A the earlier head's W_OV and B the "
    "later head's\nW_QK (queries), its transpose (keys) or its W_OV (values)."
)
MEANS = {
    "q": "Queries: what the later head looks for is what the earlier one wrote.",
    "k": "Keys: the later head finds a token by what the earlier one wrote there.",
    "v": "Values: the later head moves on what the earlier one wrote.",
}
SCORE_TIP = "||A B|| / (||A|| ||B||): 0 if the later head reads nothing of it, 1 at most"
TIMES_TIP = "Score over that of random directions, 1 / √d_model"
Z_TIP = (
    "Standard deviations above 200 random rotations of the same singular values; "
    "measured for the 50 strongest pairs and the one that is open"
)


class CompositionPanel(PairPanel):
    """Pairs of heads as a map and as a list; a click opens one as a virtual head."""

    title = "Composition"
    main_slot = "pairs"
    redraw_on = frozenset({"pair", "head"})
    optional_slots = frozenset({"pair"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._newest: pairs.PairMap | None = None
        self._map: pairs.PairMap | None = None
        """The one that is drawn, which may be that of the model before."""
        self._z: FloatArray = np.zeros(0)
        self._listed: IntArray = np.zeros(0, dtype=np.int64)
        self.header.setToolTip(painting.literal(ABOUT))
        self.kind = switch(
            "What the later head reads: its queries, keys or values",
            lambda kind: session.set_composition(cast(CompositionKind, kind)),
            *((key, pairs.READS[key], means) for key, means in MEANS.items()),
        )
        self.kind.set_value(session.selection.composition)
        self.add_controls([self.kind])
        self.sentence = Sentence("What the map shows")
        self.heatmap = Heatmap()
        self.heatmap.setAccessibleName("Pairs of heads, earlier head down and later head across")
        self.heatmap.set_describe(self.describe)
        self.heatmap.clicked.connect(self._choose_cell)
        self.heatmap.hovered.connect(self._say_cell)
        self.cell = Sentence("The pair under the mouse, or the open one")
        self.which = switch(
            "Which pairs are listed",
            lambda _: self.redraw(),
            "all",
            ("into", "into", "Only pairs whose later head is the open one"),
            ("from", "out of", "Only pairs whose earlier head is the open one"),
        )
        self.caption = Sentence("Which pairs are listed")
        self.table = ScoreTable()
        self.table.setAccessibleName("Pairs of heads, strongest first")
        self.table.set_describe(lambda row: self._say(int(self._listed[row])))
        self.table.chosen.connect(self._choose_row)
        yield_room(self.table, LEAST_TABLE, QSizePolicy.Policy.Expanding)
        self._folding = ResponsiveColumns(
            self.heatmap,
            self._map_height,
            LEAST_MAP,
            (self.heatmap, self.cell),
            (self.which, self.caption, self.table),
            self.table,
            SIDE_BY_SIDE,
            (5, 4),
        )
        stack(self.body, self.sentence, (self._folding, 1))

    def wants(self) -> dict[str, Request]:
        """Ask for the scores of all pairs, and for z of the open one where it is not among them."""
        now = self.session.selection
        wanted = self.basics("facts")
        wanted["pairs"] = Composition(now.model, now.composition)
        scored, pair = self._scored(), now.pair
        if scored is not None and pair is not None:
            place = scored.place(pair)
            if place is not None and np.isnan(scored.scores.z[place]):
                wanted["pair"] = Composition(now.model, now.composition, pair.earlier, pair.later)
        return wanted

    def draw(self) -> None:
        """Show map and list."""
        scored, now = self._scored(), self.session.selection
        assert scored is not None
        self.kind.set_value(now.composition)
        if self._map is not scored:
            self._map = scored
            self._draw_map(scored)
        self._z = self._measured_z(scored)
        self.subtitle.setText(count(len(scored.scores.pairs), "pair"))
        self.heatmap.set_pinned(*scored.cell(self._open(scored)))
        for key, words in (("into", "into"), ("from", "out of")):
            self.which.set_label(key, f"{words} {head_name(now.head)}")
        self._say_kind(scored)
        self._draw_table(scored)
        self._say_cell(-1, -1)
        self._folding.fit()

    def describe(self, row: int, column: int) -> str:
        """Return what the tool tip of a cell says."""
        if self._map is None:
            return ""
        pair = self._map.pair(row, column)
        place = None if pair is None else self._map.place(pair)
        if place is None:
            reader, writer = head_name(self._map.later[column]), head_name(self._map.earlier[row])
            return f"{reader} is in no later layer than {writer}: it cannot read it"
        return self._say(place)

    def _scored(self) -> pairs.PairMap | None:
        """Return the map of what is selected now, if its scores are there."""
        now = self.session.selection
        scores = self.current("pairs", Composition(now.model, now.composition))
        if not isinstance(scores, CompositionScores):
            return None
        if self._newest is None or self._newest.scores is not scores:
            self._newest = pairs.PairMap(scores)
        return self._newest

    def _open(self, scored: pairs.PairMap) -> Pair:
        """Return the pair that the virtual head shows: the one chosen, or the strongest."""
        return self.session.selection.pair or pairs.strongest(scored.scores)

    def _measured_z(self, scored: pairs.PairMap) -> FloatArray:
        """Return z, that of the open pair filled in."""
        z = scored.scores.z.copy()
        alone = self.wanted("pair")
        if isinstance(alone, CompositionScores):
            z = np.where(np.isnan(z), alone.z, z)
        return z

    def _say(self, place: int) -> str:
        assert self._map is not None
        return self._map.say(place, float(self._z[place]))

    def _map_height(self, width: int) -> int:
        rows = 0 if self._map is None else len(self._map.earlier)
        return min(self.heatmap.height_at(width), scaled(rows * MOST_CELL + AROUND))

    def _draw_map(self, shown: pairs.PairMap) -> None:
        scores = shown.scores
        highest = float(scores.scores.max())
        if highest <= scores.baseline:
            highest = 2 * scores.baseline  # all white: none is above chance
        names = [[head_name(head) for head in heads] for heads in (shown.earlier, shown.later)]
        self.heatmap.set_matrix(
            Matrix(
                shown.values,
                Colouring("sequential", scores.baseline, highest),
                (names[0], names[1]),
                titles=("earlier head (writes)", "later head (reads)"),
                unit="composition score",
            )
        )

    def _say_kind(self, shown: pairs.PairMap) -> None:
        scores, kind = shown.scores, self.session.selection.composition
        times = float(scores.scores.max()) / scores.baseline
        random = f"what random directions score ({fixed(scores.baseline, 3)}, white)"
        if times > 1:
            best = f"Strongest: {pairs.name(pairs.strongest(scores))}, {fixed(times, 1)} × {random}"
        else:
            best = f"No pair is above {random}"
        best += tokens_back(scores.offset, ", keys ")
        self.sentence.set_parts(
            [f"{MEANS[kind]} {best}. Click a pair to see what the two move together."]
        )

    def _draw_table(self, shown: pairs.PairMap) -> None:
        now = self.session.selection
        which = self.which.value()
        order = shown.order(
            reader=now.head if which == "into" else None,
            writer=now.head if which == "from" else None,
        )
        self._listed = order[:MOST_LISTED]
        words = {
            "all": "",
            "into": f" that end in {head_name(now.head)}",
            "from": f" that begin in {head_name(now.head)}",
        }[which]
        if not len(order):
            layer = "first" if which == "into" else "last"
            self.caption.set_parts(
                [f"{head_name(now.head)} is in the {layer} layer: no such pair."]
            )
            self.table.clear("")
            return
        told = f"{count(len(order), 'pair')}{words}, strongest first"
        if len(order) > MOST_LISTED:
            told = f"the strongest {MOST_LISTED} of {len(order):,} pairs{words}"
        self.caption.set_parts([told])
        scores = shown.scores
        found = scores.scores[self._listed]
        self.table.set_rows(
            "pair",
            [pairs.name(scores.pairs[place]) for place in self._listed.tolist()],
            [
                NumberColumn("score", found, 3, tip=SCORE_TIP),
                NumberColumn("× random", found / scores.baseline, 1, tip=TIMES_TIP),
                NumberColumn("z", self._z[self._listed], 1, signed=True, tip=Z_TIP),
            ],
        )
        rows = np.flatnonzero(self._listed == shown.place(self._open(shown)))
        self.table.set_highlight(int(rows[0]) if len(rows) else None)

    def _choose_cell(self, row: int, column: int) -> None:
        pair = None if self._map is None else self._map.pair(row, column)
        if pair is not None:
            self._choose(pair)

    def _choose_row(self, row: int) -> None:
        assert self._map is not None
        self._choose(self._map.scores.pairs[int(self._listed[row])])

    def _choose(self, pair: Pair) -> None:
        self.session.choose_pair(pair)
        self.panel_wanted.emit("Virtual head")

    def _say_cell(self, row: int, column: int) -> None:
        if self._map is None:
            return
        if row >= 0:
            self.cell.set_parts([self.describe(row, column)])
            return
        place = self._map.place(self._open(self._map))
        if place is not None:
            self.cell.set_parts([self._say(place)])
