"""What is drawn over and around the image of a cell map: texts, lines, frames, labels, bars."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui import palette
from gui.numbers import fixed
from gui.theme import LIGHT, UNIT
from gui.widgets import axis_labels, painting
from gui.widgets.axis_labels import Placed
from gui.widgets.cell_map_layout import CellMapLayout, Cells
from gui.widgets.cell_numbers import decimals_that_fit
from gui.widgets.colouring import ink

_LINES_FROM = 7.0
_FRAMED_FROM = 4.0
_GROUP_GAP = 3
_PAD = 3.0


def draw_lines(painter: QPainter, layout: CellMapLayout, cells: Cells) -> None:
    """Draw thin lines between large cells, and gaps between groups of rows."""
    grid, theme = layout.grid, palette.theme()
    thin = max(1, round(grid.ratio)) / grid.ratio
    bounds = grid.bounds
    line = QColor(theme.masked)
    if grid.pitch >= _LINES_FROM:
        for top, _ in grid.row_spans()[1:]:
            painter.fillRect(QRectF(bounds.left(), top, bounds.width(), thin), line)
    if bounds.width() / layout.shown[1] >= _LINES_FROM:
        for left, _ in grid.column_spans()[1:]:
            painter.fillRect(QRectF(left, bounds.top(), thin, bounds.height()), line)
    spans = grid.row_spans()
    left = layout.beside[0][0] if layout.beside else bounds.left()
    for row in cells.breaks:
        place = row - layout.first[0]
        if 0 < place < len(spans):
            gap = QRectF(left, spans[place][0] - 1, bounds.right() - left, _GROUP_GAP)
            painter.fillRect(gap, QColor(theme.card))
            painter.fillRect(gap.adjusted(0, 1, 0, -1), QColor(theme.muted))


def draw_texts(painter: QPainter, layout: CellMapLayout, cells: Cells) -> None:
    """Print what is in the cells, in ink that can be read on them."""
    rows, columns = layout.rows, layout.columns
    values = cells.values[rows, columns]
    wide = layout.grid.bounds.width() / layout.shown[1]
    font = palette.token_font(small=True) if cells.texts else palette.ui_font(small=True)
    metrics = QFontMetricsF(font)
    if layout.grid.pitch < metrics.height():
        return
    decimals = None
    if cells.texts is None:
        # One number of decimals for the whole map, or it would change while it is scrolled.
        decimals = decimals_that_fit(cells.values, wide - _PAD, metrics)
        if decimals is None:
            return
    painter.setFont(font)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
    for row in range(layout.shown[0]):
        for column in range(layout.shown[1]):
            value = float(values[row, column])
            if value != value:
                continue
            if cells.texts is not None:
                label = cells.texts[rows.start + row][columns.start + column]
                text = metrics.elidedText(label, Qt.TextElideMode.ElideRight, wide - 2 * _PAD)
            else:
                text = fixed(value, decimals or 0)
            quiet = cells.texts is None and not text.strip("0.")
            painter.setPen(ink(cells.colouring.colour(value), quiet=quiet))
            painter.drawText(layout.grid.cell(row, column), flags, text)


def draw_beside(painter: QPainter, layout: CellMapLayout, cells: Cells) -> None:
    """Draw the small columns: a bar of each row's number with the number on it, and the title."""
    theme, grid = palette.theme(), layout.grid
    font = palette.ui_font(small=True)
    painter.setFont(font)
    flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    height = QFontMetricsF(font).height()
    for (left, right), item in zip(layout.beside, cells.beside, strict=True):
        for (top, bottom), value in zip(
            grid.row_spans(), item.values[layout.rows].tolist(), strict=True
        ):
            share = min(max(value, 0.0), 1.0) if value == value else 0.0
            bar = QRectF(left, top + 2, share * (right - left), bottom - top - 4)
            painter.fillRect(bar, QColor(theme.line))
            painter.setPen(QColor(theme.text if share >= 0.1 else theme.muted))
            box = QRectF(left, top, right - left - 2, bottom - top)
            painter.drawText(box, flags | Qt.TextFlag.TextSingleLine, fixed(value, 2))
        painter.setPen(QColor(theme.muted))
        middle = (left + right) / 2
        title = QRectF(middle - height / 2, 0, height, grid.bounds.top() - UNIT / 2)
        painting.rotated_text(painter, title, Qt.AlignmentFlag.AlignLeft, item.title)


