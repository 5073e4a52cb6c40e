"""The direct path: what a token makes likelier next where no head looks anywhere."""

from dataclasses import replace
from typing import Any

import numpy as np

from engine.messages import (
    DirectPath,
    LogitAttribution,
    LogitParts,
    Request,
    TokenRanking,
)
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack
from gui.panels.head.token_rankings import LEAST_LIST, TokenRankingPanel, Way
from gui.panels.token_lists import MOST_ROWS, TokenChoice
from gui.session.session import Session
from gui.state.selection import OVQuestion
from gui.style.formatting import fixed, ranked
from gui.style.palette import ScaledSize
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.text import Sentence, Token

LEAST_LISTS = 150


class DirectPathPanel(TokenRankingPanel):
    """What a token raises and lowers without attention, or which tokens raise it."""

    title = "Direct path"
    redraw_on = frozenset({"query"})
    optional_slots = frozenset({"vocabulary", "guess"})
    asks = "what the token raises, or what raises it"
    ways = (
        Way(
            *("output", "raises", "query", " (query {})", ("raises", "lowers")),
            "with no attention, the model would go by its bigram table: {token}{at} raises and "
            "lowers",
            "What the token makes likelier next, and less likely",
        ),
        Way(
            *("source", "raised by", "query", " (query {})", ("raised by", "lowered by")),
            "{token}{at} as the next token is raised and lowered, with no attention, by",
            "Which tokens make this one likelier or less likely",
        ),
    )
    about = (
        "The bigram table W_E W_U: what a token's embedding, read straight by the unembedding, "
        "raises\nand lowers. Positions, the unembedding's bias and the final norm's scale are left "
        "out."
    )

    def __init__(self, session: Session, client: EngineClient) -> None:
        choice = TokenChoice("Direct path: token asked about", "the pinned query's token")
        self._question = OVQuestion()
        super().__init__(session, client, choice, LEAST_LIST)
        self.header.setToolTip(painting.literal(self.about))
        self.add_controls([self.choice, self.way])
        ScaledSize(self.lists, self.lists.setMinimumHeight, LEAST_LISTS)
        self.guess = Sentence("Where the model's own next guess stands")
        stack(self.body, self.sentence, (self.lists, 1), self.guess, self.rank, spacing=UNIT // 2)

    @property
    def question(self) -> OVQuestion:
        """The question, which no session keeps."""
        return self._question

    def ask(self, **changes: Any) -> None:
        """Change the question."""
        self._question = replace(self._question, **changes)
        self.refresh()
        self.redraw()

    def request(self, token: int) -> Request:
        """Return the question: the whole row of the table, so that the model's guess is in it."""
        model, way, facts = (
            self.session.selection.model,
            self._question.direction,
            self.common.facts,
        )
        return DirectPath(model, token, way, facts.d_vocab if facts else 0)

    def wants(self) -> dict[str, Request]:
        """Ask about the token, and for the model's guess where that does not follow the last."""
        wanted, run, position = super().wants(), self.common.run, self.position
        inside = run is not None and position is not None and position + 1 < len(run.ids)
        if position is not None and inside and self._question.direction == "output":
            wanted["guess"] = LogitAttribution(self.session.run, position)
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return the lists as long as they are seen, not the whole row."""
        request = self.wants().get("tokens")
        if not isinstance(request, DirectPath):
            return {}
        return {self.title: replace(request, k=min(request.k, MOST_ROWS))}

    def small_print(self, answer: TokenRanking) -> list[str]:
        """Say what the numbers are of."""
        return ["W_E W_U, no positions"]

    def draw(self) -> None:
        """Show both lists, and where the model's own guess stands in them."""
        super().draw()
        answer, guess = self.known("tokens"), self._guess()
        assert isinstance(answer, TokenRanking)
        self.guess.setVisible(guess is not None)
        if guess is None:
            return
        token, label = guess
        value = float(answer.values[np.flatnonzero(answer.ids == token)[0]])
        rank = ranked(int((answer.values >= value).sum()), answer.d_vocab, answer.constant)
        here = f": here {rank} · {fixed(value, 2, signed=True)}"
        self.guess.set_parts(["the model's own guess, with attention, is ", Token(label), here])

    def _guess(self) -> tuple[int, str] | None:
        """Return the model's first guess after the pinned query, if that is what is followed."""
        run, found, position = self.common.run, self.wanted("guess"), self.position
        if isinstance(found, LogitParts):
            return found.target_id, found.target_label
        if run is None or self._question.direction != "output" or position != len(run.ids) - 1:
            return None
        return int(run.next_ids[0]), run.next_labels[0]

    def _on_changed(self, what: str) -> None:
        if what in ("model", "query"):
            self._question = replace(self._question, token=None)
        super()._on_changed(what)
