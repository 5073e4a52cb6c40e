"""Every head of a model at once: a thumbnail or a score each, all of them one image."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
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
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from engine.messages import Head
from gui import palette
from gui.numbers import fixed
from gui.theme import UNIT
from gui.widgets import matrix_marks, painting, tool_tip
from gui.widgets.cell_pixels import mosaic
from gui.widgets.colouring import Colouring
from gui.widgets.grid_geometry import GridGeometry

_LEAST_SIDE = 14
_MOST_SIDE = 96
_GAP = 2
"""Pixels between two heads."""

_STEPS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Home: (0, -(10**6)),
    Qt.Key.Key_End: (0, 10**6),
}


class MatrixGrid(QAbstractScrollArea):
    """Layers down, heads across; scrolls when they are too many.

    A click or an arrow key asks for a head by `selected`; who listens calls `set_selected`.
    """

    hovered = Signal(object)
    """Head under the mouse, None when it has left."""
    selected = Signal(object)
    """Head that a click or an arrow key asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._thumbnails: npt.NDArray[np.floating] | None = None
        self._mask: npt.NDArray[np.bool_] | None = None
        self._scores: npt.NDArray[np.floating] | None = None
        self._score_name = ""
        self._best: Mapping[str, Sequence[Head]] = {}
        self._selected: Head | None = None
        self._hovered: Head | None = None
        self._describe: Callable[[Head], str] | None = None
        self._message = ""
        self._picture: QPixmap | None = None
        self._geometry: GridGeometry | None = None
        self._ring = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Heads")

    def set_thumbnails(
        self, values: npt.NDArray[np.floating], mask: npt.NDArray[np.bool_] | None
    ) -> None:
        """Show a pattern for every head.

        Parameters
        ----------
        values
            Numbers from 0 to 1, [layer, head, row, column].
        mask
            True where a cell may be seen, [row, column]; none: everywhere.
        """
        self._thumbnails, self._mask = values, mask
        self._forget_image()

    def set_scores(self, values: npt.NDArray[np.floating] | None, name: str = "") -> None:
        """Colour heads by a score instead, [layer, head]; none goes back to thumbnails."""
        self._scores, self._score_name = values, name
        self._forget_image()

    def set_best(self, best: Mapping[str, Sequence[Head]]) -> None:
        """Mark the best heads of each measure by the first letter of the measure's name."""
        self._best = dict(best)
        self.viewport().update()

    def set_selected(self, head: Head | None) -> None:
        """Frame a head and bring it into view."""
        self._selected = head
        self._show_head(head)
        self.viewport().update()

    def set_describe(self, describe: Callable[[Head], str]) -> None:
        """Say what the tool tip of a head says, as plain text."""
        self._describe = describe

    def clear(self, message: str) -> None:
        """Show a sentence instead of heads."""
        self._thumbnails = self._mask = self._scores = None
        self._best = {}
        self._message = message
        self._forget_image()

    def head_rect(self, head: Head) -> QRectF:
        """Return where a head is drawn, in pixels of the viewport."""
        return self._laid_out().cell(*head).translated(self._offset())

    def sizeHint(self) -> QSize:
        """Return the size at which thumbnails are as wide as a usual panel lets them be."""
        layers, heads = self._shape()
        side = min(max(28 * UNIT // max(heads, 1), _LEAST_SIDE), _MOST_SIDE)
        return QSize(36 * UNIT, min(max(layers, 2) * side, 60 * UNIT) + 4 * UNIT)

    def minimumSizeHint(self) -> QSize:
        """Return the size of a few heads."""
        return QSize(16 * UNIT, 10 * UNIT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the image of all heads, then labels, numbers, marks and frames."""
        painter = QPainter(self.viewport())
        if 0 in self._shape():
            painting.message(painter, self.viewport().rect(), self._message)
        else:
            grid, offset = self._laid_out(painter.deviceTransform().m11()), self._offset()
            theme = palette.theme()
            area = QRectF(self.viewport().rect())
            inside = area.adjusted(self._left(), self._top(), 0, 0)
            painter.save()
            # One more pixel, so that the frame of a head at the edge is whole.
            painter.setClipRect(inside.adjusted(-1.5, -1.5, 0, 0))
            painter.translate(offset)
            painter.drawPixmap(grid.bounds.topLeft(), self._pixels(grid))
            matrix_marks.draw_gaps(painter, grid, _GAP)
            if self._scores is not None:
                matrix_marks.draw_scores(
                    painter,
                    grid,
                    self._scores,
                    self._colouring(),
                    {head for heads in self._best.values() for head in heads},
                    _GAP,
                )
            matrix_marks.draw_best(painter, grid, self._best, _GAP)
            for head, colour in ((self._hovered, theme.muted), (self._selected, theme.accent)):
                if head is not None and self._has(head):
                    matrix_marks.draw_frame(painter, grid, head, colour, _GAP)
            painter.restore()
            matrix_marks.draw_names(
                painter, grid, offset, inside, self._selected or Head(-1, -1), self._hovered
            )
        if self._ring and self.hasFocus():
            painting.focus_ring(painter, self.viewport().rect())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the heads out anew."""
        super().resizeEvent(event)
        self._forget_image()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        self._forget_image()

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer a request for a tool tip, and notice that the mouse has left."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            head = self._head_at(QPointF(event.pos()))
            tool_tip.show("" if head is None else self._tip(head), event.globalPos(), self)
            return True
        if event.type() == QEvent.Type.Leave:
            self._set_hovered(None)
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which head is under the mouse."""
        self._set_hovered(self._head_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the head that was clicked."""
        head = self._head_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and head is not None:
            self.selected.emit(head)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the head beside the selected one."""
        step = _STEPS.get(Qt.Key(event.key()))
        layers, heads = self._shape()
        if step is None or not layers * heads:
            super().keyPressEvent(event)
            return
        self._ring = True
        if self._selected is None or not self._has(self._selected):
            self.selected.emit(Head(0, 0))
            return
        layer = min(max(self._selected.layer + step[0], 0), layers - 1)
        number = min(max(self._selected.number + step[1], 0), heads - 1)
        self.selected.emit(Head(layer, number))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        self._ring = painting.came_by_keyboard(event.reason())
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self.viewport().update()

    def _shape(self) -> tuple[int, int]:
        shown = self._thumbnails if self._scores is None else self._scores
        return (0, 0) if shown is None else (shown.shape[0], shown.shape[1])

    def _has(self, head: Head) -> bool:
        layers, heads = self._shape()
        return 0 <= head.layer < layers and 0 <= head.number < heads

    def _colouring(self) -> Colouring:
        highest = 1.0
        if self._scores is not None and np.isfinite(self._scores).any():
            highest = max(1.0, float(np.nanmax(self._scores)))
        return Colouring("sequential", 0.0, highest)

    def _left(self) -> float:
        metrics = QFontMetricsF(palette.ui_font(small=True))
        return metrics.horizontalAdvance(f"L{max(self._shape()[0] - 1, 0)}") + UNIT

    def _top(self) -> float:
        return QFontMetricsF(palette.ui_font(small=True)).height() + UNIT / 2

    def _offset(self) -> QPointF:
        return QPointF(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())

    def _forget_image(self) -> None:
        self._geometry = self._picture = None
        if 0 in self._shape():
            self.horizontalScrollBar().setRange(0, 0)
            self.verticalScrollBar().setRange(0, 0)
        else:
            self._set_ranges()
        self.viewport().update()

    def _set_ranges(self) -> None:
        bounds, page = self._laid_out().bounds, self.viewport().size()
        for bar, end, size in (
            (self.horizontalScrollBar(), bounds.right(), page.width()),
            (self.verticalScrollBar(), bounds.bottom(), page.height()),
        ):
            bar.setRange(0, max(0, round(end) - size))
            bar.setPageStep(size)
            bar.setSingleStep(round(self._laid_out().pitch))

    def _laid_out(self, ratio: float | None = None) -> GridGeometry:
        """Return where heads lie, for a picture at another scale than the screen's if given."""
        if ratio is not None and self._geometry is not None and self._geometry.ratio != ratio:
            self._geometry = self._picture = None
        if self._geometry is None:
            layers, heads = self._shape()
            left, top = self._left(), self._top()
            width = max(self.viewport().width() - left - 1, heads * _LEAST_SIDE)
            area = QRectF(left, top, width, layers * _MOST_SIDE)
            ratio = ratio or self.devicePixelRatioF()
            self._geometry = GridGeometry.square(layers, heads, area, ratio, _MOST_SIDE)
        return self._geometry

    def _pixels(self, grid: GridGeometry) -> QPixmap:
        if self._picture is None:
            shown, mask = self._thumbnails, self._mask
            if self._scores is not None:
                shown, mask = self._scores[:, :, np.newaxis, np.newaxis], None
            assert shown is not None
            self._picture = mosaic(shown, mask, self._colouring(), grid, _GAP)
        return self._picture

    def _head_at(self, point: QPointF) -> Head | None:
        if 0 in self._shape() or point.x() < self._left() or point.y() < self._top():
            return None
        layer, number = self._laid_out().at(point - self._offset())
        return Head(layer, number) if layer >= 0 and number >= 0 else None

    def _set_hovered(self, head: Head | None) -> None:
        if head != self._hovered:
            self._hovered = head
            self.hovered.emit(head)
            self.viewport().update()

    def _tip(self, head: Head) -> str:
        if self._describe is not None:
            return self._describe(head)
        if self._scores is None:
            return head.name
        return f"{head.name}\n{self._score_name} {fixed(float(self._scores[head]), 2)}"

    def _show_head(self, head: Head | None) -> None:
        if head is None or not self._has(head):
            return
        cell = self._laid_out().cell(*head)
        for bar, start, stop, before, page in (
            (
                self.verticalScrollBar(),
                cell.top(),
                cell.bottom(),
                self._top(),
                self.viewport().height(),
            ),
            (
                self.horizontalScrollBar(),
                cell.left(),
                cell.right(),
                self._left(),
                self.viewport().width(),
            ),
        ):
            if start - bar.value() < before:
                bar.setValue(int(start - before) - 1)
            elif stop - bar.value() > page:
                bar.setValue(round(stop - page) + 1)
