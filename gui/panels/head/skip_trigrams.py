"""Skip-trigrams: what the open head's weights would do with any source and any query."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy

from engine.messages import (
    Request,
    SkipTrigrams,
    TrigramList,
)
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch, yield_room
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import decimals_for, fixed, plain
from gui.style.palette import ScaledSize, scaled
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.controls import SpinBox
from gui.widgets.number_tables import ScoreTable
from gui.widgets.table_model import NumberColumn
from gui.widgets.text import Sentence, Token, plain_text

LEAST_TABLE = 140
WIDE = 424
"""A panel of at least this width has room for both factors beside the tokens."""
TYPING_MS = 300
FILTER_WIDTH = 132
LONGEST = 8
"""Characters of a token where there is little room; the tool tip tells all of them."""
ABOUT = (
    "[source] … [query] → [out]: when the head stands on the query, looks far back at the source\n"
    "and reads it, it raises out. Read from the weights and the bare embeddings, over the whole\n"
    "vocabulary. A head that lives from what earlier heads wrote, such as an induction head,\n"
    "shows little of what it does here."
)
NONE = (
    "This head has no skip-trigram{where}: no source has both a query that looks for it "
    "and a token that reading it raises."
)
LATER = " It may live from what earlier heads wrote: see Composition."


class SkipTrigramsPanel(Panel):
    """The strongest ones in a list; a click asks OV about the source and QK about the query."""

    title = "Skip-trigrams"
    main_slot = "trigrams"
    redraw_on = frozenset({"head", "ov", "qk"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._clicked: tuple[int, int, int] | None = None
        """Ids of source, query and out."""
        self._listed: tuple[TrigramList, bool] | None = None
        """The answer in the table, and whether it is there without its factors."""
        self.header.setToolTip(painting.literal(ABOUT))
        self.filter = QLineEdit()
        self.filter.setAccessibleName("Skip-trigrams: text that the source contains")
        self.filter.setPlaceholderText("source contains …")
        self.filter.setToolTip("Only sources with this text in them; a space counts")
        self.filter.setClearButtonEnabled(True)
        ScaledSize(self.filter, self.filter.setFixedWidth, FILTER_WIDTH)
        self._typing = QTimer(self, interval=TYPING_MS, singleShot=True)
        self._typing.timeout.connect(self.refresh)
        self.filter.textEdited.connect(lambda _: self._typing.start())
        self.filter.textChanged.connect(lambda text: None if text else self._typing.start())
        self.filter.returnPressed.connect(self.refresh)
        listed = "How many skip-trigrams are listed"
        self.how_many = switch(listed, lambda _: self.refresh(), "10", "50", "200")
        self.back = SpinBox()
        self.back.setAccessibleName("Skip-trigrams: tokens from query back to source")
        self.back.setToolTip("Scores of this model depend on how far back the source lies")
        self.back.setSuffix(" back")
        self.back.setValue(1)
        self.back.valueChanged.connect(lambda _: self._typing.start())
        self.back.hide()
        self.add_controls([self.filter, self.how_many, self.back])

        self.sentence = Sentence("What is listed, and how it is ranked")
        self.table = ScoreTable()
        self.table.setAccessibleName("Skip-trigrams, strongest first")
        self.table.set_describe(self.describe)
        self.table.chosen.connect(self._choose)
        yield_room(self.table, LEAST_TABLE, QSizePolicy.Policy.Expanding)
        self.small = Sentence("The row that was clicked")
        stack(self.body, self.sentence, (self.table, 1), self.small, spacing=UNIT // 2)

    def wants(self) -> dict[str, Request]:
        """Ask for the list; the facts say whether distance matters, the vocabulary how to type."""
        now, facts = self.session.selection, self.common.facts
        wanted = self.basics("facts", "vocabulary")
        if facts is not None:
            offset = self.back.value() if facts.positions == "rotary" else 0
            k = int(self.how_many.value())
            wanted["trigrams"] = SkipTrigrams(now.model, now.head, k, offset, self._source_text())
        return wanted

    def draw(self) -> None:
        """Show the list."""
        found, facts = self.known("trigrams"), self.common.facts
        assert isinstance(found, TrigramList)
        self.show_head()
        rotary = facts is not None and facts.positions == "rotary"
        self.back.setVisible(rotary)
        if facts is not None:
            self.back.setMaximum(max(facts.n_ctx - 1, 1))
        self.sentence.set_parts(
            [f"Standing on query, reading source far back raises out. Ranked by {found.rule}."]
        )
        count = len(found.values)
        self.sentence.setVisible(count > 0)
        self.table.setVisible(count > 0)
        if not count:
            self.subtitle.setText("")
            self.small.set_parts([self._none()])
            return
        whole = count < int(self.how_many.value())
        self.subtitle.setText("all there are" if whole else "the strongest")
        if self._listed != (found, self.width() < scaled(WIDE)):
            # Not for every click: it would scroll the rows away from under the mouse.
            self._listed = (found, self.width() < scaled(WIDE))
            self.table.set_rows("source … query → out", self._names(found), self._columns(found))
        self.table.set_highlight(self._chosen(found))
        self._say_small(found)

    def describe(self, row: int) -> str:
        """Return what the tool tip of a row says."""
        found = self.known("trigrams")
        if not isinstance(found, TrigramList) or row >= len(found.values):
            return ""
        return plain_text(_told(found, row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the factors where there is room for them."""
        super().resizeEvent(event)
        if (event.size().width() < scaled(WIDE)) != (event.oldSize().width() < scaled(WIDE)):
            self.redraw()

    def _source_text(self) -> str:
        """Return the text that sources are asked to contain, where `·` may stand for a space."""
        typed = self.filter.text()
        if "·" not in typed:
            return typed
        found = self.common.vocabulary
        if found is not None and not any(typed in text for text in found.texts):
            return typed.replace("·", " ")
        return typed

    def _names(self, found: TrigramList) -> list[str]:
        most = LONGEST if self.width() < scaled(WIDE) else None
        ends = (found.source_labels, found.query_labels, found.out_labels)
        rows = zip(*ends, strict=True)
        return ["{} … {} → {}".format(*(_shortened(label, most) for label in r)) for r in rows]

    def _columns(self, found: TrigramList) -> list[NumberColumn]:
        product = NumberColumn(
            "QK × OV",
            found.values,
            decimals_for(found.values),
            tip="what the list is ranked by",
            bar=True,
        )
        if self.width() < scaled(WIDE):
            return [product]
        divisor = plain(found.divisor, 3)
        return [
            NumberColumn("QK", found.qk, tip=f"score of query and source (divided by {divisor})"),
            NumberColumn("OV", found.ov, tip="what reading the source adds to the logit of out"),
            product,
        ]

    def _chosen(self, found: TrigramList) -> int | None:
        """Return the row that was clicked, while OV and QK are still about it."""
        now, clicked = self.session.selection, self._clicked
        if clicked is None or clicked[:2] != (now.ov.token, now.qk.token):
            return None
        places = [row for row in range(len(found.values)) if _ids(found, row) == clicked]
        return places[0] if places else None

    def _none(self) -> str:
        filtered = self._source_text()
        told = NONE.format(where=f" with {filtered!r} in its source" if filtered else "")
        return told if filtered or not self.session.selection.head.layer else told + LATER

    def _say_small(self, found: TrigramList) -> None:
        row, facts = self._chosen(found), self.common.facts
        said: list[str | Token]
        if row is not None:
            said = [*_told(found, row), " · OV asks about the source, QK about the query"]
        else:
            said = ["Click a row to ask OV about its source and QK about its query."]
            if facts is not None and facts.positions not in ("none", "rotary"):
                said.append(" Positions are left out.")
        self.small.set_parts(said)

    def _choose(self, row: int) -> None:
        found = self.known("trigrams")
        if isinstance(found, TrigramList):
            self._clicked = source, query, _ = _ids(found, row)
            self.session.ask_ov(token=source, direction="output")
            self.session.ask_qk(token=query, side="query")
            self.redraw()

    def _on_changed(self, what: str) -> None:
        if what == "model":
            # What one vocabulary holds another may lack.
            self.filter.clear()
        super()._on_changed(what)


def _ids(found: TrigramList, row: int) -> tuple[int, int, int]:
    source, query, out = (ids[row] for ids in (found.source_ids, found.query_ids, found.out_ids))
    return int(source), int(query), int(out)


def _shortened(label: str, most: int | None) -> str:
    return label if most is None or len(label) <= most else f"{label[: most - 1]}…"


def _told(found: TrigramList, row: int) -> list[str | Token]:
    qk, ov, product = (
        fixed(float(values[row]), decimals_for(values))
        for values in (found.qk, found.ov, found.values)
    )
    return [
        "from ",
        Token(found.query_labels[row]),
        ", reading ",
        Token(found.source_labels[row]),
        f": score {qk} × {ov} on the logit of ",
        Token(found.out_labels[row]),
        f" = {product}",
    ]
