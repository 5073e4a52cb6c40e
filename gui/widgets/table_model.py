"""What tables show: typed columns, the model that holds them, the delegate that paints them."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
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
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.style import palette
from gui.style.formatting import fixed, percent
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.matrix_axes import widest_of

Index = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()
_SIGNS = {Qt.SortOrder.DescendingOrder: "▾", Qt.SortOrder.AscendingOrder: "▴"}
"""Qt's own sign lies on the words where a heading has two lines."""
_PARTS = re.compile(r"([^0-9]*)([0-9]*)")
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MEASURED = 20


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Texts, such as tokens and names of heads, one a row; they are shown literally.

    `muted` holds places of texts in the colour of small print, `middle` of those that lose their
    middle where they are too long; others lose their end.
    """

    title: str
    values: Sequence[str]
    face: Literal["token", "text"] = "token"
    right: bool = False
    muted: Collection[int] = ()
    middle: Collection[int] = ()
    tip: str = ""
    bar = False

    def text(self, place: int) -> str:
        """Return a text as it is shown."""
        return self.values[place]

    def copied(self, place: int) -> Any:
        """Return what is copied of a row."""
        return self.values[place]

    def font(self, *, marked: bool = False) -> QFont:
        """Return the font of a row."""
        return palette.token_font(bold=marked) if self.face == "token" else palette.ui_font()

    def widest(self) -> int:
        """Return how wide the widest text is, in pixels."""
        return ceil(widest_of(self.values, QFontMetricsF(self.font())))

    def order(self, *, down: bool) -> npt.NDArray[np.intp]:
        """Return places in order; a number in a text counts as one: L2H0 comes before L10H0."""
        keys = [
            tuple((text, int(digits or 0)) for text, digits in _PARTS.findall(value))
            for value in self.values
        ]
        ordered = sorted(range(len(keys)), key=keys.__getitem__, reverse=down)
        return np.array(ordered, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """Numbers of one kind, one a row.

    `title` stands over them, `values` [row] may hold what is not a number, `tip` says in a
    sentence what they are; `bar` draws one beside each number, `percent` writes shares of 1 in
    per cent, `small` sets them as ranks are.
    """

    title: str
    values: npt.NDArray[np.generic]
    decimals: int = 2
    signed: bool = False
    tip: str = ""
    bar: bool = False
    percent: bool = False
    small: bool = False
    right = True

    def text(self, place: int) -> str:
        """Return a number as it is shown."""
        value = float(self.values[place])
        return percent(value) if self.percent else fixed(value, self.decimals, signed=self.signed)

    def copied(self, place: int) -> Any:
        """Return a number at full precision."""
        return float(self.values[place])

    def font(self, *, marked: bool = False) -> QFont:
        """Return the font of a row."""
        return palette.ui_font(small=self.small)

    @cached_property
    def _finite(self) -> npt.NDArray[np.float64]:
        values = np.asarray(self.values, dtype=np.float64)
        return values[np.isfinite(values)]

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self._finite.min(initial=0.0)), float(self._finite.max(initial=0.0))

    def widest(self) -> int:
        """Return how wide the widest number is, in pixels."""
        metrics, found = QFontMetricsF(palette.ui_font()), self._finite
        # One of the two ends is the widest, but for small percentages, which have more decimals.
        some = (*found[:_MEASURED], found.min(), found.max()) if found.size else (np.nan,)
        column = NumberColumn("", np.array(some), self.decimals, self.signed, percent=self.percent)
        return max(ceil(metrics.horizontalAdvance(column.text(at))) for at in range(len(some)))

    def order(self, *, down: bool) -> npt.NDArray[np.intp]:
        """Return places in order; what is not a number comes last either way."""
        values = np.asarray(self.values, dtype=np.float64)
        return np.argsort(-values if down else values, kind="stable")

    def span(self, place: int) -> tuple[float, float, bool]:
        """Return where a bar begins and ends, as shares of the longest, and whether it is below 0.

        0 has a place of its own where some numbers are above it and some below.
        """
        low, high = self._ends
        value = float(self.values[place])
        if not np.isfinite(value) or high <= low:
            return 0.0, 0.0, False
        if high <= 0:  # all below 0: bars grow from the left like those above
            return 0.0, value / low, True
        nought, end = -low / (high - low), (value - low) / (high - low)
        return min(nought, end), max(nought, end), self.signed and value < 0


Column = TextColumn | NumberColumn


class TableModel(QAbstractTableModel):
    """Columns of as many rows; a row is known by its place in what was given."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: Sequence[Column] = ()
        self.marked: Collection[int] = ()
        """Places of the selected ones."""
        self.describe: Callable[[int], str] | None = None
        """What the tool tip of a place says, as plain text."""
        self._notes: Sequence[str] = ()
        self._order = np.zeros(0, dtype=np.intp)
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None

    def set_columns(self, columns: Sequence[Column], marked: Collection[int] = ()) -> None:
        """Replace all rows; they stay sorted as they were."""
        self.beginResetModel()
        self.columns, self.marked, self._notes = columns, marked, ()
        self._sort()
        self.endResetModel()

    def set_notes(self, notes: Sequence[str]) -> None:
        """Write a second line over each column."""
        self._notes = notes
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def set_marked(self, marked: Collection[int]) -> None:
        """Mark the selected ones."""
        self.layoutAboutToBeChanged.emit()
        self.marked = marked
        self.layoutChanged.emit()

    def heading(self, section: int) -> str:
        """Return what stands over a column, with a sign where rows are sorted by it."""
        column = self.columns[section]
        title = column.title
        if self._sorted_by is not None and self._sorted_by[0] == section:
            sign = _SIGNS[self._sorted_by[1]]
            title = f"{sign} {title}" if column.right else f"{title} {sign}"
        return f"{title}\n{self._notes[section]}" if self._notes else title

    def place(self, row: int) -> int:
        """Return the place in what was given of a row as it is shown."""
        return int(self._order[row])

    def row(self, place: int) -> int:
        """Return where a place is shown."""
        return int(np.flatnonzero(self._order == place)[0])

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return what stands over a column, and what it means."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heading(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return painting.literal(column.tip)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.right else _LEFT
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            # A number is sorted to be seen at its largest first.
            number = isinstance(column, NumberColumn)
            return Qt.SortOrder.DescendingOrder if number else Qt.SortOrder.AscendingOrder
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, or the tool tip of its row."""
        place = self.place(index.row())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.columns[index.column()].text(place)
        if role == Qt.ItemDataRole.ToolTipRole and self.describe is not None:
            return painting.literal(self.describe(place))
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self.layoutAboutToBeChanged.emit()
        self._sorted_by = (column, order)
        self._sort()
        self.layoutChanged.emit()

    def _sort(self) -> None:
        column, order = self._sorted_by or (-1, Qt.SortOrder.AscendingOrder)
        self._order = np.arange(len(self.columns[0].values) if self.columns else 0)
        if 0 <= column < len(self.columns):
            down = order == Qt.SortOrder.DescendingOrder
            self._order = self.columns[column].order(down=down)


ROW_HEIGHT = 20
_BEFORE_BAR = 3 * UNIT // 4
AROUND_BAR = _BEFORE_BAR + UNIT
"""What lies before a bar, and about the number after it, in pixels."""
LEAST_BAR = 2 * UNIT
"""Pixels that the longest bar needs to tell anything."""
_EDGE = UNIT / 2
_BAR_HEIGHT, _SHORTEST = 8.0, 1.5


class CellPainter(QStyledItemDelegate):
    """Paints texts as they are, never as rich text, and a bar left of numbers that have one.

    Parameters
    ----------
    view
        The table whose focus tells whether its chosen rows are framed.
    widest
        Returns how wide the texts of a column are.
    fills
        Rows that are chosen lie on a ground of their own, rather than between two lines while
        the table has the keyboard.
    """

    def __init__(
        self, view: QAbstractItemView, widest: Callable[[int], int], *, fills: bool
    ) -> None:
        super().__init__(view)
        self._view, self._widest, self._fills = view, widest, fills

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one cell."""
        model = index.model()
        assert isinstance(model, TableModel)
        theme, place = palette.theme(), model.place(index.row())
        column, marked = model.columns[index.column()], place in model.marked
        area, chosen = QRectF(option.rect), option.state & QStyle.StateFlag.State_Selected
        painter.save()
        if marked or (chosen and self._fills):
            painter.fillRect(area, QColor(theme.accent_ground))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(theme.field))
        if chosen and not self._fills and self._view.hasFocus():
            painter.setPen(painting.pen(theme.accent))
            inner = area.adjusted(0, 0.5, 0, -0.5)
            painter.drawLine(inner.topLeft(), inner.topRight())
            painter.drawLine(inner.bottomLeft(), inner.bottomRight())
        if isinstance(column, NumberColumn) and column.bar:
            room = area.width() - self._widest(index.column()) - AROUND_BAR
            _paint_bar(painter, area.adjusted(_BEFORE_BAR, 0, 0, 0), room, column.span(place))
        painter.setFont(column.font(marked=marked))
        ink, cut = theme.muted, Qt.TextElideMode.ElideRight
        if isinstance(column, TextColumn):
            if place not in column.muted:
                ink = theme.accent if marked else theme.text
            if place in column.middle:
                cut = Qt.TextElideMode.ElideMiddle
        painter.setPen(QColor(ink))
        inner = area.adjusted(_EDGE, 0, 0 if not column.right else -_EDGE, 0)
        text = painter.fontMetrics().elidedText(column.text(place), cut, int(inner.width()))
        side = _RIGHT if column.right else _LEFT
        flags = Qt.AlignmentFlag.AlignAbsolute | side
        painter.drawText(inner, flags | Qt.TextFlag.TextSingleLine, text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; the table shares the width out."""
        return QSize(0, palette.scaled(ROW_HEIGHT))


def _paint_bar(
    painter: QPainter, area: QRectF, room: float, span: tuple[float, float, bool]
) -> None:
    start, stop, below = span
    if stop <= start or room < LEAST_BAR:
        return
    bar = QRectF(0, 0, max((stop - start) * room, _SHORTEST), _BAR_HEIGHT)
    bar.moveTo(area.left() + start * room, area.center().y() - _BAR_HEIGHT / 2)
    theme = palette.theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.negative if below else theme.positive))
    painter.drawRoundedRect(bar, 1.5, 1.5)
