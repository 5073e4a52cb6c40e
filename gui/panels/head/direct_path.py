"""The direct path: what the model would say next if no head looked anywhere."""

from dataclasses import replace
from typing import cast

import numpy as np
from PySide6.QtWidgets import QVBoxLayout

from engine.messages import (
    DirectPath,
    Head,
    HeadOutput,
    LoadModel,
    OutputRanking,
    Request,
    TokenRanking,
    Vocabulary,
    VocabularyTokens,
    WayName,
)
from gui.charts import focus
from gui.client.engine_client import EngineClient
from gui.panels.panel import Panel
from gui.panels.token_lists import MOST_ROWS, RaisedLowered, TokenChoice
from gui.session.session import Session
from gui.style.formatting import fixed, ranked
from gui.style.palette import Held
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.controls import Segmented
from gui.widgets.text import Sentence, Token

LEAST_LISTS = 150
ABOUT = (
    "The bigram table W_E W_U: what a token's embedding, read straight by the unembedding, raises\n"
    "and lowers. Positions, the unembedding's bias and the final norm's scale are left out."
)


class DirectPathPanel(Panel):
    """What a token raises and lowers without attention, or which tokens raise it."""

    title = "Direct path"
    main = "tokens"
    draws = frozenset({"query"})
    ornaments = frozenset({"vocabulary", "guess"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._token: int | None = None
        self.header.setToolTip(painting.literal(ABOUT))
        self.way = Segmented(
            [("output", "raises"), ("source", "raised by")],
            "Direct path: what the token raises, or what raises it",
        )
        self.way.changed.connect(lambda _: self.refresh())
        self.way.set_option_tip("output", "What the token makes likelier next, and less likely")
        self.way.set_option_tip("source", "Which tokens make this one likelier or less likely")
        self.choice = TokenChoice("Direct path: token asked about", "the pinned query's token")
        self.choice.chosen.connect(self._ask)
        self.choice.refused.connect(self.notice.show_failure)
        self.add_controls([self.choice, self.way])
        self.sentence = Sentence("What the lists say")
        self.lists = RaisedLowered("Direct path", self._ask)
        Held(self.lists, self.lists.setMinimumHeight, LEAST_LISTS)
        self.guess = Sentence("Where the model's own next guess stands")
        self.small = Sentence("The token's own rank")
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT // 2)
        layout.addWidget(self.sentence)
        layout.addWidget(self.lists, 1)
        layout.addWidget(self.guess)
        layout.addWidget(self.small)

    def wants(self) -> dict[str, Request]:
        """Ask for the whole row of the table, so that the model's own guess is in it."""
        now = self.session.selection
        wanted: dict[str, Request] = {
            "facts": LoadModel(now.model),
            "vocabulary": Vocabulary(now.model),
        }
        token = self._token
        if token is None:
            wanted["run"] = self.session.run
            run = self.run_result()
            if run is not None:
                query = focus.pinned_query(now, run)
                token = int(run.ids[query])
                if self.way.value() == "output":
                    # Of any head: the question carries the model's first guess after a position.
                    wanted["guess"] = HeadOutput(self.session.run, Head(0, 0), query, k=1)
        facts = self.facts()
        if token is not None and facts is not None:
            way = cast(WayName, self.way.value())
            wanted["tokens"] = DirectPath(now.model, token, way, facts.d_vocab)
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return the lists as long as they are seen, not the whole row."""
        request = self.wants().get("tokens")
        if not isinstance(request, DirectPath):
            return {}
        return {self.title: replace(request, k=min(request.k, MOST_ROWS))}

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.choice.set_vocabulary(vocabulary)

    def draw(self) -> None:
        """Show both lists."""
        answer = self.known("tokens")
        assert isinstance(answer, TokenRanking)
        now = self.session.selection
        typed = self._token is not None
        self.choice.show_token(answer.token_id, typed=typed)
        token = Token(answer.token_label)
        run = self.run_result()
        place = ""
        if run is not None and not typed:
            place = f" (query {focus.pinned_query(now, run)})"
        if self.way.value() == "output":
            self.lists.set_captions("raises", "lowers")
            said = "with no attention, the model would go by its bigram table: "
            self.sentence.set_parts([said, token, f"{place} raises and lowers"])
        else:
            self.lists.set_captions("raised by", "lowered by")
            said = " as the next token is raised and lowered, with no attention, by"
            self.sentence.set_parts([token, place + said])
        self.lists.set_ranking(answer, self.pieces(self.lists.ids_of(answer)))
        told = f" itself: {ranked(answer.rank, answer.d_vocab, answer.constant)} · "
        told += (
            f"{fixed(answer.value, 2, signed=True)} · median {fixed(answer.median, 2, signed=True)}"
        )
        self.small.set_parts([token, told + " · W_E W_U, no positions"])
        self._say_guess(answer)

    def _say_guess(self, answer: TokenRanking) -> None:
        found = self.wanted("guess")
        self.guess.setVisible(isinstance(found, OutputRanking))
        if not isinstance(found, OutputRanking):
            return
        places = np.flatnonzero(answer.ids == found.target_id)
        value = float(answer.values[places[0]])
        rank = int((answer.values >= value).sum())
        self.guess.set_parts(
            [
                "the model's own guess, with attention, is ",
                Token(found.target_label),
                f": here {ranked(rank, answer.d_vocab, answer.constant)} · "
                f"{fixed(value, 2, signed=True)}",
            ]
        )

    def _ask(self, token: int | None) -> None:
        self._token = token
        self.refresh()
        self.redraw()

    def _on_changed(self, what: str) -> None:
        if what in ("model", "query"):
            self._token = None
        super()._on_changed(what)
