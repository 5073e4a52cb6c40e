"""The rows of a score table: names and columns of numbers, sorted by number."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFontMetrics

from gui.style import palette
from gui.style.formatting import fixed
from gui.widgets import painting

SHARE = Qt.ItemDataRole.UserRole
"""The length of a cell's bar, as a share of the longest, and the width of the widest number."""

_NOWHERE = QModelIndex()
_SIGNS = {Qt.SortOrder.DescendingOrder: "▾", Qt.SortOrder.AscendingOrder: "▴"}
"""Qt's own sign lies on the words where a heading has two lines."""
_PARTS = re.compile(r"([^0-9]*)([0-9]*)")
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """Numbers of one kind, one a row.

    `title` stands over them, `values` [row] may hold what is not a number, `tip` says in a
    sentence what they are; `bar` draws one beside each number.
    """

    title: str
    values: npt.NDArray[np.floating]
    decimals: int = 2
    signed: bool = False
    tip: str = ""
    bar: bool = False

    def share(self, row: int) -> float:
        """Return a number as a share of the largest magnitude, negative where it is."""
        finite = self.values[np.isfinite(self.values)]
        largest = float(np.abs(finite).max(initial=0.0))
        value = float(self.values[row])
        return value / largest if largest > 0 and np.isfinite(value) else 0.0

    def text(self, row: int) -> str:
        """Return a number as it is shown."""
        return fixed(float(self.values[row]), self.decimals, signed=self.signed)

    def widest(self, metrics: QFontMetrics) -> int:
        """Return how wide the numbers are in a font; the widest is one of the two ends."""
        finite = np.flatnonzero(np.isfinite(self.values))
        if not finite.size:
            return metrics.horizontalAdvance("–")
        ends = finite[[np.argmin(self.values[finite]), np.argmax(self.values[finite])]]
        return max(metrics.horizontalAdvance(self.text(int(row))) for row in ends)


def _by_number(name: str) -> tuple[tuple[str, int], ...]:
    """Return a key by which L2H0 comes before L10H0."""
    return tuple((text, int(digits or 0)) for text, digits in _PARTS.findall(name))


class ScoreModel(QAbstractTableModel):
    """A name and some numbers a row; rows are called by their place in what was given."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.names: Sequence[str] = ()
        self.columns: Sequence[ScoreColumn] = ()
        self.title = ""
        self.notes: Sequence[str] = ()
        """A second line over each column, the names' first."""
        self.describe: Callable[[int], str] | None = None
        self._order = np.zeros(0, dtype=np.intp)
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None
        self._highlight: int | None = None

    def set_rows(self, title: str, names: Sequence[str], columns: Sequence[ScoreColumn]) -> None:
        """Replace all rows; they stay sorted as they were."""
        self.beginResetModel()
        self.title, self.names, self.columns = title, names, columns
        self.notes = ()
        self._order = np.arange(len(names))
        self._sort()
        self.endResetModel()

    def set_notes(self, notes: Sequence[str]) -> None:
        """Write a second line over each column."""
        self.notes = notes
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns))

    def heading(self, section: int) -> str:
        """Return what stands over a column, with a sign where rows are sorted by it."""
        title = self.columns[section - 1].title if section else self.title
        if self._sorted_by is not None and self._sorted_by[0] == section:
            sign = _SIGNS[self._sorted_by[1]]
            title = f"{sign} {title}" if section else f"{title} {sign}"
        return f"{title}\n{self.notes[section]}" if self.notes else title

    def set_highlight(self, place: int | None) -> None:
        """Mark the selected one."""
        self.layoutAboutToBeChanged.emit()
        self._highlight = place
        self.layoutChanged.emit()

    def place(self, row: int) -> int:
        """Return the place in what was given of a row as it is shown."""
        return int(self._order[row])

    def row(self, place: int) -> int:
        """Return where a place is shown."""
        return int(np.flatnonzero(self._order == place)[0])

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        """Return the number of columns, the name's included."""
        return 0 if parent.isValid() else 1 + len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return what stands over a column, and what it means."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section - 1] if 0 < section <= len(self.columns) else None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heading(section)
        if role == Qt.ItemDataRole.ToolTipRole and column:
            return painting.literal(column.tip)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            # A number is sorted to be seen at its largest first.
            return Qt.SortOrder.DescendingOrder if column else Qt.SortOrder.AscendingOrder
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return one thing about a cell."""
        place, column = self.place(index.row()), index.column()
        chosen = place == self._highlight
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.columns[column - 1].text(place) if column else self.names[place]
        if role == SHARE and column and self.columns[column - 1].bar:
            shown = self.columns[column - 1]
            return shown.share(place), shown.widest(QFontMetrics(palette.ui_font()))
        if role == Qt.ItemDataRole.FontRole:
            return palette.ui_font() if column else palette.token_font(bold=chosen)
        if role == Qt.ItemDataRole.ForegroundRole:
            theme = palette.theme()
            if column:
                return QColor(theme.muted)
            return QColor(theme.accent if chosen else theme.text)
        if role == Qt.ItemDataRole.BackgroundRole and chosen:
            return QColor(palette.theme().accent_ground)
        if role == Qt.ItemDataRole.TextAlignmentRole and column:
            return _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole and self.describe is not None:
            return painting.literal(self.describe(place))
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; what is not a number comes last either way."""
        self.layoutAboutToBeChanged.emit()
        self._sorted_by = (column, order)
        self._sort()
        self.layoutChanged.emit()

    def cells(self, row: int) -> tuple[Any, ...]:
        """Return what a row holds: its name, and its numbers at full precision."""
        place = self.place(row)
        return self.names[place], *(float(column.values[place]) for column in self.columns)

    def _sort(self) -> None:
        column, order = self._sorted_by or (-1, Qt.SortOrder.AscendingOrder)
        self._order = np.arange(len(self.names))
        down = order == Qt.SortOrder.DescendingOrder
        if column == 0:
            ordered = sorted(
                range(len(self.names)), key=lambda at: _by_number(self.names[at]), reverse=down
            )
            self._order = np.array(ordered, dtype=np.intp)
        elif 0 < column <= len(self.columns):
            values = np.asarray(self.columns[column - 1].values, dtype=np.float64)
            self._order = np.argsort(-values if down else values, kind="stable")
