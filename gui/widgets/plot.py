"""What plots have in common: pyqtgraph draws, a click, an arrow key or the mouse points.

pyqtgraph is imported with the first points that there are to show.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.style import palette
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.painting import ALONG, Pointing

if TYPE_CHECKING:
    from gui.widgets.plot_canvas import PlotCanvas

Numbers = npt.NDArray[Any]
Ends = tuple[float, float]

_BEYOND = 0.05
"""What is shown beyond the largest and the least number, in shares of the range."""
DOT = 3.5


def axis_ends(values: Numbers) -> Ends:
    """Return the ends of an axis on which 0 lies, so that no small difference fills the picture."""
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    high = high if high > low else low + 1.0
    beyond = _BEYOND * (high - low)
    return low - beyond, high + beyond


class Plot(Pointing[int], QWidget):
    """A click on a point, or an arrow key, asks for it by `chosen`."""

    chosen = Signal(int)
    """Place, in the order given, of the point that is asked for."""
    near = 14.0
    """A click farther than this many pixels from every point chooses none."""
    steps: ClassVar[Mapping[Qt.Key, int]] = ALONG

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.selected: int | None = None
        self.message = ""
        self._values: Numbers = np.zeros((2, 0))
        self._legend: Sequence[tuple[str, str]] = ()
        self._dressed = palette.theme(), palette.text_percent()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self.setAccessibleDescription(self.keys)

    @cached_property
    def canvas(self) -> "PlotCanvas":
        """What is drawn on, made with the first points."""
        from gui.widgets.plot_canvas import PlotCanvas

        made = PlotCanvas(self)
        made.paint_over = self._paint_over
        made.setGeometry(self.rect())
        return made

    def say(self, place: int) -> str:
        """Return a point in words."""
        raise NotImplementedError

    def draw(self, canvas: "PlotCanvas") -> None:
        """Draw axes and points, of which there are some."""
        raise NotImplementedError

    def set_values(self, values: Numbers, message: str = "") -> None:
        """Show points, [axis, point], what is across first, or a sentence."""
        self._values, self.message = np.asarray(values, np.float64), message
        self.hovered_item = None
        self.redraw()

    def clear(self, message: str) -> None:
        """Show a sentence instead of points."""
        self.set_values(np.zeros((2, 0)), message)

    def redraw(self) -> None:
        """Draw anew: other numbers, or another theme."""
        self._dressed = palette.theme(), palette.text_percent()
        shown = self.count() > 0
        if shown:
            self.draw(self.canvas)
        if "canvas" in vars(self):
            self.canvas.setVisible(shown)
        self.update()

    def count(self) -> int:
        """Return how many points there are to be seen."""
        return 0 if self.message else self._values.shape[1]

    @property
    def drawn(self) -> npt.NDArray[np.bool_]:
        """Which points have both numbers, [point]."""
        both: npt.NDArray[np.bool_] = np.isfinite(self._values.sum(axis=0))
        return both

    def set_selected(self, place: int | None) -> None:
        """Mark a point, or with `None` no point."""
        self.selected = place
        self.update_accessible_text()
        self._canvas().update()

    def places(self, values: Numbers | None = None) -> Numbers:
        """Return where points are drawn, [axis, point], in pixels; not a number for nowhere."""
        values = self._values if values is None else values
        return self.canvas.at(values) if self.count() else np.zeros((2, 0))

    def place(self, place: int) -> QPointF:
        """Return where a point is drawn, in pixels."""
        x, y = self.places()[:, place].tolist()
        return QPointF(x, y)

    def away(self, point: QPointF) -> Numbers:
        """Return how far points are from a place, in pixels, [point]; far if they are nowhere."""
        x, y = self.places()
        away: Numbers = np.hypot(x - point.x(), y - point.y())
        return np.nan_to_num(away, nan=np.inf)

    def item_at(self, point: QPointF) -> int | None:
        """Return the point nearest to a place, `None` where all are far."""
        away = self.away(point)
        return int(away.argmin()) if away.min(initial=np.inf) < self.near else None

    def tip_at(self, point: QPointF) -> str:
        """Return a point in words."""
        found = self.item_at(point)
        return "" if found is None else self.say(found)

    def activate(self, thing: int) -> None:
        """Ask for the point that was clicked."""
        self.chosen.emit(thing)

    def order(self) -> list[int]:
        """Return the points in the order in which arrow keys go through them."""
        return list(range(self.count()))

    def marked(self) -> str:
        """Return the selected point in words."""
        place = self.selected
        return self.say(place) if place is not None and place < self.count() else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the point before or after the selected one."""
        step, order = self.steps.get(Qt.Key(event.key())), self.order()
        if step is None or not order:
            super().keyPressEvent(event)
            return
        self.show_ring()
        start = order.index(self.selected) if self.selected in order else -1
        self.chosen.emit(order[min(max(start + step, 0), len(order) - 1)])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the sentence."""
        painter = QPainter(self)
        painting.message(painter, self.rect(), self.message)
        self.draw_ring(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the widget."""
        super().resizeEvent(event)
        if "canvas" in vars(self):
            self.canvas.setGeometry(self.rect())

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and text size: Qt announces each of their changes several times."""
        super().changeEvent(event)
        drawn = "canvas" in vars(self)
        if drawn and self._dressed != (palette.theme(), palette.text_percent()):
            self.redraw()

    def event(self, event: QEvent) -> bool:
        """Answer a request for a tool tip; where there is no point, the owner's is shown."""
        if event.type() == QEvent.Type.ToolTip and self.hovered_item is None:
            return super().event(event)
        return self.handle(event) or super().event(event)

    def ring(self, painter: QPainter, place: int, colour: str) -> None:
        """Mark a point."""
        painter.setPen(painting.pen(colour, 2))
        painter.drawEllipse(self.place(place), 2 * DOT, 2 * DOT)

    def _room(self) -> tuple[float, float, float]:
        """Return what axes need to the left of the box beside numbers, below it and above it."""
        line = painting.small_metrics().height()
        return line + 1.5 * UNIT, 2 * line + UNIT, (line if self._legend else 0) + UNIT / 2

    def _paint_over(self, painter: QPainter) -> None:
        theme = palette.theme()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        drawn = self.drawn
        for place, colour in ((self.hovered_item, theme.muted), (self.selected, theme.accent)):
            if place is not None and place < len(drawn) and drawn[place]:
                self.ring(painter, place, colour)
        self._paint_legend(painter)
        self.draw_ring(painter)

    def _paint_legend(self, painter: QPainter) -> float:
        """Name curves above the axes, each in its colour, and return where the names end.

        What is muted is a remark.
        """
        painter.setFont(palette.ui_font(small=True))
        metrics, muted = QFontMetricsF(painter.font()), palette.theme().muted
        whole = sum(metrics.horizontalAdvance(text) + 3.5 * UNIT for text, _ in self._legend)
        box = self.canvas.box
        left = box.left() if box.left() + whole <= self.width() else UNIT / 4
        for text, colour in self._legend:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            if colour != muted:
                painter.drawEllipse(QPointF(left + 4, metrics.height() / 2 + 1), DOT, DOT)
                left += 1.5 * UNIT
            room = max(self.width() - UNIT / 2 - left, 0.0)
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(room))
            painter.setPen(QColor(colour))
            area = QRectF(left, 1, room, metrics.height())
            painter.drawText(area, Qt.TextFlag.TextSingleLine, text)
            left += metrics.horizontalAdvance(text) + 2 * UNIT
        return left

    def _canvas(self) -> QWidget:
        return self.canvas.viewport() if "canvas" in vars(self) else self
