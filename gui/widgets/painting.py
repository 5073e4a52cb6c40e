"""What widgets that paint have in common: literal tool tips, rings, pointing, scrolling.

Qt takes text that looks like HTML for HTML: the token `<s>` would show nothing in a tool tip.
"""

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QToolTip, QWidget

from gui.style import palette
from gui.style.theme import RADIUS, UNIT

if TYPE_CHECKING:
    _Base = QWidget
else:
    # The class of Qt comes after this one where it is mixed in: a class has one Qt base only.
    class _Base: ...


def literal(text: str) -> str:
    """Return text for `setToolTip` that is shown as it is, empty for empty."""
    if not text:
        return ""
    # The tag makes Qt take it for rich text always, so that the escapes are always undone.
    return f'<p style="white-space:pre">{escape(text)}</p>'


def of_token(label: str, piece: bool) -> str:
    """Return what a tool tip says first of a token: its label, and what it is if no text.

    Parameters
    ----------
    label
        As it is shown.
    piece
        Whether it is some of the bytes of a character.
    """
    return f"bytes {label.partition('#')[0]}: a piece of a character" if piece else label


def show(text: str, at: QPoint, owner: QWidget) -> None:
    """Show text as it is near a place on the screen; empty text hides the tool tip."""
    if text:
        QToolTip.showText(at, literal(text), owner)
    else:
        QToolTip.hideText()


_BY_KEYBOARD = frozenset(
    {
        Qt.FocusReason.TabFocusReason,
        Qt.FocusReason.BacktabFocusReason,
        Qt.FocusReason.ShortcutFocusReason,
    }
)


def pen(colour: str, width: float = 1.0) -> QPen:
    """Return a pen with square corners, so that frames of cells stay crisp."""
    made = QPen(QColor(colour), width)
    made.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return made


def small_metrics() -> QFontMetricsF:
    """Return the metrics of the font of numbers and titles."""
    return QFontMetricsF(palette.ui_font(small=True))


def focus_ring(painter: QPainter, area: QRect) -> None:
    """Draw the ring of a widget that has the keyboard."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(palette.theme().accent))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    painter.restore()


def message(painter: QPainter, area: QRect, text: str) -> None:
    """Write what there is to say where nothing can be drawn."""
    painter.save()
    painter.setFont(palette.ui_font())
    painter.setPen(QColor(palette.theme().muted))
    inner = area.adjusted(UNIT, UNIT, -UNIT, -UNIT)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(inner, flags, text)
    painter.restore()


def rotated_text(painter: QPainter, area: QRectF, flags: Qt.AlignmentFlag, text: str) -> None:
    """Write text that reads upwards inside an area; flags are those of the unturned text."""
    painter.save()
    painter.translate(area.left(), area.bottom())
    painter.rotate(-90)
    turned = QRectF(0, 0, area.height(), area.width())
    painter.drawText(turned, flags | Qt.TextFlag.TextSingleLine, text)
    painter.restore()


FAR = 10**9
"""Farther than any end: a step is cut off there."""

ARROWS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
"""Rows and columns."""

ROW_ENDS = {Qt.Key.Key_Home: (0, -FAR), Qt.Key.Key_End: (0, FAR)}

ALONG = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Home: -FAR,
    Qt.Key.Key_End: FAR,
}
"""Places of a line."""


Ticks = list[tuple[float, str]]
"""Where an axis has ticks, and what stands there."""


class Axes(NamedTuple):
    """What two axes show.

    `x` and `y` say where they begin and end, `titles` has that of the lower one first; `room` is
    what the left axis needs beside its numbers, the lower one in all, and what is written above;
    `ticks` says for the left axis what stands where if there is room for so many lines.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    titles: tuple[str, str]
    room: tuple[float, float, float]
    framed: bool = True
    grid: bool = False
    ticks: Callable[[float], Ticks] | None = None
    square: bool = False
    whole: bool = False


Thing = TypeVar("Thing")


