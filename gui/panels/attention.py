"""One head on the prompt: where every token looks."""

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout

from engine.messages import (
    Attention,
    FloatArray,
    Kind,
    MeasuredHeads,
    Patterns,
    Request,
    Run,
    Vocabulary,
)
from gui.engine_client import EngineClient
from gui.numbers import fixed, plain
from gui.panels import reading, switched_off
from gui.panels.height_cap import HeightCap
from gui.panels.panel import Panel
from gui.panels.sentence import Sentence, Token, plain_text
from gui.session import Session
from gui.theme import UNIT
from gui.widgets.colouring import Colours
from gui.widgets.heatmap import Heatmap
from gui.widgets.segmented import Segmented
from gui.widgets.token_strip import TokenStrip

UNITS: dict[str, str] = {
    "pattern": "attention",
    "scores": "score",
    "value-weighted": "attention × length of what is moved",
}
LEAST_PICTURE, LEAST_STRIP = 150, 48
"""Heights at which a pattern, and two lines of tokens, can still be read."""
HIDE_BOS = "Leave the BOS column out of the colour range; the numbers stay as they are"
SWITCH_OFF = "Zero this head's output everywhere (X in Heads)"
SWITCH_ON = "This head's output is zeroed everywhere; click to switch it on again (X in Heads)"
NO_BOS = "This prompt does not begin with a BOS token"


