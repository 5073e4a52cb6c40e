"""A head's whole token table, for vocabularies small enough to be seen at once."""

from collections.abc import Callable

from engine.messages import TokenTable
from gui.numbers import fixed, reach
from gui.widgets.heatmap import Heatmap


class WholeTable:
    """Draws a token table on a heat map; a click on a row asks about its token.

    Parameters
    ----------
    heatmap
        Where it is drawn.
    titles
        What stands down the rows and across the columns.
    ask
        Called with the token of a row that was clicked.
    """

    def __init__(
        self, heatmap: Heatmap, titles: tuple[str, str], ask: Callable[[int], None]
    ) -> None:
        self._heatmap, self._titles = heatmap, titles
        self._table: TokenTable | None = None
        heatmap.set_describe(self.describe)
        heatmap.clicked.connect(lambda row, column: ask(row))

    def draw(self, table: TokenTable, token: int) -> None:
        """Draw a table with the row of the token asked about pinned."""
        self._table = table
        largest = reach(table.values)
        self._heatmap.set_grid(
            table.values,
            None,
            table.labels,
            table.labels,
            limits=(-largest, largest),
            colours="diverging",
            row_title=self._titles[0],
            column_title=self._titles[1],
            unit="",
        )
        self._heatmap.set_pinned(token, None)

    def describe(self, row: int, column: int) -> str:
        """Return what the tool tip of a cell says."""
        if self._table is None:
            return ""
        labels = self._table.labels
        value = fixed(float(self._table.values[row, column]), 2, signed=True)
        return f"{self._titles[0]} {labels[row]}, {self._titles[1]} {labels[column]}: {value}"
