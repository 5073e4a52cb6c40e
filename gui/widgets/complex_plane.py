"""Complex numbers as points of a plane, as shares of the largest magnitude among them."""

from math import ceil
from typing import Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QWidget

from gui.style import palette
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import ALONG
from gui.widgets.point_cloud import PointCloud

_NEAR = 16.0
"""A click farther than this many pixels from every point chooses none."""
_DOT = 3.5
_REACH = 1.08
"""What of each axis is shown, in shares of the largest magnitude: dots at its end are whole."""
_TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0)
_TITLES = ("real part", "imaginary part")
_STEPS = {**ALONG, Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class ComplexPlane(PointCloud):
    """Both axes have one scale; a click or the arrow keys ask for a point by `chosen`.

    The real axis is the heavy one. The circle holds all numbers of the largest magnitude.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Complex plane", parent)
        self._points: npt.NDArray[np.complex128] = np.zeros(0, dtype=np.complex128)
        self._circuit: Literal["ov", "qk"] = "ov"

    def set_points(
        self,
        real: npt.NDArray[np.floating],
        imag: npt.NDArray[np.floating],
        circuit: Literal["ov", "qk"],
    ) -> None:
        """Show numbers.

        Parameters
        ----------
        real, imag
            Their parts, [point].
        circuit
            Whose colour they have.
        """
        self._points = np.asarray(real, dtype=np.float64) + 1j * np.asarray(imag, dtype=np.float64)
        self._circuit = circuit
        self.selected = self.pointed = None
        self.message = ""
        if not np.abs(self._points).max(initial=0.0) > 0:
            self.clear("All eigenvalues are 0.")
        self.update()

    def clear(self, message: str) -> None:
        """Show a sentence instead of points."""
        self._points = np.zeros(0, dtype=np.complex128)
        self.message = message
        self.update()

    def count(self) -> int:
        """Return how many points there are."""
        return len(self._points)

    def say(self, place: int) -> str:
        """Return a point in words."""
        value = complex(self._points[place])
        decimals = decimals_for(abs(value))
        told = fixed(value.real, decimals)
        if value.imag:
            sign = "−" if value.imag < 0 else "+"
            told += f" {sign} {fixed(abs(value.imag), decimals)}i"
            told += f", magnitude {fixed(abs(value), decimals)}"
        return f"eigenvalue {place + 1} of {len(self._points)}: {told}"

    def place(self, index: int) -> QPointF:
        """Return where a point is drawn, in pixels of this widget."""
        value = complex(self._points[index]) / self._largest()
        return self._at(value.real, value.imag)

    def height_at(self, width: int) -> int:
        """Return the height that the square would fill at a width, were there no limit."""
        left, below = self._margins()
        return ceil(width - left - UNIT + below + UNIT)

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return palette.units(40, 40)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which points can be told apart."""
        return palette.units(24, 24)

    def draw(self, painter: QPainter) -> None:
        """Draw axes, circle, points, and what is written beside them."""
        self._paint_axes(painter)
        self._paint_points(painter)

    def thing_at(self, point: QPointF) -> int | None:
        """Return the point nearest to a place, none where all are far."""
        found, least = None, _NEAR
        for index in range(len(self._points)):
            away = (self.place(index) - point).manhattanLength()
            if away < least:
                found, least = index, away
        return found

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the point of the next smaller or larger magnitude."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or not self._points.size:
            super().keyPressEvent(event)
            return
        self.show_ring()
        start = -1 if self.selected is None else self.selected
        self.chosen.emit(min(max(start + step, 0), len(self._points) - 1))

    def _largest(self) -> float:
        return float(np.abs(self._points).max())

    def _margins(self) -> tuple[float, float]:
        """Return what numbers and titles need to the left and below."""
        metrics = QFontMetricsF(palette.ui_font(small=True))
        left = metrics.height() + metrics.horizontalAdvance("−0.5") + UNIT
        return left, 2 * metrics.height() + UNIT

    def _square(self) -> QRectF:
        left, below = self._margins()
        side = max(min(self.width() - left - UNIT, self.height() - below - UNIT), 1.0)
        room = self.width() - UNIT - left
        return QRectF(left + int((room - side) / 2), UNIT / 2, side, side)

    def _at(self, real: float, imag: float) -> QPointF:
        square = self._square()
        half = square.width() / 2
        centre = square.center()
        return QPointF(centre.x() + half * real / _REACH, centre.y() - half * imag / _REACH)

    def _paint_axes(self, painter: QPainter) -> None:
        theme, square = palette.theme(), self._square()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(painting.pen(theme.line))
        painter.drawRect(square)
        centre = self._at(0, 0)
        painter.drawLine(QPointF(centre.x(), square.top()), QPointF(centre.x(), square.bottom()))
        painter.setPen(painting.pen(theme.muted, 2))
        painter.drawLine(QPointF(square.left(), centre.y()), QPointF(square.right(), centre.y()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line), 1, Qt.PenStyle.DashLine))
        radius = self._at(1, 0).x() - centre.x()
        painter.drawEllipse(centre, radius, radius)

        painter.setFont(palette.ui_font(small=True))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(QColor(theme.muted))
        height = metrics.height()
        for value in _TICKS:
            text = fixed(value, 1) if value % 1 else fixed(value, 0)
            width = metrics.horizontalAdvance(text) + 1
            across, down = self._at(value, 0).x(), self._at(0, value).y()
            flag = Qt.TextFlag.TextSingleLine
            painter.drawText(
                QRectF(across - width / 2, square.bottom() + UNIT / 4, width, height), flag, text
            )
            painter.drawText(
                QRectF(square.left() - UNIT / 2 - width, down - height / 2, width, height),
                flag,
                text,
            )
        below = QRectF(0, square.bottom() + UNIT / 2 + height, self.width(), height)
        below.moveCenter(QPointF(square.center().x(), below.center().y()))
        middle = Qt.AlignmentFlag.AlignCenter
        painter.drawText(below, middle | Qt.TextFlag.TextSingleLine, _TITLES[0])
        left = square.left() - UNIT - metrics.horizontalAdvance("−0.5") - height
        painting.rotated_text(
            painter, QRectF(left, square.top(), height, square.height()), middle, _TITLES[1]
        )

    def _paint_points(self, painter: QPainter) -> None:
        theme = palette.theme()
        colour = QColor(theme.curve_ov if self._circuit == "ov" else theme.curve_qk)
        inner = QColor(colour)
        inner.setAlphaF(0.55)  # points that lie on each other are seen to
        painter.setPen(QPen(colour, 1))
        painter.setBrush(inner)
        for index in range(len(self._points)):
            painter.drawEllipse(self.place(index), _DOT, _DOT)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for marked, ink in ((self.pointed, theme.muted), (self.selected, theme.accent)):
            if marked is not None and marked < len(self._points):
                painter.setPen(painting.pen(ink, 2))
                painter.drawEllipse(self.place(marked), 2 * _DOT, 2 * _DOT)
