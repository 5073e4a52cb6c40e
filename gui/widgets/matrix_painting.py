"""Draws what every view of a matrix shows in its cells and around them."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPixmap

from gui.style import palette
from gui.style.formatting import fixed
from gui.style.theme import LIGHT, UNIT
from gui.widgets import matrix_axes, painting
from gui.widgets.cells import GridGeometry
from gui.widgets.matrix import Cell, Labels, Matrix, MatrixLayout
from gui.widgets.matrix_axes import Turn

_LINES_FROM = 7.0
"""Cells of at least so many pixels have lines between them."""
_FRAMED_FROM = 4.0
_GROUP_GAP = 3
_PAD = 3.0
_CENTRE = Qt.AlignmentFlag.AlignCenter
_LINE = Qt.TextFlag.TextSingleLine


def draw_cells(painter: QPainter, shown: Matrix, layout: MatrixLayout, cells: QPixmap) -> None:
    """Draw the image of the cells in sight, and what stands on them."""
    painter.drawPixmap(layout.grid.bounds.topLeft(), cells)
    _draw_lines(painter, layout.grid)
    _draw_breaks(painter, shown, layout)
    _draw_texts(painter, shown, layout)


def draw_rules(
    painter: QPainter,
    grid: GridGeometry,
    rows: Sequence[float],
    columns: Sequence[float],
    thick: float,
    colour: str,
) -> None:
    """Draw lines across the whole grid, that begin at heights, and from top to bottom."""
    bounds, ink = grid.bounds, QColor(colour)
    for left in columns:
        painter.fillRect(QRectF(left, bounds.top(), thick, bounds.height()), ink)
    for top in rows:
        painter.fillRect(QRectF(bounds.left(), top, bounds.width(), thick), ink)


def _draw_lines(painter: QPainter, grid: GridGeometry) -> None:
    """Draw lines between rows and between columns that are large enough to have them."""
    rows, columns = (
        [start for start, _ in spans[1:]] if pitch >= _LINES_FROM else []
        for spans, pitch in (
            (grid.row_spans(), grid.pitch),
            (grid.column_spans(), grid.column_pitch),
        )
    )
    thick = max(1, round(grid.ratio)) / grid.ratio
    draw_rules(painter, grid, rows, columns, thick, palette.theme().masked)


def _draw_breaks(painter: QPainter, shown: Matrix, layout: MatrixLayout) -> None:
    """Draw gaps between groups of rows."""
    theme, bounds, spans = palette.theme(), layout.grid.bounds, layout.grid.row_spans()
    left = layout.bars[0][0] if layout.bars else bounds.left()
    for row in shown.breaks:
        place = row - layout.first[0]
        if 0 < place < len(spans):
            gap = QRectF(left, spans[place][0] - 1, bounds.right() - left, _GROUP_GAP)
            painter.fillRect(gap, QColor(theme.card))
            painter.fillRect(gap.adjusted(0, 1, 0, -1), QColor(theme.muted))


def _draw_texts(painter: QPainter, shown: Matrix, layout: MatrixLayout) -> None:
    """Print texts or numbers in the cells in sight, or nothing where they have no room."""
    grid, part = layout.grid, (layout.rows, layout.columns)
    if shown.texts is not None:
        painter.setFont(palette.token_font(small=True))
        metrics = QFontMetricsF(painter.font())
        if grid.pitch < metrics.height():
            return
        room = grid.column_pitch - 2 * _PAD
        cells = np.argwhere(shown.seen[part]) + layout.first
        labels = (shown.texts[row][column] for row, column in cells.tolist())
        texts = [metrics.elidedText(it, Qt.TextElideMode.ElideRight, room) for it in labels]
    else:
        # One number of decimals for the whole matrix, or it would change while it is scrolled.
        decimals = matrix_axes.decimals_in(shown.seen_values, grid)
        if decimals is None:
            return
        painter.setFont(palette.ui_font(small=True))
        texts = [fixed(value, decimals) for value in shown.values[part][shown.seen[part]].tolist()]
    values = np.where(shown.seen[part], shown.values[part], np.nan)
    quiet = shown.texts is None
    matrix_axes.draw_texts(painter, grid, values, texts, shown.colouring, quiet=quiet)


def draw_bars(painter: QPainter, shown: Matrix, layout: MatrixLayout) -> None:
    """Draw the small columns: a bar of each row's number with the number on it, and the title."""
    theme, grid = palette.theme(), layout.grid
    painter.setFont(palette.ui_font(small=True))
    flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    height = QFontMetricsF(painter.font()).height()
    for (left, right), column in zip(layout.bars, shown.bars, strict=True):
        values = column.values[layout.rows].tolist()
        for (top, bottom), value in zip(grid.row_spans(), values, strict=True):
            share = min(max(value, 0.0), 1.0) if value == value else 0.0
            bar = QRectF(left, top + 2, share * (right - left), bottom - top - 4)
            painter.fillRect(bar, QColor(theme.line))
            painter.setPen(QColor(theme.text if share >= 0.1 else theme.muted))
            box = QRectF(left, top, right - left - 2, bottom - top)
            painter.drawText(box, flags | _LINE, fixed(value, 2))
        painter.setPen(QColor(theme.muted))
        title = QRectF((left + right - height) / 2, 0, height, grid.bounds.top() - UNIT / 2)
        painting.rotated_text(painter, title, Qt.AlignmentFlag.AlignLeft, column.title)


