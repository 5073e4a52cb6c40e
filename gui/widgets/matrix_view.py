"""Views of one matrix: painted cells that can be pointed at, clicked and walked by keys."""

from collections.abc import Callable, Mapping
from math import ceil
from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QScrollBar, QWidget

from gui.style import palette
from gui.widgets import matrix_axes, matrix_painting, painting
from gui.widgets.cells import picture
from gui.widgets.matrix import (
    NOWHERE,
    Cell,
    Labels,
    Matrix,
    MatrixLayout,
    lay_out_scrolling,
    lay_out_square,
)
from gui.widgets.painting import ARROWS, ROW_ENDS, PaintedScroll

_TALL = 10**5
"""Pixels in which all rows of any matrix have room."""


class MatrixView(PaintedScroll[Cell]):
    """Rows down, columns across; scrolls by whole rows and columns where they have no room.

    The widget pins nothing by itself: who listens to `clicked` decides and calls `set_pinned`.
    """

    hovered = Signal(int, int)
    """Row and column under the mouse; -1 for none, as at a label of the other axis."""
    clicked = Signal(int, int)
    """Row and column that a click or a key asks for; -1 for the one that it leaves alone."""
    by_label: ClassVar[bool] = False
    """Whether a click on a label asks for its row or column alone."""
    steps: ClassVar[Mapping[Qt.Key, tuple[int, int]]] = ARROWS
    """By how many rows and columns keys move."""
    usual, least = (60, 56), (26, 22)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.matrix: Matrix | None = None
        self._pinned = NOWHERE
        self._describe: Callable[[int, int], str] | None = None
        self._layout: MatrixLayout | None = None
        self._picture: QPixmap | None = None
        self._placed: tuple[object, Labels] | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setCornerWidget(QWidget())  # or the style paints a square where both bars meet
        self.verticalScrollBar().setSingleStep(1)

    def arranged(
        self, shown: Matrix, size: tuple[int, int], first: tuple[int, int], ratio: float
    ) -> MatrixLayout:
        """Return where all lies in a size, from a row and a column on."""
        raise NotImplementedError

    def set_matrix(self, matrix: Matrix) -> None:
        """Show a matrix; what is pinned stays pinned where it is there."""
        before, self.matrix = self.matrix, matrix
        self.hovered_item = self._picture = None
        if before is None or self._layout is None or not matrix.lies_like(before):
            self.lay_out()
        self.set_pinned(*self._pinned)

    def set_pinned(self, row: int | None, column: int | None) -> None:
        """Frame a row and a column and bring them into sight; what is not there is not pinned."""
        self._pinned = NOWHERE if self.matrix is None else self.matrix.inside(row, column)
        if max(self._pinned) >= 0:
            pages = self._laid_out().grid.shape
            for bar, place, page in zip(self._scroll_bars(), self._pinned, pages, strict=True):
                if place >= 0:
                    bar.setValue(min(max(bar.value(), place - page + 1), place))
        if self.hasFocus():
            self.update_accessible_text()
        self.viewport().update()

    def set_describe(self, describe: Callable[[int, int], str]) -> None:
        """Say what tool tips say of a cell, and of a label that can be clicked, as plain text."""
        self._describe = describe

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell that is in sight is drawn, in pixels of the viewport.

        Raises
        ------
        ValueError
            If it is not in sight.
        """
        layout = self._laid_out()
        at = layout.in_sight((row, column))
        if min(at) < 0:
            raise ValueError(f"row {row}, column {column} are not in sight")
        return layout.grid.cell(*at)

    def marks(self) -> tuple[Cell, Cell]:
        """Return what is pinned, and what is under the mouse."""
        return self._pinned, self.hovered_item or NOWHERE

    def placed_labels(self) -> Labels:
        """Return the labels as they are drawn beside the rows and along the columns."""
        layout = self._laid_out()
        asked = (layout, self.marks())
        if self._placed is None or self._placed[0] != asked:
            assert self.matrix is not None
            self._placed = (asked, layout.place_labels(self.matrix, *self.marks()))
        return self._placed[1]

    def height_at(self, width: int) -> int:
        """Return the height that all rows would fill at a width, were there no limit."""
        if self.matrix is None or self.matrix.empty:
            return self.minimumSizeHint().height()
        layout = self.arranged(self.matrix, (width, _TALL), (0, 0), self.devicePixelRatioF())
        # The bar of a matrix that scrolls sideways takes its room below the cells.
        scrolls = layout.grid.shape[1] < layout.whole[1]
        bar = self.horizontalScrollBar().sizeHint().height() if scrolls else 0
        return ceil(layout.bottom) + bar

    def item_at(self, point: QPointF) -> Cell | None:
        """Return row and column at a place of the viewport; at a label only one of them."""
        if self.matrix is None or self.matrix.empty:
            return None
        at = self._laid_out().at(point)
        return at if (max if self.by_label else min)(at) >= 0 else None

    def tip_at(self, point: QPointF) -> str:
        """Return what there is to say of the cell, the label or the small column at a place."""
        if self.matrix is None or self.matrix.empty:
            return ""
        layout = self._laid_out()
        at, bar = layout.at(point), layout.bar_at(point)
        return self.matrix.bars[bar].tip if bar >= 0 and at[0] < 0 else self._text_of(at)

    def marked(self) -> str:
        """Return the pinned cell in words, or the labels of its row and column."""
        return self._text_of(self._pinned)

    def activate(self, thing: Cell) -> None:
        """Ask for what was clicked."""
        self.clicked.emit(*thing)

    def point_at(self, thing: Cell | None) -> None:
        """Take a cell or a label for what is under the mouse, and tell."""
        if thing != self.hovered_item:
            super().point_at(thing)
            self.hovered.emit(*(thing or NOWHERE))

    def step(self, shown: Matrix, key: Qt.Key) -> Cell:
        """Return what a key asks for."""
        return shown.beside(self._pinned, self.steps[key])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the matrix, or say that it has no cells."""
        painter = QPainter(self.viewport())
        if self.matrix is not None and not self.matrix.empty:
            self._paint(painter, self.matrix, self._laid_out(painter.deviceTransform().m11()))
        elif self.matrix is not None:
            painting.message(painter, self.viewport().rect(), "Nothing to show.")
        self.draw_ring(painter)
        painter.end()

    def pixels(self, shown: Matrix, layout: MatrixLayout) -> QPixmap:
        """Return the image of the cells in sight."""
        part = (layout.rows, layout.columns)
        return picture(shown.values[part], shown.seen[part], shown.colouring, layout.grid)

    def draw_cells(
        self, painter: QPainter, shown: Matrix, layout: MatrixLayout, cells: QPixmap
    ) -> None:
        """Draw the image of the cells, and all that stands on them."""
        matrix_painting.draw_cells(painter, shown, layout, cells)

    def draw_axes(self, painter: QPainter, shown: Matrix, layout: MatrixLayout) -> None:
        """Draw what stands around the cells."""
        matrix_painting.draw_bars(painter, shown, layout)
        self.draw_labels(painter, shown, layout, palette.theme().text)

    def draw_labels(
        self, painter: QPainter, shown: Matrix, layout: MatrixLayout, plain: str
    ) -> None:
        """Name rows and columns, in a colour where nothing is marked."""
        placed = self.placed_labels()
        matrix_painting.draw_labels(painter, shown, layout, placed, self.marks(), plain)

    def draw_frames(self, painter: QPainter, layout: MatrixLayout) -> None:
        """Frame what is pinned, and the cell under the mouse."""
        matrix_painting.draw_frames(painter, layout, *self.marks())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Show other rows and columns."""
        self._layout = self._picture = None
        self.point_at(None)  # another cell has come under the mouse, which has not moved
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the cell, the row or the column beside the pinned one."""
        key, shown = Qt.Key(event.key()), self.matrix
        if key not in self.steps or shown is None or shown.empty:
            super().keyPressEvent(event)
            return
        self.show_ring()
        self.clicked.emit(*self.step(shown, key))

    def lay_out(self) -> None:
        """Place everything anew."""
        self._layout = self._picture = None
        whole = shown = (0, 0)
        if self.matrix is not None and not self.matrix.empty:
            layout = self._laid_out()
            whole, shown = layout.whole, layout.grid.shape
        for bar, count, page in zip(self._scroll_bars(), whole, shown, strict=True):
            bar.setPageStep(page)
            bar.setRange(0, count - page)
        self.viewport().update()

    def _scroll_bars(self) -> tuple[QScrollBar, QScrollBar]:
        return self.verticalScrollBar(), self.horizontalScrollBar()

    def _laid_out(self, ratio: float | None = None) -> MatrixLayout:
        """Return the layout, for a picture at another scale than the screen's if one is given."""
        if self._layout is None or (ratio is not None and self._layout.grid.ratio != ratio):
            assert self.matrix is not None
            size = (self.viewport().width(), self.viewport().height())
            down, across = (bar.value() for bar in self._scroll_bars())
            ratio = ratio or self.devicePixelRatioF()
            self._layout = self.arranged(self.matrix, size, (down, across), ratio)
            self._picture = None
        return self._layout

    def _paint(self, painter: QPainter, shown: Matrix, layout: MatrixLayout) -> None:
        if self._picture is None:
            self._picture = self.pixels(shown, layout)
        self.draw_cells(painter, shown, layout, self._picture)
        self.draw_axes(painter, shown, layout)
        self.draw_frames(painter, layout)
        if layout.bar is not None:
            bottom = self.viewport().height()
            told = (shown.colouring, shown.value_range, shown.unit)
            matrix_axes.draw_colour_bar(painter, layout.bar, *told, bottom)

    def _text_of(self, cell: Cell) -> str:
        if self.matrix is None or max(cell) < 0:
            return ""
        if self._describe is not None and (self.by_label or min(cell) >= 0):
            return self._describe(*cell)
        axes = zip(self.matrix.labels, self.matrix.pieces, cell, strict=True)
        names = (painting.of_token(it[at], at in pieces) for it, pieces, at in axes if at >= 0)
        return " ".join(names)


