"""What each part of the model gives to one logit, and what each source token gives to a head's."""

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engine.messages import (
    Head,
    HeadOutput,
    LoadModel,
    LogitParts,
    OutputRanking,
    Request,
    Vocabulary,
    VocabularyTokens,
)
from gui.engine_client import EngineClient
from gui.head_names import head_name
from gui.panels import attribution_words, reading
from gui.panels.attribution_question import AttributionQuestion
from gui.panels.height_cap import NO_LIMIT, HeightCap
from gui.panels.named import caption
from gui.panels.panel import Panel
from gui.panels.sentence import Sentence
from gui.session import Session
from gui.theme import UNIT
from gui.widgets import tool_tip
from gui.widgets.cell_map import CellMap
from gui.widgets.cell_map_layout import Cells, Sizes
from gui.widgets.colouring import Colouring
from gui.widgets.ranked_list import RankedList

BESIDE_FROM = 520
"""A panel at least so wide has the bars beside the map."""
LEAST_MAP, LEAST_SOURCES, LEAST_PARTS = 64, 86, 126
MOST_SOURCES = 12
"""So many source tokens are listed without scrolling where there is room."""
ABOUT = (
    "The logit as a sum over what writes to the stream: each part times the target's column of\n"
    "W_U, over the final norm's scale. A head's part is its row of A X W_V W_O."
)


