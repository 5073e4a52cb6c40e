"""What one token makes a head, or the bare model, say or look for: two lists of tokens."""

from typing import Any, ClassVar, Literal, NamedTuple

from PySide6.QtGui import QResizeEvent

from engine.messages import (
    SMALL_VOCABULARY,
    CircuitName,
    OVTokens,
    QKTokens,
    Request,
    ScoreRanking,
    Source,
    Table,
    TokenRanking,
    TokenTable,
    VocabularyTokens,
)
from gui.charts.focus import count
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch
from gui.panels.panel import Panel
from gui.panels.token_lists import TokenChoice, TokenLists
from gui.session.session import Session
from gui.state.selection import OVQuestion, QKQuestion
from gui.style.formatting import fixed, for_prompts, head_name, plain, ranked, reach, tokens_back
from gui.style.palette import ScaledSize, scaled
from gui.style.theme import UNIT
from gui.widgets.cells import Colouring
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_view import Heatmap
from gui.widgets.text import Sentence, Token

TABLE_BESIDE = 380
"""A panel of at least this width has room for the table beside a list."""
TOKEN_WIDTH, LEAST_LIST, LEAST_TABLE = 72, 60, 110
SOURCES = [("token", "token"), ("token+mlp0", "token + MLP0"), ("position", "position")]
READ = {
    "token": "the bare embedding",
    "token+mlp0": "the embedding after MLP0",
    "position": "the stream at its position",
}
"""What is read for a token."""
DEEP = "Deep layers read the stream, not the embedding: "
WHY = {
    "token": "the bare embedding gives mostly noise here; position and token + MLP0 come closer",
    "token+mlp0": "here, the embedding after the first MLP stands for it",
    "position": "here, the stream at this position",
}
"""What is to be known of each source vector beyond the first layer of a model with MLPs."""
LISTED = ", and token + MLP0 for the lists"


class Way(NamedTuple):
    """One of the two ways round in which a token can be asked about."""

    key: str
    label: str
    pin: Literal["query", "source"]
    """Whose token is followed."""
    at: str
    """Where it stands in the prompt; empty where its position does not matter."""
    captions: tuple[str, str]
    """Over the lists."""
    sentence: str
    """With `{token}`, and where they are said `{at}` and `{head}`."""
    tip: str = ""


