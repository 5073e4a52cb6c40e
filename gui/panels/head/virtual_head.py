"""Two heads in a row as one: where the pair looks, and what it raises and lowers."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from engine.messages import (
    Attention,
    Composition,
    CompositionScores,
    Head,
    ModelFacts,
    Pair,
    Patterns,
    Request,
    Run,
    VirtualHead,
    VirtualHeadParts,
    VocabularyTokens,
)
from gui.charts import focus, pairs
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, switch
from gui.panels.panel import PairPanel
from gui.panels.token_lists import TokenChoice, TokenLists
from gui.session.session import Session
from gui.style.formatting import fixed, head_name, percent, ranked
from gui.style.palette import ScaledSize, scaled
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.cells import Colouring
from gui.widgets.controls import ComboBox
from gui.widgets.layouts import ResponsiveColumns
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_view import Heatmap
from gui.widgets.text import Sentence, Token, plain_text


class PairPicker(QWidget):
    """Picks a pair; a head that the other could not go with makes way."""

    picked = Signal(object)
    """The pair that somebody picked."""

    def __init__(self) -> None:
        super().__init__()
        self._shape, self._first = (0, 0), ""
        self._pair: Pair | None = None
        self.earlier, self.later = ComboBox(), ComboBox()
        self.earlier.setAccessibleName("Earlier head, the one that writes")
        self.later.setAccessibleName("Later head, the one that reads")
        self.earlier.setToolTip("The earlier head: it reads the prompt and writes")
        self.later.setToolTip("The later head: it reads what the earlier one wrote")
        self.earlier.activated.connect(self._pick_earlier)
        self.later.activated.connect(self._pick_later)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT // 2)
        for box in (self.earlier, self.later):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            box.view().setAccessibleName(box.accessibleName())
        for widget in (self.earlier, QLabel("→"), self.later):
            row.addWidget(widget)

    def show_pair(self, facts: ModelFacts, pair: Pair) -> None:
        """Show a pair among the heads of a model."""
        first = head_name(Head(0, 0))  # in another notation once that is preferred
        if (self._shape, self._first) != ((facts.n_layers, facts.n_heads), first):
            self._first, self._shape = first, (facts.n_layers, facts.n_heads)
            self._fill(self.earlier, range(facts.n_layers - 1))
            self._fill(self.later, range(1, facts.n_layers))
        self._pair = pair
        self.earlier.setCurrentIndex(self.earlier.findText(head_name(pair.earlier)))
        self.later.setCurrentIndex(self.later.findText(head_name(pair.later)))

    def _fill(self, box: ComboBox, layers: range) -> None:
        with QSignalBlocker(box):
            box.clear()
            heads = (Head(layer, number) for layer in layers for number in range(self._shape[1]))
            box.addItems([head_name(head) for head in heads])

    def _pick_earlier(self, index: int) -> None:
        assert self._pair is not None
        head, later = Head.parse(self.earlier.itemText(index)), self._pair.later
        if later.layer <= head.layer:
            later = Head(head.layer + 1, later.number)
        self.picked.emit(Pair(head, later))

    def _pick_later(self, index: int) -> None:
        assert self._pair is not None
        head, earlier = Head.parse(self.later.itemText(index)), self._pair.earlier
        if earlier.layer >= head.layer:
            earlier = Head(head.layer - 1, earlier.number)
        self.picked.emit(Pair(earlier, head))


SIDE_BY_SIDE = 500
LEAST_PICTURE, LEAST_LISTS = 240, 130
VALUES_TOLD = 3
ABOUT = (
    "Two heads in a row act as one: the later one moves on what the earlier one brought.\n"
    "Pattern A2 A1, OV circuit W_V1 W_O1 W_V2 W_O2."
)
PRODUCT = "A2 A1: where the pair looks, rows sum to 1"
EXACT = "A2 diag(1/s) A1: the same with the norm between, s its scale on this prompt"
NO_NORM = "this model has no norm between its layers: the product is exact"


class VirtualHeadPanel(PairPanel):
    """The pattern of a pair, and what it raises and lowers."""

    title = "Virtual head"
    main_slot = "parts"
    redraw_on = frozenset({"pair", "query", "source", "hide_bos"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self._token: int | None = None
        self.header.setToolTip(painting.literal(ABOUT))
        self.picker = PairPicker()
        self.picker.picked.connect(session.choose_pair)
        self.picker.hide()
        self.add_controls([self.picker])

        self.share_sentence = Sentence("How much of what the later head reads the earlier wrote")
        self.pattern = switch(
            "The pattern without or with the norm",
            lambda _: self.redraw(),
            *(("product", "product", PRODUCT), ("exact", "exact", EXACT)),
        )
        self.explanation = Sentence("What the pattern is")
        self.heatmap = Heatmap()
        self.heatmap.setAccessibleName("Pattern of the pair, query down and source across")
        self.heatmap.set_describe(self.describe)
        self.heatmap.clicked.connect(self._pin_cell)
        self.heatmap.hovered.connect(self._say_cell)
        self.cell = Sentence("The cell under the mouse, or the pinned one")
        self.choice = TokenChoice(
            "Virtual head: token that the pair reads", "the source that the pinned query reads"
        )
        self.choice.chosen.connect(self._ask)
        self.choice.refused.connect(self.notice.show_failure)
        self.sentence = Sentence("What the lists say")
        self.lists = TokenLists("Virtual head", self._ask)
        ScaledSize(self.lists, self.lists.setMinimumHeight, LEAST_LISTS)
        self.rank = Sentence("The token's own rank")
        self.weights = Sentence("Copying and singular values of the pair")
        self._folding = ResponsiveColumns(
            self.heatmap,
            self.heatmap.height_at,
            LEAST_PICTURE,
            (self.pattern, self.explanation, self.heatmap, self.cell),
            (self.choice, self.sentence, self.lists, self.rank, self.weights),
            self.lists,
            SIDE_BY_SIDE,
        )
        stack(self.body, self.share_sentence, (self._folding, 1))

    def wants(self) -> dict[str, Request]:
        """Ask for the pair: the one chosen, or the strongest; then for the token it reads most."""
        now, run_request = self.session.selection, self.session.run
        wanted = self.basics("facts", "run", "vocabulary")
        if now.pair is None:
            wanted["pairs"] = Composition(now.model, now.composition)
        pair, run = self.pair(), self.common.run
        if pair is None or run is None:
            return wanted
        token = self._token
        if token is None and now.source is None:
            # Their product says which source the pair reads.
            wanted |= {"earlier": self._pattern(pair.earlier), "later": self._pattern(pair.later)}
        if token is None:
            source = self.source()
            token = None if source is None else int(run.ids[source])
        if token is not None:
            wanted["parts"] = VirtualHead(run_request, *pair, token)
        return wanted

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.choice.set_vocabulary(vocabulary)

    def pair(self) -> Pair | None:
        """Return the pair in view, none while it is not known which is the strongest."""
        now = self.session.selection
        if now.pair is not None:
            return now.pair
        scores = self.current("pairs", Composition(now.model, now.composition))
        return pairs.strongest(scores) if isinstance(scores, CompositionScores) else None

    def source(self) -> int | None:
        """Return the source position that the pinned query reads through the pair.

        Unless one is pinned, the position where the product is largest, BOS at the beginning left
        out.
        """
        now, pair, run, at = self.session.selection, self.pair(), self.common.run, self.focus
        if pair is None or run is None or at is None:
            return None
        query = at.query
        if now.source is not None and 0 <= now.source <= query:
            return now.source
        earlier = self.current("earlier", self._pattern(pair.earlier))
        later = self.current("later", self._pattern(pair.later))
        if not (isinstance(earlier, Patterns) and isinstance(later, Patterns)):
            return None
        row = later.values[pair.later.number, query] @ earlier.values[pair.earlier.number]
        return focus.source_of_row(now, run, row[: query + 1])

    def _pattern(self, head: Head) -> Attention:
        return Attention(self.session.run, head.layer, "pattern")

    def draw(self) -> None:
        """Show pattern and lists."""
        parts, pair, run = self.known("parts"), self.pair(), self.common.run
        assert isinstance(parts, VirtualHeadParts)
        if pair is None or run is None:
            return
        now = self.session.selection
        facts = self.common.facts
        if facts is not None:
            self.picker.show_pair(facts, pair)
            self.picker.show()
        if now.pair is None:
            self.subtitle.setText(f"strongest by {pairs.READS[now.composition]}")
            self.subtitle.setToolTip("No pair was chosen: pick two heads, or click in Composition")
        else:
            self.subtitle.setText("")
            self.subtitle.setToolTip("")
        assert self.focus is not None
        query = self.focus.query
        self.share_sentence.set_parts(self._share(parts, pair, query))
        self._draw_pattern(parts, run, query)
        self._draw_lists(parts)
        self.rank.set_parts(self._say_rank(parts))
        self.weights.set_parts([self._say_weights(parts)])
        self._folding.fit()

    def say_failure(self) -> None:
        """Say what failed; where no picture is left there is nothing to pick either."""
        super().say_failure()
        if self.showing_wait:
            self.picker.hide()
            self.frame.place_controls()

    def describe(self, query: int, source: int) -> str:
        """Return what the tool tip of a cell says."""
        return plain_text(self._cell(query, source))

    def _cell(self, query: int, source: int) -> list[str | Token]:
        parts = self.known("parts")
        if not isinstance(parts, VirtualHeadParts) or max(query, source) >= len(
            parts.source_labels
        ):
            return []
        told: list[str | Token] = [f"query {query} ", Token(parts.source_labels[query])]
        told += [f" → source {source} ", Token(parts.source_labels[source])]
        if source > query:
            return [*told, ": in the future, neither head may look there"]
        told.append(f": product {fixed(float(parts.product[query, source]), 3)}")
        if parts.exact is not None:
            told.append(f", exact {fixed(float(parts.exact[query, source]), 3)}")
        return told

    def _say_cell(self, query: int, source: int) -> None:
        pinned = self.source()
        if query < 0 and self.focus is not None and pinned is not None:
            query, source = self.focus.query, pinned
        self.cell.set_parts(self._cell(query, source) if query >= 0 else [])

    def _share(self, parts: VirtualHeadParts, pair: Pair, query: int) -> list[str | Token]:
        whole, here = percent(parts.share), percent(float(parts.shares[query]))
        token = Token(parts.source_labels[query])
        told = f"Of what {head_name(pair.later)} gives on this prompt, {whole} comes "
        told += f"from what {head_name(pair.earlier)} gives; at "
        return [told, token, f" (query {query}), {here}."]

    def _draw_pattern(self, parts: VirtualHeadParts, run: Run, query: int) -> None:
        normed = parts.exact is not None
        self.pattern.set_option_enabled("exact", normed, NO_NORM)
        exact = self.pattern.value() == "exact" and parts.exact is not None
        if not exact:
            self.pattern.set_value("product")
        values = parts.exact if exact and parts.exact is not None else parts.product
        self.explanation.set_parts([EXACT if exact else PRODUCT])
        mask = np.tri(len(values), dtype=bool)
        hide_bos = self.session.selection.hide_bos and run.begins_with_bos
        limits = focus.limits(values, mask, shares=not exact, hide_bos=hide_bos)
        self.heatmap.set_matrix(
            Matrix(
                values,
                Colouring("sequential", *limits),
                (parts.source_labels, parts.source_labels),
                mask,
                titles=("query (destination)", "source"),
                unit="attention / scale" if exact else "attention",
            )
        )
        self.heatmap.set_pinned(query, self.source())
        self._say_cell(-1, -1)

    def _draw_lists(self, parts: VirtualHeadParts) -> None:
        typed = self._token is not None
        self.choice.show_token(parts.token_id, typed=typed)
        place = "" if typed else f" (source {self.source()})"
        self.sentence.set_parts(
            ["reading ", Token(parts.token_label), f"{place}, the two together raise and lower"]
        )
        self.lists.set_ranking(parts, self.pieces)
        self.lists.setMaximumHeight(max(self.lists.height_of_rows(), scaled(LEAST_LISTS)))

    def _say_rank(self, parts: VirtualHeadParts) -> list[str | Token]:
        told = f" itself: {ranked(parts.rank, parts.d_vocab, parts.constant)} · "
        told += f"{fixed(parts.value, 2, signed=True)} · from its embedding, no positions"
        return [Token(parts.token_label), told]

    def _say_weights(self, parts: VirtualHeadParts) -> str:
        copying = fixed(parts.eigenvalue_copying, 2, signed=True)
        values = parts.singular_values
        first = ", ".join(fixed(float(value), 2) for value in values[:VALUES_TOLD])
        more = f" … ({len(values)})" if len(values) > VALUES_TOLD else ""
        told = f"copying {copying} (by eigenvalues; 1: the pair raises what it reads)"
        return f"{told} · singular values of W_O1 W_V2: {first}{more}"

    def _pin_cell(self, query: int, source: int) -> None:
        self._token = None
        self.session.pin(query, source if source <= query else None)
        self.refresh()

    def _ask(self, token: int | None) -> None:
        self._token = token
        self.refresh()
        self.redraw()

    def _on_changed(self, what: str) -> None:
        if what in ("model", "query", "source"):
            self._token = None
        super()._on_changed(what)
