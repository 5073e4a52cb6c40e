"""Where a logarithmic axis begins, where it has ticks, and what is written there."""

from collections.abc import Callable, Mapping
from math import ceil, floor, log10

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QFrame, QWidget

from gui.style import palette
from gui.style.formatting import power_of_ten
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.spectrum_curve import CIRCUITS, Curve

_BETWEEN = (2, 5)


def below(value: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is not above a positive value."""
    decade = 10.0 ** floor(log10(value) - 1e-9)
    return max(times * decade for times in (1, *_BETWEEN) if times == 1 or times * decade <= value)


def ticks(low: float, high: float, room: float) -> list[tuple[float, str]]:
    """Return where a logarithmic axis has ticks, as exponents, and what stands there.

    Between the powers of ten there are 2 and 5 where no more than `room` lines are wanted.
    """
    first, last = ceil(low - 1e-9), floor(high + 1e-9)
    step = max(1, ceil((last - first) / 6))
    found = [(float(n), power(n)) for n in range(first, last + 1, step)]
    if last - first > 2:
        return found
    between = [(n + log10(m), m * 10.0**n) for n in range(first - 1, last + 1) for m in _BETWEEN]
    more = [(at, f"{value:g}") for at, value in between if low - 1e-9 <= at <= high]
    return sorted(found + more) if len(found + more) <= room else found


def power(exponent: int) -> str:
    """Write a power of ten plainly where that is short."""
    if -4 < exponent < 4:
        return f"{10.0**exponent:g}"
    return power_of_ten(exponent)


_DOT = 5
_LINES_AROUND = 5
"""Lines of small print above and below the axes."""


class SpectrumCanvas(pg.PlotWidget):  # type: ignore[misc]
    """Draws curves; knows nothing of what a click means."""

    pressed = Signal(QPointF)
    """Where the left button went down."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.describe: Callable[[QPointF], str] = lambda point: ""
        self._curves: Mapping[str, Curve] = {}
        self._d_head = 0
        self._log = True
        self._floor = 0.0
        self._selected: tuple[str, int] | None = None
        self._ring = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # A view of Qt takes whatever is dragged over it, and then drops it nowhere.
        for widget in (self, self.viewport()):
            widget.setAcceptDrops(False)
        self.setMouseEnabled(False, False)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.getViewBox().setDefaultPadding(0)
        # An axis that needs more room for its numbers moves the box, and with it what we paint.
        self.getViewBox().sigResized.connect(self._on_box_moved)
        self.dress()

    def set_curves(self, curves: Mapping[str, Curve], d_head: int) -> None:
        """Show curves, and the cliff after d_head values."""
        self._curves, self._d_head = curves, d_head
        self._draw()

    def set_log(self, log: bool) -> None:
        """Choose the kind of axis."""
        if log != self._log:
            self._log = log
            self._draw()

    def set_selected(self, selected: tuple[str, int] | None) -> None:
        """Ring a value."""
        self._selected = selected
        self.viewport().update()

    def set_ring(self, ring: bool) -> None:
        """Show or hide the ring of the keyboard's focus."""
        self._ring = ring
        self.viewport().update()

    def follow(self) -> None:
        """Follow theme and text size: each of their changes is told several times."""
        if (palette.theme(), palette.text_percent()) != self._dressed:
            self.dress()

    def dress(self) -> None:
        """Take colours and fonts from the theme in force."""
        theme = palette.theme()
        self._dressed = (theme, palette.text_percent())
        self.setBackground(theme.card)
        font = palette.ui_font(small=True)
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setStyle(tickFont=font, tickLength=-4)
        self._draw()

    def place(self, index: int, value: float) -> QPointF:
        """Return where a value is drawn, in pixels of this widget."""
        point = self.getViewBox().mapViewToScene(QPointF(index, float(self._height(value))))
        return QPointF(self.mapFromScene(point))

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer a request for a tool tip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            painting.show(self.describe(QPointF(event.pos())), event.globalPos(), self)
            return True
        return bool(super().viewportEvent(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pass a press of the left button on."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit(event.position())
        event.accept()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """Paint brackets, ring, legend, titles and notes in pixels of the widget."""
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._curves:
            self._paint_groups(painter)
            self._paint_ring(painter)
            self._paint_texts(painter)
        if self._ring:
            painting.focus_ring(painter, self.viewport().rect())
        painter.restore()

    def _colour(self, circuit: str) -> str:
        theme = palette.theme()
        return theme.curve_ov if circuit == "ov" else theme.curve_qk

    def _height(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        numbers = np.asarray(values, dtype=np.float64)
        return np.log10(np.maximum(numbers, self._floor)) if self._log else numbers

    def _draw(self) -> None:
        self.clear()
        shown = bool(self._curves)
        for name in ("left", "bottom"):
            self.showAxis(name, shown)
        small = QFontMetricsF(palette.ui_font(small=True)).height()
        self._set_scale()
        notes = 2 if self._has_floored() else 1
        self.plotItem.layout.setContentsMargins(
            small + 2, small + UNIT, UNIT, notes * (small + 2) + 2
        )
        if not shown:
            self.viewport().update()
            return
        theme = palette.theme()
        cliff = QPen(QColor(theme.muted), 0, Qt.PenStyle.DashLine)
        self.addItem(pg.InfiniteLine(self._d_head - 0.5, pen=cliff, movable=False))
        for name, curve in self._curves.items():
            colour = QColor(self._colour(name))
            every = np.concatenate([curve.values, curve.beyond])
            x, y = np.arange(len(every)), self._height(every)
            self.addItem(pg.PlotCurveItem(x, y, pen=QPen(colour, 0), antialias=True))
            self.addItem(
                pg.ScatterPlotItem(x, y, size=_DOT, pen=None, brush=QBrush(colour), antialias=True)
            )
        self.viewport().update()

    def _on_box_moved(self) -> None:
        if self._curves:
            self._set_scale()
        self.viewport().update()

    def _set_scale(self) -> None:
        values = [curve.values for curve in self._curves.values()]
        beyond = [curve.beyond for curve in self._curves.values()]
        every = np.concatenate([np.zeros(0), *values, *beyond])
        every = every[np.isfinite(every)]
        if not every.size:
            return
        top = float(every.max()) or 1.0
        kept = np.concatenate(values)
        kept = kept[kept > 1e-6 * top]
        least = float(kept.min()) if kept.size else top
        # Where there are lesser ones they lie a decade further down, so that they are seen to fall.
        falls = bool((every < least).any())
        self._floor = below(least) if not falls else 10.0 ** (floor(log10(least) - 1e-9) - 1)
        low = float(np.log10(self._floor)) if self._log else 0.0
        high = float(self._height(top))
        count = max(self._d_head, *(len(c.values) + len(c.beyond) for c in self._curves.values()))
        self.setXRange(-1, count - 1 + max(1, count // 40), padding=0)
        # A little below the bottom, so that dots on it are whole; brackets have room above.
        span = high - low
        self.setYRange(low - 0.02 * span, high + 0.08 * span, padding=0)
        self.getAxis("bottom").setTicks([self._ticks(count)])
        line = QFontMetricsF(palette.ui_font(small=True)).height()
        room = (self.height() - _LINES_AROUND * line) / (1.2 * line)
        self.getAxis("left").setTicks([ticks(low, high, room)] if self._log else None)

    def _ticks(self, count: int) -> list[tuple[int, str]]:
        step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if count / s <= 8)
        return [(n, str(n)) for n in range(0, count, step)]

    def _has_floored(self) -> bool:
        return self._log and any(
            bool((curve.values < self._floor).any() or (curve.beyond < self._floor).any())
            for curve in self._curves.values()
        )

    def _paint_groups(self, painter: QPainter) -> None:
        for name, curve in self._curves.items():
            painter.setPen(painting.pen(self._colour(name)))
            for first, last in curve.groups:
                if last <= first:
                    continue
                # Half pixels, so that lines of one pixel are not smeared over two.
                left = round(self.place(first, float(curve.values[first])).x()) - 2.5
                right = round(self.place(last, float(curve.values[last])).x()) + 2.5
                top = round(self.place(first, float(curve.values[first])).y()) - 8.5
                corners = ((left, top + 4), (left, top), (right, top), (right, top + 4))
                painter.drawPolyline([QPointF(x, y) for x, y in corners])

    def _paint_ring(self, painter: QPainter) -> None:
        circuit, index = self._selected or ("", 0)
        if circuit in self._curves and index < len(self._curves[circuit].values):
            theme = palette.theme()
            painter.setPen(painting.pen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            at = self.place(index, float(self._curves[circuit].values[index]))
            painter.drawEllipse(at, _DOT + 0.5, _DOT + 0.5)

    def _paint_texts(self, painter: QPainter) -> None:
        theme = palette.theme()
        painter.setFont(palette.ui_font(small=True))
        metrics = QFontMetricsF(painter.font())
        small = metrics.height()
        scene = self.getViewBox().sceneBoundingRect()
        box = QRectF(self.mapFromScene(scene).boundingRect())
        cliff_text = f"d_head = {self._d_head}"
        names = [CIRCUITS[name] for name in self._curves]
        need = sum(metrics.horizontalAdvance(text) + 12 + 2 * UNIT for text in names)
        need += metrics.horizontalAdvance(cliff_text)
        left = box.left() if box.left() + need <= box.right() else 2.0
        for name in self._curves:
            text = CIRCUITS[name]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._colour(name)))
            painter.drawEllipse(QPointF(left + 4, small / 2 + 2), 3.5, 3.5)
            painter.setPen(QColor(self._colour(name)))
            width = metrics.horizontalAdvance(text) + 1
            painter.drawText(QRectF(left + 12, 2, width, small), Qt.TextFlag.TextSingleLine, text)
            left += width + 12 + 2 * UNIT
        painter.setPen(QColor(theme.muted))
        text = cliff_text
        width = metrics.horizontalAdvance(text) + 1
        cliff = min(self.place(self._d_head - 1, self._floor or 0.0).x(), box.right())
        painter.drawText(
            QRectF(max(cliff - width, left), 2, width, small), Qt.TextFlag.TextSingleLine, text
        )
        centre = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
        whole = QRectF(self.viewport().rect())
        title = "singular value"
        # Beside a low plot it reaches above and below, where nothing else is drawn.
        column = QRectF(0, 0, small, max(box.height(), metrics.horizontalAdvance(title) + 2))
        column.moveCenter(QPointF(small / 2, box.center().y()))
        column.moveTop(max(column.top(), 0))
        painting.rotated_text(painter, column, Qt.AlignmentFlag.AlignCenter, title)
        notes = ["index"]
        if self._has_floored():
            floored = power(round(log10(self._floor)))
            notes.append(f"below {floored}: drawn at the bottom")
        top = whole.bottom() - len(notes) * (small + 2)
        for note in notes:
            painter.drawText(QRectF(box.left(), top, box.width(), small), centre, note)
            top += small + 2
