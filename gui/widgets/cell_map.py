"""Cells under labels that stay while the cells scroll: many rows, tokens in cells, two signs."""

from collections.abc import Callable
from math import ceil

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from gui.style.palette import units
from gui.widgets import cell_map_painting, matrix_axes
from gui.widgets.cell_map_painting import CellMapLayout, Cells, lay_out
from gui.widgets.cells import picture
from gui.widgets.painting import ARROWS, ROW_ENDS, Pointing


class CellMap(Pointing[tuple[int, int]], QAbstractScrollArea):
    """Rows down, columns across, each of any size; scrolls by whole rows and columns.

    The widget marks nothing by itself: who listens to `clicked` decides and calls `set_marked`.

    Parameters
    ----------
    crossing
        Frame only the cell where the marked row and column cross.
    """

    hovered = Signal(int, int)
    """Row and column under the mouse; -1 for none, as at a label of the other axis."""
    clicked = Signal(int, int)
    """Row and column that a click or a key asks for; -1 for the one that it leaves alone."""

    def __init__(self, parent: QWidget | None = None, *, crossing: bool = False) -> None:
        super().__init__(parent)
        self._crossing = crossing
        self._cells: Cells | None = None
        self._marked = (-1, -1)
        self._describe: Callable[[int, int], str] | None = None
        self._beside_tips: tuple[str, ...] = ()
        self._layout: CellMapLayout | None = None
        self._picture: QPixmap | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setCornerWidget(QWidget())  # or the style paints a square where both bars meet
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Cells")
        self.setAccessibleDescription(self.keys)

    def set_cells(self, cells: Cells) -> None:
        """Show cells.

        Raises
        ------
        ValueError
            If there are not as many labels as rows and columns, or none.
        """
        if cells.values.shape != (len(cells.row_labels), len(cells.column_labels)):
            raise ValueError(
                f"{cells.values.shape} numbers for "
                f"{len(cells.row_labels)} x {len(cells.column_labels)} labels"
            )
        if not cells.values.size:
            raise ValueError("there are no cells")
        self._cells = cells
        self.pointed = None
        self._lay_out()

    def set_marked(self, row: int, column: int) -> None:
        """Mark a row and a column, -1 for none, and bring them into view."""
        rows, columns = (0, 0) if self._cells is None else self._cells.values.shape
        self._marked = (row if 0 <= row < rows else -1, column if 0 <= column < columns else -1)
        self._show_marked()
        if self.hasFocus():
            self.tell()
        self.viewport().update()

    def set_describe(
        self, describe: Callable[[int, int], str], beside: tuple[str, ...] = ()
    ) -> None:
        """Say what tool tips say as plain text: of a cell, of a label (-1 for the other axis).

        Parameters
        ----------
        describe
            From row and column.
        beside
            Of the title of each small column.
        """
        self._describe, self._beside_tips = describe, beside

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell that is in sight is drawn, in pixels of the viewport.

        Raises
        ------
        ValueError
            If it is not in sight.
        """
        layout = self._laid_out()
        place = row - layout.rows.start, column - layout.columns.start
        if not (0 <= place[0] < layout.shown[0] and 0 <= place[1] < layout.shown[1]):
            raise ValueError(f"row {row}, column {column} are not in sight")
        return layout.grid.cell(*place)

    def in_sight(self) -> tuple[range, range]:
        """Return the rows and the columns that are in sight."""
        layout = self._laid_out()
        return (
            range(layout.rows.start, layout.rows.stop),
            range(layout.columns.start, layout.columns.stop),
        )

    def height_at(self, width: int) -> int:
        """Return the height that all rows would fill at a width, were there no limit."""
        if self._cells is None:
            return self.minimumSizeHint().height()
        layout = lay_out(self._cells, (width, 10**5), (0, 0), self.devicePixelRatioF())
        bottom = layout.grid.bounds.bottom()
        # The bar of a map that scrolls sideways takes its room below the cells.
        scrolls = layout.shown[1] < layout.whole[1]
        bar = self.horizontalScrollBar().sizeHint().height() if scrolls else 0
        return ceil(max(bottom, layout.bar.bottom() if layout.bar else 0)) + 3 + bar

    def thing_at(self, point: QPointF) -> tuple[int, int] | None:
        """Return row and column at a place of the viewport; at a label only one of them."""
        at = (-1, -1) if self._cells is None else self._laid_out().at(point)
        return at if max(at) >= 0 else None

    def tip_at(self, point: QPointF) -> str:
        """Return what was said of the cell, the label or the small column at a place."""
        if self._cells is None:
            return ""
        layout, at = self._laid_out(), self.thing_at(point)
        beside = layout.beside_at(point)
        if beside >= 0 and (at is None or at[0] < 0):
            return self._beside_tips[beside] if beside < len(self._beside_tips) else ""
        if at is None:
            return ""
        row, column = at
        if self._describe is not None:
            return self._describe(row, column)
        return self._cells.row_labels[row] if row >= 0 else self._cells.column_labels[column]

    def marked(self) -> str:
        """Return the marked cell in words, or the labels of its row and column."""
        row, column = self._marked
        if self._cells is None or max(row, column) < 0:
            return ""
        if self._describe is not None:
            return self._describe(row, column)
        row_label = self._cells.row_labels[row] if row >= 0 else ""
        return " ".join((row_label, self._cells.column_labels[column] if column >= 0 else ""))

    def ask_for(self, thing: tuple[int, int]) -> None:
        """Ask for what was clicked."""
        self.clicked.emit(*thing)

    def point_at(self, thing: tuple[int, int] | None) -> None:
        """Take a cell or a label for what is under the mouse, and tell."""
        if thing != self.pointed:
            super().point_at(thing)
            self.hovered.emit(*(thing or (-1, -1)))

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return units(40, 30)

    def minimumSizeHint(self) -> QSize:
        """Return the size of a few cells with their labels."""
        return units(20, 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the image of the cells, then all that stands on and around it."""
        painter = QPainter(self.viewport())
        cells = self._cells
        if cells is not None:
            layout = self._laid_out(painter.deviceTransform().m11())
            painter.drawPixmap(layout.grid.bounds.topLeft(), self._pixels(cells, layout))
            cell_map_painting.draw_lines(painter, layout, cells)
            cell_map_painting.draw_texts(painter, layout, cells)
            cell_map_painting.draw_beside(painter, layout, cells)
            under = self.pointed or (-1, -1)
            cell_map_painting.draw_labels(painter, layout, cells, self._marked, under)
            cell_map_painting.draw_frames(
                painter, layout, self._marked, under, crossing=self._crossing
            )
            if layout.bar is not None:
                shown = (cells.colouring, cells.reach, cells.unit)
                matrix_axes.draw_colour_bar(painter, layout.bar, *shown, self.viewport().height())
        self.draw_ring(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the cells out anew."""
        super().resizeEvent(event)
        self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        self._lay_out()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Show other rows and columns."""
        self._layout = self._picture = None
        self.pointed = None
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer a request for a tool tip, and notice that the mouse has left."""
        return self.handle(event) or super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the row or the column beside the marked one."""
        key = Qt.Key(event.key())
        page = 0 if self._cells is None else max(1, self._laid_out().shown[0] - 1)
        pages = {Qt.Key.Key_PageUp: (-page, 0), Qt.Key.Key_PageDown: (page, 0)}
        steps = ARROWS | ROW_ENDS | pages
        if key not in steps or self._cells is None:
            super().keyPressEvent(event)
            return
        self.show_ring()
        asked = [-1, -1]
        axis = 0 if steps[key][0] else 1
        marked, last = self._marked[axis], self._cells.values.shape[axis] - 1
        asked[axis] = 0 if marked < 0 else min(max(marked + steps[key][axis], 0), last)
        self.clicked.emit(*asked)

    def _lay_out(self) -> None:
        self._layout = self._picture = None
        bars = (self.verticalScrollBar(), self.horizontalScrollBar())
        if self._cells is None:
            for bar in bars:
                bar.setRange(0, 0)
        else:
            layout = self._laid_out()
            for bar, whole, shown in zip(bars, layout.whole, layout.shown, strict=True):
                bar.setPageStep(shown)
                bar.setRange(0, whole - shown)
        self.viewport().update()

    def _laid_out(self, ratio: float | None = None) -> CellMapLayout:
        """Return the layout, for a picture at another scale than the screen's if one is given."""
        if ratio is not None and self._layout is not None and self._layout.grid.ratio != ratio:
            self._layout = self._picture = None
        if self._layout is None:
            assert self._cells is not None
            size = (self.viewport().width(), self.viewport().height())
            first = (self.verticalScrollBar().value(), self.horizontalScrollBar().value())
            self._layout = lay_out(self._cells, size, first, ratio or self.devicePixelRatioF())
        return self._layout

    def _pixels(self, cells: Cells, layout: CellMapLayout) -> QPixmap:
        if self._picture is None:
            seen = cells.values[layout.rows, layout.columns]
            self._picture = picture(seen, None, cells.colouring, layout.grid)
        return self._picture

    def _show_marked(self) -> None:
        if self._cells is None:
            return
        layout = self._laid_out()
        bars = (self.verticalScrollBar(), self.horizontalScrollBar())
        for bar, place, shown in zip(bars, self._marked, layout.shown, strict=True):
            if place < 0:
                continue
            if place < bar.value():
                bar.setValue(place)
            elif place >= bar.value() + shown:
                bar.setValue(place - shown + 1)
