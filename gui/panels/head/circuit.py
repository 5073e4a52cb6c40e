"""What the OV and QK panels share: one token asked about, two lists, and the whole small table."""

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
)

from engine.messages import (
    SMALL_VOCABULARY,
    Attention,
    CircuitName,
    LoadModel,
    ModelFacts,
    Request,
    Run,
    Table,
    TokenRanking,
    TokenTable,
    Vocabulary,
    VocabularyTokens,
)
from gui.charts.focus import count
from gui.client.engine_client import EngineClient
from gui.panels.panel import Panel
from gui.panels.token_lists import WholeTable, show_ends
from gui.session.session import OVQuestion, QKQuestion, Session
from gui.style.formatting import fixed, ranked
from gui.style.palette import Held, scaled
from gui.style.theme import UNIT
from gui.widgets.controls import Segmented
from gui.widgets.fields import TokenField
from gui.widgets.labels import caption, side_by_side
from gui.widgets.matrix_view import Heatmap
from gui.widgets.number_tables import RankedList
from gui.widgets.text import Sentence, Token

TABLE_BESIDE = 380
"""A panel of at least this width has room for the table beside a list."""
TOKEN_WIDTH = 72
SOURCES = [("token", "token"), ("token+mlp0", "token + MLP0"), ("position", "position")]
DEEP = "Deep layers read the stream, not the embedding: "
WHY = {
    "token": "the bare embedding gives mostly noise here; position and token + MLP0 come closer",
    "token+mlp0": "here, the embedding after the first MLP stands for it",
    "position": "here, the stream at this position",
}
"""What is to be known of each source vector beyond the first layer of a model with MLPs."""
LISTED = ", and token + MLP0 for the lists"


