"""Curves over how far back a key lies: a mean, a band around it, and one pair's own scores."""

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from gui.style import palette
from gui.style.formatting import decimals_for, fixed, tokens_back
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import ALONG
from gui.widgets.point_cloud import PointCloud
from gui.widgets.scatter import Axes

_DOT = 2.5
_RING = 4.5
_CLOSE = 10.0
"""Offsets closer than this many pixels have no dots of their own."""
_PAIR, _MEAN, _BAND = "this pair", "all pairs: mean", "all pairs: mean ± one standard deviation"


class OffsetPlot(PointCloud):
    """A click or the arrow keys ask for an offset by `chosen`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scores against distance", parent)
        self._mean: npt.NDArray[np.floating] = np.zeros(0)
        self._scores: npt.NDArray[np.floating] | None = None
        self._deviation: npt.NDArray[np.floating] | None = None
        self._unit = ""

    def set_curves(
        self,
        mean: npt.NDArray[np.floating],
        scores: npt.NDArray[np.floating] | None = None,
        deviation: npt.NDArray[np.floating] | None = None,
        *,
        unit: str = "score",
    ) -> None:
        """Show curves over the offsets from 0 on.

        Parameters
        ----------
        mean
            [offset]
        scores
            Of one pair, [offset].
        deviation
            Half the height of the band around the mean, [offset].
        unit
            What the numbers are.
        """
        self._mean, self._scores, self._deviation, self._unit = mean, scores, deviation, unit
        self.pointed = None
        if self.selected is not None and self.selected >= len(mean):
            self.selected = None
        self.update()

    def count(self) -> int:
        """Return how many offsets there are."""
        return len(self._mean)

    def say(self, place: int) -> str:
        """Return the numbers at an offset in words."""
        mean = float(self._mean[place])
        decimals = decimals_for(self._mean)
        told = f"{tokens_back(place)}: "
        if self._scores is not None:
            told += f"{_PAIR} {fixed(float(self._scores[place]), decimals)}, "
        told += f"{_MEAN} {fixed(mean, decimals)}"
        if self._deviation is not None:
            told += f" ± {fixed(float(self._deviation[place]), decimals)}"
        return told

    def place(self, place: int) -> QPointF:
        """Return where the mean at an offset is drawn, in pixels of this widget."""
        return self._points(self._mean)[place]

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return palette.units(40, 26)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which curves can be told apart."""
        return palette.units(24, 16)

    def draw(self, painter: QPainter) -> None:
        """Draw axes, band, curves, marks and legend."""
        theme = palette.theme()
        painter.save()
        painter.translate(0, self._above())
        self._axes().paint(painter, equal=False)
        painter.restore()
        if self._deviation is not None:
            upper = self._points(self._mean + self._deviation)
            lower = self._points(self._mean - self._deviation)
            ground = QColor(theme.muted)
            ground.setAlphaF(0.2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawPolygon(QPolygonF([*upper, *lower[::-1]]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.text), 1.5))
        self._paint_curve(painter, self._mean)
        if self._scores is not None:
            painter.setPen(QPen(QColor(theme.curve_qk), 1.5))
            self._paint_curve(painter, self._scores)
        self._paint_marks(painter)
        self._paint_legend(painter)

    def thing_at(self, point: QPointF) -> int | None:
        """Return the offset at a place, none outside the axes."""
        if not self.count() or not self._area().contains(point):
            return None
        across = [place.x() for place in self._points(self._mean)]
        return int(np.argmin(np.abs(np.array(across) - point.x())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the next offset."""
        step = ALONG.get(Qt.Key(event.key()))
        if step is None or not self.count():
            super().keyPressEvent(event)
            return
        self.show_ring()
        start = -1 if self.selected is None else self.selected
        self.chosen.emit(min(max(start + step, 0), self.count() - 1))

    def _axes(self) -> Axes:
        """Return axes on which every curve and the band have room."""
        half = 0.0 if self._deviation is None else self._deviation
        up = [self._mean - half, self._mean + half]
        up += [] if self._scores is None else [self._scores]
        across = np.tile(np.arange(len(self._mean), dtype=np.float64), len(up))
        values = np.array([across, np.concatenate(up)], dtype=np.float64)
        size = QSizeF(self.width(), self.height() - self._above())
        return Axes(values, ("tokens back", self._unit), size)

    def _above(self) -> float:
        """Return the room of the legend, which is needed where there is more than one curve."""
        if self._scores is None:
            return 0.0
        return QFontMetricsF(palette.ui_font(small=True)).height() + UNIT / 2

    def _area(self) -> QRectF:
        """Return where curves lie, in pixels of this widget."""
        return self._axes().area.translated(0, self._above())

    def _points(self, values: npt.NDArray[np.floating]) -> list[QPointF]:
        """Return where a curve's values are drawn."""
        axes = self._axes()
        across = np.arange(len(values), dtype=np.float64)
        x, y = axes.placed(np.array([across, values], dtype=np.float64)).tolist()
        return [QPointF(left, top + self._above()) for left, top in zip(x, y, strict=True)]

    def _paint_curve(self, painter: QPainter, values: npt.NDArray[np.floating]) -> None:
        points = self._points(values)
        painter.drawPolyline(points)
        if len(points) == 1 or points[1].x() - points[0].x() >= _CLOSE:
            pen = painter.pen()
            painter.setBrush(pen.color())
            for point in points:
                painter.drawEllipse(point, _DOT, _DOT)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_marks(self, painter: QPainter) -> None:
        theme, area = palette.theme(), self._area()
        curves = [values for values in (self._mean, self._scores) if values is not None]
        for place, colour in ((self.pointed, theme.muted), (self.selected, theme.accent)):
            if place is None or place >= self.count():
                continue
            painter.setPen(painting.pen(colour))
            x = self.place(place).x()
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            painter.setPen(painting.pen(colour, 2))
            for values in curves:
                painter.drawEllipse(self._points(values)[place], _RING, _RING)

    def _paint_legend(self, painter: QPainter) -> None:
        """Name the curves above the axes, each in its colour."""
        if self._scores is None:
            return
        painter.setFont(palette.ui_font(small=True))
        metrics, theme, left = QFontMetricsF(painter.font()), palette.theme(), self._area().left()
        mean = _MEAN if self._deviation is None else _BAND
        for name, colour in ((_PAIR, theme.curve_qk), (mean, theme.text)):
            room = max(self.width() - UNIT / 2 - left, 0.0)
            name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(room))
            painter.setPen(QColor(colour))
            box = QRectF(left, 0, room, metrics.height())
            painter.drawText(box, Qt.TextFlag.TextSingleLine, name)
            left += metrics.horizontalAdvance(name) + 2 * UNIT
