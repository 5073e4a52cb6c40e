"""What distance does to the open head's scores, or what learned positions give by themselves."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from engine.messages import (
    ModelFacts,
    OffsetScores,
    PositionQK,
    PositionScores,
    QKOffsets,
    Request,
    VocabularyTokens,
)
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch
from gui.panels.panel import MayHaveNothing
from gui.panels.token_lists import TokenChoice
from gui.session.session import Session
from gui.style.formatting import fixed, for_prompts, outstanding, plain, reach, tokens_back
from gui.style.palette import ScaledSize
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.cells import Colouring
from gui.widgets.curve_plots import OffsetPlot
from gui.widgets.labels import Captioned
from gui.widgets.layouts import HeightForWidth
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_view import Heatmap
from gui.widgets.text import Sentence, Token

Read = Literal["token", "token+mlp0"]
LEAST_MAP, LEAST_PLOT = 180, 140
REACHES = ("16", "64", "256")
ABOUT = (
    "Rotary models: the score of a query and a key against how far back the key lies, and its mean "
    "and\nstandard deviation over all pairs of tokens. Learned positions: the score of every query "
    "position\nwith every key position, the mean over all tokens at both; exact in the first layer."
)
NOTHING = {
    "none": "{} has no positions: its scores are the same wherever tokens stand. See QK for them.",
    "ALiBi": (
        "{} takes the same from every score at a distance (ALiBi), whatever the tokens: see "
        "Attention for what is left."
    ),
}
DEEP = ". In a deep layer a bare embedding is not what the head reads: see token + MLP0"


@dataclass(frozen=True)
class _Asked:
    """What somebody chose instead of the pinned tokens and the usual source."""

    query: int | None = None
    key: int | None = None
    source: Read | None = None


class PositionsPanel(MayHaveNothing):
    """Curves over the distance of two tokens, or a map of positions with its diagonals' means."""

    title = "Positions"
    main_slot = "shown"
    redraw_on = frozenset({"head", "query", "source"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._asked = _Asked()
        self._chosen: int | None = None
        self.header.setToolTip(painting.literal(ABOUT))
        self.query = TokenChoice("Positions: query token", "the pinned query's token")
        self.key = TokenChoice("Positions: key token", "the token that the pinned query reads")
        self.query.chosen.connect(lambda token: self._ask(query=token))
        self.key.chosen.connect(lambda token: self._ask(key=token))
        for choice in (self.query, self.key):
            choice.refused.connect(self.notice.show_failure)
        self.source = switch(
            "Positions: what stands for the tokens",
            lambda source: self._ask(source=source),
            *("token", ("token+mlp0", "token + MLP0")),
        )
        self.reach = switch("Positions: how far they go", lambda _: self._ask(), *REACHES)
        self.reach.set_value("64")
        self._of_pair = (Captioned("query", self.query), Captioned("key", self.key), self.source)
        self.add_controls([*self._of_pair, self.reach])
        self._show_controls(of_pair=False, reach=False)
        self.sentence = Sentence("What is shown")
        self.heatmap = Heatmap()
        self.heatmap.setAccessibleName("Scores of positions, query down and key across")
        self.heatmap.set_describe(self.describe)
        self.heatmap.clicked.connect(self._pin)
        self._cap = HeightForWidth(self.heatmap, self.heatmap.height_at, LEAST_MAP)
        self.plot = OffsetPlot()
        ScaledSize(self.plot, self.plot.setMinimumHeight, LEAST_PLOT)
        self.plot.chosen.connect(self.choose)
        self.small = Sentence("The distance that stands out, and the one that was clicked")
        rows = (self.sentence, (self.heatmap, 8), (self.plot, 4), self.small)
        stack(self.body, *rows, spacing=UNIT // 2)

    def wants(self) -> dict[str, Request]:
        """Ask for positions, or in a rotary model for the distance of two tokens."""
        now, facts = self.session.selection, self.common.facts
        wanted = self.basics("facts", "vocabulary")
        if facts is None:
            return wanted
        reach = int(self.reach.value())
        if facts.positions != "rotary":
            wanted["shown"] = PositionQK(now.model, now.head, min(reach, facts.n_ctx))
            return wanted
        query, key = self._asked.query, self._asked.key
        if query is None or key is None:
            wanted |= self.basics("run", "patterns")
            run, at = self.common.run, self.focus
            if run is not None and at is not None and at.source is not None:
                query = int(run.ids[at.query]) if query is None else query
                key = int(run.ids[at.source]) if key is None else key
        if query is not None and key is not None:
            farthest = min(reach, facts.n_ctx - 1)
            source = self._read(facts)
            wanted["shown"] = QKOffsets(now.model, now.head, query, key, source, farthest)
        return wanted

    def choose(self, offset: int) -> None:
        """Mark a distance and tell its numbers."""
        self._chosen = offset
        self.redraw()

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.query.set_vocabulary(vocabulary)
        self.key.set_vocabulary(vocabulary)

    def nothing(self) -> str:
        """Say what positions the model has where there is nothing to see of them."""
        facts = self.common.facts
        return "" if facts is None else NOTHING.get(facts.positions, "").format(facts.name)

    def draw(self) -> None:
        """Show curves, or map and curve."""
        found, facts = self.known("shown"), self.common.facts
        if facts is None or not isinstance(found, OffsetScores | PositionScores):
            return
        self.show_head()
        of_pair = isinstance(found, OffsetScores)
        self._show_controls(of_pair=of_pair, reach=True)
        self.heatmap.setVisible(not of_pair)
        if isinstance(found, OffsetScores):
            self._draw_offsets(found, facts)
        else:
            self._draw_positions(found)
        self.plot.set_selected(self._chosen)
        best = found.best_offset
        told = [outstanding(float(found.mean[best]), best, found.best_z)]
        if isinstance(found, OffsetScores) and found.length is not None:
            told.append(for_prompts(found.length))
        if self._chosen is not None and self._chosen < len(found.mean):
            told.insert(0, self.plot.say(self._chosen))
        self.small.set_parts([" · ".join([*told, f"÷ {plain(found.divisor, 3)}"])])

    def say_failure(self) -> None:
        """Offer nothing to choose where there is nothing to show."""
        if self.nothing():
            self._show_controls(of_pair=False, reach=False)
        super().say_failure()

    def describe(self, query: int, key: int) -> str:
        """Return what the tool tip of a cell says."""
        found = self.known("shown")
        if not isinstance(found, PositionScores) or max(query, key) >= len(found.scores):
            return ""
        told = f"query position {query}, key position {key}"
        if key > query:
            return f"{told}: in the future, the head may not look there"
        score = fixed(float(found.scores[query, key]), 2, signed=True)
        return f"{told}, {tokens_back(query - key)}: score {score}"

    def _draw_offsets(self, found: OffsetScores, facts: ModelFacts) -> None:
        self.query.show_token(found.query_id, typed=self._asked.query is not None)
        self.key.show_token(found.key_id, typed=self._asked.key is not None)
        self.source.set_value(found.source)
        self.source.set_option_enabled("token+mlp0", facts.d_mlp > 0, "this model has no MLP")
        said: list[str | Token] = ["query ", Token(found.query_label), " and key "]
        said += [Token(found.key_label), ": their score against how far back the key lies"]
        deep = self.session.selection.head.layer > 0 and facts.d_mlp > 0
        said += [DEEP] if deep and found.source == "token" else []
        self.sentence.set_parts([*said, "."])
        self.plot.set_curves(found.mean, found.scores, found.deviation)

    def _draw_positions(self, found: PositionScores) -> None:
        now = self.session.selection
        said = "The mean score over all tokens at both positions"
        if now.head.layer:
            said += ", without what earlier layers write"
        self.sentence.set_parts(
            [f"{said}; below, its mean at each distance. Click a cell to pin it."]
        )
        seen = np.isfinite(found.scores)
        largest = reach(found.scores[seen])
        names = [str(place) for place in range(len(found.scores))]
        self.heatmap.set_matrix(
            Matrix(
                found.scores,
                Colouring("diverging", -largest, largest),
                (names, names),
                seen,
                titles=("query position", "key position"),
                unit="score",
            )
        )
        self.heatmap.set_pinned(now.query, now.source)
        self._cap.update()
        self.plot.set_curves(found.mean, unit="mean score")

    def _show_controls(self, *, of_pair: bool, reach: bool) -> None:
        for widget in self._of_pair:
            widget.setVisible(of_pair)
        self.reach.setVisible(reach)
        self.frame.place_controls()

    def _read(self, facts: ModelFacts) -> Read:
        """Return what stands for the tokens: in a deep layer they have passed the first MLP."""
        if not facts.d_mlp:
            return "token"
        if self._asked.source is not None:
            return self._asked.source
        return "token+mlp0" if self.session.selection.head.layer else "token"

    def _pin(self, query: int, key: int) -> None:
        self.session.pin(query, key if key <= query else None)

    def _ask(self, **changes: Any) -> None:
        self._asked = replace(self._asked, **changes)
        self.refresh()
        self.redraw()

    def _on_changed(self, what: str) -> None:
        if what in ("model", "text", "prepend_bos", "query", "source"):
            self._asked = replace(self._asked, query=None, key=None)
        if what in ("model", "head"):
            self._chosen = None
        super()._on_changed(what)
