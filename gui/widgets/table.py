"""Tables of many rows: what they have in common, and tables of texts."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QTableView, QWidget

from gui.charts.tables import tab_separated
from gui.style import palette
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import FocusRing
from gui.widgets.table_model import ROW_HEIGHT, CellPainter, Column, TableModel, TextColumn


class RowsView(QTableView):
    """Whole rows without a grid, as all tables show them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("quiet", True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(self.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setMinimumSectionSize(1)
        self.horizontalHeader().setHighlightSections(False)


class Table(FocusRing, RowsView):
    """Rows that are chosen by a click or Enter and copied by Ctrl+C at full precision."""

    chosen = Signal(int)
    """Row that was clicked or entered, by what `key` calls it."""
    one_at_a_time = False
    """Whether a click only moves to a row, and a double click chooses it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = TableModel(self)
        self._message = ""
        self._widths: dict[tuple[int, str], int] = {}
        self.setModel(self.rows)
        self.setItemDelegate(CellPainter(self, self.widest, fills=self.one_at_a_time))
        self.setAccessibleName(name)
        self.setAccessibleDescription("Up and Down move, Enter chooses a row, Ctrl+C copies rows.")
        modes = self.SelectionMode
        self.setSelectionMode(
            modes.SingleSelection if self.one_at_a_time else modes.ExtendedSelection
        )
        self.setEditTriggers(self.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(self.ScrollMode.ScrollPerItem)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        clicks = self.doubleClicked if self.one_at_a_time else self.clicked
        clicks.connect(lambda index: self.choose(index.row()))

    def set_columns(self, columns: Sequence[Column], marked: Collection[int] = ()) -> None:
        """Show columns of as many rows; the rows at some places are marked."""
        self.set_message("")
        self._widths.clear()
        self.rows.set_columns(columns, marked)
        self.fit()

    def clear(self, message: str) -> None:
        """Show a sentence instead of rows; columns keep their headings."""
        empty = [TextColumn(column.title, (), right=column.right) for column in self.rows.columns]
        self.rows.set_columns(empty)
        self.set_message(message)
        self.updateGeometry()

    def set_message(self, message: str) -> None:
        """Write a sentence where rows would be; empty for none."""
        self._message = message
        self.viewport().update()

    def set_describe(self, describe: Callable[[int], str]) -> None:
        """Say what the tool tip of a row says, as plain text, by its place in what was given."""
        self.rows.describe = describe

    def choose(self, row: int) -> None:
        """Choose a row, as it is shown."""
        self.chosen.emit(self.key(self.rows.place(row)))

    def key(self, place: int) -> int:
        """Return what a row is called in `chosen`: its place in what was given."""
        return place

    def copied(self, row: int) -> tuple[Any, ...]:
        """Return the cells of a row, numbers at full precision."""
        place = self.rows.place(row)
        return tuple(column.copied(place) for column in self.rows.columns)

    def fit(self) -> None:
        """Give rows their height, and columns their part of the width."""
        self.verticalHeader().setDefaultSectionSize(self.row_height())
        if self.rows.columns:
            self.share_width()

    def share_width(self) -> None:
        """Give each column its part of the width."""
        raise NotImplementedError

    def row_height(self) -> int:
        """Return the height of a row in the fonts at hand."""
        return max(ROW_HEIGHT, QFontMetrics(palette.token_font()).height() + UNIT // 2)

    def widest(self, section: int) -> int:
        """Return how wide a column's texts are: measured once, not at every click on a heading."""
        column = self.rows.columns[section]
        key = (section, column.font().key())
        if key not in self._widths:
            self._widths[key] = column.widest()
        return self._widths[key]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter, copy by Ctrl+C."""
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if entered and self.currentIndex().isValid():
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
        self.fit()

    def indexAt(self, pos: QPoint) -> QModelIndex:
        """Return what is shown at a place: where a row would be cut there is nothing."""
        return super().indexAt(pos) if self._whole_rows().contains(pos) else QModelIndex()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw whole rows, or the message."""
        shown = event.region().intersected(self._whole_rows())
        if not shown.isEmpty():
            super().paintEvent(QPaintEvent(shown))
        painter = QPainter(self.viewport())
        if self._message:
            painting.message(painter, self.viewport().rect(), self._message)
        self.draw_ring(painter)
        painter.end()

    def _whole_rows(self) -> QRect:
        """Return the part of the viewport in which no row is cut."""
        area, row = self.viewport().rect(), self.row_height()
        if area.height() < row:
            return area
        above = -self.verticalOffset() % row  # scrolled to the end, Qt aligns the last row below
        return area.adjusted(0, above, 0, -((area.height() - above) % row))


class Heading(NamedTuple):
    """A heading, how much of the width its column takes, and whether its words are numbers."""

    text: str
    share: float
    number: bool = False


class Row(NamedTuple):
    """The words of a row, its tool tip, whether it is muted, and which words lose their middle."""

    words: tuple[str, ...]
    tip: str = ""
    muted: bool = False
    middle: tuple[int, ...] = (0,)


class TextTable(Table):
    """One row is current; Enter or a double click chooses it.

    Parameters
    ----------
    headings
        Of the columns; their shares come to 1.
    name
        Accessible name.
    """

    current_changed = Signal(int)
    """Row that the keyboard or the mouse moved to, -1 for none."""
    one_at_a_time = True

    def __init__(
        self, headings: Sequence[Heading], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(name, parent)
        self._headings = headings
        self._cells: list[list[str]] = []
        self.selectionModel().currentRowChanged.connect(
            lambda now, before: self.current_changed.emit(now.row())
        )
        self.set_rows(())

    def set_rows(self, rows: Sequence[Row], current: int = -1) -> None:
        """Show rows, one of them the current one."""
        self._cells = [[row.words[number] for row in rows] for number in range(len(self._headings))]
        muted = {place for place, row in enumerate(rows) if row.muted}
        tips = [row.tip for row in rows]
        self.set_describe(tips.__getitem__)
        self.set_columns(
            [
                TextColumn(
                    heading.text,
                    words,
                    face="text",
                    right=heading.number,
                    # It can be moved to, so that its reason can be read, but looks as it is.
                    muted=muted,
                    middle={place for place, row in enumerate(rows) if number in row.middle},
                )
                for number, (heading, words) in enumerate(
                    zip(self._headings, self._cells, strict=True)
                )
            ]
        )
        self.set_current(current)

    def set_word(self, row: int, column: int, word: str) -> None:
        """Change one word."""
        self._cells[column][row] = word
        index = self.rows.index(row, column)
        self.rows.dataChanged.emit(index, index)

    def set_current(self, row: int) -> None:
        """Move to a row."""
        index = self.rows.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        if index.isValid():
            self.scrollTo(index)

    def current(self) -> int:
        """Return the current row, -1 for none."""
        return self.currentIndex().row()

    def row_height(self) -> int:
        """Return the height of a row of words."""
        return max(ROW_HEIGHT, QFontMetrics(palette.ui_font()).height() + UNIT)

    def share_width(self) -> None:
        """Give each column its share, and no less than its heading: the others make way."""
        width, header = self.viewport().width(), self.horizontalHeader()
        least = [header.sectionSizeHint(number) for number in range(len(self._headings))]
        widths = [
            max(int(width * heading.share), narrowest)
            for heading, narrowest in zip(self._headings, least, strict=True)
        ]
        spare = sum(widths) - sum(least)
        over = min(max(sum(widths) - width, 0), spare)
        for number, (wide, narrowest) in enumerate(zip(widths, least, strict=True)):
            part = -(-over * (wide - narrowest) // spare) if spare else 0
            self.setColumnWidth(number, wide - part)
