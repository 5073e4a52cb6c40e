"""How a cell map shares out its room: labels, small columns, the cells in sight, colour bar."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui.style import palette
from gui.style.formatting import fixed
from gui.style.theme import LIGHT, UNIT
from gui.widgets import matrix_axes, painting
from gui.widgets.cells import Colouring, GridGeometry, ink
from gui.widgets.matrix_axes import Placed, Turn, decimals_that_fit

_HALF = UNIT // 2
_ACROSS = 44.0
"""Columns at least so wide have labels that are read across, cut where they must be."""
_ROW_LABELS, _COLUMN_LABELS = 0.34, 0.28
"""Shares of the width and of the height that labels may take."""
_LONGEST, _SHORTEST = 14.0 * UNIT, 5.0 * UNIT
"""Pixels that a label may take at most, and may take whatever the height."""
_MARGIN = 3
"""Left of the labels, so that the focus ring does not touch them."""
_BAR_FROM = 420
"""A map at least so wide has a colour bar."""


@dataclass(frozen=True, eq=False)
class Beside:
    """Numbers from 0 to 1 that stand between a row's label and its cells, as small bars.

    Parameters
    ----------
    title
        Written above them.
    values
        [row].
    """

    title: str
    values: npt.NDArray[np.floating]


@dataclass(frozen=True)
class Sizes:
    """Least and most pixels of a row and of a column; what is narrower than the least scrolls."""

    row: tuple[float, float] = (16.0, 24.0)
    column: tuple[float, float] = (14.0, 64.0)


@dataclass(frozen=True, eq=False)
class Cells:
    """What a cell map shows.

    Parameters
    ----------
    values
        [row, column]; what is not a number is drawn as masked.
    colouring
        Map and limits.
    row_labels, column_labels
        One a row, one a column, shown as they are.
    texts
        What is printed in the cells, [row][column]; none: their numbers, while they fit.
    beside
        Small columns of numbers.
    breaks
        Rows that begin a group.
    sizes
        Least and most pixels of rows and columns.
    unit
        What the numbers are, beside the colour bar.
    row_tokens, column_tokens
        Whether labels are tokens.
    """

    values: npt.NDArray[np.floating]
    colouring: Colouring
    row_labels: Sequence[str]
    column_labels: Sequence[str]
    texts: Sequence[Sequence[str]] | None = None
    beside: Sequence[Beside] = ()
    breaks: Sequence[int] = ()
    sizes: Sizes = field(default_factory=Sizes)
    unit: str = ""
    row_tokens: bool = False
    column_tokens: bool = True

    @property
    def row_font(self) -> QFont:
        """What rows are named in."""
        return palette.token_font(small=True) if self.row_tokens else palette.ui_font(small=True)

    @property
    def column_font(self) -> QFont:
        """What columns are named in."""
        return palette.token_font(small=True) if self.column_tokens else palette.ui_font(small=True)

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest number."""
        seen = self.values[np.isfinite(self.values)]
        return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class CellMapLayout:
    """Where what is in sight lies, in logical pixels of the viewport."""

    grid: GridGeometry
    """The rows and columns in sight."""
    first: tuple[int, int]
    """The row and the column that come first in it."""
    whole: tuple[int, int]
    """How many of each there are."""
    row_room: float
    """How long a row's label may be."""
    row_right: float
    """Where rows' labels end."""
    beside: tuple[tuple[float, float], ...]
    """Left and right of each small column."""
    turn: Turn
    bar: QRectF | None

    @property
    def shown(self) -> tuple[int, int]:
        """How many rows and columns are in sight."""
        return len(self.grid.row_edges) - 1, len(self.grid.column_edges) - 1

    @property
    def rows(self) -> slice:
        """The rows in sight."""
        return slice(self.first[0], self.first[0] + self.shown[0])

    @property
    def columns(self) -> slice:
        """The columns in sight."""
        return slice(self.first[1], self.first[1] + self.shown[1])

    def at(self, point: QPointF) -> tuple[int, int]:
        """Return row and column at a point, -1 for none: a label is at only one of them."""
        row, column = self.grid.at(point)
        return (
            row + self.first[0] if row >= 0 and point.x() < self.grid.bounds.right() else -1,
            column + self.first[1] if column >= 0 and point.y() < self.grid.bounds.bottom() else -1,
        )

    def beside_at(self, point: QPointF) -> int:
        """Return which small column is at a point, -1 for none."""
        places = (n for n, (left, right) in enumerate(self.beside) if left <= point.x() < right)
        return next(places, -1) if point.y() < self.grid.bounds.bottom() else -1