def draw_labels(
    painter: QPainter,
    shown: Matrix,
    layout: MatrixLayout,
    placed: Labels,
    cells: tuple[Cell, Cell],
    plain: str,
) -> None:
    """Name rows and columns in sight; those of the pinned cell in accent, pieces muted.

    Parameters
    ----------
    painter, shown, layout, placed
        What is drawn where.
    cells
        The pinned cell and the one under the mouse.
    plain
        Colour of the others.
    """
    theme = palette.theme()
    pinned, pointed = map(layout.in_sight, cells)
    turns: tuple[Turn, Turn] = ("across", layout.turn)
    for axis, turn in enumerate(turns):
        muted = {place - layout.first[axis]: theme.muted for place in shown.pieces[axis]}
        colours = {pointed[axis]: theme.text} | muted | {pinned[axis]: theme.accent}
        font = shown.font(axis)
        matrix_axes.draw_labels(painter, placed[axis], turn, font, plain, colours)


def draw_titles(painter: QPainter, shown: Matrix, layout: MatrixLayout, inside: QSize) -> None:
    """Write the titles of both axes so that they stay inside a size."""
    painter.setFont(palette.ui_font(small=True))
    painter.setPen(QColor(palette.theme().muted))
    metrics, bounds = QFontMetricsF(painter.font()), layout.grid.bounds
    height = metrics.height()
    down, across = (metrics.horizontalAdvance(title) + 2 for title in shown.titles)
    left = bounds.left() - UNIT - layout.room[0] - height - UNIT / 4
    place = QRectF(left, bounds.top(), height, bounds.height())
    place = _moved_inside(place, QSizeF(0, down), inside)
    painting.rotated_text(painter, place, _CENTRE, shown.titles[0])
    top = bounds.bottom() + layout.room[1] + UNIT
    place = QRectF(bounds.left(), top, bounds.width(), height)
    place = _moved_inside(place, QSizeF(across, 0), inside)
    painter.drawText(place, _CENTRE | _LINE, shown.titles[1])


def draw_frames(painter: QPainter, layout: MatrixLayout, pinned: Cell, pointed: Cell) -> None:
    """Frame the pinned row and column, and the cell under the mouse."""
    grid = layout.grid
    draw_pointed(painter, layout, pointed)
    row, column = layout.in_sight(pinned)
    for place, box, pitch in (
        (column, grid.column, grid.column_pitch),
        (row, grid.row, grid.pitch),
    ):
        if place >= 0:
            # Thin cells are framed from outside, or the frame would hide what it frames.
            thick, out = (2.0, 0.0) if pitch >= _LINES_FROM else (1.0, 0.5)
            painter.setPen(painting.pen(palette.theme().accent, thick))
            painter.drawRect(box(place).adjusted(-out, -out, out, out))


def draw_pointed(painter: QPainter, layout: MatrixLayout, pointed: Cell) -> None:
    """Frame the cell under the mouse, if there is one and it is large enough."""
    grid, cell = layout.grid, layout.in_sight(pointed)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if min(cell) >= 0 and min(grid.pitch, grid.column_pitch) >= _FRAMED_FROM:
        painter.setPen(painting.pen(LIGHT.muted))
        painter.drawRect(grid.cell(*cell).adjusted(0.5, 0.5, -0.5, -0.5))


def draw_cell_frame(
    painter: QPainter, layout: MatrixLayout, cell: Cell, colour: str, out: float = 0.0
) -> None:
    """Frame one cell, so many pixels outside of it."""
    at = layout.in_sight(cell)
    if min(at) < 0:
        return
    box, inner = layout.grid.cell(*at), 1.5 - out
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # A thin line of card inside, or the frame would drown in a dark cell.
    painter.setPen(painting.pen(palette.theme().card))
    painter.drawRect(box.adjusted(inner, inner, -inner, -inner))
    painter.setPen(painting.pen(colour, 2))
    painter.drawRect(box.adjusted(-out, -out, out, out))


def _moved_inside(box: QRectF, need: QSizeF, inside: QSize) -> QRectF:
    """Return a box grown about its middle to what a title needs, and moved into the widget."""
    grown = QRectF(0, 0, max(box.width(), need.width()), max(box.height(), need.height()))
    grown.moveCenter(box.center())
    grown.moveLeft(max(0.0, min(grown.left(), inside.width() - grown.width())))
    grown.moveTop(max(0.0, min(grown.top(), inside.height() - grown.height())))
    return grown
