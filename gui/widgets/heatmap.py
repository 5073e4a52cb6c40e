"""A grid of numbers as colours, with labels on both axes, a colour bar and a pinned row, column."""

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import palette
from gui.theme import LIGHT, UNIT
from gui.widgets import axis_labels, cell_numbers, colour_bar, painting, tool_tip
from gui.widgets.cell_pixels import picture
from gui.widgets.colouring import Colouring, Colours
from gui.widgets.grid_geometry import GridGeometry
from gui.widgets.heatmap_layout import HeatmapLayout, lay_out

_LINES_FROM = 7.0
"""Cells of at least so many pixels have lines between them."""

_STEPS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}


class Heatmap(QWidget):
    """Rows down, columns across; a click or an arrow key asks for a cell by `clicked`.

    The widget pins nothing by itself: who listens to `clicked` decides and calls `set_pinned`.
    """

    hovered = Signal(int, int)
    """Row and column under the mouse, -1 and -1 when it has left."""
    clicked = Signal(int, int)
    """Row and column that a click or an arrow key asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: npt.NDArray[np.floating] = np.zeros((0, 0))
        self._mask: npt.NDArray[np.bool_] | None = None
        self._labels: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._titles = ("", "")
        self._unit = ""
        self._colouring = Colouring("sequential", 0.0, 1.0)
        self._reach = (0.0, 0.0)
        self._pinned: tuple[int | None, int | None] = (None, None)
        self._hovered = (-1, -1)
        self._describe: Callable[[int, int], str] | None = None
        self._message = ""
        self._picture: QPixmap | None = None
        self._layout: HeatmapLayout | None = None
        self._ring = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Heat map")

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

        Raises
        ------
        ValueError
            If shapes do not fit each other.
        """
        if values.shape != (len(row_labels), len(column_labels)):
            raise ValueError(
                f"{values.shape} numbers for {len(row_labels)} x {len(column_labels)} labels"
            )
        if mask is not None and mask.shape != values.shape:
            raise ValueError(f"mask of {mask.shape} for {values.shape} numbers")
        self._values, self._mask = values, mask
        self._labels = (tuple(row_labels), tuple(column_labels))
        self._titles, self._unit = (row_title, column_title), unit
        self._colouring = Colouring(colours, float(limits[0]), float(limits[1]))
        seen = values[np.isfinite(values) if mask is None else np.isfinite(values) & mask]
        self._reach = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)
        self._message = "" if values.size else "Nothing to show."
        self._hovered = (-1, -1)
        self.set_pinned(*self._pinned)
        self._forget_layout()

    def set_pinned(self, row: int | None, column: int | None) -> None:
        """Frame a row and a column; what lies outside the grid is not pinned."""
        rows, columns = self._values.shape
        self._pinned = (
            row if row is not None and 0 <= row < rows else None,
            column if column is not None and 0 <= column < columns else None,
        )
        self.update()

    def set_describe(self, describe: Callable[[int, int], str]) -> None:
        """Say what the tool tip of a cell says, as plain text."""
        self._describe = describe

    def clear(self, message: str) -> None:
        """Show a sentence instead of numbers."""
        self._values, self._mask = np.zeros((0, 0)), None
        self._labels = ((), ())
        self._pinned, self._hovered = (None, None), (-1, -1)
        self._message = message
        self._forget_layout()

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell is drawn, in pixels of this widget."""
        return self._laid_out().grid.cell(row, column)

    def placed_labels(self) -> tuple[list[axis_labels.Placed], list[axis_labels.Placed]]:
        """Return the labels as they are drawn beside the rows and below the columns."""
        layout = self._laid_out()
        rows, columns = (
            list(dict.fromkeys(i for i in pair if i is not None and i >= 0))
            for pair in zip(self._pinned, self._hovered, strict=True)
        )
        return (
            layout.beside_rows(self._labels[0], rows),
            layout.below_columns(self._labels[1], columns),
        )

    def height_at(self, width: int) -> int:
        """Return the height that square cells would fill at a width, were there no limit."""
        if not self._values.size:
            return self.minimumSizeHint().height()
        layout = self._lay_out((width, 10 * width), self.devicePixelRatioF())
        below = layout.column_title.bottom() if self._titles[1] else layout.column_title.top()
        return ceil(below + UNIT / 2)

    def sizeHint(self) -> QSize:
        """Return a size at which 10 tokens have their numbers."""
        return QSize(60 * UNIT, 56 * UNIT)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which labels and colour bar leave room for cells."""
        return QSize(26 * UNIT, 22 * UNIT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw cells, lines, numbers, frames, labels, titles and the colour bar."""
        painter = QPainter(self)
        if self._message:
            painting.message(painter, self.rect(), self._message)
        elif self._values.size:
            self._paint(painter)
        if self._ring and self.hasFocus():
            painting.focus_ring(painter, self.rect())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the cells out anew."""
        self._forget_layout()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        self._forget_layout()
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        """Answer a request for a tool tip: the cell's description, or a whole label."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tool_tip.show(self._tip_at(QPointF(event.pos())), event.globalPos(), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which cell is under the mouse."""
        self._set_hovered(self._cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Say that the mouse has left."""
        self._set_hovered((-1, -1))
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the cell that was clicked."""
        row, column = self._cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and row >= 0:
            self.clicked.emit(row, column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the cell beside the pinned one."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or not self._values.size:
            super().keyPressEvent(event)
            return
        self._ring = True
        rows, columns = self._values.shape
        row, column = self._pinned
        if row is None and column is None:
            row, column = rows - 1, self._strongest(rows - 1)
        else:
            row = rows - 1 if row is None else row
            column = self._strongest(row) if column is None else column
            row = min(max(row + step[0], 0), rows - 1)
            column = min(max(column + step[1], 0), columns - 1)
        self.clicked.emit(row, column)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        self._ring = painting.came_by_keyboard(event.reason())
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self.update()

    def _strongest(self, row: int) -> int:
        line = np.nan_to_num(self._values[row], nan=-np.inf)
        if self._mask is not None:
            line = np.where(self._mask[row], line, -np.inf)
        return int(np.argmax(line))

    def _forget_layout(self) -> None:
        self._layout = self._picture = None
        self.update()

    def _cell_at(self, point: QPointF) -> tuple[int, int]:
        if not self._values.size:
            return (-1, -1)
        row, column = self._laid_out().grid.at(point)
        return (row, column) if row >= 0 and column >= 0 else (-1, -1)

    def _set_hovered(self, cell: tuple[int, int]) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self.hovered.emit(*cell)
            self.update()

    def _tip_at(self, point: QPointF) -> str:
        if not self._values.size:
            return ""
        grid = self._laid_out().grid
        row, column = grid.at(point)
        if row >= 0 and column >= 0:
            return self._describe(row, column) if self._describe is not None else ""
        if row >= 0 and point.x() < grid.bounds.left():
            return self._labels[0][row]
        if column >= 0 and point.y() > grid.bounds.bottom():
            return self._labels[1][column]
        return ""

    def _laid_out(self, ratio: float | None = None) -> HeatmapLayout:
        """Return the layout, for a picture at another scale than the screen's if one is given."""
        if ratio is not None and self._layout is not None and self._layout.grid.ratio != ratio:
            self._layout = self._picture = None
        if self._layout is None:
            size = (self.width(), self.height())
            self._layout = self._lay_out(size, ratio or self.devicePixelRatioF())
        return self._layout

    def _lay_out(self, size: tuple[int, int], ratio: float) -> HeatmapLayout:
        bar_width = colour_bar.width_of(self._colouring, self._reach, self._unit)
        return lay_out(self._labels, self._titles, bar_width, size, ratio)

    def _paint(self, painter: QPainter) -> None:
        layout = self._laid_out(painter.deviceTransform().m11())
        grid = layout.grid
        if self._picture is None:
            self._picture = picture(self._values, self._mask, self._colouring, grid)
        painter.drawPixmap(grid.bounds.topLeft(), self._picture)
        self._paint_lines(painter, grid)
        if self._values.size <= cell_numbers.MOST:
            cell_numbers.draw(painter, grid, self._values, self._mask, self._colouring)
        self._paint_axes(painter, layout)
        self._paint_frames(painter, grid)
        colour_bar.draw(painter, layout.bar, self._colouring, self._reach, self._unit)

    def _paint_lines(self, painter: QPainter, grid: GridGeometry) -> None:
        if grid.pitch < _LINES_FROM:
            return
        colour = QColor(palette.theme().masked)
        thick = max(1, round(grid.ratio)) / grid.ratio
        for left, _ in grid.column_spans()[1:]:
            painter.fillRect(QRectF(left, grid.bounds.top(), thick, grid.bounds.height()), colour)
        for top, _ in grid.row_spans()[1:]:
            painter.fillRect(QRectF(grid.bounds.left(), top, grid.bounds.width(), thick), colour)

    def _paint_axes(self, painter: QPainter, layout: HeatmapLayout) -> None:
        theme = palette.theme()
        font = palette.token_font(small=True)
        turns: tuple[axis_labels.Turn, axis_labels.Turn] = ("across", layout.turn)
        for placed, pinned, turn in zip(self.placed_labels(), self._pinned, turns, strict=True):
            marked = () if pinned is None else (pinned,)
            axis_labels.draw(painter, placed, turn, font, theme.text, marked, theme.accent)
        painter.setFont(palette.ui_font(small=True))
        painter.setPen(QColor(theme.muted))
        centre = Qt.AlignmentFlag.AlignCenter
        metrics = QFontMetricsF(painter.font())
        down, across = (metrics.horizontalAdvance(title) + 2 for title in self._titles)
        place = _room(layout.row_title, QSizeF(0, down), self.size())
        painting.rotated_text(painter, place, centre, self._titles[0])
        place = _room(layout.column_title, QSizeF(across, 0), self.size())
        painter.drawText(place, centre | Qt.TextFlag.TextSingleLine, self._titles[1])

    def _paint_frames(self, painter: QPainter, grid: GridGeometry) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        row, column = self._pinned
        # Thin cells are framed from outside, or the frame would hide what it frames.
        thick, out = (2.0, 0.0) if grid.pitch >= _LINES_FROM else (1.0, 0.5)
        painter.setPen(painting.pen(palette.theme().accent, thick))
        if column is not None:
            painter.drawRect(grid.column(column).adjusted(-out, -out, out, out))
        if row is not None:
            painter.drawRect(grid.row(row).adjusted(-out, -out, out, out))
        if min(self._hovered) >= 0 and grid.pitch >= 4:
            painter.setPen(painting.pen(LIGHT.muted))
            painter.drawRect(grid.cell(*self._hovered).adjusted(0.5, 0.5, -0.5, -0.5))


def _room(box: QRectF, need: QSizeF, inside: QSize) -> QRectF:
    """Return a box grown about its middle to what a title needs, and moved into the widget."""
    grown = QRectF(0, 0, max(box.width(), need.width()), max(box.height(), need.height()))
    grown.moveCenter(box.center())
    grown.moveLeft(max(0.0, min(grown.left(), inside.width() - grown.width())))
    grown.moveTop(max(0.0, min(grown.top(), inside.height() - grown.height())))
    return grown
