"""A grid of numbers as colours, with labels on both axes, a colour bar and a pinned row, column."""

from collections.abc import Callable, Collection, Sequence
from math import ceil

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.style.palette import units
from gui.style.theme import UNIT
from gui.widgets import heatmap_painting, matrix_axes, painting
from gui.widgets.cells import Colouring, Colours, picture
from gui.widgets.heatmap_painting import NOTHING, HeatmapLayout, LabelledGrid, lay_out
from gui.widgets.matrix_axes import Placed
from gui.widgets.painting import ARROWS, Pointing


class Heatmap(Pointing[tuple[int, int]], QWidget):
    """Rows down, columns across; a click or an arrow key asks for a cell by `clicked`.

    The widget pins nothing by itself: who listens to `clicked` decides and calls `set_pinned`.
    """

    hovered = Signal(int, int)
    """Row and column under the mouse, -1 and -1 when it has left."""
    clicked = Signal(int, int)
    """Row and column that a click or an arrow key asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = NOTHING
        self._pinned: tuple[int | None, int | None] = (None, None)
        self._describe: Callable[[int, int], str] | None = None
        self._picture: QPixmap | None = None
        self._layout: HeatmapLayout | None = None
        self._before: tuple[object, HeatmapLayout] | None = None
        self._placed: tuple[object, tuple[list[Placed], list[Placed]]] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Heat map")
        self.setAccessibleDescription(self.keys)

    def set_grid(
        self,
        values: npt.NDArray[np.floating],
        mask: npt.NDArray[np.bool_] | None,
        row_labels: Sequence[str],
        column_labels: Sequence[str],
        *,
        limits: tuple[float, float],
        colours: Colours = "sequential",
        row_title: str = "",
        column_title: str = "",
        unit: str = "",
        pieces: tuple[Collection[int], Collection[int]] = ((), ()),
    ) -> None:
        """Show a grid of numbers.

        Parameters
        ----------
        values
            [row, column]; what is not a number is drawn as masked.
        mask
            True where a cell may be seen, [row, column]; none: everywhere.
        row_labels, column_labels
            One a row, one a column, shown as they are.
        limits
            Numbers at the two ends of the colours; symmetric for diverging ones.
        colours
            `sequential` or `diverging`.
        row_title, column_title
            What the axes are.
        unit
            What the numbers are, beside the colour bar.
        pieces
            Rows and columns whose labels are bytes of a character and no text: they are muted.

        Raises
        ------
        ValueError
            If shapes do not fit each other.
        """
        labels = (tuple(row_labels), tuple(column_labels))
        colouring = Colouring(colours, float(limits[0]), float(limits[1]))
        titles = (row_title, column_title)
        self._shown = LabelledGrid(values, mask, labels, titles, unit, colouring, pieces)
        self.pointed = None
        self.set_pinned(*self._pinned)
        self._layout = self._picture = None
        self.update()

    def set_pinned(self, row: int | None, column: int | None) -> None:
        """Frame a row and a column; what lies outside the grid is not pinned."""
        self._pinned = self._shown.inside(row, column)
        if self.hasFocus():
            self.tell()
        self.update()

    def set_describe(self, describe: Callable[[int, int], str]) -> None:
        """Say what the tool tip of a cell says, as plain text."""
        self._describe = describe

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell is drawn, in pixels of this widget."""
        return self._laid_out().grid.cell(row, column)

    def placed_labels(self) -> tuple[list[Placed], list[Placed]]:
        """Return the labels as they are drawn beside the rows and below the columns."""
        layout = self._laid_out()
        asked = (layout, self._pinned, self.pointed)
        if self._placed is None or self._placed[0] != asked:
            rows, columns = (
                list(dict.fromkeys(i for i in pair if i is not None))
                for pair in zip(self._pinned, self.pointed or (None, None), strict=True)
            )
            labels = self._shown.labels
            made = layout.beside_rows(labels[0], rows), layout.below_columns(labels[1], columns)
            self._placed = (asked, made)
        return self._placed[1]

    def height_at(self, width: int) -> int:
        """Return the height that square cells would fill at a width, were there no limit."""
        if self._shown.empty:
            return self.minimumSizeHint().height()
        layout = self._lay_out((width, 10 * width), self.devicePixelRatioF())
        title = layout.column_title
        return ceil((title.bottom() if self._shown.titles[1] else title.top()) + UNIT / 2)

    def thing_at(self, point: QPointF) -> tuple[int, int] | None:
        """Return row and column at a place."""
        if self._shown.empty:
            return None
        row, column = self._laid_out().grid.at(point)
        return (row, column) if row >= 0 and column >= 0 else None

    def tip_at(self, point: QPointF) -> str:
        """Return the description of a cell, or a whole label."""
        if self._shown.empty:
            return ""
        grid = self._laid_out().grid
        row, column = grid.at(point)
        if row >= 0 and column >= 0:
            return self._describe(row, column) if self._describe is not None else ""
        if row >= 0 and point.x() < grid.bounds.left():
            return painting.of_token(self._shown.labels[0][row], row in self._shown.pieces[0])
        if column >= 0 and point.y() > grid.bounds.bottom():
            return painting.of_token(self._shown.labels[1][column], column in self._shown.pieces[1])
        return ""

    def marked(self) -> str:
        """Return the pinned cell in words."""
        row, column = self._pinned
        if row is None or column is None or self._describe is None:
            return ""
        return self._describe(row, column)

    def ask_for(self, thing: tuple[int, int]) -> None:
        """Ask for the cell that was clicked."""
        self.clicked.emit(*thing)

    def point_at(self, thing: tuple[int, int] | None) -> None:
        """Say which cell is under the mouse, and that the mouse has left."""
        before = self.pointed
        super().point_at(thing)
        if thing != before:
            self.hovered.emit(*(thing or (-1, -1)))

    def sizeHint(self) -> QSize:
        """Return a size at which 10 tokens have their numbers."""
        return units(60, 56)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which labels and colour bar leave room for cells."""
        return units(26, 22)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the grid, or say that it has no cells."""
        painter = QPainter(self)
        if not self._shown.empty:
            self._paint(painter)
        elif self._shown is not NOTHING:
            painting.message(painter, self.rect(), "Nothing to show.")
        self.draw_ring(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the cells out anew."""
        self._forget_layout()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        self._forget_layout()
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        """Answer a request for a tool tip."""
        return self.handle(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the cell beside the pinned one."""
        step = ARROWS.get(Qt.Key(event.key()))
        if step is None or self._shown.empty:
            super().keyPressEvent(event)
            return
        self.show_ring()
        self.clicked.emit(*self._shown.beside(self._pinned, step))

    def _forget_layout(self) -> None:
        self._layout = self._picture = self._before = None
        self.update()

    def _laid_out(self, ratio: float | None = None) -> HeatmapLayout:
        """Return the layout, for a picture at another scale than the screen's if one is given."""
        if ratio is not None and self._layout is not None and self._layout.grid.ratio != ratio:
            self._layout = self._picture = None
        if self._layout is None:
            self._layout = self._like_before(ratio or self.devicePixelRatioF())
        return self._layout

    def _like_before(self, ratio: float) -> HeatmapLayout:
        """Return the layout: another head of the same prompt lies where the one before did."""
        shown = self._shown
        asked = (shown.labels, shown.titles, self._bar_width(), ratio)
        if self._before is None or self._before[0] != asked:
            made = self._lay_out((self.width(), self.height()), ratio)
            self._before = (asked, made)
        return self._before[1]

    def _bar_width(self) -> float:
        shown = self._shown
        return matrix_axes.width_of(shown.colouring, shown.reach, shown.unit)

    def _lay_out(self, size: tuple[int, int], ratio: float) -> HeatmapLayout:
        shown = self._shown
        return lay_out(shown.labels, shown.titles, self._bar_width(), size, ratio)

    def _paint(self, painter: QPainter) -> None:
        shown, layout = self._shown, self._laid_out(painter.deviceTransform().m11())
        if self._picture is None:
            self._picture = picture(shown.values, shown.mask, shown.colouring, layout.grid)
        heatmap_painting.draw_cells(painter, shown, layout, self._picture, self.size())
        labels = self.placed_labels()
        heatmap_painting.draw_axes(painter, shown, layout, labels, self._pinned, self.size())
        heatmap_painting.draw_frames(painter, layout.grid, self._pinned, self.pointed)