def lay_out(
    cells: Cells, size: tuple[int, int], first: tuple[int, int], ratio: float
) -> CellMapLayout:
    """Fit the cells and all that stands around them into a size.

    Parameters
    ----------
    cells
        What is shown.
    size
        Width and height of the viewport.
    first
        Row and column that are scrolled to; less where more would leave room unused.
    ratio
        Device pixels per logical pixel.
    """
    names, heads = QFontMetricsF(cells.row_font), QFontMetricsF(cells.column_font)
    small = QFontMetricsF(palette.ui_font(small=True))
    row_room = matrix_axes.room_for(
        cells.row_labels, names, min(palette.scaled(_LONGEST), _ROW_LABELS * size[0])
    )
    left, beside = _MARGIN + row_room + _HALF, list[tuple[float, float]]()
    for _ in cells.beside:
        right = left + ceil(small.horizontalAdvance(fixed(0.0, 2))) + UNIT
        beside.append((left, right))
        left = right + _HALF / 2
    margin = ceil(left + _HALF / 2)
    bar_width = 0.0
    if size[0] >= palette.scaled(_BAR_FROM):
        bar_width = matrix_axes.width_of(cells.colouring, cells.reach, cells.unit) + 2 * UNIT
    across = size[0] - margin - bar_width - 2
    wide, columns = _share(len(cells.column_labels), across, cells.sizes.column)
    turn: Turn = "up"
    if (
        wide >= palette.scaled(_ACROSS)
        or matrix_axes.turn_for(cells.column_labels, wide, heads) == "across"
    ):
        turn = "across"
    top: float = heads.height()
    if turn == "up":
        top = matrix_axes.room_for(
            cells.column_labels,
            heads,
            min(palette.scaled(_LONGEST), max(palette.scaled(_SHORTEST), _COLUMN_LABELS * size[1])),
        )
    titles = [small.horizontalAdvance(item.title) + 2 for item in cells.beside]
    top = float(ceil(max([top, *titles]) + _HALF))
    high, rows = _share(len(cells.row_labels), size[1] - top - 2, cells.sizes.row)
    start = (
        max(0, min(first[0], len(cells.row_labels) - rows)),
        max(0, min(first[1], len(cells.column_labels) - columns)),
    )
    grid = GridGeometry.cells((rows, high, top), (columns, wide, margin), ratio)
    bar = None
    if bar_width:
        least = max(3 * small.height(), small.horizontalAdvance(cells.unit) + _HALF)
        height = max(min(grid.bounds.height(), 20.0 * UNIT), least)
        bar = QRectF(grid.bounds.right() + 2 * UNIT, grid.bounds.top(), bar_width, height)
    whole = (len(cells.row_labels), len(cells.column_labels))
    right = _MARGIN + row_room + 1
    return CellMapLayout(grid, start, whole, row_room, right, tuple(beside), turn, bar)


def _share(count: int, room: float, limits: tuple[float, float]) -> tuple[float, int]:
    """Return how large each is and how many are in sight."""
    least, most = (size * palette.text_scale() for size in limits)
    room = max(room, least, 1.0)
    if count * least <= room:
        return min(room / count, most), count
    shown = max(1, int(room / least))
    return room / shown, shown


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
            placed = matrix_axes.beside_rows(
                shown, grid.row_spans(), layout.row_right, layout.row_room, metrics, firsts[0]
            )
        else:
            room = grid.bounds.top() - UNIT / 2
            below = matrix_axes.below_columns(
                shown, grid.column_spans(), 0.0, room, metrics, layout.turn, firsts[1]
            )
            placed = [_above(label, grid.bounds.top() - UNIT / 4) for label in below]
        turn = layout.turn if across else "across"
        matrix_axes.draw_labels(
            painter, list(placed), turn, font, theme.text, (mark,), theme.accent
        )


def _above(label: Placed, bottom: float) -> Placed:
    box = QRectF(label.box)
    box.moveBottom(bottom)
    return Placed(label.index, label.text, box)


def _inside(place: int, span: slice) -> int:
    """Return where a row or a column is among those in sight, -1 where it is not."""
    return place - span.start if span.start <= place < span.stop else -1