class AttributionPanel(Panel):
    """Layer by head as a map, all parts as bars, and the open head split by source token."""

    title = "Attribution"
    column = 2
    group = "Prompt"
    about = "which parts, heads and source tokens give a token its logit"
    main = "parts"
    draws = frozenset({"head", "query", "source"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._drawn: LogitParts | None = None
        self.header.setToolTip(tool_tip.literal(ABOUT))
        self.question = AttributionQuestion()
        self.question.changed.connect(self._change)
        self.question.refused.connect(self.notice.show_failure)
        self.above.addWidget(self.question)

        self.sentence = Sentence("Which head gives most, and from where")
        self.map = CellMap(crossing=True)
        self.map.setAccessibleName("What each head gives, layer down and head across")
        self.map.set_describe(self.describe)
        self.map.clicked.connect(self._choose_cell)
        self._cap = HeightCap(self.map, self.map.height_at, LEAST_MAP)
        self.sources_say = Sentence("What the open head gives")
        self.sources, self.parts = RankedList(), RankedList()
        self.sources.setAccessibleName("Source tokens of the open head, strongest first")
        self.sources.chosen.connect(self._pin_source)
        self.parts.setAccessibleName("All parts, strongest first")
        self.parts.chosen.connect(self._choose_part)
        for content, least in ((self.sources, LEAST_SOURCES), (self.parts, LEAST_PARTS)):
            content.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            content.setMinimumHeight(least)
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
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.sentence)
        layout.addLayout(self._halves, 1)
        layout.addWidget(self.sum)

    def wants(self) -> dict[str, Request]:
        """Ask for the parts, and for what the open head writes at the pinned token."""
        now, run_request = self.session.selection, self.session.run
        wanted: dict[str, Request] = {
            "facts": LoadModel(now.model),
            "vocabulary": Vocabulary(now.model),
            "run": run_request,
        }
        run = self.run_result()
        if run is None:
            return wanted
        query = reading.pinned_query(now, run)
        wanted["parts"] = self.question.request(run_request, query)
        wanted["output"] = HeadOutput(run_request, now.head, query, self.question.token)
        if self.question.contrasted:
            # HeadOutput knows no contrast.
            wanted["sources"] = self.question.request(run_request, query, "sources")
        return wanted

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.question.set_vocabulary(vocabulary)

    def draw(self) -> None:
        """Show the map, the bars, and the sources of the open head."""
        found = self.known("parts")
        if not isinstance(found, LogitParts):
            return
        self._drawn = found
        now = self.session.selection
        self.question.show_answer(found)
        values = map_of(found)
        largest = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
        self.map.set_cells(
            Cells(
                values,
                Colouring("diverging", -largest, largest),
                [f"L{layer}" for layer in range(values.shape[0])],
                [f"H{number}" for number in range(values.shape[1])],
                sizes=Sizes(row=(16.0, 40.0), column=(16.0, 56.0)),
                unit="logit",
                column_tokens=False,
            )
        )
        self.map.set_marked(*now.head)
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
        by_source = self._by_source()
        self.sentence.set_parts(
            ["type the token to compare with"]
            if self.question.waits
            else attribution_words.answer(found, self._labels(), by_source, now.head)
        )
        self.sum.set_parts([attribution_words.sum_of(found)])
        self._cap.update()

    def describe(self, layer: int, number: int) -> str:
        """Return what the tool tip of a head's cell says."""
        found, head = self._drawn, Head(layer, number)
        if found is None or head not in found.heads:
            return ""
        value = float(found.values[found.heads.index(head)])
        return (
            f"{head_name(head)}: {attribution_words.number(value)}\n"
            f"row {found.position} of A X W_V W_O, times the column of W_U that reads "
            f"{found.target_label},\nover the final norm's scale; click to open the head"
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the bars beside the map, or below it."""
        super().resizeEvent(event)
        self._arrange()

    def _draw_sources(self, found: LogitParts) -> None:
        by_source, output = self._by_source(), self._output()
        if by_source is None or output is None:
            return  # what is shown stays what it says it is: that of the head before
        now = self.session.selection
        self.sources_say.set_parts(
            attribution_words.head_says(now.head, float(by_source.sum()), output)
        )
        order = np.argsort(-np.abs(by_source), kind="stable")
        self.sources.set_rows(
            order,
            [output.source_labels[place] for place in order.tolist()],
            by_source[order],
            signed=True,
            highlight=now.source,
            rows_are="positions",
        )
        few = len(order) <= MOST_SOURCES
        most = self.sources.sizeHint().height() if few else NO_LIMIT
        self.sources.setMaximumHeight(most)
        self.sources.setMinimumHeight(min(LEAST_SOURCES, most))

    def _output(self) -> OutputRanking | None:
        """Return what the open head adds to the logits, if it is there."""
        found = self.wanted("output")
        return found if isinstance(found, OutputRanking) else None

    def _by_source(self) -> npt.NDArray[np.floating] | None:
        """Return what each source gives by the open head, [source], in logits."""
        if not self.question.contrasted:
            output = self._output()
            return None if output is None else output.by_source / output.final_scale
        found = self.wanted("sources")
        if not isinstance(found, LogitParts):
            return None
        head = self.session.selection.head
        return found.values[[other == head for other in found.heads]]

    def _labels(self) -> tuple[str, ...]:
        run = self.run_result()
        assert run is not None
        return run.labels

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
            self.session.pin(self._drawn.position, position)

    def _change(self) -> None:
        self.refresh()
        self.redraw()

    def _on_changed(self, what: str) -> None:
        if what == "model":
            self.question.forget()
        super()._on_changed(what)

    def _arrange(self) -> None:
        beside = self.width() >= BESIDE_FROM
        if beside == self._beside:
            return
        self._beside = beside
        if beside:
            self._halves.addWidget(self._right, 1)
        else:
            self._left.addWidget(self._right, 2)


def map_of(found: LogitParts) -> npt.NDArray[np.float64]:
    """Return what each head gives, [layer, head]; not a number where there is none."""
    heads = [head for head in found.heads if head is not None]
    shape = tuple(1 + max(place) for place in zip(*heads, strict=True)) if heads else (1, 1)
    made = np.full(shape, np.nan)
    for head, value in zip(found.heads, found.values.tolist(), strict=True):
        if head is not None:
            made[head] = value
    return made


def _column(*widgets: QWidget) -> QVBoxLayout:
    """Return texts and what they are about, below one another."""
    column = QVBoxLayout()
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(UNIT // 2)
    for place, widget in enumerate(widgets):
        column.addWidget(widget, place % 2)
    return column
