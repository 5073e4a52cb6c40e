"""What tables of many rows have in common: whole rows, Enter, Ctrl+C, a sentence for none."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.charts.tables import tab_separated
from gui.style import palette
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import literal

ROW_HEIGHT = 20
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class RowTable(QTableView):
    """Rows that are chosen by a click or Enter and copied by Ctrl+C."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message = ""
        self._ring = False
        self.setProperty("quiet", True)
        self.setShowGrid(False)
        self.verticalHeader().hide()
        for header in (self.horizontalHeader(), self.verticalHeader()):
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
        self.setAccessibleDescription("Up and Down move, Enter chooses a row, Ctrl+C copies rows.")
        self.clicked.connect(lambda index: self.choose(index.row()))

    def choose(self, row: int) -> None:
        """Tell that somebody chose a row, as it is shown."""
        raise NotImplementedError

    def copied(self, row: int) -> tuple[Any, ...]:
        """Return the cells of a row, numbers at full precision."""
        raise NotImplementedError

    def share_width(self) -> None:
        """Give each column its part of the width."""
        raise NotImplementedError

    def row_height(self) -> int:
        """Return the height of a row in the fonts at hand."""
        return max(ROW_HEIGHT, QFontMetrics(palette.token_font()).height() + UNIT // 2)

    def set_message(self, message: str) -> None:
        """Write a sentence where rows would be; empty for none."""
        self._message = message
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter, copy by Ctrl+C."""
        if event.key() in _ENTER and self.currentIndex().isValid():
            self.choose(self.currentIndex().row())
        elif event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
            cells = (self.copied(row) for row in rows or range(self.model().rowCount()))
            QGuiApplication.clipboard().setText(tab_separated(cells).removesuffix("\n"))
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out anew."""
        super().resizeEvent(event)
        self.share_width()

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
        if self._ring and self.hasFocus():
            painter = QPainter(self.viewport())
            painting.focus_ring(painter, self.viewport().rect())
            painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        self._ring = painting.came_by_keyboard(event.reason())
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self.viewport().update()

    def _whole_rows(self) -> QRect:
        """Return the part of the viewport in which no row is cut."""
        area, row = self.viewport().rect(), self.row_height()
        if area.height() < row:
            return area
        above = -self.verticalOffset() % row  # scrolled to the end, Qt aligns the last row below
        return area.adjusted(0, above, 0, -((area.height() - above) % row))


_MIDDLE = Qt.ItemDataRole.UserRole + 1
"""Role that is true where a text that is too long loses its middle."""

_MUTED = Qt.ItemDataRole.UserRole + 2


class Column(NamedTuple):
    """A heading, how much of the width it takes, and whether its words are numbers."""

    heading: str
    share: float
    number: bool = False


class Row(NamedTuple):
    """The words of a row, its tool tip, whether it is muted, and which words lose their middle."""

    words: tuple[str, ...]
    tip: str = ""
    muted: bool = False
    middle: tuple[int, ...] = (0,)


class TextTable(RowTable):
    """One row is current; Enter or a double click enters it.

    Parameters
    ----------
    columns
        What stands in them; their shares come to 1.
    name
        Accessible name.
    """

    current_changed = Signal(int)
    """Row that the keyboard or the mouse moved to, -1 for none."""
    entered_row = Signal(int)
    """Row that was entered."""

    def __init__(self, columns: Sequence[Column], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self._rows = QStandardItemModel(self)
        self.setModel(self._rows)
        self.setItemDelegate(_Words(self))
        self.setAccessibleName(name)
        self.setSelectionMode(self.SelectionMode.SingleSelection)
        self.horizontalHeader().setHighlightSections(False)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        self.horizontalHeader().setDefaultAlignment(left)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(lambda index: self.entered_row.emit(index.row()))
        self._set_headings()

    def set_rows(self, rows: Sequence[Row], current: int = -1) -> None:
        """Show rows, one of them the current one."""
        self._rows.clear()
        self._set_headings()
        for row in rows:
            self._rows.appendRow(self._items(row))
        self.set_message("")
        self.verticalHeader().setDefaultSectionSize(self.row_height())
        self.share_width()
        self.set_current(current)

    def set_word(self, row: int, column: int, word: str) -> None:
        """Change one word."""
        self._rows.item(row, column).setText(word)

    def set_current(self, row: int) -> None:
        """Move to a row."""
        index = self._rows.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        if index.isValid():
            self.scrollTo(index)

    def current(self) -> int:
        """Return the current row, -1 for none."""
        return self.currentIndex().row()

    def choose(self, row: int) -> None:
        """Do nothing: a click only moves to a row."""

    def copied(self, row: int) -> tuple[str, ...]:
        """Return a row's words."""
        return tuple(self._rows.item(row, n).text() for n in range(len(self._columns)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter the current row by Enter."""
        if event.key() in _ENTER and self.current() >= 0:
            self.entered_row.emit(self.current())
        else:
            super().keyPressEvent(event)

    def row_height(self) -> int:
        """Return the height of a row of words."""
        return max(ROW_HEIGHT, QFontMetrics(palette.ui_font()).height() + UNIT)

    def share_width(self) -> None:
        """Give each column its share, and no less than its heading: the others make way."""
        width, header = self.viewport().width(), self.horizontalHeader()
        least = [header.sectionSizeHint(number) for number in range(len(self._columns))]
        widths = [
            max(int(width * column.share), narrowest)
            for column, narrowest in zip(self._columns, least, strict=True)
        ]
        spare = sum(widths) - sum(least)
        over = min(max(sum(widths) - width, 0), spare)
        for number, (wide, narrowest) in enumerate(zip(widths, least, strict=True)):
            part = -(-over * (wide - narrowest) // spare) if spare else 0
            self.setColumnWidth(number, wide - part)

    def _set_headings(self) -> None:
        self._rows.setHorizontalHeaderLabels([column.heading for column in self._columns])
        for number, column in enumerate(self._columns):
            if column.number:
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                role = Qt.ItemDataRole.TextAlignmentRole
                self._rows.setHeaderData(number, Qt.Orientation.Horizontal, right, role)

    def _items(self, row: Row) -> list[QStandardItem]:
        items = []
        for number, (word, column) in enumerate(zip(row.words, self._columns, strict=True)):
            item = QStandardItem(word)
            item.setToolTip(literal(row.tip))
            item.setEditable(False)
            item.setData(number in row.middle, _MIDDLE)
            if column.number:
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setData(row.muted, _MUTED)
            items.append(item)
        return items

    def _on_current(self, now: QModelIndex, before: QModelIndex) -> None:
        self.current_changed.emit(now.row())


class _Words(QStyledItemDelegate):
    """Mutes rows, and cuts names and paths in their middle: both ends tell them apart."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Say in which colour, and where a long text is cut."""
        super().initStyleOption(option, index)
        if index.data(_MUTED):
            # It can be moved to, so that its reason can be read, but looks as it is.
            option.palette.setColor(QPalette.ColorRole.Text, QColor(palette.theme().muted))
        if index.data(_MIDDLE):
            option.textElideMode = Qt.TextElideMode.ElideMiddle
