"""Small multiples of cell grids that share their axes, their limits and one colour bar."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.messages import Refused
from gui.figures import cells, lettering
from gui.figures.lettering import Axis, Setting
from gui.figures.page import Page
from gui.style.colour_scale import Scale
from gui.style.theme import LIGHT

LARGEST_CELL = 24.0
_GAP = 5.0
_LABEL_SHARES = (0.24, 0.18, 0.13)
"""Shares of the page's width that labels may take before they are cut: less, if all fit then."""
_SHARE_OF_MANY = 0.15
_LEAST_PANEL = 36.0
"""Side of a panel, in points, below which fewer stand side by side."""


@dataclass(frozen=True)
class Grids:
    """What the panels show.

    Parameters
    ----------
    titles
        Lines above each panel; empty for none.
    values
        [panel, row, column].
    seen
        True where a cell has a value, [row, column].
    rows, columns
        The axes.
    scale
        Colours and limits of all panels.
    bar
        Title of the colour bar.
    marked
        Cells to outline in each panel, row and column.
    every_row
        Whether each row has its label: rows are then higher than columns wide where labels need
        it. Where both sides are tokens, cells stay squares.
    longest
        How many times as long as usual labels may be before they are cut.
    """

    titles: Sequence[Sequence[str]]
    values: npt.NDArray[np.floating]
    seen: npt.NDArray[np.bool_]
    rows: Axis
    columns: Axis
    scale: Scale
    bar: str
    marked: Sequence[Sequence[tuple[int, int]]] = ()
    every_row: bool = False
    longest: float = 1.0


@dataclass(frozen=True)
class _Layout:
    across: int
    cell: float
    row: float
    beside: Setting
    below: Setting

    @property
    def whole(self) -> bool:
        return self.beside.whole and self.below.whole


def _layout(page: Page, grids: Grids, across: int, bar: float) -> _Layout | None:
    """Fit panels side by side; None where a cell would be smaller than a printed pixel."""
    dpi = page.dpi
    first: tuple[int, _Layout] | None = None
    for share in _LABEL_SHARES if len(grids.values) == 1 else (_SHARE_OF_MANY,):
        page.dpi = dpi
        layout = _fit(page, grids, across, bar, share * grids.longest * page.width)
        if layout is None:
            return None
        if layout.whole:
            return layout
        first = first or (page.dpi, layout)
    if first is None:
        return None
    page.dpi = first[0]
    return first[1]


def _fit(page: Page, grids: Grids, across: int, bar: float, limit: float) -> _Layout | None:
    count = grids.values.shape[2]
    rectangles = _rectangles(grids)
    room = page.width - 4.0 - _GAP - _row_title(page, grids) - bar - (across - 1) * _GAP
    dpi = page.dpi
    cell = None
    row = 0.0
    for size in lettering.sizes(page):
        page.dpi = dpi
        beside, least = lettering.whole(page, grids.rows, size, limit)
        cell = _cell(page, (room - beside.extent) / across, count, rectangles)
        if cell is not None and (cell >= least or (grids.every_row and size <= page.small)):
            row = least if cell < least else 0.0
            break
    else:
        # Which labels are left out depends on the cells, which depend on the labels' room.
        for _ in range(2):
            page.dpi = dpi
            beside = lettering.beside(page, grids.rows, cell or page.pixel, limit)
            cell = _cell(page, (room - beside.extent) / across, count, rectangles)
        if cell is None:
            return None
        beside = lettering.beside(page, grids.rows, cell, limit)
    if across > 1 and across * (_title(page, grids) + _GAP) > room - beside.extent + across * _GAP:
        return None
    below = lettering.below(page, grids.columns, cell, limit)
    # A row of whole pixels, and not a rounding lower than its label.
    row = math.ceil(row / page.pixel - 1e-6) * page.pixel
    return _Layout(across, cell, max(cell, row), beside, below)


def _cell(page: Page, room: float, count: int, rectangles: bool) -> float | None:
    """Return the side of a cell, of which `count` share the room; None below a pixel."""
    cell = cells.whole_pixels(page, room, count, LARGEST_CELL)
    if cell is not None and rectangles and cell * count < 0.9 * min(room, LARGEST_CELL * count):
        return room / count
    return cell


def _title(page: Page, grids: Grids) -> float:
    """Return the width of the widest line above a panel, in points."""
    lines = [line for title in grids.titles for line in title]
    return max((page.measure(line, page.small) for line in lines), default=0.0)


def _row_title(page: Page, grids: Grids) -> float:
    return page.line_height(page.small) + 2.0 if grids.rows.title else 0.0


def _rectangles(grids: Grids) -> bool:
    panels, rows, columns = grids.values.shape
    return cells.as_rectangles(rows, columns, panels)


