"""What a heat map shows: numbers, what may be seen of them, and what they are called."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPixmap

from gui.style import palette
from gui.style.theme import LIGHT, UNIT
from gui.widgets import matrix_axes, painting
from gui.widgets.cells import Colouring, GridGeometry
from gui.widgets.matrix_axes import Placed, Turn


@dataclass(frozen=True, eq=False)
class LabelledGrid:
    """Numbers in rows and columns.

    Raises
    ------
    ValueError
        If shapes do not fit each other.
    """

    values: npt.NDArray[np.floating]
    """[row, column]"""
    mask: npt.NDArray[np.bool_] | None
    """True where a cell may be seen, [row, column]; none: everywhere."""
    labels: tuple[Sequence[str], Sequence[str]]
    """Of the rows and of the columns."""
    titles: tuple[str, str]
    """Of both axes."""
    unit: str
    colouring: Colouring
    pieces: tuple[Collection[int], Collection[int]] = ((), ())
    """Rows and columns whose labels are bytes of a character."""

    def __post_init__(self) -> None:
        rows, columns = map(len, self.labels)
        if self.values.shape != (rows, columns):
            raise ValueError(f"{self.values.shape} numbers for {rows} x {columns} labels")
        if self.mask is not None and self.mask.shape != self.values.shape:
            raise ValueError(f"mask of {self.mask.shape} for {self.values.shape} numbers")

    @property
    def empty(self) -> bool:
        """Whether there is no cell."""
        return not self.values.size

    @cached_property
    def seen_values(self) -> npt.NDArray[np.floating]:
        """The numbers that may be seen, [number]."""
        finite = np.isfinite(self.values)
        seen: npt.NDArray[np.floating] = self.values[
            finite if self.mask is None else finite & self.mask
        ]
        return seen

    @cached_property
    def reach(self) -> tuple[float, float]:
        """The smallest and the largest number that may be seen."""
        seen = self.seen_values
        return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)

    def inside(self, row: int | None, column: int | None) -> tuple[int | None, int | None]:
        """Return a row and a column, each none where it is not there."""
        rows, columns = self.values.shape
        return (
            row if row is not None and 0 <= row < rows else None,
            column if column is not None and 0 <= column < columns else None,
        )

    def beside(self, cell: tuple[int | None, int | None], step: tuple[int, int]) -> tuple[int, int]:
        """Return the cell a step away, at most at the edge.

        Where only a row is known, the step begins at its strongest cell; where nothing is, that
        of the last row is returned.
        """
        rows, columns = self.values.shape
        row, column = cell
        if row is None and column is None:
            return rows - 1, self._strongest(rows - 1)
        row = rows - 1 if row is None else row
        column = self._strongest(row) if column is None else column
        return min(max(row + step[0], 0), rows - 1), min(max(column + step[1], 0), columns - 1)

    def _strongest(self, row: int) -> int:
        line = np.nan_to_num(self.values[row], nan=-np.inf)
        if self.mask is not None:
            line = np.where(self.mask[row], line, -np.inf)
        return int(np.argmax(line))


NOTHING = LabelledGrid(
    np.zeros((0, 0)), None, ((), ()), ("", ""), "", Colouring("sequential", 0.0, 1.0)
)


_HALF = UNIT / 2


@dataclass(frozen=True, eq=False)
class HeatmapLayout:
    """Where everything lies, in logical pixels of the widget."""

    grid: GridGeometry
    turn: Turn
    row_room: float
    """How long a row's label may be."""
    column_room: float
    """How far the labels below reach."""

    @cached_property
    def bar(self) -> QRectF:
        """The colour bar's place; its numbers stand to the right of it."""
        place = QRectF(self.grid.bounds)
        place.moveLeft(self.grid.bounds.right() + 2 * UNIT)
        return place

    @cached_property
    def row_title(self) -> QRectF:
        """Where the title of the rows is written upwards."""
        bounds, height = self.grid.bounds, _small().height()
        left = bounds.left() - UNIT - self.row_room - height - _HALF / 2
        return QRectF(left, bounds.top(), height, bounds.height())

    @cached_property
    def column_title(self) -> QRectF:
        """Where the title of the columns is written."""
        bounds = self.grid.bounds
        top = bounds.bottom() + self.column_room + UNIT
        return QRectF(bounds.left(), top, bounds.width(), _small().height())

    def beside_rows(self, labels: Sequence[str], first: Sequence[int]) -> list[Placed]:
        """Place the rows' labels; those of the `first` rows before all others."""
        right = self.grid.bounds.left() - _HALF
        spans = self.grid.row_spans()
        return matrix_axes.beside_rows(labels, spans, right, self.row_room, _tokens(), first)

    def below_columns(self, labels: Sequence[str], first: Sequence[int]) -> list[Placed]:
        """Place the columns' labels; those of the `first` columns before all others."""
        return matrix_axes.below_columns(
            labels,
            self.grid.column_spans(),
            self.grid.bounds.bottom() + _HALF,
            self.column_room,
            _tokens(),
            self.turn,
            first,
        )


def lay_out(
    labels: tuple[Sequence[str], Sequence[str]],
    titles: tuple[str, str],
    bar_width: float,
    size: tuple[int, int],
    ratio: float,
) -> HeatmapLayout:
    """Fit square cells and all that stands around them into a size.

    Parameters
    ----------
    labels
        Of the rows and of the columns.
    titles
        Of the rows and of the columns, empty for none.
    bar_width
        Room for the colour bar and its numbers, pixels.
    size
        Width and height of the widget.
    ratio
        Device pixels per logical pixel.
    """
    metrics, title = _tokens(), _small().height()
    row_room = matrix_axes.room_for(labels[0], metrics, min(palette.scaled(14 * UNIT), size[0] / 4))
    left = row_room + UNIT + (title + _HALF if titles[0] else 0)
    width = size[0] - left - 2 * UNIT - bar_width
    height = size[1] - 2 * UNIT - (title + _HALF if titles[1] else 0)

    def grid(below: float) -> GridGeometry:
        area = QRectF(left, UNIT, width, height - below)
        return GridGeometry.square(len(labels[0]), len(labels[1]), area, ratio)

    made = grid(metrics.height())
    turn = matrix_axes.turn_for(labels[1], made.pitch, metrics)
    if turn == "across":
        return HeatmapLayout(made, turn, row_room, metrics.height())
    column_room = matrix_axes.room_for(
        labels[1], metrics, min(palette.scaled(14 * UNIT), size[1] / 4)
    )
    return HeatmapLayout(grid(column_room), turn, row_room, column_room)


def _tokens() -> QFontMetricsF:
    return QFontMetricsF(palette.token_font(small=True))


def _small() -> QFontMetricsF:
    return QFontMetricsF(palette.ui_font(small=True))


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
    if shown.values.size <= matrix_axes.MOST:
        matrix_axes.draw_numbers(painter, grid, shown.values, shown.mask, shown.colouring)
    matrix_axes.draw_colour_bar(
        painter, layout.bar, shown.colouring, shown.reach, shown.unit, inside.height()
    )


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
    turns: tuple[matrix_axes.Turn, matrix_axes.Turn] = ("across", layout.turn)
    for placed, mark, turn, pieces in zip(labels, pinned, turns, shown.pieces, strict=True):
        marked = () if mark is None else (mark,)
        matrix_axes.draw_labels(
            painter, placed, turn, font, theme.text, marked, theme.accent, pieces
        )
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
