"""A prompt as a strip of tokens, each on its own tile, coloured by a number if there is one."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.style import palette
from gui.style.formatting import fixed
from gui.style.theme import RADIUS, UNIT
from gui.widgets import painting
from gui.widgets.cells import Colouring, Colours, ink
from gui.widgets.painting import ALONG, PaintedScroll

_GAP = UNIT // 2
_PAD = UNIT // 2 + 1
_MOST_WIDTHS = 8
"""Widths whose tiles are remembered: layouts ask for a few, again and again."""


class TokenStrip(PaintedScroll[int]):
    """Tokens that wrap like text and scroll by whole lines when there are too many of them.

    A click, or an arrow key, asks for a token by `clicked`; who listens pins it.
    """

    clicked = Signal(int)
    """Position that a click or an arrow key asks for."""

    def __init__(self, parent: QWidget | None = None, *, max_lines: int = 6) -> None:
        super().__init__("Tokens of the prompt", parent)
        self._max_lines = max_lines
        self._labels: Sequence[str] = ()
        self._ids: Sequence[int] = ()
        self._pieces: frozenset[int] = frozenset()
        self._special: frozenset[int] = frozenset()
        self._values: npt.NDArray[np.floating] | None = None
        self._grounds: list[QColor | None] = []
        self._pinned: int | None = None
        self._tiles: list[QRect] = []
        self._flows: dict[int, list[QRect]] = {}  # by width
        self._pitch = 0  # of lines; every tile asks
        self.verticalScrollBar().setSingleStep(1)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_tokens(
        self,
        labels: Sequence[str],
        ids: Sequence[int],
        pieces: Collection[int] = (),
        special: Iterable[int] = (),
    ) -> None:
        """Show tokens by their labels, as they are; ids are told in the tool tip.

        Those whose ids are in `pieces` are bytes of a character: they are muted. Those at the
        positions in `special` are control tokens: slanted, in a dashed frame.
        """
        self._values, self.hovered_item = None, None
        self._ids, self._pieces = tuple(map(int, ids)), frozenset(pieces)
        shown = tuple(labels), frozenset(map(int, special))
        if shown != (self._labels, self._special):
            self._labels, self._special = shown
            self._forget_sizes()
            self.lay_out()
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
        if self.hasFocus():
            self.update_accessible_text()
        self.viewport().update()

    def tile(self, position: int) -> QRect:
        """Return where a token is drawn, in pixels of the viewport."""
        return self._tiles[position].translated(0, -self.scrolled())

    def item_at(self, point: QPointF) -> int | None:
        """Return the position of the token at a place of the viewport."""
        place = self.on_page(point).toPoint()
        there = (i for i, tile in enumerate(self._tiles) if tile.contains(place))
        return next((i for i in there if self._in_sight(i)), None)

    def tip_at(self, point: QPointF) -> str:
        """Return a token, its position, id and number."""
        position = self.item_at(point)
        return "" if position is None else self._say(position)

    def marked(self) -> str:
        """Return the pinned token in words."""
        return "" if self._pinned is None else self._say(self._pinned)

    def _say(self, position: int) -> str:
        token = painting.of_token(self._labels[position], self._is_piece(position))
        known = f"id {self._ids[position]}"
        if position in self._special:
            known = f"special token, {known}"
        lines = [token, f"position {position}, {known}"]
        if self._values is not None and np.isfinite(self._values[position]):
            lines.append(fixed(float(self._values[position]), 3))
        return "\n".join(lines)

    def activate(self, thing: int) -> None:
        """Ask for the token that was clicked."""
        self.clicked.emit(thing)

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
        seen = event.rect().translated(0, self.scrolled())
        for position, tile in enumerate(self._tiles):
            if tile.intersects(seen) and self._in_sight(position):
                self._draw_tile(painter, position, QRectF(self.tile(position)))
        self.draw_ring(painter)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._forget_sizes()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the token beside the pinned one."""
        key = Qt.Key(event.key())
        if not self._labels or key not in (*ALONG, Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
            return
        self.show_ring()
        last = len(self._labels) - 1
        if self._pinned is None:
            self.clicked.emit(last)
        elif key in ALONG:
            self.clicked.emit(min(max(self._pinned + ALONG[key], 0), last))
        else:
            self.clicked.emit(self._on_other_line(self._pinned, -1 if key == Qt.Key.Key_Up else 1))

    def _draw_tile(self, painter: QPainter, position: int, tile: QRectF) -> None:
        theme = palette.theme()
        pinned = position == self._pinned
        inner = tile.adjusted(0.5, 0.5, -0.5, -0.5)
        ground: QColor | None
        if self._values is None:
            ground = QColor(theme.accent_ground if pinned else theme.card)
            plain = theme.muted if self._is_piece(position) else theme.text
            text, edge = QColor(theme.accent if pinned else plain), theme.line
        elif (ground := self._grounds[position]) is not None:
            text, edge = ink(ground, quiet=self._is_piece(position)), theme.line
        else:
            ground = QColor(theme.masked)
            text, edge = QColor(theme.muted), theme.masked
        framed = pinned or position == self.hovered_item
        special = position in self._special
        frame = painting.pen(theme.accent if framed else edge, 2 if pinned else 1)
        if special:
            frame.setStyle(Qt.PenStyle.DashLine)
            frame.setColor(QColor(theme.accent if framed else theme.muted))
        painter.setPen(frame)
        painter.setBrush(ground)
        painter.drawRoundedRect(inner, RADIUS / 2, RADIUS / 2)
        painter.setPen(text)
        painter.setFont(_font(special=special))
        shown = painter.fontMetrics().elidedText(
            self._labels[position], Qt.TextElideMode.ElideRight, int(tile.width()) - 2 * _PAD + 2
        )
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(tile, flags, shown)

    def _is_piece(self, position: int) -> bool:
        return self._ids[position] in self._pieces

    def _forget_sizes(self) -> None:
        self._flows.clear()
        self._pitch = 0
        self.updateGeometry()

    def lay_out(self) -> None:
        """Wrap anew, and keep the pinned token in sight."""
        # Decided from the whole width: the bar takes room, so what it leaves must not decide.
        tiles = self._flow(self.width())
        scrolls = bool(tiles) and tiles[-1].bottom() >= self.height()
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff
        )
        self._tiles = self._flow(self.viewport().width()) if scrolls else tiles
        lines, whole = self._lines(self._tiles), self._whole_lines()
        self.verticalScrollBar().setRange(0, max(0, lines - whole))
        self.verticalScrollBar().setPageStep(whole)
        self._show_position(self._pinned)
        self.viewport().update()

    def _flow(self, width: int) -> list[QRect]:
        """Return the tiles at a width."""
        if width in self._flows:
            return self._flows[width]
        if len(self._flows) >= _MOST_WIDTHS:
            self._flows.clear()
        upright, slanted = (QFontMetrics(_font(special=special)) for special in (False, True))
        height = self._line_height() - _GAP
        left, top, tiles = 1, 1, self._flows.setdefault(width, [])
        for position, label in enumerate(self._labels):
            metrics = slanted if position in self._special else upright
            wide = min(metrics.horizontalAdvance(label) + 2 * _PAD, max(width - 2, height))
            if left > 1 and left + wide > width - 1:
                left, top = 1, top + height + _GAP
            tiles.append(QRect(left, top, wide, height))
            left += wide + _GAP
        return tiles

    def _line_height(self) -> int:
        if not self._pitch:
            self._pitch = QFontMetrics(palette.token_font()).height() + UNIT // 2 + 2 + _GAP
        return self._pitch

    def _lines(self, tiles: list[QRect]) -> int:
        return len({tile.top() for tile in tiles})

    def _on_other_line(self, pinned: int, step: int) -> int:
        """Return the token above or below the pinned one, the nearest across."""
        here = self._tiles[pinned]
        wanted = here.top() + step * self._line_height()
        line = [i for i, tile in enumerate(self._tiles) if tile.top() == wanted]
        middle = here.center().x()
        return min(line, key=lambda i: abs(self._tiles[i].center().x() - middle), default=pinned)

    def _whole_lines(self) -> int:
        """Return how many lines have room; none is cut."""
        return max(1, (self.viewport().height() + _GAP - 1) // self._line_height())

    def scrolled(self) -> int:
        """Return how many pixels are above the viewport: the scroll bar counts lines."""
        return self.verticalScrollBar().value() * self._line_height()

    def _in_sight(self, position: int) -> bool:
        tile = self.tile(position)
        return 0 <= tile.top() < self._whole_lines() * self._line_height()

    def _show_position(self, position: int | None) -> None:
        if position is None or position >= len(self._tiles):
            return
        line, bar = self._tiles[position].top() // self._line_height(), self.verticalScrollBar()
        bar.setValue(min(max(bar.value(), line - self._whole_lines() + 1), line))


def _font(*, special: bool) -> QFont:
    font = palette.token_font()
    font.setItalic(special)
    return font
