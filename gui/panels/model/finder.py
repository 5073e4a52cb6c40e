"""Every measure of every head: a table to sort, a scatter of two, what a head seems to do."""

import textwrap

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from engine.messages import (
    HeadScores,
    MeasuredHeads,
    OVTokens,
    Request,
    TokenRanking,
)
from gui.charts import measures
from gui.charts.focus import count
from gui.charts.measures import GROUPS, Known, group_of, random_text
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch, yield_room
from gui.panels.model.measures import MeasurePlot, MeasureTable
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import head_name
from gui.style.palette import scaled
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.text import Sentence

SIDE_BY_SIDE = 680
LEAST_TABLE = 150
NO_PROMPT = "The model has not run the prompt: see Prompt."


class FinderPanel(Panel):
    """A click on a row or on a point opens a head."""

    title = "Finder"
    main_slot = "scores"
    redraw_on = frozenset({"head", "query", "source"})
    optional_slots = Panel.optional_slots | {"weights", "patterns", "read"}

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._known: Known | None = None
        self._listed: tuple[Known, tuple[str, ...]] | None = None
        """What the table was last filled from."""
        self._marked: tuple[object, int | None] = None, None
        self.which = switch(
            "Which measures the table has",
            self._on_choice,
            *((group.which, group.heading, f"Measures {group.where}") for group in GROUPS),
            ("all", "all", "Every measure; scroll sideways"),
        )
        scatter = ("plot", "scatter")
        self.view = switch("Table or scatter", lambda _: self._fit(), "table", scatter)
        self.add_controls([self.view, self.which])
        self.sentence = Sentence("What the open head seems to do", muted=False)
        self.disagree = Sentence("Where measures of the open head disagree", muted=False)
        self.table = MeasureTable()
        self.table.setAccessibleName("All heads and their measures; click a heading to sort")
        self.table.set_describe(self.describe)
        self.table.chosen.connect(self._choose)
        yield_room(self.table, LEAST_TABLE, QSizePolicy.Policy.Expanding)
        self.plot = MeasurePlot()
        self.plot.changed.connect(self._on_choice)
        self.plot.chosen.connect(session.choose_head)
        row = QHBoxLayout()
        row.setSpacing(2 * UNIT)
        row.addWidget(self.table, 3)
        row.addWidget(self.plot, 2)
        stack(self.body, self._explained(), (row, 1), spacing=UNIT // 2)
        self._fit()
        client.progress.connect(self._tell_weights)

    def wants(self) -> dict[str, Request]:
        """Ask for random tokens and the prompt; for weights where one of theirs is chosen."""
        now = self.session.selection
        wanted = self.basics("scores", "run")
        if self.common.run is not None:
            wanted["prompt"] = self._on_prompt()
        if self._weights_chosen():
            wanted["weights"] = HeadScores(now.model, "weights")
        if self._weights() is None or self.common.run is None:
            return wanted
        wanted |= self.basics("patterns")
        source = self._source()
        if source is not None:
            wanted["read"] = OVTokens(
                now.model, now.head, source="position", run=self.session.run, position=source
            )
        return wanted

    def shown(self) -> dict[str, Request]:
        """Return the measures by what they were measured on, those in view first."""
        names = {
            "scores": "Measures on random tokens",
            "prompt": "Measures on the prompt",
            "weights": "Measures of the weights",
        }
        which = self.which.value()
        first = "scores" if which == "random" else which
        return self.named({slot: names[slot] for slot in sorted(names, key=lambda s: s != first)})

    def draw(self) -> None:
        """Show table, scatter and sentence."""
        if self._known is not None and self._prompt_is_coming():
            return  # numbers that come and go while somebody types would flicker
        known = self._known = self._gather()
        fields = self._fields()
        if self._listed is None or fields != self._listed[1] or known.differs(self._listed[0]):
            self._listed = known, fields
            self._fill_table(known, fields)
        place = known.place(self.session.selection.head)
        missing = self.plot.missing(known)
        if missing:
            self.plot.wait(self._reason(missing[0]))
        else:
            self.plot.set_known(known, place)
        self.subtitle.setText(count(len(known.heads), "head"))
        random = self.common.scores
        begins = None if random is None else random.begins
        self.subtitle.setToolTip(f"random: measured on {random_text(begins)}")
        self.head_label.setVisible(place is not None)
        self.head_label.setText(head_name(self.session.selection.head))
        self._mark(known, place, fields)

    def describe(self, place: int) -> str:
        """Return what a head seems to do and where its measures disagree, for its tool tip."""
        if self._known is None:
            return ""
        told = [measures.seems(self._known.heads, self._known.scores, place)]
        told += measures.disagreements(self._known.scores, place, self._tokens())
        return "\n".join(_wrapped(line) for line in told)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show table and scatter beside one another where there is room."""
        super().resizeEvent(event)
        self._fit()

    def _explained(self) -> QWidget:
        """Return the sentences about the open head, with the rules in their tool tip."""
        box = QWidget()
        box.setToolTip(painting.literal(measures.RULES))
        stack = QVBoxLayout(box)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(UNIT // 2)
        stack.addWidget(self.sentence)
        stack.addWidget(self.disagree)
        return box

    def _fit(self) -> None:
        wide = self.width() >= scaled(SIDE_BY_SIDE)
        self.view.setVisible(not wide)
        self.table.setVisible(wide or self.view.value() == "table")
        self.plot.setVisible(wide or self.view.value() == "plot")
        self.frame.place_controls()

    def _fields(self) -> tuple[str, ...]:
        which = self.which.value()
        return tuple(
            field for group in GROUPS if which in (group.which, "all") for field in group.fields
        )

    def _weights_chosen(self) -> bool:
        return any(
            group_of(field).which == "weights" for field in (*self.plot.axes, *self._fields())
        )

    def _on_prompt(self) -> HeadScores:
        now = self.session.selection
        return HeadScores(now.model, "prompt", heads_off=now.heads_off, run=self.session.run)

    def _weights(self) -> MeasuredHeads | None:
        found = self.current("weights", HeadScores(self.session.selection.model, "weights"))
        return found if isinstance(found, MeasuredHeads) else None

    def _tokens(self) -> int:
        run = self.common.run
        return 0 if run is None else len(run.ids)

    def _source(self) -> int | None:
        """Return the source position that the pinned query reads, if it is known."""
        return None if self.focus is None else self.focus.source

    def _read(self) -> measures.Read | None:
        """Return what the open head does with the source it reads, if that is known."""
        found = self.wanted("read")
        source = self._source()
        if not isinstance(found, TokenRanking) or found.constant or source is None:
            return None
        return measures.Read(found.token_label, source, found.rank, found.d_vocab)

    def _prompt_is_coming(self) -> bool:
        wanted, failed = self._wanted, self.failures()
        late = [slot for slot in ("run", "prompt") if slot not in failed]
        return (
            any(slot not in wanted or self.current(slot, wanted[slot]) is None for slot in late)
            and not failed
        )

    def _gather(self) -> Known:
        random = self.common.scores
        assert random is not None
        scores = dict(random.scores)
        on_prompt = self.current("prompt", self._on_prompt())
        for found in (on_prompt if self.common.run else None, self._weights()):
            if isinstance(found, MeasuredHeads):
                scores |= found.scores
        return Known(random.heads, scores)

    def _fill_table(self, known: Known, fields: tuple[str, ...]) -> None:
        there = [field for field in fields if field in known.scores]
        if not there:
            self.table.clear(self._reason(fields[0]))
            return
        self.table.set_known(known, there, groups=self.which.value() == "all")

    def _mark(self, known: Known, place: int | None, fields: tuple[str, ...]) -> None:
        """Show the open head: its row, its rank in each column, its point, its sentence."""
        if (self._listed, place) != self._marked:
            # Only then: whoever has scrolled elsewhere is not brought back by every answer.
            self._marked = self._listed, place
            self.table.set_highlight(place)
        there = [field for field in fields if field in known.scores]
        if place is None or not there:
            self.table.set_notes([])
        if place is None:
            self.sentence.set_parts([])
            self.disagree.hide()
            return
        if there:
            self.table.set_ranks_of(known, place, there)
        told = measures.seems(known.heads, known.scores, place)
        if self._weights() is None:
            told += " Choose weights to see whether it copies."
        self.sentence.set_parts([told])
        doubts = measures.disagreements(known.scores, place, self._tokens(), self._read())
        self.disagree.set_parts([" ".join(doubts)])
        self.disagree.setVisible(bool(doubts))

    def _reason(self, field: str) -> str:
        """Return why a measure is not there."""
        if group_of(field).which != "weights":
            return NO_PROMPT
        failure = self.failure()
        if failure is not None:
            return failure.sentence
        told = "Reading the weights of every head, once per model; what else is asked goes first."
        return f"{told}\n\n{self.client.doing}" if self.client.doing else told

    def _tell_weights(self, what: str, done: int, total: int) -> None:
        """Say how far the weights are, where they are waited for."""
        if self._known is None or self._weights() is not None:
            return
        for field in self.plot.axes:
            if group_of(field).which == "weights":
                self.plot.wait(self._reason(field))
        if self.which.value() == "weights":
            self.table.clear(self._reason(self._fields()[0]))

    def _on_choice(self, _: str) -> None:
        self.refresh()
        self.redraw()

    def _choose(self, place: int) -> None:
        if self._known is not None:
            self.session.choose_head(self._known.heads[place])


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 80, break_long_words=False))
