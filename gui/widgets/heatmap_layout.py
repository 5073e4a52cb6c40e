"""How a heat map shares out its room: cells, labels, titles, colour bar."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from gui import palette
from gui.theme import UNIT
from gui.widgets import axis_labels
from gui.widgets.axis_labels import Placed, Turn
from gui.widgets.grid_geometry import GridGeometry

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
        return axis_labels.beside_rows(labels, spans, right, self.row_room, _tokens(), first)

    def below_columns(self, labels: Sequence[str], first: Sequence[int]) -> list[Placed]:
        """Place the columns' labels; those of the `first` columns before all others."""
        return axis_labels.below_columns(
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
    row_room = axis_labels.room_for(labels[0], metrics, min(palette.scaled(14 * UNIT), size[0] / 4))
    left = row_room + UNIT + (title + _HALF if titles[0] else 0)
    width = size[0] - left - 2 * UNIT - bar_width
    height = size[1] - 2 * UNIT - (title + _HALF if titles[1] else 0)

    def grid(below: float) -> GridGeometry:
        area = QRectF(left, UNIT, width, height - below)
        return GridGeometry.square(len(labels[0]), len(labels[1]), area, ratio)

    made = grid(metrics.height())
    turn = axis_labels.turn_for(labels[1], made.pitch, metrics)
    if turn == "across":
        return HeatmapLayout(made, turn, row_room, metrics.height())
    column_room = axis_labels.room_for(
        labels[1], metrics, min(palette.scaled(14 * UNIT), size[1] / 4)
    )
    return HeatmapLayout(grid(column_room), turn, row_room, column_room)


def _tokens() -> QFontMetricsF:
    return QFontMetricsF(palette.token_font(small=True))


def _small() -> QFontMetricsF:
    return QFontMetricsF(palette.ui_font(small=True))
