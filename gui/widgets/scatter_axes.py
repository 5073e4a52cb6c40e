"""The axes of a scatter: where numbers lie, round numbers along them, titles."""

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui import palette
from gui.numbers import decimals_for, fixed
from gui.theme import UNIT
from gui.widgets import painting

_BEYOND = 0.05
"""What is shown beyond the largest and the least number, in shares of the range."""


@dataclass(frozen=True, eq=False)
class Axes:
    """Two axes on which 0 lies always, so that no small difference fills the picture.

    `values` [axis, point] has what is across first; what is not a number in one of the two lies
    nowhere. `size` is that of the widget, in pixels.
    """

    values: npt.NDArray[np.float64]
    titles: tuple[str, str]
    size: QSizeF

    @property
    def drawn(self) -> npt.NDArray[np.bool_]:
        """Which points have both numbers, [point]."""
        both: npt.NDArray[np.bool_] = np.isfinite(self.values.sum(axis=0))
        return both

    @property
    def area(self) -> QRectF:
        """Where points lie; ticks and titles stand to its left and below it."""
        metrics = QFontMetricsF(palette.ui_font(small=True))
        height = metrics.height()
        below = 2 * height + UNIT
        above = UNIT / 2 if self.drawn.all() else height + UNIT / 2
        room = max(self.size.height() - below - above, 1.0)
        left = height + UNIT
        left += max(metrics.horizontalAdvance(text) for _, text in self._ticks(1, room))
        return QRectF(left, above, max(self.size.width() - left - UNIT, 1.0), room)

    def places(self) -> npt.NDArray[np.float64]:
        """Return where points are drawn, [axis, point], in pixels; not a number for nowhere."""
        return np.where(self.drawn, self.placed(self.values), np.nan)

    def placed(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return where other numbers lie on the same axes, [axis, point], in pixels."""
        area = self.area
        ends = np.array([self._range(axis) for axis in (0, 1)])
        shares = (values - ends[:, :1]) / (ends[:, 1:] - ends[:, :1])
        x = area.left() + shares[0] * area.width()
        y = area.bottom() - shares[1] * area.height()
        return np.array([x, y])

    def paint(self, painter: QPainter, *, equal: bool) -> None:
        """Draw frame, ticks and titles, and where wanted the line on which both are equal."""
        theme, area = palette.theme(), self.area
        painter.setFont(palette.ui_font(small=True))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(painting.pen(theme.line))
        painter.drawRect(area)
        for axis in (0, 1):
            self._paint_ticks(painter, area, axis)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if equal:
            self._paint_equal(painter, area)
        self._paint_titles(painter, area)

    def _range(self, axis: int) -> tuple[float, float]:
        shown = self.values[axis, self.drawn]
        low, high = float(shown.min(initial=0.0)), float(shown.max(initial=0.0))
        if not high > low:
            high = low + 1.0
        beyond = _BEYOND * (high - low)
        return low - beyond, high + beyond

    def _ticks(self, axis: int, room: float) -> list[tuple[float, str]]:
        """Return round numbers inside the range and what stands at them."""
        metrics = QFontMetricsF(palette.ui_font(small=True))
        low, high = self._range(axis)
        if axis:
            each = 3 * metrics.height()
        else:
            ends = (fixed(end, decimals_for(self.values[axis])) for end in (low, high))
            each = 3 * UNIT + max(metrics.horizontalAdvance(end) for end in ends)
        least = (high - low) * each / max(room, each)
        power = 10.0 ** floor(log10(least))
        step = next(s * power for s in (1, 2, 5, 10) if s * power >= least)
        decimals = max(0, -floor(log10(step) + 1e-9))
        places = range(ceil(low / step), floor(high / step) + 1)
        return [(step * n, fixed(step * n, decimals)) for n in places]

    def _paint_ticks(self, painter: QPainter, area: QRectF, axis: int) -> None:
        theme = palette.theme()
        metrics = QFontMetricsF(painter.font())
        height = metrics.height()
        low, high = self._range(axis)
        for tick, text in self._ticks(axis, area.height() if axis else area.width()):
            share = (tick - low) / (high - low)
            width = metrics.horizontalAdvance(text) + 1
            if axis:
                y = area.bottom() - share * area.height()
                start, stop = QPointF(area.left(), y), QPointF(area.right(), y)
                box = QRectF(area.left() - UNIT / 2 - width, y - height / 2, width, height)
            else:
                x = area.left() + share * area.width()
                start, stop = QPointF(x, area.top()), QPointF(x, area.bottom())
                box = QRectF(x - width / 2, area.bottom() + UNIT / 4, width, height)
            painter.setPen(painting.pen(theme.line if tick else theme.muted))
            painter.drawLine(start, stop)
            painter.setPen(QColor(theme.muted))
            painter.drawText(box, Qt.TextFlag.TextSingleLine, text)

    def _paint_equal(self, painter: QPainter, area: QRectF) -> None:
        (left, right), (low, high) = self._range(0), self._range(1)
        ends = [
            QPointF(
                area.left() + (value - left) / (right - left) * area.width(),
                area.bottom() - (value - low) / (high - low) * area.height(),
            )
            for value in (max(left, low), min(right, high))
        ]
        painter.setPen(QPen(QColor(palette.theme().muted), 1, Qt.PenStyle.DashLine))
        painter.drawLine(*ends)

    def _paint_titles(self, painter: QPainter, area: QRectF) -> None:
        metrics = QFontMetricsF(painter.font())
        height = metrics.height()
        across, up = (
            metrics.elidedText(title, Qt.TextElideMode.ElideRight, int(room))
            for title, room in zip(self.titles, (area.width(), area.height()), strict=True)
        )
        painter.setPen(QColor(palette.theme().muted))
        middle = Qt.AlignmentFlag.AlignCenter
        below = QRectF(area.left(), area.bottom() + UNIT / 2 + height, area.width(), height)
        painter.drawText(below, middle | Qt.TextFlag.TextSingleLine, across)
        side = QRectF(0, area.top(), height, area.height())
        painting.rotated_text(painter, side, middle, up)
        missing = int((~self.drawn).sum())
        if missing:
            told = f"{missing} of {len(self.drawn)} not shown: not defined"
            told = metrics.elidedText(told, Qt.TextElideMode.ElideRight, int(area.width()))
            above = QRectF(area.left(), 0, area.width(), height)
            painter.drawText(above, Qt.TextFlag.TextSingleLine, told)
