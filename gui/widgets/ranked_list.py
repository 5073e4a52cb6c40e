"""Tokens in order of a number: rank, token, bar, value."""

from collections.abc import Collection, Sequence
from math import ceil

import numpy.typing as npt
from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFontMetrics,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QSizePolicy, QTableView, QWidget

from gui import palette
from gui.theme import UNIT
from gui.widgets import painting
from gui.widgets.axis_labels import widest_of
from gui.widgets.ranked_model import BAR, RANK, TOKEN, VALUE, RankedModel, RowsAre
from gui.widgets.ranked_row import ROW_HEIGHT, RankedRow

_MOST_ROWS_ASKED = 12
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NARROW = 22 * UNIT
"""Below this width the column of ranks goes."""


class RankedList(QTableView):
    """A click or Enter on a row chooses its token; Ctrl+C copies rows at full precision."""

    chosen = Signal(int)
    """Token id of the row that was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ranked = RankedModel(self)
        self._message = ""
        self.setModel(self._ranked)
        self.setItemDelegate(RankedRow(self))
        self.setProperty("quiet", True)
        self.setAccessibleName("Ranked tokens")
        self.setShowGrid(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setMinimumSectionSize(1)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.clicked.connect(self._choose)

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
        self._message = ""
        self._ranked.pieces = frozenset(pieces)
        self._ranked.rows_are = rows_are
        self._ranked.set_rows(ids, labels, values, signed, highlight, percent)
        self._fit_columns()
        self.updateGeometry()

    def clear(self, message: str) -> None:
        """Show a sentence instead of rows."""
        self._ranked.set_rows([], [], [], False, None, False)
        self._message = message
        self.updateGeometry()
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Return the size at which up to a dozen rows show without scrolling."""
        rows = min(max(self._ranked.rowCount(), 3), _MOST_ROWS_ASKED)
        return QSize(30 * UNIT, rows * ROW_HEIGHT + 2)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a row can be read."""
        return QSize(18 * UNIT, 3 * ROW_HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter, copy by Ctrl+C."""
        if event.key() in _ENTER and self.currentIndex().isValid():
            self._choose(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out anew."""
        super().resizeEvent(event)
        self._fit_columns()

    def indexAt(self, pos: QPoint) -> QModelIndex:
        """Return what is shown at a place: where a row would be cut there is nothing."""
        return super().indexAt(pos) if self._whole_rows().contains(pos) else QModelIndex()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw whole rows, or the message."""
        shown = event.region().intersected(self._whole_rows())
        if not shown.isEmpty():
            super().paintEvent(QPaintEvent(shown))
        if self._message:
            painter = QPainter(self.viewport())
            painting.message(painter, self.viewport().rect(), self._message)
            painter.end()

    def _whole_rows(self) -> QRect:
        """Return the part of the viewport in which no row is cut."""
        area, row = self.viewport().rect(), self._row_height()
        if area.height() < row:
            return area
        above = -self.verticalOffset() % row  # scrolled to the end, Qt aligns the last row below
        return area.adjusted(0, above, 0, -((area.height() - above) % row))

    def _fit_columns(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._row_height())
        tokens = QFontMetricsF(palette.token_font())
        figures = QFontMetrics(palette.ui_font())
        width = self.viewport().width()
        narrow = width < _NARROW
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

    def _row_height(self) -> int:
        return max(ROW_HEIGHT, QFontMetrics(palette.token_font()).height() + UNIT // 2)

    def _choose(self, index: QModelIndex | QPersistentModelIndex) -> None:
        self.chosen.emit(self._ranked.token_id(index.row()))

    def _copy(self) -> None:
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        lines = [self._ranked.as_text(row) for row in rows or range(self._ranked.rowCount())]
        QGuiApplication.clipboard().setText("\n".join(lines))
