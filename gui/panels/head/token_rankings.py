"""The OV circuit: what the open head writes when it reads a token."""

from typing import Any, cast

from engine.messages import (
    ModelFacts,
    OVTokens,
    QKTokens,
    Request,
    Run,
    ScoreRanking,
    Side,
    Source,
    TokenRanking,
    WayName,
)
from gui.charts import focus
from gui.client.engine_client import EngineClient
from gui.panels.head.circuit import SOURCES, CircuitPanel
from gui.session.session import OVQuestion, QKQuestion, Session
from gui.style.formatting import for_prompts, head_name, plain, tokens_back
from gui.widgets.text import Token

READ = {
    "token": "the bare embedding",
    "token+mlp0": "the embedding after MLP0",
    "position": "the stream at its position",
}
"""What is read for a token."""


class OVPanel(CircuitPanel):
    """What the head raises and lowers when it reads a token, or what it must read to raise one."""

    title = "OV"
    circuit = "ov"
    captions = ("raises", "lowers")
    table_titles = ("reads", "writes")

    def __init__(self, session: Session, client: EngineClient) -> None:
        ways = [("output", "raises"), ("source", "raised by")]
        super().__init__(session, client, ways, "OV: what the token raises, or what raises it")

    @property
    def question(self) -> OVQuestion:
        """The session's question to the OV circuit."""
        return self.session.selection.ov

    def ask(self, **changes: Any) -> None:
        """Change the session's question."""
        self.session.ask_ov(**changes)

    def ask_way(self, way: str) -> None:
        """Ask for outputs, or for sources."""
        self.session.ask_ov(direction=cast(WayName, way))

    def takes_position(self) -> bool:
        """Return whether the token asked about is one that is read in the prompt."""
        return self.question.token is None and self.question.direction == "output"

    def position(self, run: Run) -> int | None:
        """Return the source position."""
        patterns = self.patterns()
        if patterns is None:
            return None
        return focus.pinned_source(self.session.selection, run, patterns)

    def request(self, token: int | None, position: int | None, offset: int) -> Request:
        """Return the question."""
        now = self.session.selection
        source = cast(Source, self.effective_source())
        at_position = source == "position"
        return OVTokens(
            now.model,
            now.head,
            token=None if at_position else token,
            direction=self.question.direction,
            source=source,
            run=self.session.run if at_position else None,
            position=position if at_position else None,
        )

    def say(self, answer: TokenRanking, position: int | None) -> list[str | Token]:
        """Say what the lists hold."""
        self.way.set_value(self.question.direction)
        head = head_name(self.session.selection.head)
        token = Token(answer.token_label)
        place = f" at position {position}" if position is not None else ""
        if self.question.direction == "output":
            return ["reading ", token, f"{place}, {head} raises and lowers"]
        return [token, f" is raised most, and lowered most, when {head} reads"]

    def read_as(self, answer: TokenRanking) -> str:
        """Say what is read; what is written is always a logit."""
        if self.question.direction == "output":
            return f"reads {READ[answer.source]}"
        return f"each token: {READ[answer.vocabulary_source]}"

    def small_print(self, answer: TokenRanking, facts: ModelFacts | None) -> list[str]:
        """Say what is left out of the numbers."""
        if self.effective_source() == "position" or facts is None or facts.positions == "none":
            return []
        return ["no positions"]


class QKPanel(CircuitPanel):
    """Which keys a query token looks for, or which queries look for a key token."""

    title = "QK"
    circuit = "qk"
    captions = ("looks for", "looks away from")
    table_titles = ("query", "key")

    def __init__(self, session: Session, client: EngineClient) -> None:
        ways = [("query", "looks for"), ("key", "found by")]
        super().__init__(session, client, ways, "QK: what the token looks for, or what finds it")

    @property
    def question(self) -> QKQuestion:
        """The session's question to the QK circuit."""
        return self.session.selection.qk

    def ask(self, **changes: Any) -> None:
        """Change the session's question."""
        self.session.ask_qk(**changes)

    def ask_way(self, way: str) -> None:
        """Ask for keys, or for queries."""
        self.session.ask_qk(side=cast(Side, way))

    def position(self, run: Run) -> int | None:
        """Return the query position, or the source position when the token is the key."""
        now = self.session.selection
        if self.question.side == "query":
            return focus.pinned_query(now, run)
        patterns = self.patterns()
        return None if patterns is None else focus.pinned_source(now, run, patterns)

    def request(self, token: int | None, position: int | None, offset: int) -> Request:
        """Return the question."""
        now = self.session.selection
        source = cast(Source, self.effective_source())
        at_position = source == "position"
        return QKTokens(
            now.model,
            now.head,
            token=None if at_position else token,
            side=self.question.side,
            source=source,
            run=self.session.run if at_position else None,
            position=position if at_position else None,
            offset=offset,
        )

    def say(self, answer: TokenRanking, position: int | None) -> list[str | Token]:
        """Say what the lists hold."""
        side = self.question.side
        self.way.set_value(side)
        head = head_name(self.session.selection.head)
        token = Token(answer.token_label)
        place = f" ({side} {position})" if position is not None else ""
        for label, text in zip(
            self.caption_labels,
            self.captions if side == "query" else ("found by", "passed over by"),
            strict=True,
        ):
            label.setText(text)
        if side == "query":
            return ["standing on ", token, f"{place}, {head} looks for"]
        return [token, f"{place} is what {head} looks for when it stands on"]

    def read_as(self, answer: TokenRanking) -> str:
        """Say what stands at both ends of the scores."""
        own, other = ("query", "keys") if self.question.side == "query" else ("key", "queries")
        names = dict(SOURCES)
        return f"{own}: {names[answer.source]}, {other}: {names[answer.vocabulary_source]}"

    def small_print(self, answer: TokenRanking, facts: ModelFacts | None) -> list[str]:
        """Say what the scores were divided by, and what is left out."""
        told = []
        if isinstance(answer, ScoreRanking):
            told.append(f"÷ {plain(answer.divisor, 3)}")
            if answer.offset is not None:
                told.append(tokens_back(answer.offset))
            if answer.length is not None:
                told.append(for_prompts(answer.length))
            if answer.slope:
                told.append(f"{plain(answer.slope, 3)} less a token further back")
            if answer.cap is not None:
                told.append(f"before the cap of {plain(answer.cap)}")
        if facts is not None and facts.positions == "learned":
            told.append("no positions")
        return told
