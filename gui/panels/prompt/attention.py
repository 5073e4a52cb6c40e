"""Where the open head looks: its pattern, and the prompt coloured by a row or a column of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from engine.messages import (
    Attention,
    BoolArray,
    FloatArray,
    Head,
    Patterns,
    Request,
    Run,
)
from gui.charts import focus
from gui.charts.measures import random_text
from gui.client.engine_client import EngineClient
from gui.panels.comparing import FROM_RIGHT, ComparingPanel, number_text
from gui.panels.frame import stack, switch
from gui.session.session import Session
from gui.state import difference
from gui.state.comparison import Axis, Sides
from gui.state.difference import UNSEEN
from gui.style.formatting import fixed, head_name, plain
from gui.style.theme import UNIT
from gui.widgets.cells import Colouring, Colours
from gui.widgets.layouts import HeightForWidth
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_view import Heatmap
from gui.widgets.text import Sentence, Token, plain_text
from gui.widgets.token_strip import TokenStrip

Parts = list[str | Token]


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn: numbers on an axis, and what they are of."""

    request: Attention
    """The question whose answer is drawn."""
    axis: Axis
    labels: tuple[str, ...]
    """Of the places of the axis."""
    head: Head
    off: tuple[Head, ...]
    values: FloatArray
    """What the cells hold, [query, key] on the axis."""
    sides: Sides | None
    """Numbers of the run that is drawn, and of the one taken off it, if one is."""
    mask: BoolArray
    """True where a query may look, in both."""
    prompts: bool
    """Whether they are of two prompts, not of one with and without some heads."""

    def unit(self, name: str) -> str:
        """Return what the numbers are, where those of one run are `name`."""
        if self.sides is None:
            return name
        return f"{FROM_RIGHT}: {name}" if self.prompts else f"change of {name}"


def headline(picture: Picture, query: int, looking: str) -> Parts:
    """Say what the strip of tokens is coloured by; `looking` as in `Selection`."""
    token = Token(picture.labels[query])
    number = picture.axis.numbers(query)
    if looking == "attends to":
        said: Parts = ["from ", token, f" (query {number}), this head reads"]
    else:
        said = [token, f" (key {number}) is read from"]
    if picture.sides is None:
        return [*said, f", with {focus.off_in_words(picture.off)}"] if picture.off else said
    seen = picture.values[picture.mask]
    if not picture.prompts:
        said += focus.change_in_words(picture.head, picture.off, seen)
    elif not seen.size or float(np.abs(seen).max()) < UNSEEN:
        said.append(" the same on the right as on the left")
    else:
        said.append(" more (+, blue) or less (−, red) on the right than on the left")
    return said


def cell(picture: Picture, query: int, key: int, told: Sequence[str]) -> Parts:
    """Say what is in a cell; `told` is what is known of it in a picture of one run."""
    labels = picture.labels
    parts: Parts = [f"query {picture.axis.numbers(query)} ", Token(labels[query])]
    parts += [f" → key {picture.axis.numbers(key)} ", Token(labels[key])]
    lone = picture.axis.lone(query) or picture.axis.lone(key)
    if lone:
        return [*parts, f": {lone}"]
    if not picture.mask[query, key]:
        where = "in the future" if key > query else "beyond the window"
        return [*parts, f": {where}, the head may not look there"]
    if picture.sides is None:
        return [*parts, ": ", ", ".join(told)]
    now, before = (float(values[query, key]) for values in picture.sides)
    number = number_text(picture.request.kind, now, before, prompts=picture.prompts)
    return [*parts, ": ", number]


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


