"""Tokens in order of a number: rank, token, bar, value."""

from collections.abc import Collection, Sequence
from math import ceil
from typing import Any

import numpy.typing as npt
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFontMetrics, QFontMetricsF
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import palette
from gui.theme import UNIT
from gui.widgets.axis_labels import widest_of
from gui.widgets.ranked_model import BAR, RANK, TOKEN, VALUE, RankedModel, RowsAre
from gui.widgets.ranked_row import RankedRow
from gui.widgets.row_table import RowTable

_MOST_ROWS_ASKED = 12
_NARROW = 22 * UNIT
"""Below this width the column of ranks goes."""


class RankedList(RowTable):
    """A click or Enter on a row chooses its token; Ctrl+C copies rows at full precision."""

    chosen = Signal(int)
    """Token id of the row that was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ranked = RankedModel(self)
        self.setModel(self._ranked)
        self.setItemDelegate(RankedRow(self))
        self.setAccessibleName("Ranked tokens")
        self.horizontalHeader().hide()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_rows(
        self,
        ids: npt.ArrayLike,
        labels: Sequence[str],
        values: npt.ArrayLike,
        *,
        signed: bool,
        highlight: int | None = None,
        percent: bool = False,
        pieces: Collection[int] = (),
        rows_are: RowsAre = "tokens",
    ) -> None:
        """Show tokens in the order given.

        Parameters
        ----------
        ids
            Token ids, [row].
        labels
            The tokens as shown.
        values
            Their numbers, [row].
        signed
            Write the plus sign, and colour bars by sign.
        highlight
            Token id that is the selected one.
        percent
            The numbers are shares of 1, written in per cent.
        pieces
            Ids of tokens that are bytes of a character and no text: they are muted.
        rows_are
            What ids are those of: tokens; positions, which are told instead of ranks; or parts,
            whose ids tell a reader nothing.
        """
        self.set_message("")
        self._ranked.pieces = frozenset(pieces)
        self._ranked.rows_are = rows_are
        self._ranked.set_rows(ids, labels, values, signed, highlight, percent)
        self.share_width()
        self.updateGeometry()

    def clear(self, message: str) -> None:
        """Show a sentence instead of rows."""
        self._ranked.set_rows([], [], [], False, None, False)
        self.set_message(message)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the size at which up to a dozen rows show without scrolling."""
        rows = min(max(self._ranked.rowCount(), 3), _MOST_ROWS_ASKED)
        return QSize(palette.scaled(30 * UNIT), rows * self.row_height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a row can be read."""
        return QSize(palette.scaled(18 * UNIT), 3 * self.row_height())

    def choose(self, row: int) -> None:
        """Tell which token was chosen."""
        self.chosen.emit(self._ranked.token_id(row))

    def copied(self, row: int) -> tuple[Any, ...]:
        """Return rank, id, token and value."""
        return self._ranked.cells(row)

    def share_width(self) -> None:
        """Give the token what it needs and the bar the rest."""
        self.verticalHeader().setDefaultSectionSize(self.row_height())
        tokens = QFontMetricsF(palette.token_font())
        figures = QFontMetrics(palette.ui_font())
        width = self.viewport().width()
        narrow = width < palette.scaled(_NARROW)
        rank = 0 if narrow else figures.horizontalAdvance(str(self._ranked.largest_number)) + UNIT
        value = self._ranked.widest_value(figures) + UNIT
        wanted = ceil(widest_of(self._ranked.labels, tokens)) + 2 * UNIT
        # The bar keeps a quarter of the width; a long token is elided rather than the bar lost.
        # Where it is narrow the token matters most: the order alone tells the rank.
        room = max(width - rank - value, 0)
        bar = 2 * UNIT if narrow else max(width // 4, 3 * UNIT)
        token = min(wanted, max(room - bar, room // 2))
        self.setColumnHidden(RANK, narrow)
        for column, size in ((RANK, rank), (TOKEN, token), (BAR, room - token), (VALUE, value)):
            self.setColumnWidth(column, size)
