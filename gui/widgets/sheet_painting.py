"""How a sheet of matrices is painted: headings, words, cells, labels, legends."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from gui import palette
from gui.numbers import decimals_for, fixed
from gui.theme import UNIT
from gui.widgets import axis_labels, cell_numbers, heatmap_painting, painting
from gui.widgets.colouring import MASKED, image
from gui.widgets.labelled_grid import LabelledGrid
from gui.widgets.sheet_layout import Placed

_RAMP = 72.0
_LINE = Qt.TextFlag.TextSingleLine

Cell = tuple[int, int]


def draw_words(painter: QPainter, placed: Placed) -> None:
    """Write the heading of a part where it begins, the words, and the names of the axes."""
    theme = palette.theme()
    if placed.heading is not None:
        painter.setFont(palette.ui_font(bold=True))
        painter.setPen(QColor(theme.text))
        painter.drawText(placed.heading, Qt.AlignmentFlag.AlignBottom | _LINE, placed.entry.part)
        painter.setPen(painting.pen(theme.line))
        bottom = placed.heading.bottom() + UNIT / 4
        painter.drawLine(QPointF(0, bottom), QPointF(placed.heading.right(), bottom))
    placed.words.draw(painter, placed.words_at)
    painter.setFont(palette.ui_font(small=True))
    painter.setPen(QColor(theme.muted))
    text = painter.fontMetrics().elidedText(
        axes_text(placed.entry.grid), Qt.TextElideMode.ElideRight, int(placed.caption.width())
    )
    painter.drawText(placed.caption, _LINE, text)


def axes_text(shown: LabelledGrid) -> str:
    """Return how many rows and columns there are, and what they are."""
    rows, columns = shown.values.shape
    return f"{rows} × {columns}: {shown.titles[0]} down, {shown.titles[1]} across"


def draw_matrix(painter: QPainter, placed: Placed, cells: QPixmap, pointed: Cell | None) -> None:
    """Draw the cells with their numbers or their legend, labels and frames."""
    shown, matrix, marked = placed.entry.grid, placed.matrix, placed.entry.marked
    painter.drawPixmap(matrix.grid.bounds.topLeft(), cells)
    heatmap_painting.draw_lines(painter, matrix.grid)
    if placed.legend is None:
        cell_numbers.draw(painter, matrix.grid, shown.values, shown.mask, shown.colouring)
    else:
        _draw_legend(painter, placed.legend, shown)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(painting.pen(palette.theme().line))
    painter.drawRect(matrix.grid.bounds.adjusted(-0.5, -0.5, 0.5, 0.5))
    _draw_labels(painter, placed, pointed)
    heatmap_painting.draw_frames(painter, matrix.grid, marked, pointed)


def _draw_labels(painter: QPainter, placed: Placed, pointed: Cell | None) -> None:
    theme, font = palette.theme(), palette.token_font(small=True)
    shown, matrix, marked = placed.entry.grid, placed.matrix, placed.entry.marked
    first = [
        list(dict.fromkeys(place for place in pair if place is not None))
        for pair in zip(marked, pointed or (None, None), strict=True)
    ]
    rows = matrix.beside_rows(shown.labels[0], first[0])
    columns = matrix.below_columns(shown.labels[1], first[1])
    turns: tuple[axis_labels.Turn, axis_labels.Turn] = ("across", matrix.turn)
    for labels, mark, turn in zip((rows, columns), marked, turns, strict=True):
        marks = () if mark is None else (mark,)
        axis_labels.draw(painter, labels, turn, font, theme.text, marks, theme.accent)


def _draw_legend(painter: QPainter, place: QRectF, shown: LabelledGrid) -> None:
    """Draw the colours from their lowest to their highest number."""
    theme, colouring = palette.theme(), shown.colouring
    painter.setFont(palette.ui_font(small=True))
    painter.setPen(QColor(theme.muted))
    decimals = decimals_for([colouring.low, colouring.high])
    low, high = (fixed(end, decimals) for end in (colouring.low, colouring.high))
    left = place.left()
    metrics = painter.fontMetrics()
    painter.drawText(place, _LINE, low)
    left += metrics.horizontalAdvance(low) + UNIT / 2
    bar = QRectF(left, place.center().y() - UNIT / 2, _RAMP, UNIT)
    ramp = np.arange(MASKED, dtype=np.uint8)[np.newaxis]
    painter.drawImage(bar, image(ramp, colouring.colours, theme.masked))
    painter.drawText(
        QRectF(bar.right() + UNIT / 2, place.top(), place.width(), place.height()), _LINE, high
    )
    painter.setPen(painting.pen(theme.line))
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