class AttentionPanel(Panel):
    """The pattern of the open head, and the prompt coloured by one row or column of it."""

    title = "Attention"
    column = 1
    about = "where the open head looks"
    main = "shown"
    draws = frozenset(
        {"head", "query", "source", "kind", "looking", "hide_bos", "heads_off", "difference"}
    )

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._drawn = 0
        self._before: FloatArray | None = None
        self.kind = Segmented(
            [("pattern", "pattern"), ("scores", "scores"), ("value-weighted", "value-weighted")],
            "What the cells hold",
        )
        self.kind.changed.connect(session.set_kind)
        self.hide_bos = QPushButton("hide BOS")
        self.hide_bos.setCheckable(True)
        self.hide_bos.clicked.connect(session.set_hide_bos)
        self.switch = QPushButton()
        self.switch.setCheckable(True)
        self.switch.clicked.connect(lambda: session.switch_head(session.selection.head))
        self.add_controls([self.kind, self.hide_bos, self.switch])

        self.heatmap = Heatmap()
        self.heatmap.setAccessibleName("Attention, query down and key across")
        self.heatmap.set_describe(self.describe)
        self.heatmap.clicked.connect(self._pin_cell)
        self.heatmap.hovered.connect(self._say_cell)
        self.sentence = Sentence("What the pinned token reads")
        self.looking = Segmented(
            [("attends to", "attends to"), ("attended by", "attended by")],
            "Colour the prompt by what the pinned token attends to, or by what attends to it",
        )
        self.looking.changed.connect(session.set_looking)
        self.strip = TokenStrip(max_lines=12)
        self.strip.setAccessibleName("Prompt, coloured by attention")
        self.strip.clicked.connect(session.pin)
        self._caps = (
            HeightCap(self.heatmap, self.heatmap.height_at, LEAST_PICTURE),
            HeightCap(self.strip, self.strip.heightForWidth, LEAST_STRIP),
        )
        self.cell = Sentence("The cell under the mouse, or the pinned one")

        says = QHBoxLayout()
        says.setSpacing(UNIT)
        says.addWidget(self.sentence, 1)
        says.addWidget(self.looking)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.heatmap, 8)
        layout.addLayout(says)
        layout.addWidget(self.strip, 1)
        layout.addWidget(self.cell)
        layout.addStretch(0)

    def wants(self) -> dict[str, Request]:
        """Ask for the open head's layer, its scores for the small print, and what it is."""
        now, run = self.session.selection, self.session.run
        wanted: dict[str, Request] = {"run": run}
        if self.run_result() is not None:
            layer = now.head.layer
            wanted["shown"] = Attention(run, layer, now.kind)
            if now.difference:
                wanted["whole"] = Attention(self.session.whole_run, layer, now.kind)
            wanted["pattern"] = Attention(run, layer, "pattern")
            wanted["scores"] = Attention(run, layer, "scores")
        wanted["grid"] = self.session.scores
        wanted["vocabulary"] = Vocabulary(now.model)
        return wanted

    def draw(self) -> None:
        """Show the newest picture there is."""
        run, shown = self.known("run"), self.known("shown")
        now = self.session.selection
        if not (isinstance(run, Run) and isinstance(shown, Patterns)):
            return
        whole = self._whole()
        if now.difference and whole is None:
            return
        self.show_head()
        self.kind.set_value(now.kind)
        self.looking.set_value(now.looking)
        hide_bos = now.hide_bos and run.begins_with_bos
        self.hide_bos.setChecked(hide_bos)
        self.hide_bos.setEnabled(run.begins_with_bos)
        self.hide_bos.setToolTip(HIDE_BOS if run.begins_with_bos else NO_BOS)
        self._say_head()
        if not reading.head_exists(now, shown) or len(run.labels) != len(shown.labels):
            return
        self._drawn = now.head.number
        values = shown.values[self._drawn]
        kind, unit = self._kind(), UNITS[self._kind()]
        signed = kind == "scores" or whole is not None
        self._before = None if whole is None else whole.values[self._drawn]
        if self._before is not None:
            values, unit = values - self._before, f"change of {unit}"
        low, high = reading.limits(
            values, shown.mask, signed=signed, shares=kind == "pattern", hide_bos=hide_bos
        )
        ids = run.ids.tolist()
        pieces = self.pieces(ids)
        places = [place for place, token in enumerate(ids) if token in pieces]
        colours: Colours = "diverging" if signed else "sequential"
        self.heatmap.set_grid(
            values,
            shown.mask,
            shown.labels,
            shown.labels,
            limits=(low, high),
            colours=colours,
            row_title="query (destination)",
            column_title="key (source)",
            unit=unit,
            pieces=(places, places),
        )
        query = reading.pinned_query(now, run)
        source = self._source()
        self.heatmap.set_pinned(query, source)
        along = values[query] if now.looking == "attends to" else values[:, query]
        seen = shown.mask[query] if now.looking == "attends to" else shown.mask[:, query]
        self.strip.set_tokens(shown.labels, ids, pieces, np.flatnonzero(run.special))
        self.strip.set_values(np.where(seen, along, np.nan), (low, high), colours)
        self.strip.set_pinned(query)
        self._say_what(Token(shown.labels[query]), query, values[shown.mask])
        self._say_cell(-1, -1)
        for cap in self._caps:
            cap.update()

    def _whole(self) -> Patterns | None:
        """Return the same patterns with no head off, where the difference is wanted."""
        found = self.wanted("whole")
        return found if isinstance(found, Patterns) else None

    def _say_what(self, token: Token, query: int, seen: FloatArray) -> None:
        now = self.session.selection
        said: list[str | Token]
        if now.looking == "attends to":
            said = ["from ", token, f" (query {query}), this head reads"]
        else:
            said = [token, f" (key {query}) is read from"]
        if self._before is not None:
            said += switched_off.change_in_words(now.head, now.heads_off, seen)
        elif now.heads_off:
            said.append(f", with {switched_off.off_in_words(now.heads_off)}")
        self.sentence.set_parts(said)

    def _asked(self, slot: str) -> Attention | None:
        """Return the question behind what is known in a slot, old or new."""
        answer = self.questions.answer(slot)
        request = answer.request if answer else None
        return request if isinstance(request, Attention) else None

    def _kind(self) -> Kind:
        asked = self._asked("shown")
        assert asked is not None
        return asked.kind

    def _source(self) -> int | None:
        """Return the source position that the pinned query reads."""
        run, pattern = self.known("run"), self.known("pattern")
        now = self.session.selection
        if not (isinstance(run, Run) and isinstance(pattern, Patterns)):
            return None
        if len(run.labels) != len(pattern.labels) or not reading.head_exists(now, pattern):
            return None
        return reading.pinned_source(now, run, pattern)

    def _say_head(self) -> None:
        now = self.session.selection
        off = now.head in now.heads_off
        self.switch.setChecked(off)
        self.switch.setText(f"{now.head.name} is off" if off else f"switch off {now.head.name}")
        self.switch.setToolTip(SWITCH_ON if off else SWITCH_OFF)
        scores = self.current("grid", self.session.scores)
        if isinstance(scores, MeasuredHeads) and now.head in scores.heads:
            told = (
                ("induction", "induction"),
                ("previous", "previous_token"),
                ("first token", "first_token"),
            )
            of_head = sorted((float(scores.grid(field)[now.head]), name) for name, field in told)
            text = " · ".join(f"{name} {fixed(value, 2)}" for value, name in reversed(of_head))
            text = f"switched off · {text}" if off else text
            self.subtitle.setText(text)  # what this head does least is elided first
            self.subtitle.setToolTip(f"{text}: mean attention on repeated random tokens")
        else:
            self.subtitle.setText("switched off" if off else "")

    def _pin_cell(self, query: int, key: int) -> None:
        self.session.pin(query, key if key <= query else None)

    def _say_cell(self, query: int, key: int) -> None:
        run, source = self.known("run"), self._source()
        if query < 0 and isinstance(run, Run) and source is not None:
            query, key = reading.pinned_query(self.session.selection, run), source
        self.cell.set_parts(self._cell(query, key) if query >= 0 else [])

    def describe(self, query: int, key: int) -> str:
        """Return what the tool tip of a cell says."""
        return plain_text(self._cell(query, key))

    def _cell(self, query: int, key: int) -> list[str | Token]:
        shown = self.known("shown")
        if not isinstance(shown, Patterns) or max(query, key) >= len(shown.labels):
            return []
        parts: list[str | Token] = [f"query {query} ", Token(shown.labels[query])]
        parts += [f" → key {key} ", Token(shown.labels[key])]
        if not shown.mask[query, key]:
            return [*parts, ": in the future, the head may not look there"]
        # The picture may still be that of the head before: its cells are what is told.
        number, asked = self._drawn, self._asked("shown")
        if self._before is not None:
            now, before = (float(v[query, key]) for v in (shown.values[number], self._before))
            return [*parts, ": ", switched_off.number_in_words(self._kind(), now, before)]
        told: list[str] = []
        for slot, name in (("pattern", "pattern"), ("scores", "score")):
            found, other = self.known(slot), self._asked(slot)
            same = asked and other and (asked.run, asked.layer) == (other.run, other.layer)
            if isinstance(found, Patterns) and same:
                told.append(f"{name} {fixed(float(found.values[number, query, key]), 2)}")
                if slot == "scores":
                    told[-1] += f" (divided by {plain(found.divisor, 3)})"
        if self._kind() == "value-weighted":
            told.append(f"value-weighted {fixed(float(shown.values[number, query, key]), 2)}")
        return [*parts, ": ", ", ".join(told)]
