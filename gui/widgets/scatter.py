"""Things as points of a plane by two numbers each; a click asks for one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from gui import palette
from gui.numbers import decimals_for, fixed
from gui.widgets import painting
from gui.widgets.point_cloud import PointCloud
from gui.widgets.scatter_axes import Axes

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
