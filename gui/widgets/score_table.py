"""A table of scores: a name and a few numbers a row, sorted by a click on what stands over them."""

from collections.abc import Callable, Sequence
from math import ceil

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QFontMetricsF
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from gui import palette
from gui.theme import UNIT
from gui.widgets.axis_labels import widest_of
from gui.widgets.row_table import RowTable
from gui.widgets.score_bars import LEAST_BAR, ScoreBars
from gui.widgets.score_model import ScoreColumn, ScoreModel

_MOST_BETWEEN, _LONGEST_BAR = 4 * UNIT, 20 * UNIT


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
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)

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
        self._scores.set_rows(title, names, columns)
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
        return QSize(34 * UNIT, 30 * UNIT)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a few rows can be read."""
        return QSize(26 * UNIT, 12 * UNIT)

    def choose(self, row: int) -> None:
        """Tell which row was chosen, by its place in what was given."""
        self.chosen.emit(self._scores.place(row))

    def copied(self, row: int) -> str:
        """Return the name and every number."""
        return self._scores.as_text(row)

    def share_width(self) -> None:
        """Give the names what they need, and the numbers the rest."""
        figures = QFontMetrics(palette.ui_font())
        tokens = QFontMetricsF(palette.token_font())
        self.verticalHeader().setDefaultSectionSize(self.row_height())
        widths = [
            max(figures.horizontalAdvance(column.title), column.widest(figures)) + UNIT
            for column in self._scores.columns
        ]
        wanted = ceil(widest_of(self._scores.names, tokens)) + UNIT
        width = self.viewport().width()
        bars = [place for place, column in enumerate(self._scores.columns) if column.bar]
        for place in bars:
            room = min((width - sum(widths) - wanted) // len(bars), _LONGEST_BAR)
            widths[place] += room if room >= LEAST_BAR + UNIT else 0
        # What is left over stands between the numbers, up to what keeps a row together.
        more = min(max(width - sum(widths) - wanted, 0) // max(len(widths), 1), _MOST_BETWEEN)
        name = min(wanted, max(width - sum(widths), 0))
        for column, width in enumerate([name, *(width + more for width in widths)]):
            self.setColumnWidth(column, width)
