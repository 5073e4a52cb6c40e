"""Plots of curves: scores against distance, singular values."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import ceil, floor, log10
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from gui.style import palette
from gui.style.formatting import decimals_for, fixed, power_of_ten, tokens_back
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import ALONG, Axes, Ticks
from gui.widgets.plot import DOT, Numbers, Plot, axis_ends

if TYPE_CHECKING:
    from gui.widgets.plot_canvas import PlotCanvas

_DOTTED = 40
"""Offsets have dots of their own where there are no more."""
_PAIR, _MEAN, _BAND = "this pair", "all pairs: mean", "all pairs: mean ± one standard deviation"


class OffsetPlot(Plot):
    """Curves over how far back a key lies: a mean, a band around it, one pair's own scores."""

    usual, least = (40, 26), (24, 16)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scores against distance", parent)
        self._scores: Numbers | None = None
        self._deviation: Numbers | None = None
        self._unit = ""

    def set_curves(
        self,
        mean: Numbers,
        scores: Numbers | None = None,
        deviation: Numbers | None = None,
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
        self._scores, self._deviation, self._unit = scores, deviation, unit
        if self.selected is not None and self.selected >= len(mean):
            self.selected = None
        self.set_values(np.array([np.arange(len(mean)), mean]))

    def say(self, place: int) -> str:
        """Return the numbers at an offset in words."""
        mean = self._values[1]
        decimals = decimals_for(mean)
        told = f"{tokens_back(place)}: "
        if self._scores is not None:
            told += f"{_PAIR} {fixed(float(self._scores[place]), decimals)}, "
        told += f"{_MEAN} {fixed(float(mean[place]), decimals)}"
        if self._deviation is not None:
            told += f" ± {fixed(float(self._deviation[place]), decimals)}"
        return told

    def draw(self, canvas: "PlotCanvas") -> None:
        """Draw axes, band and curves."""
        theme, (across, mean) = palette.theme(), self._values
        half = np.zeros(len(mean)) if self._deviation is None else self._deviation
        own = mean if self._scores is None else self._scores
        name = _MEAN if self._deviation is None else _BAND
        named = [(name, theme.text), (_PAIR, theme.curve_qk)][: len(self._curves())]
        self._legend = named[::-1] if len(named) > 1 else ()
        canvas.begin(
            Axes(
                x=axis_ends(across),
                y=axis_ends(np.concatenate([mean - half, mean + half, own])),
                titles=("tokens back", self._unit),
                room=self._room(),
                grid=True,
                whole=True,
            )
        )
        if self._deviation is not None:
            canvas.band(across, mean - half, mean + half, theme.muted, 0.2)
        for values, (_, colour) in zip(self._curves(), named, strict=True):
            canvas.curve(across, values, colour, 1.5)
            if len(mean) <= _DOTTED:
                canvas.points(across, values, colour, 2.5)

    def item_at(self, point: QPointF) -> int | None:
        """Return the offset at a place, `None` outside the axes."""
        if not self.count() or not self.canvas.box.contains(point):
            return None
        return int(np.abs(self.places()[0] - point.x()).argmin())

    def ring(self, painter: QPainter, place: int, colour: str) -> None:
        """Mark an offset on every curve."""
        box, x = self.canvas.box, self.place(place).x()
        painter.setPen(painting.pen(colour))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        painter.setPen(painting.pen(colour, 2))
        heights = [values[place] for values in self._curves()]
        for y in self.places(np.array([[place] * len(heights), heights]))[1].tolist():
            painter.drawEllipse(QPointF(x, y), DOT + 1, DOT + 1)

    def _curves(self) -> list[Numbers]:
        return [self._values[1], *([] if self._scores is None else [self._scores])]


CIRCUITS: Mapping[str, str] = {"ov": "W_OV", "qk": "W_QK"}
_SMALL_DOT = 2.5


class Curve(NamedTuple):
    """Singular values, those measured beyond d_head, and runs of near-equal ones."""

    values: npt.NDArray[np.float64]
    beyond: npt.NDArray[np.float64]
    groups: tuple[tuple[int, int], ...]

    @property
    def all(self) -> npt.NDArray[np.float64]:
        """Both, one after the other."""
        return np.concatenate([self.values, self.beyond])


class SpectrumPlot(Plot):
    """Singular values of both circuits, the cliff after d_head, and runs of near-equal ones."""

    chosen = Signal(str, int)
    """Circuit, `ov` or `qk`, and index of the value that is asked for."""
    clicked_again = Signal()
    """A click on the value that is selected."""
    keys = "Left and Right move along a curve, Up and Down to the other one."
    near = 24.0
    usual, least = (48, 32), (24, 18)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Singular values", parent)
        self._curves: dict[str, Curve] = {}
        self._starts: dict[str, int] = {}
        self._d_head = 0
        self._log = True
        self._floor = 0.0

    def set_curves(
        self,
        ov: Numbers | None,
        qk: Numbers | None,
        dense_ov: Numbers | None,
        dense_qk: Numbers | None,
        d_head: int,
        ov_groups: Sequence[tuple[int, int]] = (),
        qk_groups: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Show singular values, largest first.

        Parameters
        ----------
        ov, qk
            Of the thin factors, [d_head]; `None` leaves a curve out.
        dense_ov, dense_qk
            Measured on the whole matrix, [d_model]; what lies beyond d_head is drawn.
        d_head
            Where the cliff is.
        ov_groups, qk_groups
            First and last index of each run of near-equal values; those of one value are no run.
        """
        given = {"ov": (ov, dense_ov, ov_groups), "qk": (qk, dense_qk, qk_groups)}
        self._curves = {
            name: Curve(np.asarray(values, dtype=np.float64), _beyond(dense, d_head), tuple(groups))
            for name, (values, dense, groups) in given.items()
            if values is not None
        }
        counts = [len(curve.values) for curve in self._curves.values()]
        self._starts = dict(zip(self._curves, accumulate(counts, initial=0), strict=False))
        self._d_head = d_head
        self._show()

    def set_log(self, log: bool) -> None:
        """Draw values on a logarithmic axis, or a linear one."""
        self._log = log
        self._show()

    def select(self, circuit: str | None, index: int) -> None:
        """Ring a value, or with `None` no value."""
        start = self._starts.get(circuit or "")
        self.set_selected(None if start is None else start + index)

    def value_position(self, circuit: str, index: int) -> QPointF:
        """Return where a value is drawn, in pixels."""
        return self.place(self._starts[circuit] + index)

    def say(self, place: int) -> str:
        """Return a value in words."""
        circuit, index = self._which(place)
        values = self._curves[circuit].values
        number = fixed(float(values[index]), max(4, decimals_for(values[index])))
        text = f"{CIRCUITS[circuit]}, value {index} of 0 to {len(values) - 1}: {number}"
        for first, last in self._curves[circuit].groups:
            if first <= index <= last and last > first:
                text += f"\nvalues {first} to {last} are within 1 %: one subspace"
        return text

    def activate(self, thing: int) -> None:
        """Ask for the value that was clicked."""
        if thing == self.selected:
            self.clicked_again.emit()
        else:
            self.chosen.emit(*self._which(thing))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the value beside the selected one, or for the other circuit's."""
        key = Qt.Key(event.key())
        if not self._curves or key not in (*ALONG, Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
            return
        self.show_ring()
        names = list(self._curves)
        circuit, index = (names[0], -1) if self.selected is None else self._which(self.selected)
        if key in ALONG:
            index += ALONG[key]
        elif self.selected is not None:
            circuit = names[(names.index(circuit) + 1) % len(names)]
        last = len(self._curves[circuit].values) - 1
        self.chosen.emit(circuit, min(max(index, 0), last))

    def draw(self, canvas: "PlotCanvas") -> None:
        """Draw the cliff and the curves."""
        theme, every = palette.theme(), [curve.all for curve in self._curves.values()]
        count = max(self._d_head, *map(len, every))
        found = np.concatenate(every)
        low, high = (float(self._height(np.array(end))) for end in (self._floor, found.max()))
        # A little below the bottom, so that dots on it are whole; brackets have room above.
        span = (high - low) or 1.0
        floored = self._log and bool((found < self._floor).any())
        title = "index"
        if floored:
            title += f" · below {power(round(log10(self._floor)))}: drawn at the bottom"
        self._legend = [(CIRCUITS[name], self._colour(name)) for name in self._curves]
        canvas.begin(
            Axes(
                x=(-1, count - 1 + max(1, count // 40)),
                y=(low - 0.02 * span, high + 0.08 * span),
                titles=(title, "singular value"),
                room=self._room(),
                framed=False,
                whole=True,
                ticks=(lambda lines: log_ticks(low, high, lines)) if self._log else None,
            )
        )
        canvas.line(self._d_head - 0.5, 90, theme.muted, dashed=True)
        for name, values in zip(self._curves, every, strict=True):
            x, y = np.arange(len(values)), self._height(values)
            canvas.curve(x, y, self._colour(name))
            canvas.points(x, y, self._colour(name), _SMALL_DOT)

    def _show(self) -> None:
        every = [curve.all for curve in self._curves.values()]
        found = np.concatenate([np.zeros(0), *every])
        top = float(found.max(initial=0.0)) or 1.0
        kept = np.concatenate([np.zeros(0), *(curve.values for curve in self._curves.values())])
        least = float(kept[kept > 1e-6 * top].min(initial=top))
        # Where there are lesser ones they lie a decade further down, so that they are seen to fall.
        falls = bool((found < least).any())
        self._floor = 0.0
        if self._log:
            self._floor = 10.0 ** (floor(log10(least) - 1e-9) - 1) if falls else log_start(least)
        x = [np.arange(len(curve.values)) for curve in self._curves.values()]
        self.set_values(np.array([np.concatenate([np.zeros(0), *x]), self._height(kept)]))

    def _height(self, values: Numbers) -> Numbers:
        return np.log10(np.maximum(values, self._floor)) if self._log else values

    def _which(self, place: int) -> tuple[str, int]:
        circuit = next(name for name in reversed(self._starts) if self._starts[name] <= place)
        return circuit, place - self._starts[circuit]

    def _colour(self, circuit: str) -> str:
        theme = palette.theme()
        return theme.curve_ov if circuit == "ov" else theme.curve_qk

    def _paint_over(self, painter: QPainter) -> None:
        """Bracket near-equal values too."""
        for name, curve in self._curves.items():
            painter.setPen(painting.pen(self._colour(name)))
            for first, last in curve.groups:
                if last <= first:
                    continue
                start, stop = (self.value_position(name, index) for index in (first, last))
                # Half pixels, so that lines of one pixel are not smeared over two.
                left, right = round(start.x()) - 2.5, round(stop.x()) + 2.5
                top = round(start.y()) - 8.5
                corners = ((left, top + 4), (left, top), (right, top), (right, top + 4))
                painter.drawPolyline([QPointF(x, y) for x, y in corners])
        super()._paint_over(painter)

    def _paint_legend(self, painter: QPainter) -> float:
        """Write d_head left of the cliff too, where the names leave room for it."""
        left = super()._paint_legend(painter)
        metrics, label = QFontMetricsF(painter.font()), f"d_head = {self._d_head}"
        cliff = self.canvas.at(np.array([[self._d_head - 0.5], [0.0]]))[0, 0]
        area = QRectF(0, 1, cliff - UNIT / 2, metrics.height())
        if area.right() - metrics.horizontalAdvance(label) > left:
            painter.setPen(QColor(palette.theme().muted))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight, label)
        return left


def _beyond(dense: Numbers | None, d_head: int) -> npt.NDArray[np.float64]:
    """Return the measured values after the cliff, as many as show that they stay down."""
    if dense is None:
        return np.zeros(0)
    more = max(6, d_head // 5)
    return np.asarray(dense[d_head : d_head + more], dtype=np.float64)


_BETWEEN = (2, 5)


def log_start(value: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is not above a positive value."""
    decade = 10.0 ** floor(log10(value) - 1e-9)
    return max(times * decade for times in (1, *_BETWEEN) if times == 1 or times * decade <= value)


def log_ticks(low: float, high: float, room: float) -> Ticks:
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
    return f"{10.0**exponent:g}" if -4 < exponent < 4 else power_of_ten(exponent)
