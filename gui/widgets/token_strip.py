"""A prompt as a strip of tokens, each on its own tile, coloured by a number if there is one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from gui import palette
from gui.numbers import fixed
from gui.theme import RADIUS, UNIT
from gui.widgets import painting, tool_tip
from gui.widgets.colouring import Colouring, Colours, ink

_GAP = UNIT // 2
_PAD = UNIT // 2 + 1
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Home: -(10**9),
    Qt.Key.Key_End: 10**9,
}


class TokenStrip(QAbstractScrollArea):
    """Tokens that wrap like text and scroll when there are too many lines of them.

    A click, or an arrow key, asks for a token by `clicked`; who listens pins it.
    """

    hovered = Signal(int)
    """Position under the mouse, -1 when it has left."""
    clicked = Signal(int)
    """Position that a click or an arrow key asks for."""

    def __init__(self, parent: QWidget | None = None, *, max_lines: int = 6) -> None:
        super().__init__(parent)
        self._max_lines = max_lines
        self._labels: Sequence[str] = ()
        self._ids: Sequence[int] = ()
        self._values: npt.NDArray[np.floating] | None = None
        self._grounds: list[QColor | None] = []
        self._pinned: int | None = None
        self._hovered = -1
        self._tiles: list[QRect] = []
        self._flows: dict[int, list[QRect]] = {}  # by width: layouts ask for many, again and again
        self._ring = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Tokens of the prompt")

    def set_tokens(self, labels: Sequence[str], ids: Sequence[int]) -> None:
        """Show tokens by their labels, as they are; ids are told in the tool tip."""
        self._values, self._hovered = None, -1
        self._ids = tuple(map(int, ids))
        if tuple(labels) != self._labels:
            self._labels = tuple(labels)
            self._flows.clear()
            self.updateGeometry()
            self._lay_out()
        self.set_pinned(self._pinned)

    def set_values(
        self,
        values: npt.NDArray[np.floating] | None,
        limits: tuple[float, float] = (0.0, 1.0),
        colours: Colours = "sequential",
    ) -> None:
        """Colour tokens by numbers, [position], or none; what is not a number is masked.

        Raises
        ------
        ValueError
            If there are not as many numbers as tokens.
        """
        if values is not None and len(values) != len(self._labels):
            raise ValueError(f"{len(values)} numbers for {len(self._labels)} tokens")
        self._values = values
        colouring = Colouring(colours, float(limits[0]), float(limits[1]))
        self._grounds = [] if values is None else colouring.colours_of(values)
        self.viewport().update()

    def set_pinned(self, position: int | None) -> None:
        """Frame a token; a position that is not there pins none."""
        there = position is not None and 0 <= position < len(self._labels)
        self._pinned = position if there else None
        self._show_position(self._pinned)
        self.viewport().update()

    def tile(self, position: int) -> QRect:
        """Return where a token is drawn, in pixels of the viewport."""
        return self._tiles[position].translated(0, -self.verticalScrollBar().value())

    def hasHeightForWidth(self) -> bool:
        """Return whether the layout is to ask for a height: tokens wrap."""
        return self.sizePolicy().hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        """Return the height of the lines that a width needs, at most `max_lines` of them."""
        lines = self._lines(self._flow(width))
        return min(max(lines, 1), self._max_lines) * self._line_height() - _GAP + 4

    def sizeHint(self) -> QSize:
        """Return the size at a usual width."""
        width = max(self.width(), 30 * UNIT) if self.isVisible() else 30 * UNIT
        return QSize(30 * UNIT, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the size of one line."""
        return QSize(12 * UNIT, self._line_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the tiles."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for position in range(len(self._tiles)):
            place = self.tile(position)
            if place.intersects(event.rect()):
                self._draw_tile(painter, position, QRectF(place))
        if self._ring and self.hasFocus():
            painting.focus_ring(painter, self.viewport().rect())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._flows.clear()
            self._lay_out()
            self.updateGeometry()

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer a request for a tool tip, and notice that the mouse has left."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tool_tip.show(self._tip_at(QPointF(event.pos())), event.globalPos(), self)
            return True
        if event.type() == QEvent.Type.Leave:
            self._set_hovered(-1)
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which token is under the mouse."""
        self._set_hovered(self._position_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the token that was clicked."""
        position = self._position_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and position >= 0:
            self.clicked.emit(position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the token beside the pinned one."""
        key = Qt.Key(event.key())
        if not self._labels or key not in (*_STEPS, Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
            return
        self._ring = True
        last = len(self._labels) - 1
        if self._pinned is None:
            self.clicked.emit(last)
        elif key in _STEPS:
            self.clicked.emit(min(max(self._pinned + _STEPS[key], 0), last))
        else:
            self.clicked.emit(self._on_other_line(-1 if key == Qt.Key.Key_Up else 1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        self._ring = painting.came_by_keyboard(event.reason())
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self.viewport().update()

    def _draw_tile(self, painter: QPainter, position: int, tile: QRectF) -> None:
        theme = palette.theme()
        pinned = position == self._pinned
        inner = tile.adjusted(0.5, 0.5, -0.5, -0.5)
        ground: QColor | None
        if self._values is None:
            ground = QColor(theme.accent_ground if pinned else theme.card)
            text, edge = QColor(theme.accent if pinned else theme.text), theme.line
        elif (ground := self._grounds[position]) is not None:
            text, edge = ink(ground), theme.line
        else:
            ground = QColor(theme.masked)
            text, edge = QColor(theme.muted), theme.masked
        framed = pinned or position == self._hovered
        painter.setPen(painting.pen(theme.accent if framed else edge, 2 if pinned else 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(inner, RADIUS / 2, RADIUS / 2)
        painter.setPen(text)
        painter.setFont(palette.token_font())
        shown = painter.fontMetrics().elidedText(
            self._labels[position], Qt.TextElideMode.ElideRight, int(tile.width()) - 2 * _PAD + 2
        )
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(tile, flags, shown)

    def _lay_out(self) -> None:
        # Decided from the whole width: the bar takes room, so what it leaves must not decide.
        tiles = self._flow(self.width())
        scrolls = bool(tiles) and tiles[-1].bottom() >= self.height()
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff
        )
        self._tiles = self._flow(self.viewport().width()) if scrolls else tiles
        height = self._tiles[-1].bottom() + 2 if self._tiles else 0
        page = self.viewport().height()
        self.verticalScrollBar().setRange(0, max(0, height - page))
        self.verticalScrollBar().setPageStep(page)
        self.verticalScrollBar().setSingleStep(self._line_height())
        self.viewport().update()

    def _flow(self, width: int) -> list[QRect]:
        if width not in self._flows:
            self._flows[width] = self._flowed(width)
        return self._flows[width]

    def _flowed(self, width: int) -> list[QRect]:
        metrics = QFontMetrics(palette.token_font())
        height = self._line_height() - _GAP
        left, top, tiles = 1, 1, []
        for label in self._labels:
            wide = min(metrics.horizontalAdvance(label) + 2 * _PAD, max(width - 2, height))
            if left > 1 and left + wide > width - 1:
                left, top = 1, top + height + _GAP
            tiles.append(QRect(left, top, wide, height))
            left += wide + _GAP
        return tiles

    def _line_height(self) -> int:
        return QFontMetrics(palette.token_font()).height() + UNIT // 2 + 2 + _GAP

    def _lines(self, tiles: list[QRect]) -> int:
        return len({tile.top() for tile in tiles})

    def _on_other_line(self, step: int) -> int:
        """Return the token above or below the pinned one, the nearest across."""
        pinned = self._pinned or 0
        here = self._tiles[pinned]
        wanted = here.top() + step * self._line_height()
        line = [i for i, tile in enumerate(self._tiles) if tile.top() == wanted]
        middle = here.center().x()
        return min(line, key=lambda i: abs(self._tiles[i].center().x() - middle), default=pinned)

    def _show_position(self, position: int | None) -> None:
        if position is None or position >= len(self._tiles):
            return
        tile, bar = self._tiles[position], self.verticalScrollBar()
        if tile.top() < bar.value():
            bar.setValue(tile.top() - 1)
        elif tile.bottom() > bar.value() + self.viewport().height():
            bar.setValue(tile.bottom() + 2 - self.viewport().height())

    def _position_at(self, point: QPointF) -> int:
        place = point.toPoint()
        place.setY(place.y() + self.verticalScrollBar().value())
        return next((i for i, tile in enumerate(self._tiles) if tile.contains(place)), -1)

    def _set_hovered(self, position: int) -> None:
        if position != self._hovered:
            self._hovered = position
            self.hovered.emit(position)
            self.viewport().update()

    def _tip_at(self, point: QPointF) -> str:
        position = self._position_at(point)
        if position < 0:
            return ""
        lines = [self._labels[position], f"position {position}, id {self._ids[position]}"]
        if self._values is not None and np.isfinite(self._values[position]):
            lines.append(fixed(float(self._values[position]), 3))
        return "\n".join(lines)
