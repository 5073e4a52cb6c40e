"""A grid of numbers as colours, with labels on both axes, a colour bar and a pinned row, column."""

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
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
from gui.widgets import axis_labels, cell_numbers, colour_bar, painting, raster, tool_tip
from gui.widgets.colouring import MASKED, Colouring, Colours, image
from gui.widgets.grid_geometry import GridGeometry

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
        self._image: QPixmap | None = None
        self._geometry: GridGeometry | None = None
        self._turn: axis_labels.Turn = "across"
        self._rooms: dict[int, float] = {}
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
        return self._laid_out().cell(row, column)

    def placed_labels(self) -> tuple[list[axis_labels.Placed], list[axis_labels.Placed]]:
        """Return the labels as they are drawn beside the rows and below the columns."""
        metrics = QFontMetricsF(palette.token_font(small=True))
        grid = self._laid_out()
        urgent = [
            list(dict.fromkeys(i for i in pair if i is not None and i >= 0))
            for pair in zip(self._pinned, self._hovered, strict=True)
        ]
        beside = axis_labels.beside_rows(
            self._labels[0],
            grid.row_spans(),
            grid.bounds.left() - UNIT / 2,
            self._label_room(0),
            metrics,
            urgent[0],
        )
        below = axis_labels.below_columns(
            self._labels[1],
            grid.column_spans(),
            grid.bounds.bottom() + UNIT / 2,
            self._label_room(1),
            metrics,
            self._turn,
            urgent[1],
        )
        return beside, below

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
        else:
            grid = self._laid_out()
            painter.drawPixmap(grid.bounds.topLeft(), self._pixels(grid))
            self._draw_lines(painter, grid)
            if self._values.size <= cell_numbers.MOST:
                cell_numbers.draw(painter, grid, self._values, self._mask, self._colouring)
            self._draw_axes(painter, grid)
            self._draw_frames(painter, grid)
            bar = QRectF(grid.bounds)
            bar.moveLeft(grid.bounds.right() + 2 * UNIT)
            colour_bar.draw(painter, bar, self._colouring, self._reach, self._unit)
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
        self._geometry = self._image = None
        self._rooms = {}
        self.update()

    def _cell_at(self, point: QPointF) -> tuple[int, int]:
        if not self._values.size:
            return (-1, -1)
        row, column = self._laid_out().at(point)
        return (row, column) if row >= 0 and column >= 0 else (-1, -1)

    def _set_hovered(self, cell: tuple[int, int]) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self.hovered.emit(*cell)
            self.update()

    def _tip_at(self, point: QPointF) -> str:
        if not self._values.size:
            return ""
        grid = self._laid_out()
        row, column = grid.at(point)
        if row >= 0 and column >= 0:
            return self._describe(row, column) if self._describe is not None else ""
        if row >= 0 and point.x() < grid.bounds.left():
            return self._labels[0][row]
        if column >= 0 and point.y() > grid.bounds.bottom():
            return self._labels[1][column]
        return ""

    def _label_room(self, axis: int) -> float:
        if axis not in self._rooms:
            metrics = QFontMetricsF(palette.token_font(small=True))
            most = min(14.0 * UNIT, (self.width(), self.height())[axis] / 4)
            self._rooms[axis] = axis_labels.room_for(self._labels[axis], metrics, most)
        return self._rooms[axis]

    def height_at(self, width: int) -> int:
        """Return the height that square cells would fill at a width, were there no limit."""
        if not self._values.size:
            return self.minimumSizeHint().height()
        grid, turn = self._fit(width, 10 * width)
        metrics = QFontMetricsF(palette.token_font(small=True))
        labels = metrics.height() if turn != "up" else self._label_room(1)
        title = QFontMetricsF(palette.ui_font(small=True)).height() if self._titles[1] else 0
        return ceil(grid.bounds.bottom() + labels + title + 2.5 * UNIT)

    def _laid_out(self) -> GridGeometry:
        if self._geometry is None:
            self._geometry, self._turn = self._fit(self.width(), self.height())
        return self._geometry

    def _fit(self, across: int, down: int) -> tuple[GridGeometry, axis_labels.Turn]:
        """Fit square cells, their labels and the colour bar into a size."""
        rows, columns = self._values.shape
        tokens = QFontMetricsF(palette.token_font(small=True))
        title = QFontMetricsF(palette.ui_font(small=True)).height()
        left = self._label_room(0) + UNIT + (title + UNIT / 2 if self._titles[0] else 0)
        right = 2 * UNIT + colour_bar.width_of(self._colouring, self._reach, self._unit)
        title_below = title + UNIT / 2 if self._titles[1] else 0
        ratio = self.devicePixelRatioF()
        width, height = across - left - right, down - UNIT - title_below
        below = tokens.height() + UNIT
        grid = GridGeometry.square(
            rows, columns, QRectF(left, UNIT / 2, width, height - below), ratio
        )
        turn = axis_labels.turn_for(self._labels[1], grid.pitch, tokens)
        if turn == "up":
            below = self._label_room(1) + UNIT
            grid = GridGeometry.square(
                rows, columns, QRectF(left, UNIT / 2, width, height - below), ratio
            )
        return grid, turn

    def _pixels(self, grid: GridGeometry) -> QPixmap:
        if self._image is None:
            signed = self._colouring.colours == "diverging"
            values, mask = self._values, self._mask
            small = values.shape[0] > grid.height or values.shape[1] > grid.width
            if small and mask is not None:
                values = np.where(mask, values, 0.0 if signed else -np.inf)
            values, mask = raster.fit(values, mask, grid.height, grid.width, signed=signed)
            level = self._colouring.level(values)
            if mask is not None:
                level = np.where(mask, level, np.uint8(MASKED))
            level = raster.enlarge(
                level,
                raster.edges(level.shape[0], grid.height),
                raster.edges(level.shape[1], grid.width),
            )
            picture = image(level, self._colouring.colours, palette.theme().masked)
            self._image = QPixmap.fromImage(picture)
            self._image.setDevicePixelRatio(grid.ratio)
        return self._image

    def _draw_lines(self, painter: QPainter, grid: GridGeometry) -> None:
        if grid.pitch < _LINES_FROM:
            return
        colour = QColor(palette.theme().masked)
        thick = max(1, round(grid.ratio)) / grid.ratio
        for left, _ in grid.column_spans()[1:]:
            painter.fillRect(QRectF(left, grid.bounds.top(), thick, grid.bounds.height()), colour)
        for top, _ in grid.row_spans()[1:]:
            painter.fillRect(QRectF(grid.bounds.left(), top, grid.bounds.width(), thick), colour)

    def _draw_axes(self, painter: QPainter, grid: GridGeometry) -> None:
        theme = palette.theme()
        font = palette.token_font(small=True)
        for axis, placed in enumerate(self.placed_labels()):
            pinned = self._pinned[axis]
            marked = () if pinned is None else (pinned,)
            turn = self._turn if axis == 1 else "across"
            axis_labels.draw(painter, placed, turn, font, theme.text, marked, theme.accent)
        painter.setFont(palette.ui_font(small=True))
        painter.setPen(QColor(theme.muted))
        height = QFontMetricsF(painter.font()).height()
        bounds = grid.bounds
        if self._titles[0]:
            left = bounds.left() - UNIT - self._label_room(0) - height - UNIT / 4
            box = QRectF(left, bounds.top(), height, bounds.height())
            painting.rotated_text(painter, box, Qt.AlignmentFlag.AlignCenter, self._titles[0])
        if self._titles[1]:
            metrics = QFontMetricsF(palette.token_font(small=True))
            below = self._label_room(1) if self._turn == "up" else metrics.height()
            box = QRectF(bounds.left(), bounds.bottom() + below + UNIT, bounds.width(), height)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
            painter.drawText(box, flags, self._titles[1])

    def _draw_frames(self, painter: QPainter, grid: GridGeometry) -> None:
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
