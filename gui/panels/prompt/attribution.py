"""What each part of the model gives to one logit, and what each source token gives to a head's."""

from collections.abc import Mapping

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from engine.messages import (
    FloatArray,
    Head,
    HeadOutput,
    LogitParts,
    OutputRanking,
    Request,
    Result,
    Run,
    RunPrompt,
    VocabularyTokens,
)
from gui.charts.attribution import by_source, map_of
from gui.client.engine_client import EngineClient
from gui.panels.comparing import ComparingPanel
from gui.panels.frame import stack, yield_room
from gui.panels.prompt import attribution_text
from gui.panels.prompt.attribution_text import AttributionQuestion, Change
from gui.session.session import Session
from gui.state.comparison import Axis
from gui.state.difference import UNSEEN
from gui.state.question import Question
from gui.style.formatting import head_name, reach
from gui.style.palette import scaled
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.cells import Colouring
from gui.widgets.labels import caption
from gui.widgets.layouts import NO_LIMIT, HeightForWidth
from gui.widgets.matrix import CellSizes, Matrix
from gui.widgets.matrix_view import CellMap
from gui.widgets.number_tables import RankedList
from gui.widgets.text import Sentence, Token

BESIDE_FROM = 520
"""A panel at least so wide has the bars beside the map."""
LEAST_MAP, LEAST_SOURCES, LEAST_PARTS = 64, 86, 126
MOST_SOURCES = 12
"""So many source tokens are listed without scrolling where there is room."""
ABOUT = (
    "The logit as a sum over what writes to the stream: each part times the target's column of\n"
    "W_U, over the final norm's scale. A head's part is its row of A X W_V W_O."
)