def draw_frames(
    painter: QPainter,
    layout: CellMapLayout,
    marked: tuple[int, int],
    hovered: tuple[int, int],
    *,
    crossing: bool,
) -> None:
    """Frame the marked row and column, or only the cell where they cross, and the hovered cell."""
    grid, spans = layout.grid, (layout.rows, layout.columns)
    row, column = (_inside(place, span) for place, span in zip(marked, spans, strict=True))
    at, under = (_inside(place, span) for place, span in zip(hovered, spans, strict=True))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if min(at, under) >= 0 and min(grid.cell(at, under).width(), grid.pitch) >= _FRAMED_FROM:
        painter.setPen(painting.pen(LIGHT.muted))
        painter.drawRect(grid.cell(at, under).adjusted(0.5, 0.5, -0.5, -0.5))
    if crossing:
        if min(row, column) >= 0:
            # A thin line of card inside, or the frame would drown in a dark cell.
            painter.setPen(painting.pen(palette.theme().card))
            painter.drawRect(grid.cell(row, column).adjusted(1.5, 1.5, -1.5, -1.5))
            painter.setPen(painting.pen(palette.theme().accent, 2))
            painter.drawRect(grid.cell(row, column))
        return
    for place, box, thin in (
        (column, grid.column, grid.bounds.width() / layout.shown[1] < _LINES_FROM),
        (row, grid.row, grid.pitch < _LINES_FROM),
    ):
        if place >= 0:
            out = 0.5 if thin else 0.0
            painter.setPen(painting.pen(palette.theme().accent, 1.0 if thin else 2.0))
            painter.drawRect(box(place).adjusted(-out, -out, out, out))


def draw_labels(
    painter: QPainter,
    layout: CellMapLayout,
    cells: Cells,
    marked: tuple[int, int],
    hovered: tuple[int, int],
) -> None:
    """Name the rows in sight at their left and the columns above them; marked ones in accent."""
    theme, grid = palette.theme(), layout.grid
    spans = (layout.rows, layout.columns)
    firsts = [
        [at for at in dict.fromkeys((_inside(one, span), _inside(two, span))) if at >= 0]
        for one, two, span in zip(marked, hovered, spans, strict=True)
    ]
    for across, (labels, font, span) in enumerate(
        (
            (cells.row_labels, cells.row_font, spans[0]),
            (cells.column_labels, cells.column_font, spans[1]),
        )
    ):
        metrics, mark = QFontMetricsF(font), _inside(marked[across], span)
        shown = labels[span]
        placed: Iterable[Placed]
        if not across:
            placed = axis_labels.beside_rows(
                shown, grid.row_spans(), layout.row_right, layout.row_room, metrics, firsts[0]
            )
        else:
            room = grid.bounds.top() - UNIT / 2
            below = axis_labels.below_columns(
                shown, grid.column_spans(), 0.0, room, metrics, layout.turn, firsts[1]
            )
            placed = [_above(label, grid.bounds.top() - UNIT / 4) for label in below]
        turn = layout.turn if across else "across"
        axis_labels.draw(painter, list(placed), turn, font, theme.text, (mark,), theme.accent)


def _above(label: Placed, bottom: float) -> Placed:
    box = QRectF(label.box)
    box.moveBottom(bottom)
    return Placed(label.index, label.text, box)


def _inside(place: int, span: slice) -> int:
    """Return where a row or a column is among those in sight, -1 where it is not."""
    return place - span.start if span.start <= place < span.stop else -1
