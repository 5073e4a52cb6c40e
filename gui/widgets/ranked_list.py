"""The rows of a ranked list, kept as arrays so that a whole vocabulary costs nothing to show."""

from collections.abc import Collection, Sequence
from math import ceil
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.style import palette
from gui.style.formatting import decimals_for, fixed, percent
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.matrix_axes import widest_of
from gui.widgets.text_table import ROW_HEIGHT, RowTable

RANK, TOKEN, BAR, VALUE = range(4)
HIGHLIGHT = Qt.ItemDataRole.UserRole
SPAN = Qt.ItemDataRole.UserRole + 1
"""Where the bar begins and ends, as shares of its column, and whether it is negative."""
PIECE = Qt.ItemDataRole.UserRole + 2
"""Whether the token is some of the bytes of a character."""

_HEADERS = ("rank", "token", "", "value")
_NOWHERE = QModelIndex()
RowsAre = Literal["tokens", "positions", "parts"]
_ID_NAMES: dict[RowsAre, str] = {"tokens": "id", "positions": "position", "parts": ""}
_MEASURED = 20


class RankedModel(QAbstractTableModel):
    """Rank, token, bar and value of each row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.labels: Sequence[str] = ()
        self.pieces: Collection[int] = ()
        self.rows_are: RowsAre = "tokens"
        self._ids = np.zeros(0, dtype=np.int64)
        self._values = np.zeros(0)
        self._signed = self._percent = False
        self._highlight: int | None = None
        self._decimals = 2
        self._low, self._high = 0.0, 1.0

    def set_rows(
        self,
        ids: npt.ArrayLike,
        labels: Sequence[str],
        values: npt.ArrayLike,
        signed: bool,
        highlight: int | None,
        percent: bool,
    ) -> None:
        """Replace all rows; the arguments are those of `RankedList.set_rows`."""
        self.beginResetModel()
        self._ids = np.asarray(ids, dtype=np.int64)
        self.labels = labels
        self._values = np.asarray(values)
        self._signed, self._percent = signed, percent
        self._highlight = highlight
        self._decimals = decimals_for(self._values)
        finite = self._values[np.isfinite(self._values)].astype(np.float64)
        low = min(float(finite.min()), 0.0) if finite.size else 0.0
        high = max(float(finite.max()), 0.0) if finite.size else 0.0
        self._low, self._high = low, high
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        """Return the number of tokens."""
        return 0 if parent.isValid() else len(self.labels)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(_HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return what a column is."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _HEADERS[section]
        return None

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Return one thing about a cell."""
        row, column = index.row(), index.column()
        if role == HIGHLIGHT:
            return self.token_id(row) == self._highlight
        if role == PIECE:
            return self.token_id(row) in self.pieces
        if role == SPAN and column == BAR:
            return self._span(float(self._values[row]))
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return painting.literal(self._tip(row))
        return None

    def token_id(self, row: int) -> int:
        """Return the id of a row's token."""
        return int(self._ids[row])

    @property
    def largest_number(self) -> int:
        """The largest number of the first column."""
        if self.rows_are == "positions" and len(self._ids):
            return int(self._ids.max())
        return self.rowCount()

    def cells(self, row: int) -> tuple[Any, ...]:
        """Return what a row holds: rank, id, token, value at full precision."""
        return row + 1, self.token_id(row), self.labels[row], float(self._values[row])

    def widest_value(self, metrics: QFontMetrics) -> int:
        """Return how wide the values are in a font."""
        if not len(self._values):
            return 0
        # One of the two ends is the widest, but for small percentages, which have more decimals.
        some = (self._values.min(), self._values.max(), *self._values[:_MEASURED])
        return max(metrics.horizontalAdvance(self._number(float(value))) for value in some)

    def _tip(self, row: int) -> str:
        name = _ID_NAMES[self.rows_are]
        told = [f"{name} {self.token_id(row)}"] if name else []
        said = painting.of_token(self.labels[row], self.token_id(row) in self.pieces)
        return "\n".join([said, *told, str(self._values[row])])

    def _text(self, row: int, column: int) -> str:
        if column == RANK:
            return str(self.token_id(row) if self.rows_are == "positions" else row + 1)
        if column == TOKEN:
            return self.labels[row]
        return self._number(float(self._values[row])) if column == VALUE else ""

    def _number(self, value: float) -> str:
        if self._percent:
            return percent(value)
        return fixed(value, self._decimals, signed=self._signed)

    def _span(self, value: float) -> tuple[float, float, bool]:
        whole = self._high - self._low
        if not np.isfinite(value) or whole <= 0:
            return 0.0, 0.0, False
        if self._high <= 0:  # all negative: bars grow from the left like positive ones
            return 0.0, min(value / self._low, 1.0), True
        nought = -self._low / whole
        end = min(max((value - self._low) / whole, 0.0), 1.0)
        return min(nought, end), max(nought, end), self._signed and value < 0


_BAR_HEIGHT = 8.0
_LEAST_BAR = 1.5


class RankedRow(QStyledItemDelegate):
    """Paints all columns; tokens as they are, never as rich text."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        theme = palette.theme()
        chosen = bool(index.data(HIGHLIGHT))
        area = QRectF(option.rect)
        state = option.state
        view = self.parent()
        focused = (
            bool(state & QStyle.StateFlag.State_Selected)
            and isinstance(view, QWidget)
            and view.hasFocus()
        )
        painter.save()
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(theme.accent_ground if chosen else theme.field))
        if focused:
            painter.setPen(painting.pen(theme.accent))
            inner = area.adjusted(0, 0.5, 0, -0.5)
            painter.drawLine(inner.topLeft(), inner.topRight())
            painter.drawLine(inner.bottomLeft(), inner.bottomRight())
        if index.column() == BAR:
            self._paint_bar(painter, area, index)
        else:
            self._paint_text(painter, area, index, chosen)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the height of a row; the view shares the width out."""
        return QSize(0, palette.scaled(ROW_HEIGHT))

    def _paint_bar(
        self, painter: QPainter, area: QRectF, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = palette.theme()
        start, stop, negative = index.data(SPAN)
        left = area.left() + start * area.width()
        width = (stop - start) * area.width()
        if width <= 0:
            return
        top = area.center().y() - _BAR_HEIGHT / 2
        bar = QRectF(left, top, max(width, _LEAST_BAR), _BAR_HEIGHT)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.negative if negative else theme.positive))
        painter.drawRoundedRect(bar, 1.5, 1.5)

    def _paint_text(
        self,
        painter: QPainter,
        area: QRectF,
        index: QModelIndex | QPersistentModelIndex,
        chosen: bool,
    ) -> None:
        theme = palette.theme()
        column = index.column()
        token = column == TOKEN
        painter.setFont(
            palette.token_font(bold=chosen) if token else palette.ui_font(small=column == RANK)
        )
        quiet = theme.text if token and not index.data(PIECE) else theme.muted
        painter.setPen(QColor(theme.accent if chosen and token else quiet))
        side = Qt.AlignmentFlag.AlignLeft if token else Qt.AlignmentFlag.AlignRight
        margin = UNIT if token else 0
        edge = UNIT / 2 if column in (TOKEN, VALUE) else 0
        inner = area.adjusted(margin, 0, -edge, 0)
        text = str(index.data())
        if token:
            text = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, int(inner.width())
            )
        flags = Qt.AlignmentFlag.AlignAbsolute | side | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, flags | Qt.TextFlag.TextSingleLine, text)


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