class TokenRankingPanel(Panel):
    """A ranking of the vocabulary, asked about one token.

    The token is the one at a pinned position of the prompt, until another is typed or clicked.
    """

    main_slot = "tokens"
    ways: ClassVar[tuple[Way, Way]]
    asks: ClassVar[str]
    """What the two ways are, for the accessible name of the switch."""
    needs: ClassVar[tuple[str, ...]] = ()
    """What the followed position depends on beside the run."""
    way_field: ClassVar[str] = "direction"
    """Of the question."""

    def __init__(
        self, session: Session, client: EngineClient, choice: TokenChoice, least: int
    ) -> None:
        super().__init__(session, client)
        self.choice = choice
        choice.chosen.connect(lambda token: self.ask(token=token))
        choice.refused.connect(self.notice.show_failure)
        self.way = switch(
            f"{self.title}: {self.asks}",
            lambda way: self.ask(**{self.way_field: way}),
            *((way.key, way.label, way.tip) for way in self.ways),
        )
        self.sentence = Sentence(f"{self.title}: what the lists say")
        first = self.ways[0].captions
        self.lists = TokenLists(self.title, lambda token: self.ask(token=token), first, least)
        self.rank = Sentence(f"{self.title}: the token's own rank")

    @property
    def question(self) -> OVQuestion | QKQuestion:
        """What is asked: a token, or `None` to follow the prompt; and which way round."""
        raise NotImplementedError

    @property
    def typed(self) -> bool:
        """Whether the token was typed or clicked, and the prompt is not followed."""
        return self.question.token is not None

    @property
    def turned(self) -> Way:
        """The way round in which the token is asked about."""
        return self.ways[self.ways[0].key != getattr(self.question, self.way_field)]

    @property
    def position(self) -> int | None:
        """The position that is followed, `None` while it is not known, or none is."""
        if self.typed or self.focus is None:
            return None
        return self.focus.query if self.turned.pin == "query" else self.focus.source

    def ask(self, **changes: Any) -> None:
        """Change the question."""
        raise NotImplementedError

    def request(self, token: int) -> Request:
        """Return the question about a token."""
        raise NotImplementedError

    def small_print(self, answer: TokenRanking) -> list[str]:
        """Return what must be known to read the numbers."""
        raise NotImplementedError

    def wants(self) -> dict[str, Request]:
        """Ask about the token; where it follows the prompt, the prompt comes first."""
        wanted, token = self.basics("facts", "vocabulary"), self.question.token
        if token is None:
            wanted |= self.basics("run", *self.needs)
            run, position = self.common.run, self.position
            if run is None or position is None:
                return wanted
            token = int(run.ids[position])
        if self.common.facts is not None:  # what stands for the token depends on them
            wanted["tokens"] = self.request(token)
        return wanted

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.choice.set_vocabulary(vocabulary)

    def draw(self) -> None:
        """Show both lists."""
        answer = self.known("tokens")
        assert isinstance(answer, TokenRanking)
        way, position = self.turned, self.position
        self.way.set_value(way.key)
        self.choice.show_token(answer.token_id, typed=self.typed)
        names = {
            "at": "" if position is None else way.at.format(position),
            "head": head_name(self.session.selection.head),
        }
        token = Token(answer.token_label)
        before, after = (part.format(**names) for part in way.sentence.split("{token}"))
        self.sentence.set_parts([before, token, after] if before else [token, after])
        self.lists.set_captions(*way.captions)
        self.lists.set_ranking(answer, self.pieces)
        value, median = (fixed(x, 2, signed=True) for x in (answer.value, answer.median))
        rank = ranked(answer.rank, answer.d_vocab, answer.constant)
        parts = [f" itself: {rank}", value, f"median {median}"]
        notes = ", ".join(self.small_print(answer))
        self.rank.set_parts([token, " · ".join([*parts, notes] if notes else parts)])


