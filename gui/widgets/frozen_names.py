"""The names of a table's rows, which stay in place while its numbers are scrolled sideways."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView


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
