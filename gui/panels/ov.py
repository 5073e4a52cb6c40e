"""The OV circuit: what the open head writes when it reads a token."""

from typing import Any, cast

from engine.messages import ModelFacts, OVTokens, Request, Run, Source, TokenRanking, WayName
from gui.engine_client import EngineClient
from gui.head_names import head_name
from gui.panels import reading
from gui.panels.circuit import CircuitPanel
from gui.panels.sentence import Token
from gui.session import OVQuestion, Session

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
        return reading.pinned_source(self.session.selection, run, patterns)

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