def _choose(page: Page, grids: Grids, bar: float, across: Sequence[int]) -> _Layout:
    """Choose how many panels stand side by side: the most whose labels are all whole."""
    dpi = page.dpi
    best: _Layout | None = None
    for count in across:
        page.dpi = dpi
        layout = _layout(page, grids, count, bar)
        if layout is None:
            continue
        if layout.whole and count > 1:
            return layout
        wide = layout.cell * grids.values.shape[2] >= _LEAST_PANEL or count == across[-1]
        if best is None and wide:
            best = layout
    if best is None:
        raise Refused(
            f"{grids.values.shape[0]} patterns of {grids.values.shape[2]:,} tokens do not fit a "
            "figure of this width: choose one head with --head, or a wider page"
        )
    page.dpi = dpi
    return _layout(page, grids, best.across, bar) or best


def draw(page: Page, y: float, grids: Grids, across: Sequence[int] | None = None) -> float:
    """Draw panels from y on and return where they end.

    Parameters
    ----------
    page
        The page.
    y
        Where they begin, in points from the top.
    grids
        What they show.
    across
        Numbers of panels side by side to try, best first.

    Raises
    ------
    Refused
        If a cell would be smaller than a printed pixel.
    """
    panels, rows, columns = grids.values.shape
    if rows == 0:
        raise Refused("there is no token to draw: type a prompt, or put BOS first")
    if across is None:
        across = sorted({math.ceil(panels / -(-panels // n)) for n in range(1, min(panels, 8) + 1)})
        across = across[::-1]
    grids = replace(grids, scale=page.scale(grids.bar, grids.scale))
    has_bar = page.has_bar(grids.bar, grids.scale)
    bar = cells.bar_width(page, grids.scale, 120.0) if has_bar else 0.0
    layout = _choose(page, grids, bar, across)
    for axis, setting in ((grids.rows, layout.beside), (grids.columns, layout.below)):
        lettering.tell(page, axis, setting)
    down = -(-panels // layout.across)
    cell = layout.cell
    width, height = columns * cell, rows * layout.row
    heading = max(map(len, grids.titles), default=0) * page.line_height(page.small)
    row_title = _row_title(page, grids)
    pitch = (
        page.snap(max(width, _title(page, grids)) + _GAP),
        page.snap(heading + height + 4.0),
    )
    used = layout.across * pitch[0] - _GAP
    left = row_title + layout.beside.extent
    start = max(2.0, (page.width - left - used - _GAP - bar) / 2)
    first = page.snap(start + left)
    top = page.snap(y + heading)
    for panel in range(panels):
        row, column = divmod(panel, layout.across)
        corner = first + column * pitch[0], top + row * pitch[1]
        _draw_panel(page, grids, layout, panel, corner)
        if column == 0:
            lettering.draw_beside(page, grids.rows, layout.beside, *corner, layout.row)
        if panel + layout.across >= panels:
            lettering.draw_below(
                page, grids.columns, layout.below, corner[0], corner[1] + height, cell
            )
    grid = (down - 1) * pitch[1] + height
    bottom = below = top + grid + layout.below.extent
    if has_bar:
        bar_height = min(max(grid, 40.0, page.measure(grids.bar, page.small)), max(120.0, height))
        cells.draw_bar(page, first + used + _GAP, top, bar_height, grids.scale, grids.bar)
        bottom = max(below, top + bar_height + 0.5 * page.line_height())
    if grids.rows.title:
        length = page.measure(grids.rows.title, page.small)
        middle = top + max(grid, length) / 2
        bottom = max(bottom, top + length)
        _axis_title(page, start + 0.5 * row_title - 1.0, middle, grids.rows.title, upright=True)
    if grids.columns.title:
        line = page.line_height(page.small)
        _axis_title(page, first + used / 2, below + 0.6 * line, grids.columns.title)
        bottom = max(bottom, below + 1.1 * line)
    return float(bottom)


def _axis_title(page: Page, x: float, y: float, text: str, *, upright: bool = False) -> None:
    page.text(x, y, text, size=page.small, anchor="center", colour=LIGHT.muted, upright=upright)


def _draw_panel(
    page: Page, grids: Grids, layout: _Layout, panel: int, corner: tuple[float, float]
) -> None:
    x, y = corner
    cell = layout.cell
    line = page.line_height(page.small)
    for place, text in enumerate(reversed(grids.titles[panel])):
        page.text(x, y - (place + 0.55) * line, text, size=page.small)
    cells.draw(
        page,
        x,
        y,
        cell,
        grids.values[panel],
        grids.seen,
        grids.scale,
        rectangles=_rectangles(grids),
        height=layout.row,
    )
    if grids.marked and grids.marked[panel]:
        places = np.array(grids.marked[panel])[:, ::-1]
        sides = np.array([cell, layout.row] * 2)
        boxes = np.array([x, y, x, y]) + sides * np.hstack([places, places + 1])
        page.boxes(boxes, LIGHT.curve_qk, edge=1.0, hollow=True)
