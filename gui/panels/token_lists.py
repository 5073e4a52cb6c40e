"""The token that a panel asks about: one that follows the prompt, or one that is typed."""

from collections.abc import Callable, Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from engine.messages import TokenRanking, TokenTable, VirtualHeadParts, VocabularyTokens
from gui.style.formatting import fixed, reach
from gui.style.palette import Held
from gui.style.theme import UNIT
from gui.widgets.cells import Colouring
from gui.widgets.fields import TokenField
from gui.widgets.labels import caption, side_by_side
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_view import Heatmap
from gui.widgets.number_tables import RankedList

_WIDTH = 112


class TokenChoice(QWidget):
    """A field with completion, and the way back to the prompt.

    Parameters
    ----------
    name
        Accessible name of the field.
    follows
        What an untyped token follows, for the tool tip of the way back.
    """

    chosen = Signal(object)
    """Id of the token that somebody typed, or none to follow the prompt again."""
    refused = Signal(str)
    """A sentence about what was typed and is no single token."""

    def __init__(self, name: str, follows: str) -> None:
        super().__init__()
        self.field = TokenField()
        self.field.setAccessibleName(name)
        Held(self.field, self.field.setFixedWidth, _WIDTH)
        self.field.setToolTip("Type a token, with its space, or #id; Enter asks about it")
        self.field.chosen.connect(lambda token: self.chosen.emit(token))
        self.field.refused.connect(self.refused)
        self.follow = QPushButton("follow the prompt")
        self.follow.setProperty("quiet", True)
        self.follow.setToolTip(f"Go back to {follows}")
        self.follow.clicked.connect(lambda: self.chosen.emit(None))
        self.follow.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT // 2)
        row.addWidget(self.field)
        row.addWidget(self.follow)
        row.addStretch(1)

    def show_token(self, token: int, *, typed: bool) -> None:
        """Show the token asked about, and the way back where it was typed."""
        self.field.set_token(token)
        self.follow.setVisible(typed)

    def set_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.field.set_vocabulary(vocabulary.texts, vocabulary.labels)


LEAST_LIST_HEIGHT = 72
MOST_ROWS = 50


class RaisedLowered(QWidget):
    """What is raised most, and what is lowered most.

    Parameters
    ----------
    name
        What the lists belong to, for their accessible names.
    ask
        Called with the token of a row that was clicked or entered.
    """

    def __init__(self, name: str, ask: Callable[[int], object]) -> None:
        super().__init__()
        self.raised, self.lowered = RankedList(), RankedList()
        self.captions = (caption("raises"), caption("lowers"))
        for label, content in zip(self.captions, (self.raised, self.lowered), strict=True):
            content.setAccessibleName(f"{name}: {label.text()}")
            content.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            Held(content, content.setMinimumHeight, LEAST_LIST_HEIGHT)
            content.chosen.connect(ask)
        self.setLayout(side_by_side(self.captions, (self.raised, self.lowered)))

    def height_of_rows(self) -> int:
        """Return the height at which no list scrolls."""
        rows = max(content.model().rowCount() for content in (self.raised, self.lowered))
        above = self.captions[0].sizeHint().height()
        return above + 2 + rows * self.raised.verticalHeader().defaultSectionSize() + 2

    def set_captions(self, raised: str, lowered: str) -> None:
        """Say what the lists are."""
        for label, text in zip(self.captions, (raised, lowered), strict=True):
            label.setText(text)

    def ids_of(self, ranking: TokenRanking | VirtualHeadParts) -> list[int]:
        """Return the tokens of a ranking that are listed."""
        raised, lowered = ranking.ids[:MOST_ROWS], ranking.bottom_ids[:MOST_ROWS]
        return [*raised.tolist(), *lowered.tolist()]

    def set_ranking(
        self, ranking: TokenRanking | VirtualHeadParts, pieces: Collection[int]
    ) -> None:
        """Show both ends, the token asked about marked; pieces are tokens that are no text."""
        show_ends(self.raised, self.lowered, ranking, pieces)


def show_ends(
    raised: RankedList,
    lowered: RankedList,
    ranking: TokenRanking | VirtualHeadParts,
    pieces: Collection[int],
) -> None:
    """List both ends of a ranking; in a vocabulary of few tokens each is listed once."""
    if ranking.constant:
        raised.clear(f"All {ranking.d_vocab:,} tokens have the same value.")
        lowered.clear("None is higher or lower than another.")
        return
    first = min(len(ranking.ids), MOST_ROWS)
    last = min(len(ranking.bottom_ids), MOST_ROWS, ranking.d_vocab - first)
    ends = (
        (raised, first, ranking.ids, ranking.labels, ranking.values),
        (lowered, last, ranking.bottom_ids, ranking.bottom_labels, ranking.bottom_values),
    )
    for content, rows, ids, labels, values in ends:
        if rows <= 0:
            content.clear("All tokens are in the first list.")
            continue
        content.set_rows(
            ids[:rows],
            labels[:rows],
            values[:rows],
            signed=True,
            highlight=ranking.token_id,
            pieces=pieces,
        )


class WholeTable:
    """Draws a token table on a heat map; a click on a row asks about its token.

    Parameters
    ----------
    heatmap
        Where it is drawn.
    titles
        What stands down the rows and across the columns.
    ask
        Called with the token of a row that was clicked.
    """

    def __init__(
        self, heatmap: Heatmap, titles: tuple[str, str], ask: Callable[[int], None]
    ) -> None:
        self._heatmap, self._titles = heatmap, titles
        self._table: TokenTable | None = None
        heatmap.set_describe(self.describe)
        heatmap.clicked.connect(lambda row, column: ask(row))

    def draw(self, table: TokenTable, token: int) -> None:
        """Draw a table with the row of the token asked about pinned."""
        self._table = table
        largest = reach(table.values)
        colouring, labels = Colouring("diverging", -largest, largest), (table.labels, table.labels)
        self._heatmap.set_matrix(Matrix(table.values, colouring, labels, titles=self._titles))
        self._heatmap.set_pinned(token, None)

    def describe(self, row: int, column: int) -> str:
        """Return what the tool tip of a cell says."""
        if self._table is None:
            return ""
        labels = self._table.labels
        value = fixed(float(self._table.values[row, column]), 2, signed=True)
        return f"{self._titles[0]} {labels[row]}, {self._titles[1]} {labels[column]}: {value}"