class CircuitPanel(TokenRankingPanel):
    """A circuit of the open head; of a small vocabulary its whole table too."""

    needs = ("patterns",)
    circuit: ClassVar[CircuitName]
    table_titles: ClassVar[tuple[str, str]]
    redraw_on = frozenset({"head", "query", "source", "text", "ov", "qk"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        choice = TokenChoice(
            f"{self.title}: token asked about", "the token pinned in the prompt", TOKEN_WIDTH
        )
        super().__init__(session, client, choice, LEAST_LIST)
        self.token, self.follow = choice.field, choice.follow
        stands = f"{self.title}: what stands for the token"
        self.source = switch(stands, lambda source: self.ask(source=source), *SOURCES)
        both = f"{self.title}: both lists or the whole table"
        self.view = switch(both, self._choose_view, "lists", "table")
        self._view_chosen = False
        self.add_controls([self.token, self.way, self.source, self.view, self.follow])
        self.why = Sentence(f"{self.title}: why this stands for the token")
        self.strongest, self.weakest = self.lists.raised, self.lists.lowered
        self.table = Heatmap()
        self.table.setAccessibleName(f"{self.title}: whole table")
        self.table.set_describe(self.describe)
        self.table.clicked.connect(lambda row, column: self.ask(token=row))
        ScaledSize(self.table, self.table.setMinimumSize, LEAST_TABLE, LEAST_TABLE)
        self.lists.second.addWidget(self.table)
        rows = (self.sentence, (self.lists, 1), self.rank, self.why)
        stack(self.body, *rows, spacing=UNIT * 3 // 4)

    @property
    def takes_position(self) -> bool:
        """Whether the stream at a position can be what is asked about."""
        return not self.typed and bool(self.turned.at)

    @property
    def read(self) -> Source:
        """The source vector that is asked for: the chosen one where it means something.

        In the place of a position that is not there, what comes closest to the stream.
        """
        source, facts = self.question.source, self.common.facts
        if source == "position" and not self.takes_position:
            return "token+mlp0" if self._is_deep() else "token"
        if source == "token+mlp0" and facts is not None and not facts.d_mlp:
            return "token"
        return source

    def read_as(self, answer: TokenRanking) -> str:
        """Return what stands for the token asked about, and for those of the lists."""
        raise NotImplementedError

    def wants(self) -> dict[str, Request]:
        """Ask about the token, and for the table of a small vocabulary."""
        wanted, now, facts = super().wants(), self.session.selection, self.common.facts
        if facts is not None and facts.d_vocab <= SMALL_VOCABULARY:
            wanted["table"] = Table(now.model, now.head, self.circuit, self._offset())
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return the lists, and the whole table where it is seen; it first where it is alone."""
        wanted = self.wants()
        lists = {f"{self.title} lists": wanted["tokens"]} if "tokens" in wanted else {}
        if self.lists.second.currentWidget() is not self.table or "table" not in wanted:
            return lists
        table = {f"{self.title} table": wanted["table"]}
        return table | lists if self.strongest.isHidden() else lists | table

    def draw(self) -> None:
        """Show both lists, or one and the table."""
        super().draw()
        answer, facts = self.known("tokens"), self.common.facts
        assert isinstance(answer, TokenRanking)
        self.subtitle.setText(self.read_as(answer))
        self.source.set_value(self.read)
        why = "a typed token has no position" if self.typed else "only for the token asked about"
        self.source.set_option_enabled("position", self.takes_position, why)
        has_mlp = facts is None or facts.d_mlp > 0
        self.source.set_option_enabled("token+mlp0", has_mlp, "this model has no MLP")
        listed = self.read == "position" and answer.vocabulary_source == "token+mlp0"
        deep = self._is_deep()
        self.why.set_parts([DEEP + WHY[self.read] + LISTED * listed + "."] if deep else [])
        self.why.setVisible(deep)
        self._draw_table(answer)

    def describe(self, row: int, column: int) -> str:
        """Return what the tool tip of a cell of the table says."""
        table = self.known("table")
        if not isinstance(table, TokenTable) or max(row, column) >= len(table.labels):
            return ""
        value = fixed(float(table.values[row, column]), 2, signed=True)
        down, across = self.table_titles
        return f"{down} {table.labels[row]}, {across} {table.labels[column]}: {value}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the table beside a list where there is room for it now, or else alone."""
        super().resizeEvent(event)
        if self._active and event.size().width() != event.oldSize().width():
            self.redraw()

    def _about(self, token: int) -> dict[str, Any]:
        """Return what is asked about: a token, or the stream where the prompt has it."""
        if self.read == "position":
            return {"source": self.read, "run": self.session.run, "position": self.position}
        return {"source": self.read, "token": token}

    def _is_deep(self) -> bool:
        """Return whether the open head reads what an MLP has already written to."""
        facts = self.common.facts
        return self.session.selection.head.layer > 0 and facts is not None and facts.d_mlp > 0

    def _draw_table(self, answer: TokenRanking) -> None:
        table = self.wanted("table")
        self.view.setVisible(isinstance(table, TokenTable))
        wide = self.body.width() >= scaled(TABLE_BESIDE)
        if not self._view_chosen:
            self.view.set_value("table" if wide else "lists")
        shown = isinstance(table, TokenTable) and self.view.value() == "table"
        self.lists.show_first(wide or not shown)
        # Where there is little room the sentence alone says what the lists are.
        self.lists.captions[0].setVisible(wide)
        self.lists.captions[1].setVisible(wide or shown)
        self.lists.second.setCurrentIndex(1 if shown else 0)
        if not shown or not isinstance(table, TokenTable):
            return
        from gui.charts.circuits import table_unit  # most models have no table

        alike = f", {count(len(table.constant), 'row')} with all values alike"
        self.lists.captions[1].setText("whole table" + alike * bool(len(table.constant)))
        largest = reach(table.values)
        colouring, labels = Colouring("diverging", -largest, largest), (table.labels, table.labels)
        titles, unit = self.table_titles, table_unit(self.circuit, table)
        self.table.set_matrix(Matrix(table.values, colouring, labels, titles=titles, unit=unit))
        self.table.set_pinned(answer.token_id, None)

    def _choose_view(self, _: str) -> None:
        self._view_chosen = True
        self.redraw()

    def _offset(self, adds: bool = False) -> int:
        """Return how far back the source lies, where scores, or a matrix, depend on it."""
        return (self.offset(adds) or 0) if self.circuit == "qk" else 0


class OVPanel(CircuitPanel):
    """What the head raises and lowers when it reads a token, or what it must read to raise one."""

    title = "OV"
    circuit = "ov"
    asks = "what the token raises, or what raises it"
    ways = (
        Way(
            *("output", "raises", "source", " at position {}", ("raises", "lowers")),
            "reading {token}{at}, {head} raises and lowers",
        ),
        Way(
            *("source", "raised by", "source", "", ("raises", "lowers")),
            "{token} is raised most, and lowered most, when {head} reads",
        ),
    )
    table_titles = ("reads", "writes")

    @property
    def question(self) -> OVQuestion:
        """The session's question to the circuit."""
        return self.session.selection.ov

    def ask(self, **changes: Any) -> None:
        """Change the session's question."""
        self.session.ask_ov(**changes)

    def request(self, token: int) -> Request:
        """Return the question."""
        now = self.session.selection
        return OVTokens(now.model, now.head, direction=now.ov.direction, **self._about(token))

    def read_as(self, answer: TokenRanking) -> str:
        """Say what is read; what is written is always a logit."""
        if self.question.direction == "output":
            return f"reads {READ[answer.source]}"
        return f"each token: {READ[answer.vocabulary_source]}"

    def small_print(self, answer: TokenRanking) -> list[str]:
        """Say what is left out of the numbers."""
        facts = self.common.facts
        left_out = self.read != "position" and facts is not None and facts.positions != "none"
        return ["no positions"] if left_out else []


class QKPanel(CircuitPanel):
    """Which keys a query token looks for, or which queries look for a key token."""

    title = "QK"
    circuit = "qk"
    asks = "what the token looks for, or what finds it"
    way_field = "side"
    ways = (
        Way(
            *("query", "looks for", "query", " (query {})", ("looks for", "looks away from")),
            "standing on {token}{at}, {head} looks for",
        ),
        Way(
            *("key", "found by", "source", " (key {})", ("found by", "passed over by")),
            "{token}{at} is what {head} looks for when it stands on",
        ),
    )
    table_titles = ("query", "key")

    @property
    def question(self) -> QKQuestion:
        """The session's question to the circuit."""
        return self.session.selection.qk

    def ask(self, **changes: Any) -> None:
        """Change the session's question."""
        self.session.ask_qk(**changes)

    def request(self, token: int) -> Request:
        """Return the question."""
        now, about = self.session.selection, self._about(token)
        return QKTokens(now.model, now.head, side=now.qk.side, offset=self._offset(True), **about)

    def read_as(self, answer: TokenRanking) -> str:
        """Say what stands at both ends of the scores."""
        own, other = ("query", "keys") if self.question.side == "query" else ("key", "queries")
        names = dict(SOURCES)
        return f"{own}: {names[answer.source]}, {other}: {names[answer.vocabulary_source]}"

    def small_print(self, answer: TokenRanking) -> list[str]:
        """Say what the scores were divided by, and what is left out."""
        notes, facts = [], self.common.facts
        if isinstance(answer, ScoreRanking):
            notes.append(f"÷ {plain(answer.divisor, 3)}")
            if answer.offset is not None:
                notes.append(tokens_back(answer.offset))
            if answer.length is not None:
                notes.append(for_prompts(answer.length))
            if answer.slope:
                notes.append(f"{plain(answer.slope, 3)} less a token further back")
            if answer.cap is not None:
                notes.append(f"before the cap of {plain(answer.cap)}")
        if facts is not None and facts.positions == "learned":
            notes.append("no positions")
        return notes