class Heatmap(MatrixView):
    """Square cells that fill the room, all in sight; labels and titles to the left and below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Heat map", parent)

    def arranged(
        self, shown: Matrix, size: tuple[int, int], first: tuple[int, int], ratio: float
    ) -> MatrixLayout:
        """Return where all lies."""
        return lay_out_square(shown, size, ratio)

    def draw_axes(self, painter: QPainter, shown: Matrix, layout: MatrixLayout) -> None:
        """Draw labels and titles."""
        super().draw_axes(painter, shown, layout)
        matrix_painting.draw_titles(painter, shown, layout, self.viewport().size())


_PAGES = {Qt.Key.Key_PageUp: (-1, 0), Qt.Key.Key_PageDown: (1, 0)}


class CellMap(MatrixView):
    """Cells of sizes of their own under labels that stay while the cells scroll.

    Parameters
    ----------
    crossing
        Frame only the cell where the pinned row and column cross.
    """

    by_label = True
    steps: ClassVar = ARROWS | ROW_ENDS | _PAGES
    usual, least = (40, 30), (20, 10)

    def __init__(self, parent: QWidget | None = None, *, crossing: bool = False) -> None:
        super().__init__("Cells", parent)
        self._crossing = crossing

    def arranged(
        self, shown: Matrix, size: tuple[int, int], first: tuple[int, int], ratio: float
    ) -> MatrixLayout:
        """Return where all lies."""
        return lay_out_scrolling(shown, size, first, ratio)

    def step(self, shown: Matrix, key: Qt.Key) -> Cell:
        """Return the row or the column that a key asks for."""
        down, across = self.steps[key]
        if key in _PAGES:
            down *= max(1, self._laid_out().grid.shape[0] - 1)
        axis = 0 if down else 1
        last = shown.values.shape[axis] - 1
        place = self._pinned[axis]
        place = 0 if place < 0 else min(max(place + (down or across), 0), last)
        return (place, -1) if axis == 0 else (-1, place)

    def draw_frames(self, painter: QPainter, layout: MatrixLayout) -> None:
        """Frame what is pinned, and the cell under the mouse."""
        if not self._crossing:
            super().draw_frames(painter, layout)
            return
        pinned, pointed = self.marks()
        matrix_painting.draw_pointed(painter, layout, pointed)
        matrix_painting.draw_cell_frame(painter, layout, pinned, palette.theme().accent)
