"""Checks in a list: passed or not, how close it was, and on a click what lies behind it."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.palette import units
from gui.theme import UNIT
from gui.widgets import check_line
from gui.widgets.check_line import BELOW, Check, Line
from gui.widgets.painted_scroll import PaintedScroll


class CheckList(PaintedScroll[int]):
    """A click, Enter or Space opens a line and closes it again; the arrow keys move."""

    keys = "Up and Down move, Enter opens a line and closes it."
    toggled = Signal(int)
    """Line that was opened or closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Checks", parent)
        self._checks: Sequence[Check] = ()
        self._open: set[str] = set()
        self._current: int | None = None
        self._placed: list[Line] = []

    def set_checks(self, checks: Sequence[Check]) -> None:
        """Show checks from above; those of the same claim stay open."""
        self._checks = tuple(checks)
        self.pointed = None
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
        self.tell()
        self.toggled.emit(line)

    def line_rect(self, line: int) -> QRectF:
        """Return where a line is drawn, in pixels of the viewport."""
        return self._placed[line].box.translated(0, -self.scrolled())

    def thing_at(self, point: QPointF) -> int | None:
        """Return the line at a place of the viewport."""
        at = self.on_page(point)
        boxes = (placed.box for placed in self._placed)
        lines = (n for n, box in enumerate(boxes) if box.contains(at) and not self._cut(box))
        return next(lines, None)

    def tip_at(self, point: QPointF) -> str:
        """Say what a click does, and what the bar means."""
        line = self.thing_at(point)
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

    def ask_for(self, thing: int) -> None:
        """Open or close the line that was clicked."""
        self.toggle(thing)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a line can be read."""
        return units(24, 12)

    def sizeHint(self) -> QSize:
        """Return a size for a few lines."""
        return units(40, 50)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.translate(0, -self.scrolled())
        seen = QRectF(event.rect()).translated(0, self.scrolled())
        for line, placed in enumerate(self._placed):
            if placed.box.intersects(seen) and not self._cut(placed.box):
                framed = line == self.pointed or (line == self._current and self.hasFocus())
                check_line.draw(painter, self._checks[line], placed, framed=framed)
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
            self.tell()
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
            self._placed.append(check_line.place(check, self.is_open(line), top, width))
            top = self._placed[-1].box.bottom() + UNIT / 4
        self.set_extent(top)
        self.viewport().update()
