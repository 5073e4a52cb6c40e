"""What a grid of heads shows: a thumbnail of each, or a score of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from engine.messages import Head
from gui.style import palette
from gui.style.formatting import fixed, head_name
from gui.style.theme import UNIT
from gui.widgets import head_grid_painting
from gui.widgets.cells import Colouring, GridGeometry, mosaic
from gui.widgets.painting import ARROWS, ROW_ENDS, Pointing


@dataclass(frozen=True, eq=False)
class HeadPictures:
    """Scores are shown where there are any, thumbnails otherwise."""

    thumbnails: npt.NDArray[np.floating] | None = None
    """Numbers from 0 to 1, [layer, head, row, column]."""
    mask: npt.NDArray[np.bool_] | None = None
    """True where a cell of a thumbnail may be seen, [layer, row, column], or of all layers
    [row, column]; none: everywhere."""
    scores: npt.NDArray[np.floating] | None = None
    """[layer, head]"""
    limits: tuple[float, float] | None = None
    """Ends of the colour range of scores, as far below 0 as above it for signed ones; none: from
    0 to 1, and further where a score is larger."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of layers, and of heads in each."""
        shown = self.thumbnails if self.scores is None else self.scores
        return (0, 0) if shown is None else (shown.shape[0], shown.shape[1])

    @property
    def empty(self) -> bool:
        """Whether there is no head."""
        return 0 in self.shape

    @property
    def colouring(self) -> Colouring:
        """From 0 to 1 for thumbnails, between the limits for scores."""
        if self.scores is not None and self.limits is not None:
            low, high = self.limits
            return Colouring("diverging" if low < 0 else "sequential", low, high)
        highest = 1.0
        if self.scores is not None and np.isfinite(self.scores).any():
            highest = max(1.0, float(np.nanmax(self.scores)))
        return Colouring("sequential", 0.0, highest)

    def has(self, head: Head) -> bool:
        """Return whether a head is there."""
        layers, heads = self.shape
        return 0 <= head.layer < layers and 0 <= head.number < heads

    def beside(self, head: Head | None, step: tuple[int, int]) -> Head:
        """Return the head a step away, at most at the edge; the first one from none."""
        if head is None or not self.has(head):
            return Head(0, 0)
        layers, heads = self.shape
        return Head(
            min(max(head.layer + step[0], 0), layers - 1),
            min(max(head.number + step[1], 0), heads - 1),
        )

    def picture(self, grid: GridGeometry, gap: int) -> QPixmap:
        """Return all heads as one picture, with so many pixels between two."""
        shown = self.thumbnails
        mask = None if self.mask is None else self.mask[..., np.newaxis, :, :]
        if self.scores is not None:
            shown, mask = self.scores[:, :, np.newaxis, np.newaxis], None
        assert shown is not None
        return mosaic(shown, mask, self.colouring, grid, gap)


_LEAST_SIDE = 14
_MOST_SIDE = 96
_SEEN_SIDE = 20
"""Heads are made smaller, down to this, so that all are seen without scrolling."""
_GAP = 2
"""Pixels between two heads."""

_STEPS = ARROWS | ROW_ENDS