class FocusRing(_Base):
    """Mixed into a widget that paints the ring of the keyboard's focus itself."""

    _ring = False

    def show_ring(self) -> None:
        """Show the focus ring: the keyboard is at work."""
        self._ring = True
        self._canvas().update()

    def draw_ring(self, painter: QPainter) -> None:
        """Draw the focus ring where the keyboard is at work."""
        if self._ring and self.hasFocus():
            focus_ring(painter, self._canvas().rect())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        self._ring = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)
        self._canvas().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self._canvas().update()

    def _canvas(self) -> QWidget:
        return self.viewport() if isinstance(self, QAbstractScrollArea) else self


class Pointing(FocusRing, Generic[Thing]):
    """Mixed into a widget that paints things (cells, tokens, heads) which are no widgets."""

    keys: ClassVar[str] = "Arrow keys move."
    """What keys do, as screen readers say it."""
    hovered_item: Thing | None = None
    """What is under the mouse."""
    usual: ClassVar[tuple[float, float]] = (40, 36)
    """A usual size, in units of spacing."""
    least: ClassVar[tuple[float, float]] = (24, 22)
    """The size at which things can be told apart."""

    def sizeHint(self) -> QSize:
        """Return the usual size, in proportion to the text."""
        return palette.units(*self.usual)

    def minimumSizeHint(self) -> QSize:
        """Return the least size, in proportion to the text."""
        return palette.units(*self.least)

    def item_at(self, point: QPointF) -> Thing | None:
        """Return what lies at a place of the canvas."""
        raise NotImplementedError

    def tip_at(self, point: QPointF) -> str:
        """Return what the tool tip at a place says, as plain text; empty for none."""
        raise NotImplementedError

    def activate(self, thing: Thing) -> None:
        """Ask for what was clicked."""
        raise NotImplementedError

    def marked(self) -> str:
        """Return what is marked in words, empty where nothing is."""
        return ""

    def update_accessible_text(self) -> None:
        """Describe to screen readers what is marked, and what keys do."""
        said = " ".join(self.marked().split("\n")).strip()
        self.setAccessibleDescription(f"{said}. {self.keys}" if said else self.keys)

    def point_at(self, thing: Thing | None) -> None:
        """Take something for what is under the mouse."""
        if thing != self.hovered_item:
            self.hovered_item = thing
            self._canvas().update()

    def handle(self, event: QEvent) -> bool:
        """Answer a request for a tool tip, and notice that the mouse has left the canvas."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            show(self.tip_at(QPointF(event.pos())), event.globalPos(), self)
            return True
        if event.type() == QEvent.Type.Leave:
            self.point_at(None)
        return False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Notice what is under the mouse."""
        self.point_at(self.item_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for what was clicked."""
        thing = self.item_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and thing is not None:
            self.activate(thing)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus, and describe what is marked."""
        super().focusInEvent(event)
        self.update_accessible_text()


class PaintedScroll(Pointing[Thing], QAbstractScrollArea):
    """A page as wide as the widget, painted, that scrolls up and down."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(3 * UNIT)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self.setAccessibleDescription(self.keys)

    def lay_out(self) -> None:
        """Say anew where everything lies, and how high the page is by `set_extent`."""
        raise NotImplementedError

    def scrolled(self) -> int:
        """Return how much of the page lies above what is seen, in pixels."""
        return self.verticalScrollBar().value()

    def on_page(self, point: QPointF) -> QPointF:
        """Return the place on the page of a place of the viewport."""
        return point + QPointF(0, self.scrolled())

    def set_extent(self, height: float) -> None:
        """Let a page of this height scroll as far as it must."""
        bar = self.verticalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, max(0, int(height) - self.viewport().height()))

    def bring_into_sight(self, box: QRectF) -> None:
        """Scroll until a box of the page is seen, or its top where there is no room for all."""
        bar, room = self.verticalScrollBar(), self.viewport().height()
        if box.top() < bar.value() or box.height() > room:
            bar.setValue(int(box.top()))
        elif box.bottom() > bar.value() + room:
            bar.setValue(int(box.bottom() - room) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        super().resizeEvent(event)
        self.lay_out()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.lay_out()

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer a request for a tool tip, and notice that the mouse has left."""
        return self.handle(event) or super().viewportEvent(event)
