"""Plots of points: heads by two measures, eigenvalues in the complex plane."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from gui.style import palette
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import ALONG, Axes
from gui.widgets.plot import DOT, Numbers, Plot, axis_ends

if TYPE_CHECKING:
    from gui.widgets.plot_canvas import PlotCanvas

_SAME = 1.5
"""Points this close lie on one another: each further click takes the next of them."""
_NAMED = 4


class Scatter(Plot):
    """0 lies on both axes, so that no small difference fills the picture.

    What is not a number in one of the two is not drawn, and is counted in words. The arrow keys
    go through points from left to right.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scatter", parent)
        self._names: Sequence[str] = ()
        self._titles = ("", "")
        self._equal = False

    def set_points(
        self,
        names: Sequence[str],
        across: Numbers,
        up: Numbers,
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
        values = np.array([across, up], dtype=np.float64)
        some = np.isfinite(values.sum(axis=0)).any()
        self.set_values(values, "" if some else "None of them has both numbers.")

    def say(self, place: int) -> str:
        """Return a point in words."""
        told = (
            f"{title} {text}" for title, text in zip(self._titles, self._texts(place), strict=True)
        )
        return f"{self._names[place]}: {', '.join(told)}"

    def draw(self, canvas: "PlotCanvas") -> None:
        """Draw axes and points."""
        theme = palette.theme()
        drawn = self._values[:, self.drawn]
        missing = self.count() - drawn.shape[1]
        said = f"{missing} of {self.count()} not shown: not defined"
        self._legend = [(said, theme.muted)] if missing else []
        x, y = axis_ends(drawn[0]), axis_ends(drawn[1])
        canvas.begin(Axes(x=x, y=y, titles=self._titles, room=self._room(), grid=True))
        if self._equal:
            ends = np.array([max(x[0], y[0]), min(x[1], y[1])])
            canvas.curve(ends, ends, theme.muted, dashed=True)
        canvas.points(drawn[0], drawn[1], theme.muted, DOT, alpha=0.35)

    def tip_at(self, point: QPointF) -> str:
        """Return the points at a place in words."""
        found = self.item_at(point)
        if found is None:
            return ""
        there = self._at_the_same_place(found)
        told = [self.say(index) for index in there[:_NAMED]]
        if len(there) > _NAMED:
            told.append(f"and {len(there) - _NAMED} more in the same place")
        return "\n".join(told)

    def activate(self, thing: int) -> None:
        """Ask for the point that was clicked; where several lie on one another, for the next."""
        there = self._at_the_same_place(thing)
        if self.selected in there:
            thing = there[(there.index(self.selected) + 1) % len(there)]
        self.chosen.emit(thing)

    def order(self) -> list[int]:
        """Return the points from left to right."""
        x, y = np.where(self.drawn, self._values, np.nan)
        order: list[int] = np.lexsort((y, x))[: self.drawn.sum()].tolist()
        return order

    def ring(self, painter: QPainter, place: int, colour: str) -> None:
        """Mark a point, and name it."""
        selected = place == self.selected
        colour = colour if selected else palette.theme().text
        name = self._names[place]
        if selected:
            painter.setPen(painting.pen(colour, 2))
            painter.setBrush(QColor(colour))
            painter.drawEllipse(self.place(place), DOT + 1, DOT + 1)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if place == self.hovered_item:
            super().ring(painter, place, colour)
            name = f"{name} ({', '.join(self._texts(place))})"
        self._name(painter, place, colour, name)

    def _texts(self, place: int) -> list[str]:
        return [fixed(float(line[place]), decimals_for(line)) for line in self._values]

    def _at_the_same_place(self, place: int) -> list[int]:
        near: list[int] = np.flatnonzero(self.away(self.place(place)) <= _SAME).tolist()
        return near

    def _name(self, painter: QPainter, place: int, colour: str, name: str) -> None:
        """Write what a point is called beside it, inside the axes."""
        painter.setFont(palette.ui_font(small=True, bold=True))
        metrics = QFontMetricsF(painter.font())
        width, height = metrics.horizontalAdvance(name) + 4, metrics.height()
        at, area = self.place(place), self.canvas.box
        left = at.x() + 2 * DOT + 1
        if left + width > area.right():
            left = max(at.x() - 2 * DOT - 1 - width, area.left())
        top = min(max(at.y() - height / 2, area.top()), area.bottom() - height)
        box = QRectF(left, top, width, height)
        ground = QColor(palette.theme().card)
        ground.setAlphaF(0.8)
        painter.fillRect(box, ground)
        painter.setPen(QColor(colour))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, name)


_EXTENT = 1.08
"""What of each axis is shown, in shares of the largest magnitude: dots at its end are whole."""


class ComplexPlane(Plot):
    """Complex numbers as shares of the largest magnitude, on axes of one scale.

    The real axis is the heavy one. The circle holds all numbers of the largest magnitude.
    """

    near = 16.0
    steps: ClassVar[Mapping[Qt.Key, int]] = {**ALONG, Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
    usual, least = (40, 40), (24, 24)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Complex plane", parent)
        self._largest = 1.0
        self._circuit: Literal["ov", "qk"] = "ov"

    def set_points(self, real: Numbers, imag: Numbers, circuit: Literal["ov", "qk"]) -> None:
        """Show numbers by their parts, [point], in the colour of a circuit."""
        values = np.array([real, imag], dtype=np.float64)
        self._largest = float(np.hypot(*values).max(initial=0.0)) or 1.0
        self._circuit, self.selected = circuit, None
        self.set_values(values / self._largest, "" if values.any() else "All eigenvalues are 0.")

    def say(self, place: int) -> str:
        """Return a point in words."""
        value = complex(*(self._values[:, place] * self._largest))
        decimals = decimals_for(abs(value))
        told = fixed(value.real, decimals)
        if value.imag:
            sign = "−" if value.imag < 0 else "+"
            told += f" {sign} {fixed(abs(value.imag), decimals)}i"
            told += f", magnitude {fixed(abs(value), decimals)}"
        return f"eigenvalue {place + 1} of {self.count()}: {told}"

    def height_at(self, width: int) -> int:
        """Return the height that the square would fill at a width, were there no limit."""
        left, below, above = self._room()
        numbers = painting.small_metrics().horizontalAdvance("−1.0")
        return ceil(width - left - numbers - UNIT + below + above)

    def draw(self, canvas: "PlotCanvas") -> None:
        """Draw axes, circle and points."""
        theme, ends = palette.theme(), (-_EXTENT, _EXTENT)
        titles = ("real part", "imaginary part")
        canvas.begin(Axes(x=ends, y=ends, titles=titles, room=self._room(), square=True))
        canvas.line(0, 90, theme.line)
        canvas.line(0, 0, theme.muted, 2)
        turn = np.linspace(0, 2 * np.pi, 181)
        canvas.curve(np.cos(turn), np.sin(turn), theme.line, dashed=True)
        colour = theme.curve_ov if self._circuit == "ov" else theme.curve_qk
        canvas.points(self._values[0], self._values[1], colour, DOT, alpha=0.55)
