"""A bar beside a number of a score table."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from PySide6.QtCore import (
    QEvent,
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
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.style import palette
from gui.style.theme import UNIT
from gui.widgets.matrix_axes import widest_of
from gui.widgets.score_model import SHARE, ScoreColumn, ScoreModel
from gui.widgets.text_table import RowTable

LEAST_BAR = 4 * UNIT
"""Pixels that the longest bar needs to tell anything."""
_HEIGHT = 8.0
_SHORTEST = 1.5


class ScoreBars(QStyledItemDelegate):
    """Paints a bar left of the numbers of columns that want one, where there is room."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        super().paint(painter, option, index)
        found = index.data(SHARE)
        if found is None:
            return
        share, widest = found
        area = QRectF(option.rect)
        room = area.width() - widest - 2 * UNIT
        if room < LEAST_BAR or not share:
            return
        theme = palette.theme()
        bar = QRectF(area.left() + UNIT, 0, max(abs(share) * room, _SHORTEST), _HEIGHT)
        bar.moveTop(area.center().y() - _HEIGHT / 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.positive if share > 0 else theme.negative))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        painter.restore()


class FrozenNames(QTableView):
    """Lies over the first column of a table, whose model and selection it shows.

    It is there only while the table is scrolled sideways.

    Parameters
    ----------
    table
        The table; it has its model already.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self.setModel(table.model())
        self.setSelectionModel(table.selectionModel())
        self.setProperty("quiet", True)
        self.setProperty("frozen", True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Names of the rows")
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setMinimumSectionSize(1)
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.sectionClicked.connect(self._sort)
        for bar in (table.verticalScrollBar(), table.horizontalScrollBar()):
            bar.valueChanged.connect(self._place)
        table.viewport().installEventFilter(self)
        self.hide()

    def follow(self, width: int, row: int) -> None:
        """Take on the width of the names and the height of a row."""
        self.verticalHeader().setDefaultSectionSize(row)
        for column in range(1, self.model().columnCount()):
            self.setColumnHidden(column, True)
        self.setColumnWidth(0, width)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in place when the table is laid out anew."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _sort(self) -> None:
        header = self._table.horizontalHeader()
        up = Qt.SortOrder.AscendingOrder
        again = header.sortIndicatorSection() == 0 and header.sortIndicatorOrder() == up
        self._table.sortByColumn(0, Qt.SortOrder.DescendingOrder if again else up)

    def _place(self) -> None:
        scrolled = self._table.horizontalScrollBar().value() > 0
        if scrolled:
            view = self._table.viewport().geometry()
            height = self._table.horizontalHeader().height()
            self.horizontalHeader().setFixedHeight(height)
            self.setGeometry(
                view.left(), view.top() - height, self.columnWidth(0), height + view.height()
            )
            self.verticalScrollBar().setValue(self._table.verticalScrollBar().value())
            self.raise_()
        self.setVisible(scrolled)


_MOST_BETWEEN, _LONGEST_BAR = 4 * UNIT, 20 * UNIT
_LEAST_NAME = 8 * UNIT


class ScoreTable(RowTable):
    """A click or Enter on a row chooses it; Ctrl+C copies rows at full precision."""

    chosen = Signal(int)
    """Place, in what was given, of the row that was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scores = ScoreModel(self)
        self.setModel(self._scores)
        self.setItemDelegate(ScoreBars(self))
        self.setAccessibleName("Scores")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)
        header.sortIndicatorChanged.connect(self.share_width)
        header.sortIndicatorChanged.connect(self.scrollToTop)
        self._widest = ("", 0)
        self._frozen = FrozenNames(self)
        self._frozen.clicked.connect(lambda index: self.choose(index.row()))

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
        self.set_message("")
        self._widest = ("", 0)
        self._scores.set_rows(title, names, columns)
        self.share_width()

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
        self.share_width()

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
        self.set_message(message)

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return palette.units(34, 30)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a few rows can be read."""
        return palette.units(26, 12)

    def choose(self, row: int) -> None:
        """Tell which row was chosen, by its place in what was given."""
        self.chosen.emit(self._scores.place(row))

    def copied(self, row: int) -> tuple[Any, ...]:
        """Return the name and every number."""
        return self._scores.cells(row)

    def share_width(self) -> None:
        """Give the names what they need, and the numbers the rest."""
        figures = QFontMetrics(palette.ui_font())
        self.verticalHeader().setDefaultSectionSize(self.row_height())
        widths = [
            max(self._over(section, figures), column.widest(figures)) + UNIT
            for section, column in enumerate(self._scores.columns, start=1)
        ]
        names = max(self._widest_name(), self._over(0, figures))
        wanted = names + UNIT
        width = self.viewport().width()
        bars = [place for place, column in enumerate(self._scores.columns) if column.bar]
        for place in bars:
            room = min((width - sum(widths) - wanted) // len(bars), palette.scaled(_LONGEST_BAR))
            widths[place] += room if room >= LEAST_BAR + UNIT else 0
        # What is left over stands between the numbers, up to what keeps a row together.
        more = min(
            max(width - sum(widths) - wanted, 0) // max(len(widths), 1),
            palette.scaled(_MOST_BETWEEN),
        )
        # Long names are elided first; where that leaves little of them, the numbers are scrolled.
        name = min(wanted, max(width - sum(widths), palette.scaled(_LEAST_NAME)))
        for column, width in enumerate([name, *(width + more for width in widths)]):
            self.setColumnWidth(column, width)
        self._frozen.follow(name, self.row_height())

    def _widest_name(self) -> int:
        """Return how wide the widest name is: measured once, not at every click on a heading."""
        font = palette.token_font()
        if self._widest[0] != font.key():
            widest = widest_of(self._scores.names, QFontMetricsF(font))
            self._widest = (font.key(), ceil(widest))
        return self._widest[1]

    def _over(self, section: int, metrics: QFontMetrics) -> int:
        """Return how wide what stands over a column is."""
        lines = self._scores.heading(section).splitlines()
        return max((metrics.horizontalAdvance(line) for line in lines), default=0)