class MatrixGrid(Pointing[Head], QAbstractScrollArea):
    """Layers down, heads across; scrolls when they are too many.

    A click or an arrow key asks for a head by `selected`; who listens calls `set_selected`.
    """

    keys = "Arrow keys move from head to head, X switches one off or on."
    selected = Signal(object)
    """Head that a click or an arrow key asks for."""
    switched = Signal(object)
    """Head that the key X asks to switch off, or on again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = HeadPictures()
        self._score_name = ""
        self._best: Mapping[str, Sequence[Head]] = {}
        self._off: Sequence[Head] = ()
        self._selected: Head | None = None
        self._describe: Callable[[Head], str] | None = None
        self._picture: QPixmap | None = None
        self._geometry: GridGeometry | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Heads")
        self.setAccessibleDescription(self.keys)

    def set_thumbnails(
        self, values: npt.NDArray[np.floating], mask: npt.NDArray[np.bool_] | None
    ) -> None:
        """Show a pattern for every head.

        Parameters
        ----------
        values
            Numbers from 0 to 1, [layer, head, row, column].
        mask
            True where a cell may be seen, [layer, row, column], or of all layers [row, column];
            none: everywhere.
        """
        self._shown = replace(self._shown, thumbnails=values, mask=mask)
        self._forget_image()

    def set_scores(
        self,
        values: npt.NDArray[np.floating] | None,
        name: str = "",
        limits: tuple[float, float] | None = None,
    ) -> None:
        """Colour heads by a score instead; none goes back to thumbnails.

        Parameters
        ----------
        values
            [layer, head]
        name
            What they are, for the tool tip.
        limits
            Ends of the colour range, none for 0 and 1; signed scores run as far below 0 as above.
        """
        self._shown = replace(self._shown, scores=values, limits=limits)
        self._score_name = name
        self._forget_image()

    def set_best(self, best: Mapping[str, Sequence[Head]]) -> None:
        """Mark the best heads of each measure by the first letter of the measure's name."""
        self._best = dict(best)
        self.viewport().update()

    def set_off(self, heads: Sequence[Head]) -> None:
        """Cross out the heads that are switched off."""
        self._off = tuple(heads)
        self.viewport().update()

    def set_selected(self, head: Head | None) -> None:
        """Frame a head and bring it into view."""
        self._selected = head
        self._show_head(head)
        if self.hasFocus():
            self.tell()
        self.viewport().update()

    def set_describe(self, describe: Callable[[Head], str]) -> None:
        """Say what the tool tip of a head says, as plain text."""
        self._describe = describe

    def head_rect(self, head: Head) -> QRectF:
        """Return where a head is drawn, in pixels of the viewport."""
        return self._laid_out().cell(*head).translated(self._offset())

    def thing_at(self, point: QPointF) -> Head | None:
        """Return the head at a place of the viewport."""
        if self._shown.empty or point.x() < self._left() or point.y() < self._top():
            return None
        layer, number = self._laid_out().at(point - self._offset())
        return Head(layer, number) if layer >= 0 and number >= 0 else None

    def marked(self) -> str:
        """Return the selected head in words."""
        chosen = self._selected
        return self._say(chosen) if chosen is not None and self._shown.has(chosen) else ""

    def tip_at(self, point: QPointF) -> str:
        """Return what was said of the head at a place, or its name and score."""
        head = self.thing_at(point)
        return "" if head is None else self._say(head)

    def _say(self, head: Head) -> str:
        if self._describe is not None:
            return self._describe(head)
        scores = self._shown.scores
        if scores is None:
            return head_name(head)
        return f"{head_name(head)}\n{self._score_name} {fixed(float(scores[head]), 2)}"

    def ask_for(self, thing: Head) -> None:
        """Ask for the head that was clicked."""
        self.selected.emit(thing)

    def height_at(self, width: int) -> int:
        """Return the height at which the heads fill a width, in pixels."""
        layers, heads = self._shown.shape
        side = min((width - self._left() - 1) / max(heads, 1), _MOST_SIDE)
        return round(self._top() + layers * max(side, _LEAST_SIDE)) + 2

    def sizeHint(self) -> QSize:
        """Return the size at which thumbnails are as wide as a usual panel lets them be."""
        layers, heads = self._shown.shape
        side = min(max(28 * UNIT // max(heads, 1), _LEAST_SIDE), _MOST_SIDE)
        return QSize(36 * UNIT, min(max(layers, 2) * side, 60 * UNIT) + 4 * UNIT)

    def minimumSizeHint(self) -> QSize:
        """Return the size of a few heads."""
        return palette.units(16, 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the heads, if there are any."""
        painter = QPainter(self.viewport())
        if not self._shown.empty:
            self._paint(painter)
        self.draw_ring(painter)
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
        return self.handle(event) or super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the head beside the selected one, or to switch that one off or on."""
        chosen = self._selected
        if event.key() == Qt.Key.Key_X and chosen is not None and self._shown.has(chosen):
            self.switched.emit(chosen)
            return
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self._shown.empty:
            super().keyPressEvent(event)
            return
        self.show_ring()
        self.selected.emit(self._shown.beside(self._selected, step))

    def _left(self) -> float:
        metrics = QFontMetricsF(palette.ui_font(small=True))
        return metrics.horizontalAdvance(f"L{max(self._shown.shape[0] - 1, 0)}") + UNIT

    def _top(self) -> float:
        return QFontMetricsF(palette.ui_font(small=True)).height() + UNIT / 2

    def _offset(self) -> QPointF:
        return QPointF(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())

    def _forget_image(self) -> None:
        self._geometry = self._picture = None
        if self._shown.empty:
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
            layers, heads = self._shown.shape
            left, top = self._left(), self._top()
            width = max(self.viewport().width() - left - 1, heads * _LEAST_SIDE)
            seen = self.viewport().height() - top - 1
            height = seen if seen >= layers * _SEEN_SIDE else layers * _MOST_SIDE
            area = QRectF(left, top, width, height)
            ratio = ratio or self.devicePixelRatioF()
            self._geometry = GridGeometry.square(layers, heads, area, ratio, _MOST_SIDE)
        return self._geometry

    def _paint(self, painter: QPainter) -> None:
        """Draw the image of all heads, then labels, numbers, marks and frames."""
        grid, offset = self._laid_out(painter.deviceTransform().m11()), self._offset()
        theme = palette.theme()
        inside = QRectF(self.viewport().rect()).adjusted(self._left(), self._top(), 0, 0)
        painter.save()
        # One more pixel, so that the frame of a head at the edge is whole.
        painter.setClipRect(inside.adjusted(-1.5, -1.5, 0, 0))
        painter.translate(offset)
        if self._picture is None:
            self._picture = self._shown.picture(grid, _GAP)
        painter.drawPixmap(grid.bounds.topLeft(), self._picture)
        head_grid_painting.draw_gaps(painter, grid, _GAP)
        crossed = [head for head in self._off if self._shown.has(head)]
        head_grid_painting.draw_crosses(painter, grid, crossed, _GAP)
        scores, colouring = self._shown.scores, self._shown.colouring
        if scores is not None:
            marked = {head for heads in self._best.values() for head in heads}
            head_grid_painting.draw_scores(painter, grid, scores, colouring, marked, _GAP)
        head_grid_painting.draw_best(painter, grid, self._best, _GAP)
        for head, colour in ((self.pointed, theme.muted), (self._selected, theme.accent)):
            if head is not None and self._shown.has(head):
                head_grid_painting.draw_frame(painter, grid, head, colour, _GAP)
        painter.restore()
        chosen = self._selected or Head(-1, -1)
        head_grid_painting.draw_names(painter, grid, offset, inside, chosen, self.pointed)

    def _show_head(self, head: Head | None) -> None:
        if head is None or not self._shown.has(head):
            return
        cell, view = self._laid_out().cell(*head), self.viewport()
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        for bar, start, stop, before, page in (
            (down, cell.top(), cell.bottom(), self._top(), view.height()),
            (across, cell.left(), cell.right(), self._left(), view.width()),
        ):
            if start - bar.value() < before:
                bar.setValue(int(start - before) - 1)
            elif stop - bar.value() > page:
                bar.setValue(round(stop - page) + 1)
