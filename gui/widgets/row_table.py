"""What tables of many rows have in common: whole rows, Enter, Ctrl+C, a sentence for none."""

from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from gui import palette
from gui.export.tables import tab_separated
from gui.theme import UNIT
from gui.widgets import painting

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
