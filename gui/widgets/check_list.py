"""A list of checks: of each its mark, its claim, its bar, and what lies behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.style import palette
from gui.style.theme import RADIUS, UNIT
from gui.widgets import painting
from gui.widgets.painting import PaintedScroll
from gui.widgets.text import Paragraph, TextBlock

Outcome = Literal["passed", "failed", "undefined"]
MARKS: dict[Outcome, str] = {"passed": "✓", "failed": "✗", "undefined": "–"}
BELOW, ABOVE = 6.0, 2.0
"""Powers of ten that the bar shows below and above the limit."""
_ARROW, _MARK, _BAR = 1.5 * UNIT, 4 * UNIT, 9 * UNIT
"""Where the arrow ends, where the mark does, and how wide the bar is."""
_PAD = UNIT * 0.75
_BESIDE_FROM = 440
"""The bar stands beside the claim from this width on, below it before that."""


@dataclass(frozen=True)
class Check:
    """One line of the list.

    Attributes
    ----------
    outcome
        Whether it passed.
    claim
        What is checked.
    measure
        How far off it was, in words.
    share
        What was measured over what is allowed; `None` where nothing was.
    details
        What is shown when the line is open.
    """

    outcome: Outcome
    claim: str
    measure: str
    share: float | None
    details: tuple[Paragraph, ...]


def bar_share(share: float) -> float:
    """Return how much of the bar is filled: powers of ten, from BELOW the limit to ABOVE it."""
    if share <= 0:
        return 0.0
    return min(max((log10(share) + BELOW) / (BELOW + ABOVE), 0.0), 1.0)


class _Line:
    """A check as it lies below a height of the list, its texts below one another.

    Parameters
    ----------
    check
        What it shows.
    opened
        Whether its details are shown.
    top, width
        Where it begins, and how wide the list is, in pixels.
    """

    def __init__(self, check: Check, opened: bool, top: float, width: float) -> None:
        self._check, self._opened = check, opened
        self._left = float(palette.scaled(_MARK))
        beside = width >= palette.scaled(_BESIDE_FROM)
        right = width - palette.scaled(_BAR) - UNIT
        room = (right - UNIT if beside else width - UNIT) - self._left
        self._texts: list[tuple[TextBlock, float]] = []
        self._top = bottom = top + _PAD
        for paragraph in (Paragraph(check.claim), Paragraph(check.measure, "small")):
            self._texts.append((TextBlock([paragraph], room), bottom))
            bottom += self._texts[-1][0].height + 2
        bottom -= 2
        self.bar: QRectF | None = None
        if check.share is not None:
            middle = self._top + UNIT if beside else bottom + UNIT
            left = right if beside else self._left
            self.bar = QRectF(left, middle - UNIT / 2, palette.scaled(_BAR), UNIT)
            bottom = max(bottom, self.bar.bottom())
        if opened:
            details = TextBlock(check.details, width - self._left - UNIT)
            self._texts.append((details, bottom + UNIT / 2))
            bottom += UNIT / 2 + details.height
        self.box = QRectF(0, top, width, bottom + _PAD - top)

    def draw(self, painter: QPainter, *, framed: bool) -> None:
        """Draw it, in a frame where it is pointed at or the keyboard is there."""
        theme, failed = palette.theme(), self._check.outcome == "failed"
        colours = {"passed": theme.good, "failed": theme.bad, "undefined": theme.muted}
        colour = colours[self._check.outcome]
        if framed or failed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.bad_ground if failed else theme.field))
            painter.drawRoundedRect(self.box, RADIUS, RADIUS)
        if framed:
            painter.setPen(painting.pen(theme.line))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inner = self.box.adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(inner, RADIUS, RADIUS)
        painter.setFont(palette.ui_font(bold=True))
        painter.setPen(QColor(colour))
        start, height = palette.scaled(_ARROW), QFontMetricsF(painter.font()).height()
        mark = QRectF(start, self._top, self._left - start, height)
        painter.drawText(mark, Qt.AlignmentFlag.AlignCenter, MARKS[self._check.outcome])
        self._draw_arrow(painter, QPointF(UNIT, mark.center().y()))
        for text, top in self._texts:
            text.draw(painter, QPointF(self._left, top))
        if self.bar is not None and self._check.share is not None:
            _draw_bar(painter, self.bar, self._check.share, colour)

    def _draw_arrow(self, painter: QPainter, at: QPointF) -> None:
        """Point right where something is hidden, and down where it is shown."""
        painter.setPen(painting.pen(palette.theme().muted, 1.5))
        half = UNIT * 0.4
        points = [(-half / 2, -half), (half / 2, 0.0), (-half / 2, half)]
        corners = [QPointF(*(point[::-1] if self._opened else point)) + at for point in points]
        painter.drawPolyline(corners)


def _draw_bar(painter: QPainter, bar: QRectF, share: float, colour: str) -> None:
    theme = palette.theme()
    painter.setPen(painting.pen(theme.line))
    painter.setBrush(QColor(theme.card))
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
    filled = QRectF(bar)
    filled.setWidth(bar.width() * bar_share(share))
    painter.fillRect(filled, QColor(colour))
    limit = bar.left() + bar.width() * BELOW / (BELOW + ABOVE)
    painter.setPen(painting.pen(theme.text, 2))
    painter.drawLine(QPointF(limit, bar.top() - 2), QPointF(limit, bar.bottom() + 2))


class CheckList(PaintedScroll[int]):
    """A click, Enter or Space opens a line and closes it again; the arrow keys move."""

    keys = "Up and Down move, Enter opens a line and closes it."
    usual, least = (40, 50), (24, 12)
    toggled = Signal(int)
    """Line that was opened or closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Checks", parent)
        self._checks: Sequence[Check] = ()
        self._open: set[str] = set()
        self._current: int | None = None
        self._placed: list[_Line] = []

    def set_checks(self, checks: Sequence[Check]) -> None:
        """Show checks from above; those of the same claim stay open."""
        self._checks = tuple(checks)
        self.hovered_item = None
        self._current = None if self._current is None else min(self._current, len(checks) - 1)
        self.lay_out()

    def checks(self) -> Sequence[Check]:
        """Return what is shown, from above."""
        return self._checks

    def is_open(self, line: int) -> bool:
        """Return whether what lies behind a line is shown."""
        return self._checks[line].claim in self._open

    def toggle(self, line: int) -> None:
        """Open a line, or close it again."""
        self._open ^= {self._checks[line].claim}
        self._current = line
        self.lay_out()
        self.bring_into_sight(self._placed[line].box)
        self.update_accessible_text()
        self.toggled.emit(line)

    def line_rect(self, line: int) -> QRectF:
        """Return where a line is drawn, in pixels of the viewport."""
        return self._placed[line].box.translated(0, -self.scrolled())

    def item_at(self, point: QPointF) -> int | None:
        """Return the line at a place of the viewport."""
        at = self.on_page(point)
        boxes = (placed.box for placed in self._placed)
        lines = (n for n, box in enumerate(boxes) if box.contains(at) and not self._cut(box))
        return next(lines, None)

    def tip_at(self, point: QPointF) -> str:
        """Say what a click does, and what the bar means."""
        line = self.item_at(point)
        if line is None:
            return ""
        bar, at = self._placed[line].bar, self.on_page(point)
        if bar is not None and bar.contains(at):
            return (
                f"How far off it was, in powers of ten from {BELOW:.0f} below the tolerance; "
                "the line is the tolerance"
            )
        does = "Hide" if self.is_open(line) else "Show"
        return f"{does} what is compared and what was measured"

    def activate(self, thing: int) -> None:
        """Open or close the line that was clicked."""
        self.toggle(thing)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.translate(0, -self.scrolled())
        seen = QRectF(event.rect()).translated(0, self.scrolled())
        for line, placed in enumerate(self._placed):
            if placed.box.intersects(seen) and not self._cut(placed.box):
                framed = line == self.hovered_item or (line == self._current and self.hasFocus())
                placed.draw(painter, framed=framed)
        painter.restore()
        self.draw_ring(painter)
        painter.end()

    def _cut(self, box: QRectF) -> bool:
        """Return whether an edge of what is seen would cut a line that fits in whole."""
        seen = QRectF(0, self.scrolled(), box.width(), self.viewport().height())
        inside = box.top() >= seen.top() and box.bottom() <= seen.bottom() + 1
        return not inside and box.height() <= seen.height() / 2

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to another line, or open the current one."""
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        key = Qt.Key(event.key())
        if not self._checks:
            super().keyPressEvent(event)
        elif key in steps:
            now = -1 if self._current is None else self._current
            self._current = min(max(now + steps[key], 0), len(self._checks) - 1)
            self.show_ring()
            self.bring_into_sight(self._placed[self._current].box)
            self.update_accessible_text()
            self.viewport().update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.show_ring()
            self.toggle(self._current or 0)
        else:
            super().keyPressEvent(event)

    def marked(self) -> str:
        """Return the current line in words."""
        if self._current is None or not 0 <= self._current < len(self._checks):
            return ""
        check = self._checks[self._current]
        return f"{check.outcome}: {check.claim}. {check.measure}"

    def lay_out(self) -> None:
        """Place the lines from above."""
        width = self.viewport().width() - 1.0
        self._placed = []
        top = 0.0
        for line, check in enumerate(self._checks):
            self._placed.append(_Line(check, self.is_open(line), top, width))
            top = self._placed[-1].box.bottom() + UNIT / 4
        self.set_extent(top)
        self.viewport().update()