class AttributionPanel(ComparingPanel):
    """Layer by head as a map, all parts as bars, and the open head split by source token."""

    title = "Attribution"
    main_slot = "parts"
    redraw_on = ComparingPanel.compares | {"head", "query", "source"}

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._drawn: LogitParts | None = None
        self._compared: Change | None = None
        """What is drawn, if it is a difference."""
        self._axis = Axis(())
        """The source tokens, up to the pinned one."""
        self.header.setToolTip(painting.literal(ABOUT))
        self.question = AttributionQuestion()
        self.question.changed.connect(self._change)
        self.question.refused.connect(self.notice.show_failure)
        self.above.addWidget(self.question)
        self.add_controls([self.side])

        self.sentence = Sentence("Which head gives most, and from where")
        self.map = CellMap(crossing=True)
        self.map.setAccessibleName("What each head gives, layer down and head across")
        self.map.set_describe(self.describe)
        self.map.clicked.connect(self._choose_cell)
        self._cap = HeightForWidth(self.map, self.map.height_at, LEAST_MAP)
        self.sources_say = Sentence("What the open head gives")
        self.sources, self.parts = RankedList(), RankedList()
        self.sources.setAccessibleName("Source tokens of the open head, strongest first")
        self.sources.chosen.connect(self._pin_source)
        self.parts.setAccessibleName("All parts, strongest first")
        self.parts.chosen.connect(self._choose_part)
        for content, least in ((self.sources, LEAST_SOURCES), (self.parts, LEAST_PARTS)):
            yield_room(content, least)
        self.sum = Sentence("The sum of the parts against the logit")
        self._left = _column(
            caption("each head: click one to open it"), self.map, self.sources_say, self.sources
        )
        self._left.addStretch(0)
        self._right = QWidget()
        self._right.setLayout(_column(caption("all parts, strongest first"), self.parts))
        self._halves = QHBoxLayout()
        self._halves.setSpacing(2 * UNIT)
        self._halves.addLayout(self._left, 1)
        self._beside = False
        self._left.addWidget(self._right, 2)
        stack(self.body, self.sentence, (self._halves, 1), self.sum)

    def wants(self) -> dict[str, Request]:
        """Ask for the parts, and for what the open head writes at the pinned token."""
        axis, base = self.axis(), self.session.base_run
        wanted = self.basics("vocabulary") | self.runs()
        if axis is None:
            return wanted
        here, there = self.positions(axis)
        wanted |= self._about(self.session.drawn_run, here)
        if base is not None:
            before = self._about(base, there)
            wanted |= {f"{slot} before": request for slot, request in before.items()}
        return wanted

    def _about(self, run: RunPrompt, query: int) -> dict[str, Request]:
        """Return what is asked about one run."""
        head = self.session.selection.head
        asked: dict[str, Request] = {
            "parts": self.question.request(run, query),
            "output": HeadOutput(run, head, query, self.question.token),
        }
        if self.question.contrasted:
            # HeadOutput knows no contrast.
            asked["sources"] = self.question.request(run, query, "sources")
        return asked

    def shown(self) -> Mapping[str, Question]:
        """Return the parts, and what stands beside them of the open head."""
        if self.session.base_run is not None:
            return super().shown()
        output = f"{self.session.selection.head.name} output"
        return self.named({"parts": "Parts of the logit", "output": output, "sources": "Sources"})

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.question.set_vocabulary(vocabulary)

    def draw(self) -> None:
        """Show the map, the bars, and the sources of the open head."""
        found, axis, run, change = self.known("parts"), self.axis(), self.drawn(), None
        if not isinstance(found, LogitParts) or axis is None or run is None:
            return
        now = self.session.selection
        if axis.subtracts:
            before = self.wanted("parts before")
            if not isinstance(before, LogitParts):
                return
            change = Change(found, before, self.names)
            found = change.parts
        self._drawn, self._compared, self._axis = found, change, axis.up_to(self.query(axis))
        self.question.show_answer(found)
        values = map_of(found)
        least = UNSEEN if axis.subtracts else 0.0
        largest = reach(values, least)
        self.map.set_matrix(
            Matrix(
                values,
                Colouring("diverging", -largest, largest),
                (
                    [f"L{layer}" for layer in range(values.shape[0])],
                    [f"H{number}" for number in range(values.shape[1])],
                ),
                tokens=(False, False),
                sizes=CellSizes(row=(16.0, 40.0), column=(16.0, 56.0)),
                unit=f"{self.subtraction}: logit" if axis.subtracts else "logit",
            )
        )
        self.map.set_pinned(*now.head)
        order = np.argsort(-np.abs(found.values), kind="stable")
        opened = found.heads.index(now.head) if now.head in found.heads else None
        self.parts.set_rows(
            order,
            [found.labels[place] for place in order.tolist()],
            found.values[order],
            signed=True,
            highlight=opened,
            rows_are="parts",
        )
        self._draw_sources(found)
        self.sentence.set_parts(self._says(found, run))
        self.sum.set_parts([change.sum() if change else attribution_text.sum_of(found)])
        self._cap.update()

    def describe(self, layer: int, number: int) -> str:
        """Return what the tool tip of a head's cell says."""
        found, head = self._drawn, Head(layer, number)
        if found is None or head not in found.heads:
            return ""
        if self._compared is not None:
            return self._compared.of_head(head)
        value = float(found.values[found.heads.index(head)])
        return (
            f"{head_name(head)}: {attribution_text.number(value)}\n"
            f"row {found.position} of A X W_V W_O, times the column of W_U that reads "
            f"{found.target_label},\nover the final norm's scale; click to open the head"
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the bars beside the map, or below it."""
        super().resizeEvent(event)
        self._arrange()

    def _says(self, found: LogitParts, run: Run) -> list[str | Token]:
        """Say what the logit is made of, or what changed it."""
        if self.question.waits:
            return ["type the token to compare with"]
        if self._compared is None:
            head = self.session.selection.head
            said = attribution_text.answer(found, run.labels, self._by_source(), head)
        else:
            base = self.common.run if self.subtracts_prompts else run
            token = self._axis.labels(run.labels, base.labels if base else None)[-1]
            said = self._compared.headline(token)
        return said + self.elsewhere(self._axis)

    def _draw_sources(self, found: LogitParts) -> None:
        given, outputs = self._by_source(), self._both("output")
        output, base = outputs[0], outputs[-1]
        if not (isinstance(output, OutputRanking) and isinstance(base, OutputRanking)):
            return  # what is shown stays what it says it is: that of the head before
        if given is None:
            return
        now, change = self.session.selection, self._compared
        said: list[str | Token] = (
            [change.of_head(now.head), ". By source position:"]
            if change and now.head in found.heads
            else attribution_text.head_says(now.head, float(given.sum()), output)
        )
        self.sources_say.set_parts(said)
        order = np.argsort(-np.abs(given), kind="stable")
        labels = self._axis.labels(output.source_labels, base.source_labels if change else None)
        in_place = all(self._axis.numbers(slot) == str(slot) for slot in order.tolist())
        self.sources.set_rows(
            order,
            [labels[place] for place in order.tolist()],
            given[order],
            signed=True,
            highlight=self._axis.slot(now.source),
            rows_are="positions" if in_place else "parts",
        )
        few = len(order) <= MOST_SOURCES
        most = self.sources.sizeHint().height() if few else NO_LIMIT
        self.sources.setMaximumHeight(most)
        self.sources.setMinimumHeight(min(scaled(LEAST_SOURCES), most))

    def _by_source(self) -> FloatArray | None:
        """Return what each source gives by the open head, [place of the axis], in logits."""
        slot = "sources" if self.question.contrasted else "output"
        return by_source(self._both(slot), self.session.selection.head, self._axis)

    def _both(self, slot: str) -> list[Result | None]:
        """Return what is known of the run that is drawn, and of the one taken off it."""
        slots = [slot, f"{slot} before"] if self._axis.subtracts else [slot]
        return [self.wanted(slot) for slot in slots]

    def _choose_cell(self, layer: int, number: int) -> None:
        found, now = self._drawn, self.session.selection.head
        head = Head(now.layer if layer < 0 else layer, now.number if number < 0 else number)
        if found is not None and head in found.heads:
            self.session.choose_head(head)

    def _choose_part(self, part: int) -> None:
        head = None if self._drawn is None else self._drawn.heads[part]
        if head is not None:
            self.session.choose_head(head)

    def _pin_source(self, position: int) -> None:
        if self._drawn is not None:
            self.pin(self._axis, self._axis.last, position)

    def _change(self) -> None:
        self.refresh()
        self.redraw()

    def _on_changed(self, what: str) -> None:
        if what == "model":
            self.question.forget()
        super()._on_changed(what)

    def _arrange(self) -> None:
        beside = self.width() >= scaled(BESIDE_FROM)
        if beside == self._beside:
            return
        self._beside = beside
        if beside:
            self._halves.addWidget(self._right, 1)
        else:
            self._left.addWidget(self._right, 2)


def _column(*widgets: QWidget) -> QVBoxLayout:
    """Return texts and what they are about, below one another."""
    column = QVBoxLayout()
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(UNIT // 2)
    for place, widget in enumerate(widgets):
        column.addWidget(widget, place % 2)
    return column
