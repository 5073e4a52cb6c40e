"""What the panels share that can show a second prompt, or what changed between two runs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from engine.messages import Request, Run
from gui.charts import focus
from gui.client.engine_client import EngineClient
from gui.panels.frame import switch
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.state import comparison
from gui.state.comparison import Alignment, Axis, align
from gui.state.difference import HEADS, PROMPTS, Difference, in_words
from gui.state.question import Question
from gui.state.selection import Compare
from gui.style.formatting import fixed
from gui.widgets.text import Token

SIDES = (
    ("left", "left", "The prompt of the Prompt card"),
    ("right", "right", "The second prompt, which the line under the top bar holds"),
    (
        "difference",
        "difference",
        "Right minus left, where both have a token: blue is more on the right",
    ),
)
FROM_RIGHT = in_words(PROMPTS)


class ComparingPanel(Panel):
    """A panel that draws the session's `drawn_run`, less its `base_run` where there is one.

    Heads that are off and a second prompt are the same to it: one run less another, on an axis
    that says which positions stand for each other.
    """

    compares = frozenset({"compare", "other_text", "difference", "heads_off"})
    """Parts of the session that change what is drawn, for `redraw_on`."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.side = switch(
            "Which of the two prompts is shown",
            lambda side: session.set_compare(cast(Compare, side)),
            *SIDES,
        )
        self._show_side()

    @property
    def subtracts_prompts(self) -> bool:
        """Whether right minus left is shown, not one prompt with and without some heads."""
        return self.session.side == "difference"

    @property
    def names(self) -> tuple[str, str]:
        """What the run that is drawn and the one taken off it are called."""
        off = focus.off_in_words(self.session.selection.heads_off)
        return PROMPTS if self.subtracts_prompts else (off, HEADS[1])

    @property
    def subtraction(self) -> str:
        """What is taken off what, in words; empty where nothing is."""
        return "" if self.session.base_run is None else in_words(self.names)

    def shown(self) -> Mapping[str, Question]:
        """Return what is drawn, and of a difference its two sides as well."""
        wanted: dict[str, Any] = dict(self.wants())
        before = wanted.get("before", wanted.get(f"{self.main_slot} before"))
        if self.main_slot not in wanted or before is None:
            return super().shown()
        sides = dict(zip(self.names, (wanted[self.main_slot], before), strict=True))
        drawn = {self.subtraction: Difference(*sides.values()), **sides}
        return {f"{self.title}, {name}": asked for name, asked in drawn.items()}

    def runs(self) -> dict[str, Request]:
        """Return the questions that any picture needs: the runs of the prompts that it is of."""
        return self.basics("run", *(["other"] if self.session.side != "left" else []))

    def drawn(self) -> Run | None:
        """Return the run that is drawn, if it is there."""
        slot = "run" if self.session.side == "left" else "other"
        found = self.current(slot, self.session.drawn_run)
        return found if isinstance(found, Run) else None

    def axis(self) -> Axis | None:
        """Return the positions of the picture, none until the runs are there."""
        drawn, alignment = self.drawn(), self._alignment()
        if drawn is None:
            return None
        axis = None if alignment is None else alignment.both
        if self.subtracts_prompts:
            return axis
        if self.session.side == "left":
            axis = comparison.left(len(drawn.ids))
        elif alignment is not None:
            axis = alignment.right
        if axis is None or self.session.base_run is None:
            return axis
        return comparison.with_and_without(axis)

    def query(self, axis: Axis) -> int:
        """Return the row of the pinned query; the last that has numbers where it has none."""
        slot = axis.slot(self.session.selection.query)
        return axis.last if slot is None else slot

    def positions(self, axis: Axis) -> tuple[int, int]:
        """Return the pinned query's position in the run that is drawn, and in the other."""
        _, now, before = axis.places[self.query(axis)]
        return now or 0, before or 0

    def source(self, axis: Axis, row: focus.Row) -> int:
        """Return the column that is read, from a row of the run that is drawn, [source].

        It is the pinned one, or else the one that the query attends to most.
        """
        now, run = self.session.selection, self.drawn()
        assert run is not None
        slot = axis.slot(now.source)
        pinned = None if slot is None else axis.places[slot].now
        return axis.slot_of(focus.source_of_row(replace(now, source=pinned), run, row))

    def elsewhere(self, axis: Axis) -> list[str | Token]:
        """Say that what is pinned is not in this picture, if it is not."""
        run, query = self.common.run, self.session.selection.query
        if run is not None and query is None and self.subtracts_prompts:
            query = len(run.labels) - 1
        if run is None or query is None or query >= len(run.labels) or axis.slot(query) is not None:
            return []
        token = Token(run.labels[query])
        return [". ", token, f" (position {query}), which is pinned, is in the left prompt only"]

    def pin(self, axis: Axis, query: int, source: int | None = None) -> None:
        """Pin a row and a column where the left prompt has them."""
        row = axis.places[query].pin
        column = None if source is None else axis.places[source].pin
        if row is not None:
            self.session.pin(row, column)

    def refusal(self) -> str:
        """Return why the difference that is wanted cannot be shown, empty where it can."""
        alignment = self._alignment() if self.subtracts_prompts else None
        return "" if alignment is None else alignment.refusal

    def say_failure(self) -> None:
        """Say what failed; of the second prompt the line that holds it says why."""
        if self.failures().keys() != {"other"}:
            super().say_failure()
            return
        old = "" if self.known(self.main_slot) is None else " This picture is of an earlier one."
        self.frame.waits.set_parts([])
        self.notice.show_info(f"The right prompt was not run: see the line under the top bar.{old}")

    def _alignment(self) -> Alignment | None:
        left, right = self.common.run, self.drawn()
        if left is None or right is None or self.session.side == "left":
            return None
        return align(tuple(left.ids.tolist()), tuple(right.ids.tolist()))

    def _on_changed(self, what: str) -> None:
        if what in ("compare", "other_text"):
            self._show_side()
        super()._on_changed(what)

    def _show_side(self) -> None:
        self.side.set_value(self.session.side)
        self.side.setVisible(self.session.selection.other_text is not None)

    def _draw(self) -> None:
        why = self.refusal()
        if not why:
            super()._draw()
            return
        self.subtitle.setText("")
        self.frame.waits.set_parts([why])
        self.frame.show_picture(False)
        self.frame.place_controls()


def number_text(kind: str, now: float, before: float, *, prompts: bool) -> str:
    """Return a number of two prompts, or of one before and after heads were off, and the change."""
    change = fixed(now - before, 2, signed=True)
    name = "score" if kind == "scores" else kind
    if prompts:
        return f"{name} {fixed(before, 2)} left, {fixed(now, 2)} right, {FROM_RIGHT} {change}"
    return f"{name} {fixed(before, 2)} → {fixed(now, 2)} ({change})"
