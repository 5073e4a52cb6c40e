"""How a heat map is painted: cells, lines, numbers, frames, labels, titles, the colour bar."""

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPixmap

from gui import palette
from gui.theme import LIGHT
from gui.widgets import axis_labels, cell_numbers, colour_bar, painting
from gui.widgets.axis_labels import Placed
from gui.widgets.grid_geometry import GridGeometry
from gui.widgets.heatmap_layout import HeatmapLayout
from gui.widgets.labelled_grid import LabelledGrid

_LINES_FROM = 7.0
"""Cells of at least so many pixels have lines between them."""

Pinned = tuple[int | None, int | None]


def draw_cells(
    painter: QPainter,
    shown: LabelledGrid,
    layout: HeatmapLayout,
    picture: QPixmap,
    inside: QSize,
) -> None:
    """Draw the cells, the lines between them, their numbers, and the colour bar."""
    grid = layout.grid
    painter.drawPixmap(grid.bounds.topLeft(), picture)
    draw_lines(painter, grid)
    if shown.values.size <= cell_numbers.MOST:
        cell_numbers.draw(painter, grid, shown.values, shown.mask, shown.colouring)
    colour_bar.draw(painter, layout.bar, shown.colouring, shown.reach, shown.unit, inside.height())


def draw_axes(
    painter: QPainter,
    shown: LabelledGrid,
    layout: HeatmapLayout,
    labels: tuple[list[Placed], list[Placed]],
    pinned: Pinned,
    inside: QSize,
) -> None:
    """Draw labels, those of what is pinned in accent, and titles that stay inside a size."""
    theme = palette.theme()
    font = palette.token_font(small=True)
    turns: tuple[axis_labels.Turn, axis_labels.Turn] = ("across", layout.turn)
    for placed, mark, turn, pieces in zip(labels, pinned, turns, shown.pieces, strict=True):
        marked = () if mark is None else (mark,)
        axis_labels.draw(painter, placed, turn, font, theme.text, marked, theme.accent, pieces)
    painter.setFont(palette.ui_font(small=True))
    painter.setPen(QColor(theme.muted))
    centre = Qt.AlignmentFlag.AlignCenter
    metrics = QFontMetricsF(painter.font())
    down, across = (metrics.horizontalAdvance(title) + 2 for title in shown.titles)
    place = _room(layout.row_title, QSizeF(0, down), inside)
    painting.rotated_text(painter, place, centre, shown.titles[0])
    place = _room(layout.column_title, QSizeF(across, 0), inside)
    painter.drawText(place, centre | Qt.TextFlag.TextSingleLine, shown.titles[1])


def draw_frames(
    painter: QPainter, grid: GridGeometry, pinned: Pinned, pointed: tuple[int, int] | None
) -> None:
    """Frame the pinned row and column, and the cell under the mouse."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    row, column = pinned
    accent = palette.theme().accent
    if column is not None:
        thick, out = _frame(grid.column_pitch)
        painter.setPen(painting.pen(accent, thick))
        painter.drawRect(grid.column(column).adjusted(-out, -out, out, out))
    if row is not None:
        thick, out = _frame(grid.pitch)
        painter.setPen(painting.pen(accent, thick))
        painter.drawRect(grid.row(row).adjusted(-out, -out, out, out))
    if pointed is not None and min(grid.pitch, grid.column_pitch) >= 4:
        painter.setPen(painting.pen(LIGHT.muted))
        painter.drawRect(grid.cell(*pointed).adjusted(0.5, 0.5, -0.5, -0.5))


def _frame(pitch: float) -> tuple[float, float]:
    """Return how thick a frame is and how far outside it lies.

    Thin cells are framed from outside, or the frame would hide what it frames.
    """
    return (2.0, 0.0) if pitch >= _LINES_FROM else (1.0, 0.5)


def draw_lines(painter: QPainter, grid: GridGeometry) -> None:
    """Draw lines between cells that are large enough to have them."""
    if min(grid.pitch, grid.column_pitch) < _LINES_FROM:
        return
    colour = QColor(palette.theme().masked)
    thick = max(1, round(grid.ratio)) / grid.ratio
    for left, _ in grid.column_spans()[1:]:
        painter.fillRect(QRectF(left, grid.bounds.top(), thick, grid.bounds.height()), colour)
    for top, _ in grid.row_spans()[1:]:
        painter.fillRect(QRectF(grid.bounds.left(), top, grid.bounds.width(), thick), colour)


def _room(box: QRectF, need: QSizeF, inside: QSize) -> QRectF:
    """Return a box grown about its middle to what a title needs, and moved into the widget."""
    grown = QRectF(0, 0, max(box.width(), need.width()), max(box.height(), need.height()))
    grown.moveCenter(box.center())
    grown.moveLeft(max(0.0, min(grown.left(), inside.width() - grown.width())))
    grown.moveTop(max(0.0, min(grown.top(), inside.height() - grown.height())))
    return grown
