"""What lies at a place of a sheet of matrices."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from gui.style.palette import units
from gui.style.theme import UNIT
from gui.widgets import matrix_list_painting
from gui.widgets.cells import picture
from gui.widgets.matrix_list_painting import Entry, Placed, lay_out
from gui.widgets.painting import ARROWS, PaintedScroll


class SheetCell(NamedTuple):
    """One cell: which entry, which row and which column."""

    entry: int
    row: int
    column: int


def cell_at(placed: Sequence[Placed], at: QPointF) -> SheetCell | None:
    """Return the cell at a place of the sheet."""
    for number, one in enumerate(placed):
        if one.box.contains(at):
            row, column = one.matrix.grid.at(at)
            return SheetCell(number, row, column) if row >= 0 and column >= 0 else None
    return None


def label_at(placed: Sequence[Placed], at: QPointF) -> str:
    """Return the whole label beside a row or below a column at a place of the sheet."""
    one = next((one for one in placed if one.box.contains(at)), None)
    return "" if one is None else _label_at(one, at)


def entry_below(placed: Sequence[Placed], height: float) -> int:
    """Return the entry that is at the top where so many pixels are scrolled away."""
    tops = [one.box.top() for one in placed]
    return max(bisect_right(tops, height + 2 * UNIT) - 1, 0)


def _label_at(placed: Placed, at: QPointF) -> str:
    grid, labels = placed.matrix.grid, placed.entry.grid.labels
    row, column = grid.at(at)
    if row >= 0 and at.x() < grid.bounds.left():
        return labels[0][row]
    below = grid.bounds.bottom()
    if column >= 0 and below < at.y() < below + placed.matrix.column_room + UNIT:
        return labels[1][column]
    return ""


_PAGES = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}


class MatrixSheet(PaintedScroll[SheetCell]):
    """A click or an arrow key asks for a cell by `clicked`; Page Up and Down change the matrix."""

    keys = "Arrow keys move, Page Up and Page Down go to another matrix."
    clicked = Signal(object)
    """SheetCell that a click or an arrow key asks for."""
    hovered = Signal(object)
    """SheetCell under the mouse, none when it has left."""
    part_shown = Signal(str)
    """Heading of the part that is at the top now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Matrices", parent)
        self._entries: Sequence[Entry] = ()
        self._placed: list[Placed] = []
        self._pictures: dict[int, QPixmap] = {}
        self._describe: Callable[[SheetCell], str] | None = None
        self._current: SheetCell | None = None
        self._part = ""
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show matrices from above; what is at the top stays there if they are as before."""
        self._entries = tuple(entries)
        self.pointed = None
        if self._current is not None and not self._holds(self._current):
            self._current = None
        self.lay_out()

    def set_describe(self, describe: Callable[[SheetCell], str]) -> None:
        """Say what the tool tip of a cell says, as plain text."""
        self._describe = describe

    def set_current(self, cell: SheetCell | None) -> None:
        """Frame a cell: the one that is read out, from which arrow keys go on."""
        self._current = cell if cell is not None and self._holds(cell) else None
        if self.hasFocus():
            self.tell()
        self.viewport().update()

    def show_part(self, heading: str) -> None:
        """Scroll to where a part begins."""
        for placed in self._placed:
            if placed.entry.part == heading:
                self.verticalScrollBar().setValue(int(placed.box.top()))
                return

    def show_entry(self, number: int) -> None:
        """Scroll until a matrix is seen, with as much of its words as there is room for."""
        self.bring_into_sight(self._placed[number].box)

    def cell_rect(self, cell: SheetCell) -> QRectF:
        """Return where a cell is drawn, in pixels of the viewport."""
        grid = self._placed[cell.entry].matrix.grid
        return grid.cell(cell.row, cell.column).translated(0, -self.scrolled())

    def placed(self) -> list[Placed]:
        """Return where everything lies, in pixels of the whole sheet."""
        return self._placed

    def thing_at(self, point: QPointF) -> SheetCell | None:
        """Return the cell at a place of the viewport."""
        return cell_at(self._placed, self.on_page(point))

    def tip_at(self, point: QPointF) -> str:
        """Return the description of a cell, or a whole label."""
        cell = self.thing_at(point)
        if cell is not None:
            return self._describe(cell) if self._describe is not None else ""
        return label_at(self._placed, self.on_page(point))

    def marked(self) -> str:
        """Return the current cell in words."""
        if self._current is None or self._describe is None:
            return ""
        return self._describe(self._current)

    def ask_for(self, thing: SheetCell) -> None:
        """Ask for the cell that was clicked."""
        self.set_current(thing)
        self.clicked.emit(thing)

    def point_at(self, thing: SheetCell | None) -> None:
        """Say which cell is under the mouse, and that the mouse has left."""
        before = self.pointed
        super().point_at(thing)
        if thing != before:
            self.hovered.emit(thing)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which a small matrix can be read."""
        return units(24, 20)

    def sizeHint(self) -> QSize:
        """Return a size for a few steps."""
        return units(60, 70)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        self._fit_ratio(painter.deviceTransform().m11())
        painter.save()
        painter.translate(0, -self.scrolled())
        seen = QRectF(event.rect()).translated(0, self.scrolled())
        for number, placed in enumerate(self._placed):
            if placed.box.adjusted(0, -UNIT, 0, UNIT).intersects(seen):
                matrix_list_painting.draw_words(painter, placed)
                pointed = self._in(number, self.pointed) or self._in(number, self._current)
                matrix_list_painting.draw_matrix(painter, placed, self._picture(number), pointed)
        painter.restore()
        self.draw_ring(painter)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the matrices anew in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._pictures.clear()
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the cell beside the current one, or for one of the next matrix."""
        key = Qt.Key(event.key())
        if not self._placed or key not in (*ARROWS, *_PAGES):
            super().keyPressEvent(event)
            return
        self.show_ring()
        now = self._current or SheetCell(self._at_top(), *self._start(self._at_top()))
        if key in _PAGES:
            number = min(max(now.entry + _PAGES[key], 0), len(self._placed) - 1)
            cell = SheetCell(number, *self._start(number))
        else:
            shown = self._entries[now.entry].grid
            cell = SheetCell(now.entry, *shown.beside((now.row, now.column), ARROWS[key]))
        self.show_entry(cell.entry)
        self.ask_for(cell)

    def _start(self, number: int) -> tuple[int, int]:
        row, column = self._entries[number].marked
        return row or 0, column or 0

    def _holds(self, cell: SheetCell) -> bool:
        if cell.entry >= len(self._entries):
            return False
        rows, columns = self._entries[cell.entry].grid.values.shape
        return bool(cell.row < rows and cell.column < columns)

    def _in(self, number: int, cell: SheetCell | None) -> tuple[int, int] | None:
        return (cell.row, cell.column) if cell is not None and cell.entry == number else None

    def _picture(self, number: int) -> QPixmap:
        if number not in self._pictures:
            placed = self._placed[number]
            shown = placed.entry.grid
            self._pictures[number] = picture(
                shown.values, shown.mask, shown.colouring, placed.matrix.grid
            )
        return self._pictures[number]

    def _at_top(self) -> int:
        """Return the entry at the top of what is seen."""
        return entry_below(self._placed, self.scrolled())

    def _fit_ratio(self, ratio: float) -> None:
        # A picture at another scale than the screen's has edges of its own.
        if self._placed and self._placed[0].matrix.grid.ratio != ratio:
            at = self.scrolled()
            self.lay_out(ratio)
            self.verticalScrollBar().setValue(at)

    def lay_out(self, ratio: float | None = None) -> None:
        """Place the matrices from above; what is at the top stays there."""
        bar = self.verticalScrollBar()
        top = self._at_top() if self._placed else 0
        into = bar.value() - self._placed[top].box.top() if self._placed else 0.0
        self._pictures.clear()
        width = self.viewport().width() - UNIT / 2
        self._placed = lay_out(self._entries, width, ratio or self.devicePixelRatioF())
        height = self._placed[-1].box.bottom() + UNIT if self._placed else 0.0
        self.set_extent(height)
        if top < len(self._placed):
            bar.setValue(int(self._placed[top].box.top() + into))
        self._on_scrolled()
        self.viewport().update()

    def _on_scrolled(self) -> None:
        if not self._placed:
            return
        self.point_at(None)  # another cell has come under the mouse, which has not moved
        part = self._placed[self._at_top()].entry.part
        bar = self.verticalScrollBar()
        if bar.maximum() and bar.value() == bar.maximum():
            part = self._placed[-1].entry.part
        if part != self._part:
            self._part = part
            self.part_shown.emit(part)
