"""The axes of a scatter: where numbers lie, round numbers along them, titles."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from gui.style import palette
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.point_cloud import PointCloud

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


_NEAR = 14.0
"""A click farther than this many pixels from every point chooses none."""
_SAME = 1.5
"""Points this close lie on one another: each further click takes the next of them."""
_DOT = 3.5
_NAMED = 4
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class Scatter(PointCloud):
    """0 lies on both axes, so that no small difference fills the picture.

    What is not a number in one of the two is not drawn, and is counted in words. The arrow keys
    go through points from left to right.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scatter", parent)
        self._names: Sequence[str] = ()
        self._values = np.zeros((2, 0))
        self._titles = ("", "")
        self._decimals = (2, 2)
        self._equal = False

    def set_points(
        self,
        names: Sequence[str],
        across: npt.NDArray[np.floating],
        up: npt.NDArray[np.floating],
        titles: tuple[str, str],
        *,
        equal: bool = False,
    ) -> None:
        """Show points.

        Parameters
        ----------
        names
            One a point.
        across, up
            Their numbers, [point]; what is not a number is left out.
        titles
            What the numbers are.
        equal
            Draw the line on which both are equal: they are measured alike.
        """
        self._names, self._titles, self._equal = names, titles, equal
        self._values = np.array([across, up], dtype=np.float64)
        self._decimals = (decimals_for(across), decimals_for(up))
        self.message = ""
        self.pointed = None
        if not self._axes().drawn.any():
            self.message = "None of them has both numbers."
        self.update()

    def clear(self, message: str) -> None:
        """Show a sentence instead of points."""
        self._names, self._values, self.message = (), np.zeros((2, 0)), message
        self.pointed = None
        self.update()

    def count(self) -> int:
        """Return how many points there are."""
        return len(self._names)

    def say(self, place: int) -> str:
        """Return a point in words."""
        numbers = ", ".join(
            f"{title} {fixed(float(values[place]), decimals)}"
            for title, values, decimals in zip(
                self._titles, self._values, self._decimals, strict=True
            )
        )
        return f"{self._names[place]}: {numbers}"

    def place(self, place: int) -> QPointF:
        """Return where a point is drawn, in pixels of this widget."""
        x, y = self._axes().places()[:, place].tolist()
        return QPointF(x, y)

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return palette.units(40, 36)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which points can be told apart."""
        return palette.units(24, 22)

    def draw(self, painter: QPainter) -> None:
        """Draw axes and points."""
        self._axes().paint(painter, equal=self._equal)
        self._paint_points(painter)

    def thing_at(self, point: QPointF) -> int | None:
        """Return the point nearest to a place, none where all are far."""
        away = self._away(point)
        if not away.size or not np.nanmin(away, initial=np.inf) < _NEAR:
            return None
        return int(np.nanargmin(away))

    def tip_at(self, point: QPointF) -> str:
        """Return the points at a place in words."""
        found = self.thing_at(point)
        if found is None:
            return ""
        there = self._at_the_same_place(found)
        told = [self.say(index) for index in there[:_NAMED]]
        if len(there) > _NAMED:
            told.append(f"and {len(there) - _NAMED} more in the same place")
        return "\n".join(told)

    def ask_for(self, thing: int) -> None:
        """Ask for the point that was clicked; where several lie on one another, for the next."""
        there = self._at_the_same_place(thing)
        if self.selected in there:
            thing = there[(there.index(self.selected) + 1) % len(there)]
        self.chosen.emit(thing)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the next point to the left or right."""
        step = _STEPS.get(Qt.Key(event.key()))
        drawn = np.flatnonzero(self._axes().drawn)
        if step is None or not drawn.size:
            super().keyPressEvent(event)
            return
        self.show_ring()
        order = drawn[np.lexsort((self._values[1, drawn], self._values[0, drawn]))].tolist()
        start = order.index(self.selected) + step if self.selected in order else 0
        self.chosen.emit(order[min(max(start, 0), len(order) - 1)])

    def _axes(self) -> Axes:
        return Axes(self._values, self._titles, QSizeF(self.size()))

    def _at_the_same_place(self, place: int) -> list[int]:
        near: list[int] = np.flatnonzero(self._away(self.place(place)) <= _SAME).tolist()
        return near

    def _away(self, point: QPointF) -> npt.NDArray[np.float64]:
        """Return how far points are from a place, in pixels, [point]."""
        x, y = self._axes().places()
        away: npt.NDArray[np.float64] = np.hypot(x - point.x(), y - point.y())
        return away

    def _paint_points(self, painter: QPainter) -> None:
        theme = palette.theme()
        colour = QColor(theme.muted)
        inner = QColor(colour)
        inner.setAlphaF(0.35)  # points that lie on each other are seen to
        painter.setPen(QPen(colour, 1))
        painter.setBrush(inner)
        axes = self._axes()
        drawn = axes.drawn
        for x, y in axes.places()[:, drawn].T.tolist():
            painter.drawEllipse(QPointF(x, y), _DOT, _DOT)
        if self.selected is not None and self.selected < len(drawn) and drawn[self.selected]:
            painter.setPen(painting.pen(theme.accent, 2))
            painter.setBrush(QColor(theme.accent))
            painter.drawEllipse(self.place(self.selected), _DOT + 1, _DOT + 1)
            self._name(painter, self.selected, theme.accent, self._names[self.selected])
        if self.pointed is not None and self.pointed < len(drawn):
            painter.setPen(painting.pen(theme.text, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(self.place(self.pointed), 2 * _DOT, 2 * _DOT)
            self._name(painter, self.pointed, theme.text, self._short(self.pointed))

    def _short(self, place: int) -> str:
        """Return name and numbers of a point, what is across first."""
        numbers = [
            fixed(float(values[place]), decimals)
            for values, decimals in zip(self._values, self._decimals, strict=True)
        ]
        return f"{self._names[place]} ({', '.join(numbers)})"

    def _name(self, painter: QPainter, place: int, colour: str, name: str) -> None:
        """Write what a point is called beside it, inside the area."""
        painter.setFont(palette.ui_font(small=True, bold=True))
        metrics = QFontMetricsF(painter.font())
        width, height = metrics.horizontalAdvance(name) + 4, metrics.height()
        at, area = self.place(place), self._axes().area
        left = at.x() + 2 * _DOT + 1
        if left + width > area.right():
            left = max(at.x() - 2 * _DOT - 1 - width, area.left())
        top = min(max(at.y() - height / 2, area.top()), area.bottom() - height)
        box = QRectF(left, top, width, height)
        ground = QColor(palette.theme().card)
        ground.setAlphaF(0.8)
        painter.fillRect(box, ground)
        painter.setPen(QColor(colour))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, name)
