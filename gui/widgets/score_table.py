"""A table of scores: a name and a few numbers a row, sorted by a click on what stands over them."""

from collections.abc import Callable, Sequence
from math import ceil

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
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
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSizePolicy, QTableView, QWidget

from gui import palette
from gui.theme import UNIT
from gui.widgets import painting
from gui.widgets.axis_labels import widest_of
from gui.widgets.frozen_names import FrozenNames
from gui.widgets.score_model import ScoreColumn, ScoreModel

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LEAST_ROW, _MOST_BETWEEN = 20, 4 * UNIT
_LEAST_NAME = 8 * UNIT


class ScoreTable(QTableView):
    """A click or Enter on a row chooses it; Ctrl+C copies rows at full precision."""

    chosen = Signal(int)
    """Place, in what was given, of the row that was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scores = ScoreModel(self)
        self._message = ""
        self.setModel(self._scores)
        self.setProperty("quiet", True)
        self.setAccessibleName("Scores")
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setMinimumSectionSize(1)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)
        header.sortIndicatorChanged.connect(self._fit_columns)
        self.clicked.connect(self._choose)
        self._frozen = FrozenNames(self)
        self._frozen.clicked.connect(self._choose)

    def set_rows(self, title: str, names: Sequence[str], columns: Sequence[ScoreColumn]) -> None:
        """Show rows in the order given, or in that of the column that was last sorted by.

        Parameters
        ----------
        title
            What the names are.
        names
            One a row, shown as they are.
        columns
            Numbers, one a row.

        Raises
        ------
        ValueError
            If a column has more or fewer numbers than there are names.
        """
        for column in columns:
            if len(column.values) != len(names):
                raise ValueError(f"{len(column.values)} numbers for {len(names)} names")
        self._message = ""
        self._scores.set_rows(title, names, columns)
        self._fit_columns()

    def set_notes(self, notes: Sequence[str]) -> None:
        """Write a second line over each column, that of the names first; none: leave it out.

        Raises
        ------
        ValueError
            If there are more or fewer than columns.
        """
        if notes and len(notes) != self._scores.columnCount():
            raise ValueError(f"{len(notes)} notes for {self._scores.columnCount()} columns")
        self._scores.set_notes(notes)
        self._fit_columns()

    def set_highlight(self, place: int | None) -> None:
        """Mark a row as the selected one, and bring it into view."""
        self._scores.set_highlight(place)
        if place is not None and place < self._scores.rowCount():
            self.scrollTo(self._scores.index(self._scores.row(place), 0))

    def set_describe(self, describe: Callable[[int], str]) -> None:
        """Say what the tool tip of a row says, as plain text, by its place in what was given."""
        self._scores.describe = describe

    def clear(self, message: str) -> None:
        """Show a sentence instead of rows."""
        self._scores.set_rows(self._scores.title, (), ())
        self._message = message
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return QSize(34 * UNIT, 30 * UNIT)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a few rows can be read."""
        return QSize(26 * UNIT, 12 * UNIT)

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
        area, row = self.viewport().rect(), self.verticalHeader().defaultSectionSize()
        if area.height() < row:
            return area
        above = -self.verticalOffset() % row  # scrolled to the end, Qt aligns the last row below
        return area.adjusted(0, above, 0, -((area.height() - above) % row))

    def _fit_columns(self) -> None:
        figures = QFontMetrics(palette.ui_font())
        tokens = QFontMetricsF(palette.token_font())
        row = max(_LEAST_ROW, ceil(tokens.height()) + UNIT // 2)
        self.verticalHeader().setDefaultSectionSize(row)
        widths = [
            max(self._over(section, figures), column.widest(figures)) + UNIT
            for section, column in enumerate(self._scores.columns, start=1)
        ]
        names = max(ceil(widest_of(self._scores.names, tokens)), self._over(0, figures))
        wanted = names + UNIT
        width = self.viewport().width()
        # What is left over stands between the numbers, up to what keeps a row together.
        more = min(max(width - sum(widths) - wanted, 0) // max(len(widths), 1), _MOST_BETWEEN)
        # Long names are elided first; where that leaves little of them, the numbers are scrolled.
        name = min(wanted, max(width - sum(widths), _LEAST_NAME))
        for column, width in enumerate([name, *(width + more for width in widths)]):
            self.setColumnWidth(column, width)
        self._frozen.follow(name, row)

    def _over(self, section: int, metrics: QFontMetrics) -> int:
        """Return how wide what stands over a column is."""
        lines = self._scores.heading(section).splitlines()
        return max((metrics.horizontalAdvance(line) for line in lines), default=0)

    def _choose(self, index: QModelIndex | QPersistentModelIndex) -> None:
        self.chosen.emit(self._scores.place(index.row()))

    def _copy(self) -> None:
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        lines = [self._scores.as_text(row) for row in rows or range(self._scores.rowCount())]
        QGuiApplication.clipboard().setText("\n".join(lines))