class CircuitPanel(Panel):
    """A circuit asked about one token.

    The token is the one at a pinned position of the prompt, until another is typed or clicked.
    """

    circuit: ClassVar[CircuitName]
    captions: ClassVar[tuple[str, str]]
    table_titles: ClassVar[tuple[str, str]]
    main = "tokens"
    draws = frozenset({"head", "query", "source", "text", "ov", "qk"})

    def __init__(
        self, session: Session, client: EngineClient, ways: Sequence[tuple[str, str]], way_name: str
    ) -> None:
        super().__init__(session, client)
        self.follow = QPushButton("follow the prompt")
        self.follow.setProperty("quiet", True)
        self.follow.setToolTip("Go back to the token pinned in the prompt")
        self.follow.clicked.connect(lambda: self.ask(token=None))
        self.follow.hide()

        self.token = TokenField()
        self.token.setAccessibleName(f"{self.title}: token asked about")
        Held(self.token, self.token.setFixedWidth, TOKEN_WIDTH)
        self.token.chosen.connect(lambda token: self.ask(token=token))
        self.token.refused.connect(self.notice.show_failure)
        self.way = Segmented(ways, way_name)
        self.way.changed.connect(self.ask_way)
        self.source = Segmented(SOURCES, f"{self.title}: what stands for the token")
        self.source.changed.connect(lambda source: self.ask(source=source))
        self.view = Segmented(
            [("lists", "lists"), ("table", "table")],
            f"{self.title}: both lists or the whole table",
        )
        self._view_chosen = False
        self.view.changed.connect(self._choose_view)
        self.add_controls([self.token, self.way, self.source, self.view, self.follow])

        self.sentence = Sentence(f"{self.title}: what the lists say")
        self.why = Sentence(f"{self.title}: why this stands for the token")
        self.rank = Sentence(f"{self.title}: the token's own rank")
        self.strongest, self.weakest = RankedList(), RankedList()
        self.table = Heatmap()
        self._whole = WholeTable(self.table, self.table_titles, lambda token: self.ask(token=token))
        self.second = QStackedWidget()
        self.second.addWidget(self.weakest)
        self.second.addWidget(self.table)
        self.second.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.caption_labels = [caption(name) for name in self.captions]
        for name, content in zip(self.captions, (self.strongest, self.weakest), strict=True):
            content.setAccessibleName(f"{self.title}: {name}")
            content.chosen.connect(lambda token: self.ask(token=token))
            content.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            Held(content, content.setMinimumHeight, 60)
        Held(self.table, self.table.setMinimumSize, 110, 110)
        self.table.setAccessibleName(f"{self.title}: whole table")
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT * 3 // 4)
        layout.addWidget(self.sentence)
        layout.addLayout(side_by_side(self.caption_labels, (self.strongest, self.second)), 1)
        layout.addWidget(self.rank)
        layout.addWidget(self.why)

    @property
    def question(self) -> OVQuestion | QKQuestion:
        """The session's question to this circuit."""
        raise NotImplementedError

    def ask(self, **changes: object) -> None:
        """Change the session's question."""
        raise NotImplementedError

    def ask_way(self, way: str) -> None:
        """Turn the question round."""
        raise NotImplementedError

    def position(self, run: Run) -> int | None:
        """Return the position that the panel follows, or none while it is not known."""
        raise NotImplementedError

    def request(self, token: int | None, position: int | None, offset: int) -> Request:
        """Return the question about a token, or about a position of the prompt."""
        raise NotImplementedError

    def takes_position(self) -> bool:
        """Return whether the stream at a position can be what is asked about."""
        return self.question.token is None

    def say(self, answer: TokenRanking, position: int | None) -> list[str | Token]:
        """Return the sentence over the lists."""
        raise NotImplementedError

    def read_as(self, answer: TokenRanking) -> str:
        """Return what stands for the token asked about, and for those of the lists."""
        raise NotImplementedError

    def small_print(self, answer: TokenRanking, facts: ModelFacts | None) -> list[str]:
        """Return what must be known to read the numbers."""
        raise NotImplementedError

    def wants(self) -> dict[str, Request]:
        """Ask about the token; where it follows the prompt, the prompt comes first."""
        now, run_request = self.session.selection, self.session.run
        facts = self.facts()
        wanted: dict[str, Request] = {
            "facts": LoadModel(now.model),
            "vocabulary": Vocabulary(now.model),
        }
        if facts is not None and facts.d_vocab <= SMALL_VOCABULARY:
            wanted["table"] = Table(now.model, now.head, self.circuit, self._offset())
        if self.question.token is not None:
            if facts is not None:  # what stands for the token depends on them
                wanted["tokens"] = self.request(self.question.token, None, self._offset(True))
            return wanted
        wanted["run"] = run_request
        run = self.run_result()
        if run is None:
            return wanted
        wanted["attention"] = Attention(run_request, now.head.layer, "pattern")
        position = self.position(run)
        if position is not None and facts is not None:
            token = None if self.effective_source() == "position" else int(run.ids[position])
            wanted["tokens"] = self.request(token, position, self._offset(True))
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return the lists, and the whole table where it is seen; it first where it is alone."""
        wanted = self.wants()
        lists = {f"{self.title} lists": wanted["tokens"]} if "tokens" in wanted else {}
        if self.second.currentWidget() is not self.table or "table" not in wanted:
            return lists
        table = {f"{self.title} table": wanted["table"]}
        return table | lists if self.strongest.isHidden() else lists | table

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.token.set_vocabulary(vocabulary.texts, vocabulary.labels)

    def effective_source(self) -> str:
        """Return the source vector that is asked for: the chosen one where it means something.

        In the place of a position that is not there, what comes closest to the stream.
        """
        source = self.question.source
        facts = self.facts()
        if source == "position" and not self.takes_position():
            return "token+mlp0" if self._is_deep() else "token"
        if source == "token+mlp0" and facts is not None and not facts.d_mlp:
            return "token"
        return source

    def draw(self) -> None:
        """Show both lists, or one and the table."""
        answer, facts = self.known("tokens"), self.facts()
        assert isinstance(answer, TokenRanking)
        question = self.question
        self.follow.setVisible(question.token is not None)
        self._draw_switches(facts)
        self.token.set_token(answer.token_id)
        self.subtitle.setText(self.read_as(answer))
        self._explain(answer)
        run = self.run_result()
        position = self.position(run) if run is not None and question.token is None else None
        self.sentence.set_parts(self.say(answer, position))
        pieces = self.pieces([*answer.ids.tolist(), *answer.bottom_ids.tolist()])
        show_ends(self.strongest, self.weakest, answer, pieces)
        value, median = (fixed(x, 2, signed=True) for x in (answer.value, answer.median))
        rank = ranked(answer.rank, answer.d_vocab, answer.constant)
        small = [f" itself: {rank}", value, f"median {median}"]
        notes = ", ".join(self.small_print(answer, facts))
        told = " · ".join([*small, notes] if notes else small)
        self.rank.set_parts([Token(answer.token_label), told])
        self._draw_table()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the table beside a list where there is room for it now, or else alone."""
        super().resizeEvent(event)
        if self._active and event.size().width() != event.oldSize().width():
            self.redraw()

    def _is_deep(self) -> bool:
        """Return whether the open head reads what an MLP has already written to."""
        facts = self.facts()
        return self.session.selection.head.layer > 0 and facts is not None and facts.d_mlp > 0

    def _explain(self, answer: TokenRanking) -> None:
        """Say why the bare embedding is not what a head of a deep layer reads."""
        source, listed = self.effective_source(), answer.vocabulary_source == "token+mlp0"
        told = DEEP + WHY[source] + LISTED * (source == "position" and listed) + "."
        self.why.set_parts([told] if self._is_deep() else [])
        self.why.setVisible(self._is_deep())

    def _draw_switches(self, facts: ModelFacts | None) -> None:
        self.source.set_value(self.effective_source())
        typed = self.question.token is not None
        why = "a typed token has no position" if typed else "only for the token asked about"
        self.source.set_option_enabled("position", self.takes_position(), why)
        has_mlp = facts is None or facts.d_mlp > 0
        self.source.set_option_enabled("token+mlp0", has_mlp, "this model has no MLP")

    def _draw_table(self) -> None:
        table = self.wanted("table")
        self.view.setVisible(isinstance(table, TokenTable))
        wide = self.body.width() >= scaled(TABLE_BESIDE)
        if not self._view_chosen:
            self.view.set_value("table" if wide else "lists")
        shown = isinstance(table, TokenTable) and self.view.value() == "table"
        self.strongest.setVisible(wide or not shown)
        # Where there is little room the sentence alone says what the lists are.
        self.caption_labels[0].setVisible(wide)
        self.caption_labels[1].setVisible(wide or shown)
        self.second.setCurrentIndex(1 if shown else 0)
        whole = "whole table"
        if isinstance(table, TokenTable) and table.constant:
            whole += f", {count(len(table.constant), 'row')} with all values alike"
        self.caption_labels[1].setText(whole if shown else self.captions[1])
        answer = self.known("tokens")
        if shown and isinstance(table, TokenTable) and isinstance(answer, TokenRanking):
            self._whole.draw(table, answer.token_id)

    def _choose_view(self) -> None:
        self._view_chosen = True
        self.redraw()

    def _offset(self, adds: bool = False) -> int:
        """Return how far back the source lies, where scores, or a matrix, depend on it."""
        return (self.offset(adds) or 0) if self.circuit == "qk" else 0
