"""Two lists beside each other: the tokens at both ends of a ranking."""

from collections.abc import Callable, Collection

from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from engine.messages import TokenRanking, VirtualHeadParts
from gui.theme import UNIT
from gui.widgets.ranked_list import RankedList

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
        self.captions = (QLabel("raises"), QLabel("lowers"))
        lists = QGridLayout(self)
        lists.setContentsMargins(0, 0, 0, 0)
        lists.setHorizontalSpacing(UNIT * 3 // 2)
        lists.setVerticalSpacing(2)
        for column, (caption, content) in enumerate(
            zip(self.captions, (self.raised, self.lowered), strict=True)
        ):
            caption.setProperty("role", "small")
            content.setAccessibleName(f"{name}: {caption.text()}")
            content.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            content.setMinimumHeight(LEAST_LIST_HEIGHT)
            content.chosen.connect(ask)
            lists.addWidget(caption, 0, column)
            lists.addWidget(content, 1, column)
            lists.setColumnStretch(column, 1)
        lists.setRowStretch(1, 1)

    def height_of_rows(self) -> int:
        """Return the height at which no list scrolls."""
        rows = max(content.model().rowCount() for content in (self.raised, self.lowered))
        caption = self.captions[0].sizeHint().height()
        return caption + 2 + rows * self.raised.verticalHeader().defaultSectionSize() + 2

    def set_captions(self, raised: str, lowered: str) -> None:
        """Say what the lists are."""
        for caption, text in zip(self.captions, (raised, lowered), strict=True):
            caption.setText(text)

    def ids_of(self, ranking: TokenRanking | VirtualHeadParts) -> list[int]:
        """Return the tokens of a ranking that are listed."""
        raised, lowered = ranking.ids[:MOST_ROWS], ranking.bottom_ids[:MOST_ROWS]
        return [*raised.tolist(), *lowered.tolist()]

    def set_ranking(
        self, ranking: TokenRanking | VirtualHeadParts, pieces: Collection[int]
    ) -> None:
        """Show both ends, the token asked about marked; pieces are tokens that are no text."""
        token = ranking.token_id
        first = min(len(ranking.ids), MOST_ROWS)
        self.raised.set_rows(
            ranking.ids[:first],
            ranking.labels[:first],
            ranking.values[:first],
            signed=True,
            highlight=token,
            pieces=pieces,
        )
        # In a vocabulary of few tokens both ends hold the same ones: each is listed once.
        last = min(len(ranking.bottom_ids), MOST_ROWS, ranking.d_vocab - first)
        if last <= 0:
            self.lowered.clear("All tokens are in the first list.")
            return
        self.lowered.set_rows(
            ranking.bottom_ids[:last],
            ranking.bottom_labels[:last],
            ranking.bottom_values[:last],
            signed=True,
            highlight=token,
            pieces=pieces,
        )
