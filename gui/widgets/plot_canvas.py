"""Axes, curves and points by pyqtgraph, which takes a tenth of a second to import."""

from collections.abc import Callable
from math import ceil, floor, log10
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from gui.style import palette
from gui.style.formatting import fixed
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import Axes, Ticks

Values = npt.NDArray[Any]

_TICK, _BEYOND = 4, 3 * UNIT
"""Pixels of a tick, and those that numbers may reach beyond the ends of an axis."""


class _Axis(pg.AxisItem):  # type: ignore[misc]
    """Numbers may reach beyond its ends: with a grid, pyqtgraph would leave those out."""

    def boundingRect(self) -> QRectF:
        """Return what numbers may lie in."""
        return QRectF(super().boundingRect()).adjusted(-_BEYOND, -_BEYOND, _BEYOND, _BEYOND)


class PlotCanvas(pg.PlotWidget):  # type: ignore[misc]
    """A picture only: mouse and keyboard are those of the widget that it fills."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, axisItems={side: _Axis(side) for side in ("left", "bottom")})
        self.paint_over: Callable[[QPainter], None] = lambda painter: None
        """Paints in pixels what lies over everything else."""
        self._axes: Axes | None = None
        self._box = QRectF()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        # A view of Qt takes whatever is dragged over it, and then drops it nowhere.
        for widget in (self, self.viewport()):
            widget.setAcceptDrops(False)
        self.setMouseEnabled(False, False)
        self.setMenuEnabled(False)
        self.hideButtons()
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.enableAutoSIPrefix(False)
            axis.showLabel(True)
            axis.setZValue(-1000)  # a grid is pyqtgraph's axis: points lie above it
            axis.setStyle(tickLength=-_TICK, maxTickLevel=0)

    def begin(self, axes: Axes) -> None:
        """Take everything off, and show other axes in the look of the theme in force."""
        self.clear()
        self._axes = axes
        theme, font = palette.theme(), palette.ui_font(small=True)
        self.setBackground(theme.card)
        box = self.getViewBox()
        box.setBorder(pg.mkPen(theme.line) if axes.framed else None)
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.setPen(pg.mkPen(None if axes.framed else theme.line))
            axis.setTickPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickFont(font)
            axis.setGrid(255 if axes.grid else False)
            axis.setStyle(tickAlpha=255)
            axis.label.setFont(font)
            axis.label.setDefaultTextColor(QColor(theme.muted))
        box.setRange(xRange=axes.x, yRange=axes.y, padding=0)
        if axes.grid:
            for angle in (0, 90):
                self.line(0, angle, theme.muted)
        self.fit()

    def curve(
        self, x: Values, y: Values, colour: str, width: float = 1.0, dashed: bool = False
    ) -> None:
        """Draw a line through points."""
        self.addItem(pg.PlotCurveItem(x, y, pen=_pen(colour, width, dashed), antialias=True))

    def points(self, x: Values, y: Values, colour: str, radius: float, alpha: float = 1.0) -> None:
        """Draw dots; points that lie on each other are seen where they let light through."""
        inner = QColor(colour)
        inner.setAlphaF(alpha)
        pen = pg.mkPen(colour) if alpha < 1 else None
        self.addItem(
            pg.ScatterPlotItem(x, y, size=2 * radius, pen=pen, brush=inner, antialias=True)
        )

    def band(self, x: Values, low: Values, high: Values, colour: str, alpha: float) -> None:
        """Fill what lies between two curves."""
        ground = QColor(colour)
        ground.setAlphaF(alpha)
        ends = (pg.PlotCurveItem(x, values, pen=None) for values in (low, high))
        self.addItem(pg.FillBetweenItem(*ends, brush=ground))

    def line(
        self, at: float, angle: int, colour: str, width: float = 1.0, dashed: bool = False
    ) -> None:
        """Draw a line across, at an angle of 0, or up, at one of 90."""
        line = pg.InfiniteLine(at, angle=angle, pen=_pen(colour, width, dashed), movable=False)
        line.setZValue(-10)
        self.addItem(line)

    @property
    def box(self) -> QRectF:
        """What the axes enclose, in pixels of this widget."""
        return self._box

    def at(self, values: npt.NDArray[np.floating]) -> Values:
        """Return where points lie, [axis, point], in pixels of this widget."""
        assert self._axes is not None
        ends = np.array([self._axes.x, self._axes.y])
        shares = (values - ends[:, :1]) / (ends[:, 1:] - ends[:, :1])
        box = self._box
        return np.array(
            [box.left() + shares[0] * box.width(), box.bottom() - shares[1] * box.height()]
        )

    def fit(self) -> None:
        """Share the room out between numbers, titles and the box of the axes."""
        if self._axes is None:
            return
        axes, metrics = self._axes, painting.small_metrics()
        beside, below, above = axes.room
        height = max(self.height() - below - above, 1.0)
        left, bottom = self.getAxis("left"), self.getAxis("bottom")
        lines = height / (1.2 * metrics.height())
        up = axes.ticks(lines) if axes.ticks else self._ticks("left", axes.y, height)
        beside += max((metrics.horizontalAdvance(text) for _, text in up), default=0.0)
        width = max(self.width() - beside - UNIT, 1.0)
        margins = [0.0, above, float(UNIT), 0.0]
        if axes.square:
            side = min(width, height)
            spare = [int((width - side) / 2), height - side]
            margins = [spare[0], above, self.width() - beside - side - spare[0], spare[1]]
            width = height = side
        left.setTicks([up])
        bottom.setTicks([self._ticks("bottom", axes.x, width, whole=axes.whole)])
        left.setWidth(beside)
        bottom.setHeight(below)
        self.plotItem.layout.setContentsMargins(*margins)
        cut = Qt.TextElideMode.ElideRight
        # The upright title may go past both ends of its axis: nothing else stands there.
        rooms = (width, height + 2 * min(above, below))
        for axis, title, room in zip((bottom, left), axes.titles, rooms, strict=True):
            # Plain text: pyqtgraph's own titles are HTML.
            axis.label.setPlainText(metrics.elidedText(title, cut, int(room)))
            axis.resizeEvent()
        self.plotItem.layout.activate()
        scene = self.getViewBox().sceneBoundingRect()
        self._box = QRectF(self.mapFromScene(scene).boundingRect())

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Share the room out anew."""
        super().resizeEvent(event)
        if hasattr(self, "_axes"):  # pyqtgraph calls this while it is made
            self.fit()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """Paint what lies over everything else, in pixels."""
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_over(painter)
        painter.restore()

    def _ticks(
        self, side: str, ends: tuple[float, float], room: float, *, whole: bool = False
    ) -> Ticks:
        """Return where an axis has ticks and what stands there."""
        step, values = self.getAxis(side).tickValues(*ends, room)[0]
        if whole and step < 1:
            step, values = 1.0, np.arange(ceil(ends[0]), floor(ends[1]) + 1).tolist()
        decimals = max(0, -floor(log10(step) + 1e-9))
        found = [(value, fixed(value, decimals)) for value in values]
        if side == "left":
            return found
        metrics = painting.small_metrics()
        widest = max((metrics.horizontalAdvance(text) for _, text in found), default=0.0)
        return found[:: ceil(len(found) * (widest + UNIT) / room) or 1]


def _pen(colour: str, width: float, dashed: bool) -> QPen:
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    pen = QPen(QColor(colour), width, style)
    pen.setCosmetic(True)
    return pen
