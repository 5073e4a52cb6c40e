"""Tables of numbers: ranked tokens, and names with columns of numbers to sort by."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from gui.style import palette
from gui.style.formatting import decimals_for
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.table import RowsView, Table
from gui.widgets.table_model import AROUND_BAR, LEAST_BAR, NumberColumn, TextColumn

RANK, TOKEN, VALUE = range(3)
RowsAre = Literal["tokens", "positions", "parts"]
_ID_NAMES: dict[RowsAre, str] = {"tokens": "id", "positions": "position", "parts": ""}
_MOST_ROWS_ASKED = 12
_NARROW = 22 * UNIT
"""Below this width the column of ranks goes."""


class RankedList(Table):
    """Tokens, each with a rank, a bar and a number; `chosen` says the id of a token."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Ranked tokens", parent)
        self._ids = np.zeros(0, dtype=np.int64)
        self._values = np.zeros(0)
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
            What ids are those of: tokens; positions, which are shown instead of ranks; or parts,
            whose ids tell a reader nothing.
        """
        self._ids, self._values = np.asarray(ids, dtype=np.int64), np.asarray(values)
        muted = set(np.flatnonzero(np.isin(self._ids, list(pieces))).tolist())
        ranks = self._ids if rows_are == "positions" else np.arange(1, len(labels) + 1)

        def describe(place: int) -> str:
            name, token = _ID_NAMES[rows_are], self._ids[place]
            said = [f"{name} {token}"] if name else []
            label = painting.of_token(labels[place], place in muted)
            return "\n".join([label, *said, str(self._values[place])])

        self.set_describe(describe)
        self.set_columns(
            [
                NumberColumn("rank", ranks, 0, small=True),
                TextColumn("token", labels, muted=muted),
                NumberColumn(
                    "value",
                    self._values,
                    decimals_for(self._values),
                    signed,
                    bar=True,
                    percent=percent,
                ),
            ],
            set(np.flatnonzero(self._ids == highlight).tolist()),
        )
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the size at which up to a dozen rows show without scrolling."""
        rows = min(max(self.rows.rowCount(), 3), _MOST_ROWS_ASKED)
        return QSize(palette.scaled(30 * UNIT), rows * self.row_height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a row can be read."""
        return QSize(palette.scaled(18 * UNIT), 3 * self.row_height())

    def key(self, place: int) -> int:
        """Return the id of a row's token."""
        return int(self._ids[place])

    def copied(self, row: int) -> tuple[Any, ...]:
        """Return rank, id, token and value."""
        _, token, value = super().copied(row)
        return row + 1, self.key(row), token, value

    def share_width(self) -> None:
        """Give the token what it needs and the bar the rest."""
        width = self.viewport().width()
        narrow = width < palette.scaled(_NARROW)
        rank = 0 if narrow else self.widest(RANK) + UNIT
        value = self.widest(VALUE) + AROUND_BAR
        wanted = self.widest(TOKEN) + UNIT // 2
        # The bar keeps a quarter of the width; a long token is elided rather than the bar lost.
        # Where it is narrow the token matters most: the order alone tells the rank.
        room = max(width - rank - value, 0)
        bar = LEAST_BAR if narrow else max(width // 4, 3 * UNIT)
        token = min(wanted, max(room - bar, room // 2))
        self.setColumnHidden(RANK, narrow)
        for column, size in ((RANK, rank), (TOKEN, token), (VALUE, room - token + value)):
            self.setColumnWidth(column, size)


_MOST_BETWEEN, _LONGEST_BAR = 4 * UNIT, 20 * UNIT
_LEAST_NAME = 8 * UNIT


class ScoreTable(Table):
    """Names and columns of numbers; a click on a heading sorts by it, names stay in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scores", parent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)
        header.sortIndicatorChanged.connect(self.fit)
        header.sortIndicatorChanged.connect(self.scrollToTop)
        self._frozen = FrozenNames(self)
        self._frozen.clicked.connect(lambda index: self.choose(index.row()))

    def set_rows(self, title: str, names: Sequence[str], columns: Sequence[NumberColumn]) -> None:
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
        self.set_columns([TextColumn(title, names), *columns])

    def set_notes(self, notes: Sequence[str]) -> None:
        """Write a second line over each column, that of the names first, or no such line.

        Raises
        ------
        ValueError
            If there are more or fewer than columns.
        """
        if notes and len(notes) != self.rows.columnCount():
            raise ValueError(f"{len(notes)} notes for {self.rows.columnCount()} columns")
        self.rows.set_notes(notes)
        self.fit()

    def set_highlight(self, place: int | None) -> None:
        """Mark a row as the selected one, and bring it into view."""
        self.rows.set_marked(() if place is None else {place})
        if place is not None and place < self.rows.rowCount():
            self.scrollTo(self.rows.index(self.rows.row(place), 0))

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return palette.units(34, 30)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a few rows can be read."""
        return palette.units(26, 12)

    def share_width(self) -> None:
        """Give the names what they need, and the numbers the rest."""
        figures = QFontMetrics(palette.ui_font())
        wanted, *widths = (
            UNIT + max(self.widest(n), *map(figures.horizontalAdvance, lines.splitlines()), 0)
            for n, lines in enumerate(map(self.rows.heading, range(len(self.rows.columns))))
        )
        width = self.viewport().width()
        bars = [place for place, column in enumerate(self.rows.columns[1:]) if column.bar]
        for place in bars:
            room = min((width - sum(widths) - wanted) // len(bars), palette.scaled(_LONGEST_BAR))
            widths[place] += room if room >= LEAST_BAR + UNIT else 0
        # What is left over stands between the numbers, up to what keeps a row together.
        left = max(width - sum(widths) - wanted, 0) // max(len(widths), 1)
        more = min(left, palette.scaled(_MOST_BETWEEN))
        # Long names are elided first; where that leaves little of them, the numbers are scrolled.
        name = min(wanted, max(width - sum(widths), palette.scaled(_LEAST_NAME)))
        for column, width in enumerate([name, *(width + more for width in widths)]):
            self.setColumnWidth(column, width)
        self._frozen.follow(name)


class FrozenNames(RowsView):
    """Lies over the first column of a table while the table is scrolled sideways.

    Parameters
    ----------
    table
        The table, whose model and selection it shows.
    """

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._table = table
        self.setModel(table.model())
        self.setSelectionModel(table.selectionModel())
        self.setItemDelegate(table.itemDelegate())
        self.setProperty("frozen", True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Names of the rows")
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.sectionClicked.connect(self._sort)
        for bar in (table.verticalScrollBar(), table.horizontalScrollBar()):
            bar.valueChanged.connect(self._place)
        table.viewport().installEventFilter(self)
        self.hide()

    def follow(self, width: int) -> None:
        """Take on the width of the names, and the height of a row."""
        self.verticalHeader().setDefaultSectionSize(self._table.row_height())
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
        header, orders = self._table.horizontalHeader(), Qt.SortOrder
        up = orders.AscendingOrder
        again = header.sortIndicatorSection() == 0 and header.sortIndicatorOrder() == up
        self._table.sortByColumn(0, orders.DescendingOrder if again else up)

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
