"""A table of as many rows as a large vocabulary has tokens, sorted and searched."""

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from benchmarks.pairs import Comparison, compare
from gui.style import palette
from gui.widgets.fields import VocabularyIndex
from gui.widgets.number_tables import ScoreTable
from gui.widgets.table_model import NumberColumn

ROWS = 150_000
TYPED = ("w1", "w14", "149", "no such token")
DIRECTIONS = (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder)


def comparisons() -> Iterator[Comparison]:
    """Yield what a click on a heading and a key press cost, against numpy's own sort."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    palette.apply(app, "light")
    values = np.random.default_rng(0).standard_normal(ROWS)
    names = [f"w{row}" for row in range(ROWS)]
    table = ScoreTable()
    table.set_rows("token", names, [NumberColumn("value", values)])
    table.show()
    app.processEvents()

    def sort() -> None:
        for direction in DIRECTIONS:
            table.horizontalHeader().setSortIndicator(1, direction)
            app.processEvents()

    def numpy_sort() -> None:
        for direction in DIRECTIONS:
            np.argsort(-values if direction == DIRECTIONS[0] else values, kind="stable")

    yield compare(
        f"{ROWS:,} rows sorted by a click on a number's heading, down and up, and shown",
        "numpy's own stable sort",
        sort,
        numpy_sort,
        goal=1 / 2,
    )
    index = VocabularyIndex(names, names)
    yield compare(
        f"{ROWS:,} tokens filtered by what is typed, {len(TYPED)} times",
        f"numpy's own sort of as many numbers, {len(TYPED)} times",
        lambda: [index.complete(typed, 12) for typed in TYPED],
        lambda: [np.argsort(values, kind="stable") for _ in TYPED],
        goal=1 / 2,
    )
    table.close()
