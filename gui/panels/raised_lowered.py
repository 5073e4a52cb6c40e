"""Two lists beside each other: the tokens at both ends of a ranking."""

from collections.abc import Callable, Collection

from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.messages import TokenRanking, VirtualHeadParts
from gui.palette import Held
from gui.panels.named import caption, side_by_side
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
