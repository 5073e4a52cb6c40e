"""The token that a panel asks about, and the tokens that it raises and lowers."""

from collections.abc import Callable, Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QWidget

from engine.messages import TokenRanking, VirtualHeadParts, VocabularyTokens
from gui.panels.frame import yield_room
from gui.style.palette import ScaledSize
from gui.style.theme import UNIT
from gui.widgets.fields import TokenField
from gui.widgets.labels import caption, side_by_side
from gui.widgets.number_tables import RankedList

MOST_ROWS = 50
_WIDTH, _LEAST_HEIGHT = 112, 72


class TokenChoice(QWidget):
    """A field with completion, and the way back to the prompt.

    Parameters
    ----------
    name
        Accessible name of the field.
    follows
        What an untyped token follows, for the tool tip of the way back.
    width
        Of the field, pixels.
    """

    chosen = Signal(object)
    """Id of the token that was typed; `None` to follow the prompt again."""
    refused = Signal(str)
    """A sentence about what was typed and is no single token."""

    def __init__(self, name: str, follows: str, width: int = _WIDTH) -> None:
        super().__init__()
        self.field = TokenField()
        self.field.setAccessibleName(name)
        ScaledSize(self.field, self.field.setFixedWidth, width)
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


class TokenLists(QWidget):
    """What is raised most, and what is lowered most, side by side.

    Parameters
    ----------
    name
        What the lists belong to, for their accessible names.
    ask
        Called with the token of a row that was clicked or entered.
    captions
        What stands over the lists.
    least
        Height of a list at least, pixels.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[int], object],
        captions: tuple[str, str] = ("raises", "lowers"),
        least: int = _LEAST_HEIGHT,
    ) -> None:
        super().__init__()
        self.raised, self.lowered = RankedList(), RankedList()
        self.captions = (caption(captions[0]), caption(captions[1]))
        for text, content in zip(captions, (self.raised, self.lowered), strict=True):
            content.setAccessibleName(f"{name}: {text}")
            yield_room(content, least)
            content.chosen.connect(ask)
        self.second = QStackedWidget()
        """The second list, and what a panel may show in its place."""
        yield_room(self.second, least)
        self.second.addWidget(self.lowered)
        self._columns = side_by_side(self.captions, (self.raised, self.second))
        self.setLayout(self._columns)

    def height_of_rows(self) -> int:
        """Return the height at which no list scrolls."""
        rows = max(content.model().rowCount() for content in (self.raised, self.lowered))
        above = self.captions[0].sizeHint().height()
        return above + 2 + rows * self.raised.verticalHeader().defaultSectionSize() + 2

    def show_first(self, shown: bool) -> None:
        """Show the first list, or leave its room to the second."""
        self.raised.setVisible(shown)
        self._columns.setColumnStretch(0, int(shown))

    def set_captions(self, raised: str, lowered: str) -> None:
        """Say what the lists are."""
        for label, text in zip(self.captions, (raised, lowered), strict=True):
            label.setText(text)

    def set_ranking(
        self,
        ranking: TokenRanking | VirtualHeadParts,
        pieces: Callable[[list[int]], Collection[int]],
    ) -> None:
        """List both ends of a ranking; in a vocabulary of few tokens each is listed once.

        Parameters
        ----------
        ranking
            The ranking; the token that it is about is marked.
        pieces
            Returns which of some tokens are no text.
        """
        if ranking.constant:
            self.raised.clear(f"All {ranking.d_vocab:,} tokens have the same value.")
            self.lowered.clear("None is higher or lower than another.")
            return
        first = min(len(ranking.ids), MOST_ROWS)
        last = min(len(ranking.bottom_ids), MOST_ROWS, ranking.d_vocab - first)
        ends = (
            (self.raised, first, ranking.ids, ranking.labels, ranking.values),
            (self.lowered, last, ranking.bottom_ids, ranking.bottom_labels, ranking.bottom_values),
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
                pieces=pieces(ids[:rows].tolist()),
            )
