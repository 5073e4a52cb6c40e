"""The rows of a ranked list, kept as arrays so that a whole vocabulary costs nothing to show."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetrics

from gui.numbers import decimals_for, fixed, percent
from gui.widgets import tool_tip

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
            return tool_tip.literal(self._tip(row))
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
        said = tool_tip.of_token(self.labels[row], self.token_id(row) in self.pieces)
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