class AttentionPanel(ComparingPanel):
    """The pattern of the open head, and the prompt coloured by one row or column of it."""

    title = "Attention"
    main_slot = "shown"
    redraw_on = ComparingPanel.compares | {"head", "query", "source", "kind", "looking", "hide_bos"}

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._drawn: Picture | None = None
        self._slots: Sequence[int] = ()
        """Which row of the picture each token of the strip is."""
        self.kind = switch("What the cells hold", session.set_kind, *UNITS)
        self.hide_bos = QPushButton("hide BOS")
        self.hide_bos.setCheckable(True)
        self.hide_bos.clicked.connect(session.set_hide_bos)
        self.switch = QPushButton()
        self.switch.setCheckable(True)
        self.switch.clicked.connect(lambda: session.switch_head(session.selection.head))
        self.add_controls([self.side, self.kind, self.hide_bos, self.switch])

        self.heatmap = Heatmap()
        self.heatmap.setAccessibleName("Attention, query down and key across")
        self.heatmap.set_describe(self.describe)
        self.heatmap.clicked.connect(self._pin_cell)
        self.heatmap.hovered.connect(self._say_cell)
        self.sentence = Sentence("What the pinned token reads")
        self.looking = switch(
            "Colour the prompt by what the pinned token attends to, or by what attends to it",
            session.set_looking,
            *("attends to", "attended by"),
        )
        self.strip = TokenStrip(max_lines=12)
        self.strip.setAccessibleName("Prompt, coloured by attention")
        self.strip.clicked.connect(self._pin_token)
        self._caps = (
            HeightForWidth(self.heatmap, self.heatmap.height_at, LEAST_PICTURE),
            HeightForWidth(self.strip, self.strip.heightForWidth, LEAST_STRIP),
        )
        self.cell = Sentence("The cell under the mouse, or the pinned one")

        says = QHBoxLayout()
        says.setSpacing(UNIT)
        says.addWidget(self.sentence, 1)
        says.addWidget(self.looking)
        stack(self.body, (self.heatmap, 8), says, (self.strip, 1), self.cell).addStretch(0)

    def wants(self) -> dict[str, Request]:
        """Ask for the open head's layer, its scores for the small print, and what it is."""
        now, run, base = self.session.selection, self.session.drawn_run, self.session.base_run
        wanted = self.runs()
        if self.axis() is not None:
            layer = now.head.layer
            wanted["shown"] = Attention(run, layer, now.kind)
            if base is not None:
                wanted["before"] = Attention(base, layer, now.kind)
            wanted["weights"] = Attention(run, layer, "pattern")
            wanted["products"] = Attention(run, layer, "scores")
        return wanted | self.basics("scores", "vocabulary")

    def draw(self) -> None:
        """Show the newest picture there is."""
        self._say_head()
        run, picture = self.drawn(), self._picture()
        if run is None or picture is None:
            return
        now = self.session.selection
        self.show_head()
        self.kind.set_value(now.kind)
        self.looking.set_value(now.looking)
        hide_bos = now.hide_bos and run.begins_with_bos
        self.hide_bos.setChecked(hide_bos)
        self.hide_bos.setEnabled(run.begins_with_bos)
        self.hide_bos.setToolTip(HIDE_BOS if run.begins_with_bos else NO_BOS)
        self._drawn = picture
        values, axis, labels = picture.values, picture.axis, picture.labels
        signed = picture.request.kind == "scores" or picture.sides is not None
        low, high = focus.limits(
            values,
            picture.mask,
            signed=signed,
            shares=picture.request.kind == "pattern",
            hide_bos=hide_bos,
            least=0.0 if picture.sides is None else UNSEEN,
        )
        colours: Colours = "diverging" if signed else "sequential"
        places = self._muted(axis, run)
        self.heatmap.set_matrix(
            Matrix(
                values,
                Colouring(colours, low, high),
                (labels, labels),
                picture.mask,
                titles=("query (destination)", "key (source)"),
                unit=picture.unit(UNITS[picture.request.kind]),
                pieces=(places, places),
            )
        )
        query = self.query(axis)
        self.heatmap.set_pinned(query, self._source())
        along = values[query] if now.looking == "attends to" else values[:, query]
        seen = picture.mask[query] if now.looking == "attends to" else picture.mask[:, query]
        self._draw_strip(np.where(seen, along, np.nan), (low, high), colours)
        self.sentence.set_parts(headline(picture, query, now.looking) + self.elsewhere(axis))
        self._say_cell(-1, -1)
        for cap in self._caps:
            cap.update()

    def _draw_strip(
        self, values: FloatArray, limits: tuple[float, float], colours: Colours
    ) -> None:
        """Colour a prompt: of right minus left the left one, whose tokens can be pinned."""
        drawn, run = self._drawn, self.common.run if self.subtracts_prompts else self.drawn()
        assert drawn is not None
        assert run is not None
        slots: Sequence[int] = range(len(run.ids))
        if self.subtracts_prompts:
            slots = [slot for slot, place in enumerate(drawn.axis.places) if place.pin is not None]
        ids, self._slots = run.ids.tolist(), slots
        self.strip.set_tokens(run.labels, ids, self.pieces(ids), np.flatnonzero(run.special))
        self.strip.set_values(values[slots], limits, colours)
        query = self.query(drawn.axis)
        self.strip.set_pinned(slots.index(query) if query in slots else None)

    def _picture(self) -> Picture | None:
        """Return what is to be drawn, none while something of it is missing."""
        shown, axis, run = self.known("shown"), self.axis(), self.drawn()
        now, asked = self.session.selection, self._asked("shown")
        if not isinstance(shown, Patterns) or asked is None or axis is None or run is None:
            return None
        if not focus.head_exists(now, shown) or len(run.labels) != len(shown.labels):
            return None
        number, mask = now.head.number, axis.now(shown.mask, 0, 1)
        values, labels = axis.now(shown.values[number], 0, 1), axis.labels(run.labels, None)
        sides = None
        if axis.subtracts:
            before = self.wanted("before")
            if not isinstance(before, Patterns):
                return None
            change = difference.patterns(shown, before, axis, slice(number, number + 1))
            values, mask, labels = change.values[0], change.mask, change.labels
            sides = axis.sides(shown.values[number], before.values[number], 0, 1)
        return Picture(
            asked, axis, labels, now.head, now.heads_off, values, sides, mask,
            self.subtracts_prompts,
        )  # fmt: skip

    def _muted(self, axis: Axis, run: Run) -> list[int]:
        """Return the places whose tokens are bytes of a character and no text."""
        ids = run.ids.tolist()
        pieces = self.pieces(ids)
        places = enumerate(place.now for place in axis.places)
        return [slot for slot, at in places if at is not None and ids[at] in pieces]

    def _asked(self, slot: str) -> Attention | None:
        """Return the question behind what is known in a slot, old or new."""
        answer = self.questions.answer(slot)
        request = answer.request if answer else None
        return request if isinstance(request, Attention) else None

    def _source(self) -> int | None:
        """Return the column that the pinned query reads."""
        pattern, axis = self.known("weights"), self.axis()
        now, run = self.session.selection, self.drawn()
        if not isinstance(pattern, Patterns) or axis is None or run is None:
            return None
        if len(run.labels) != len(pattern.labels) or not focus.head_exists(now, pattern):
            return None
        query, _ = self.positions(axis)
        return self.source(axis, pattern.values[now.head.number, query, : query + 1])

    def _say_head(self) -> None:
        now = self.session.selection
        off = now.head in now.heads_off
        self.switch.setChecked(off)
        self.switch.setText(
            f"{head_name(now.head)} is off" if off else f"switch off {head_name(now.head)}"
        )
        self.switch.setToolTip(SWITCH_ON if off else SWITCH_OFF)
        scores = self.common.scores
        if scores is not None and now.head in scores.heads:
            told = (
                ("induction", "induction"),
                ("previous", "previous_token"),
                ("first token", "first_token"),
            )
            of_head = sorted((float(scores.grid(field)[now.head]), name) for name, field in told)
            text = " · ".join(f"{name} {fixed(value, 2)}" for value, name in reversed(of_head))
            text = f"switched off · {text}" if off else text
            self.subtitle.setText(text)  # what this head does least is elided first
            self.subtitle.setToolTip(f"{text}: mean attention on {random_text(scores.begins)}")
        else:
            self.subtitle.setText("switched off" if off else "")

    def _pin_cell(self, query: int, key: int) -> None:
        if self._drawn is not None:
            self.pin(self._drawn.axis, query, key if key <= query else None)

    def _pin_token(self, token: int) -> None:
        if self._drawn is not None:
            self.pin(self._drawn.axis, self._slots[token])

    def _say_cell(self, query: int, key: int) -> None:
        axis, source = self.axis(), self._source()
        if query < 0 and axis is not None and source is not None:
            query, key = self.query(axis), source
        self.cell.set_parts(self._cell(query, key) if query >= 0 else [])

    def describe(self, query: int, key: int) -> str:
        """Return what the tool tip of a cell says."""
        return plain_text(self._cell(query, key))

    def _cell(self, query: int, key: int) -> list[str | Token]:
        drawn = self._drawn
        if drawn is None or max(query, key) >= len(drawn.labels):
            return []
        return cell(drawn, query, key, self._told(drawn, query, key))

    def _told(self, drawn: Picture, query: int, key: int) -> list[str]:
        """Return the numbers of a cell of one run."""
        # The picture may still be that of the head before: its cells are what is told.
        told, of = [], (drawn.request.run, drawn.request.layer)
        row, column = (drawn.axis.places[slot].now for slot in (query, key))
        if row is None or column is None:
            return []  # a token of the left prompt only
        for slot, name in (("weights", "pattern"), ("products", "score")):
            found, asked = self.known(slot), self._asked(slot)
            if isinstance(found, Patterns) and asked and (asked.run, asked.layer) == of:
                number = float(found.values[drawn.head.number, row, column])
                told.append(f"{name} {fixed(number, 2)}")
                if slot == "products":
                    after = f", after the cap of {plain(found.cap)}" if found.cap else ""
                    told[-1] += f" (divided by {plain(found.divisor, 3)}{after})"
        if drawn.request.kind == "value-weighted":
            told.append(f"value-weighted {fixed(float(drawn.values[query, key]), 2)}")
        return told
