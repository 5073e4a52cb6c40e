"""Matrices as exact cells: small multiples that share axes and limits, and their colour bar."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.messages import Refused
from gui.charts.attention import NO_TOKENS
from gui.charts.chart import Matrix, Numbers, Thumbnails
from gui.figures import lettering
from gui.figures.lettering import Setting
from gui.figures.page import DPI, Page, ticks
from gui.style.colour_scale import SHARES, ColourScale, as_hex
from gui.style.formatting import decimals_for, fixed, plain
from gui.style.theme import LIGHT

Index = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
VECTOR_CELLS = 64
"""Rows and columns up to which cells are drawn as closed rectangles."""
_MOST_RECTANGLES = 70_000
_FRAME = 0.4
_BAR = 6.0
"""Width of a colour bar in points."""
_LEAST_BORDERED = 0.6
"""Side of a cell, in points, from which a border beside it can be told from it."""
_FINEST = 2 * DPI
_LARGEST_CELL = 24.0
_GAP = 5.0
_THUMBNAIL_GAP = 2.0
_LABEL_SHARES = (0.24, 0.18, 0.13)
"""Shares of the page's width that labels may take before they are cut: less, if all fit then."""
_SHARE_OF_MANY = 0.15
_LEAST_PANEL = 36.0
"""Side of a panel, in points, below which fewer stand side by side."""


def _as_rectangles(rows: int, columns: int, grids: int = 1) -> bool:
    """Return whether grids of this shape are drawn as rectangles rather than as pixels."""
    return max(rows, columns) <= VECTOR_CELLS and grids * rows * columns <= _MOST_RECTANGLES


def _whole_pixels(page: Page, room: float, count: int, largest: float) -> float | None:
    """Return the largest side of a cell in whole printed pixels, `count` of which fit the room.

    Raises the page's resolution where whole pixels of 600 dpi would leave much of the room empty.
    None where a cell would be smaller than the finest pixel. All lengths are in points.
    """
    room = min(room, largest * count)
    best = None
    for dpi in range(page.dpi, _FINEST + 1, DPI):
        pixels = int(room * dpi / 72.0 / count + 1e-6)
        side = pixels * 72.0 / dpi
        if pixels and (best is None or side > best[1] * 1.05):
            best = (dpi, side)
            if side * count >= 0.8 * room:
                break
    if best is None:
        return None
    page.dpi, side = best
    return side


@dataclass(frozen=True)
class _Cells:
    """Width and height of cells in points, whole pixels; how they are drawn, in which colours."""

    width: float
    height: float
    scale: ColourScale
    rectangles: bool

    def draw(self, page: Page, x: float, y: float, values: Numbers, seen: Mask) -> None:
        """Draw [row, column] from a top left corner on whole pixels; what is unseen stays paper."""
        rows, columns = values.shape
        seen = seen & np.isfinite(values)
        index = self.scale.index(np.where(seen, values, self.scale.low))
        if self.rectangles:
            self._draw_rectangles(page, x, y, index, seen)
        else:
            self._draw_pixels(page, x, y, index, seen)
        if min(self.width, self.height) >= _LEAST_BORDERED:
            self._draw_border(page, x, y, seen)
        edge = _FRAME if columns * self.width >= 40.0 else _FRAME / 2
        page.frame(x, y, x + columns * self.width, y + rows * self.height, edge)

    def _draw_rectangles(self, page: Page, x: float, y: float, index: Index, seen: Mask) -> None:
        colours = page.palette(self.scale)
        # An edge in the cell's own colour closes the seams that smoothing leaves between them.
        edge = min(0.4, 0.15 * min(self.width, self.height))
        for level in np.unique(index[seen]).tolist():
            row, column = np.nonzero(seen & (index == level))
            left, top = x + column * self.width, y + row * self.height
            boxes = np.stack([left, top, left + self.width, top + self.height], axis=1)
            page.boxes(boxes, as_hex(colours[level]), edge=edge)

    def _draw_pixels(self, page: Page, x: float, y: float, index: Index, seen: Mask) -> None:
        pixels = np.full((*index.shape, 4), 255, dtype=np.uint8)
        pixels[..., :3] = page.palette(self.scale)[index]
        pixels[~seen] = 255, 255, 255, 0 if page.options.ground == "transparent" else 255
        across, down = (round(side / page.pixel) for side in (self.width, self.height))
        bottom = y + len(index) * self.height
        page.raster(x, bottom, pixels.repeat(down, axis=0).repeat(across, axis=1))

    def _draw_border(self, page: Page, x: float, y: float, seen: Mask) -> None:
        """Draw the border between cells and masked paper, which may look like a neutral value."""
        width, height = self.width, self.height
        xs: list[float] = []
        ys: list[float] = []
        for row, column in np.argwhere(seen[:, 1:] != seen[:, :-1]).tolist():
            xs += [x + (column + 1) * width] * 2 + [np.nan]
            ys += [y + row * height, y + (row + 1) * height, np.nan]
        for row, column in np.argwhere(seen[1:] != seen[:-1]).tolist():
            xs += [x + column * width, x + (column + 1) * width, np.nan]
            ys += [y + (row + 1) * height] * 2 + [np.nan]
        if xs:  # far from the middle of any cell
            line = min(0.3, 0.25 * min(width, height))
            page.line(xs, ys, width=line, solid_capstyle="projecting")


def _bar_ticks(page: Page, scale: ColourScale, height: float) -> list[tuple[float, str]]:
    count = 2 if scale == SHARES else max(1, min(4, int(height / (3.0 * page.small))))
    places = ticks(scale.low, scale.high, count)
    while len(places) < 2:
        count += 1
        places = ticks(scale.low, scale.high, count)
    largest = max(abs(place) for place in places)
    if largest < 1e-3:
        # Decimals would be too many to read. A locator's 0 may be a remainder, or have a sign.
        marks = [(at, plain(at) if abs(at) > 1e-9 * largest else "0") for at in places]
    else:
        places_after = max(len(f"{place:.6g}".partition(".")[2]) for place in places)
        marks = [(place, fixed(place, places_after)) for place in places]
    if scale.signed or scale.low <= 0.0:
        return marks
    # What lies below a baseline has its colour.
    end = f"≤{fixed(scale.low, decimals_for((scale.low, scale.high)))}"
    room = page.line_height(page.small) * (scale.high - scale.low) / height
    return [(scale.low, end), *(mark for mark in marks if mark[0] >= scale.low + room)]


def bar_width(page: Page, scale: ColourScale, height: float = 120.0) -> float:
    """Return how wide a colour bar is with its numbers and its title, in points."""
    texts = [text for _, text in _bar_ticks(page, scale, height)]
    return _BAR + 4.0 + page.widest(texts) + 2.0 + page.line_height(page.small)


def draw_bar(page: Page, x: float, y: float, height: float, scale: ColourScale, title: str) -> None:
    """Draw a colour bar of 256 rectangles with its top left corner at x, y."""
    step, colours = height / 256, page.palette(scale)
    for level in range(256):
        # Each reaches up to the top, so that no seam is left under the next.
        box = [x, y, x + _BAR, y + height - level * step]
        page.boxes(np.array([box]), as_hex(colours[level]))
    page.frame(x, y, x + _BAR, y + height, _FRAME)
    right = x + _BAR
    marks = _bar_ticks(page, scale, height)
    for value, text in marks:
        place = y + height * (scale.high - value) / (scale.high - scale.low)
        page.line([right + 0.4, right + 2.0], [place, place], width=0.4)
        page.text(right + 4.0, place, text, size=page.small)
    widest = page.widest([text for _, text in marks])
    middle = right + 4.0 + widest + 2.0 + 0.5 * page.line_height(page.small)
    page.note(middle, y + height / 2, title, upright=True)


@dataclass(frozen=True)
class _Layout:
    """How panels stand: how many side by side, sizes of a cell, and how their labels are set."""

    across: int
    cell: float
    row: float
    beside: Setting
    below: Setting

    @property
    def whole(self) -> bool:
        return self.beside.whole and self.below.whole


class _Panels:
    """Panels of one matrix being laid out on a page beside a colour bar so wide."""

    def __init__(self, page: Page, matrix: Matrix, bar: float) -> None:
        self.page, self.matrix, self.bar = page, matrix, bar
        self.panels, rows, self.columns = matrix.values.shape
        self.rectangles: bool = _as_rectangles(rows, self.columns, self.panels)
        self.title = page.widest([line for title in matrix.titles for line in title])
        """Width of the widest line above a panel, in points."""
        self.row_title = page.line_height(page.small) + 2.0 if matrix.rows.title else 0.0

    def choose(self) -> _Layout:
        """Choose how many panels stand side by side: the most whose labels are all whole."""
        page, dpi, panels = self.page, self.page.dpi, self.panels
        whole_rows = {math.ceil(panels / -(-panels // n)) for n in range(1, min(panels, 8) + 1)}
        across = self.matrix.across or sorted(whole_rows)[::-1]
        best: _Layout | None = None
        for count in across:
            page.dpi = dpi
            layout = self._layout(count)
            if layout is None:
                continue
            if layout.whole and count > 1:
                return layout
            wide = layout.cell * self.columns >= _LEAST_PANEL or count == across[-1]
            if best is None and wide:
                best = layout
        if best is None:
            raise Refused(
                f"{panels} patterns of {self.columns:,} tokens do not fit a figure of this width: "
                "choose one head with --head, or a wider page"
            )
        page.dpi = dpi
        return self._layout(best.across) or best

    def _layout(self, across: int) -> _Layout | None:
        """Fit panels side by side; None where a cell would be smaller than a printed pixel."""
        page, dpi = self.page, self.page.dpi
        first: tuple[int, _Layout] | None = None
        for share in _LABEL_SHARES if self.panels == 1 else (_SHARE_OF_MANY,):
            page.dpi = dpi
            layout = self._fit(across, share * self.matrix.longest * page.width)
            if layout is None or layout.whole:
                return layout
            first = first or (page.dpi, layout)
        assert first is not None, "there is a share to try"
        page.dpi, layout = first
        return layout

    def _fit(self, across: int, limit: float) -> _Layout | None:
        page, matrix = self.page, self.matrix
        room = page.width - 4.0 - _GAP - self.row_title - self.bar - (across - 1) * _GAP
        dpi, cell, row = page.dpi, None, 0.0
        for size in lettering.sizes(page):
            page.dpi = dpi
            beside, least = lettering.whole(page, matrix.rows, size, limit)
            cell = self._cell((room - beside.extent) / across)
            if cell is not None and (cell >= least or (matrix.every_row and size <= page.small)):
                row = least if cell < least else 0.0
                break
        else:
            # Which labels are left out depends on the cells, which depend on the labels' room.
            for _ in range(2):
                page.dpi = dpi
                beside = lettering.beside(page, matrix.rows, cell or page.pixel, limit)
                cell = self._cell((room - beside.extent) / across)
            if cell is None:
                return None
            beside = lettering.beside(page, matrix.rows, cell, limit)
        if across > 1 and across * (self.title + _GAP) > room - beside.extent + across * _GAP:
            return None
        below = lettering.below(page, matrix.columns, cell, limit)
        # A row of whole pixels, and not a rounding lower than its label.
        row = math.ceil(row / page.pixel - 1e-6) * page.pixel
        return _Layout(across, cell, max(cell, row), beside, below)

    def _cell(self, room: float) -> float | None:
        """Return the side of a cell, all of which share the room; None below a pixel."""
        count = self.columns
        cell: float | None = _whole_pixels(self.page, room, count, _LARGEST_CELL)
        least = 0.9 * min(room, _LARGEST_CELL * count)
        return room / count if cell and self.rectangles and cell * count < least else cell


def draw(page: Page, y: float, matrix: Matrix) -> float:
    """Draw a matrix's panels from y on and return where they end.

    Raises
    ------
    Refused
        If it is empty, or a cell would be smaller than a printed pixel.
    """
    panels, rows, columns = matrix.values.shape
    if rows == 0:
        raise Refused(NO_TOKENS)
    matrix = replace(
        matrix,
        scale=page.scale(matrix.bar, matrix.scale),
        titles=_titles(page, matrix) or [()] * panels,
    )
    has_bar = page.has_bar(matrix.bar, matrix.scale)
    bar = bar_width(page, matrix.scale) if has_bar else 0.0
    fitted = _Panels(page, matrix, bar)
    layout = fitted.choose()
    for axis, setting in ((matrix.rows, layout.beside), (matrix.columns, layout.below)):
        lettering.tell(page, axis, setting)
    cells = _Cells(layout.cell, layout.row, matrix.scale, fitted.rectangles)
    width, height = columns * cells.width, rows * cells.height
    heading = max(map(len, matrix.titles)) * page.line_height(page.small)
    pitch = page.snap(max(width, fitted.title) + _GAP), page.snap(heading + height + 4.0)
    used = layout.across * pitch[0] - _GAP
    left = fitted.row_title + layout.beside.extent
    start = max(2.0, (page.width - left - used - _GAP - bar) / 2)
    first, top = page.snap(start + left), page.snap(y + heading)
    for panel in range(panels):
        row, column = divmod(panel, layout.across)
        corner = first + column * pitch[0], top + row * pitch[1]
        _draw_panel(page, matrix, cells, panel, corner)
        if column == 0:
            lettering.draw_beside(page, matrix.rows, layout.beside, *corner, cells.height)
        if panel + layout.across >= panels:
            under = corner[1] + height
            lettering.draw_below(page, matrix.columns, layout.below, corner[0], under, cells.width)
    grid = (-(-panels // layout.across) - 1) * pitch[1] + height
    bottom = below = top + grid + layout.below.extent
    if has_bar:
        bar_height = min(max(grid, 40.0, page.measure(matrix.bar, page.small)), max(120.0, height))
        draw_bar(page, first + used + _GAP, top, bar_height, matrix.scale, matrix.bar)
        bottom = max(below, top + bar_height + 0.5 * page.line_height())
    if matrix.rows.title:
        length = page.measure(matrix.rows.title, page.small)
        bottom = max(bottom, top + length)
        middle = top + max(grid, length) / 2
        page.note(start + 0.5 * fitted.row_title - 1.0, middle, matrix.rows.title, upright=True)
    if matrix.columns.title:
        line = page.line_height(page.small)
        page.note(first + used / 2, below + 0.6 * line, matrix.columns.title)
        bottom = max(bottom, below + 1.1 * line)
    return float(bottom)


def _titles(page: Page, matrix: Matrix) -> Sequence[Sequence[str]]:
    """Return the lines above each panel; names of panels side by side stand on one line."""
    if not matrix.joined:
        most = max(map(len, matrix.titles), default=0)
        return [[*title, *[""] * (most - len(title))] for title in matrix.titles]
    labels = page.measure(matrix.rows.labels[-1], page.small) + 4.0
    room = page.width - labels - bar_width(page, SHARES) - 12.0
    titles = []
    for name, *listed in matrix.titles:
        lines: list[str] = [name]
        for place, text in enumerate(listed):
            joined = f"{lines[-1]}{', ' if place else ': '}{text}"
            if page.measure(joined, page.small) <= room:
                lines[-1] = joined
            else:
                lines.append(text)
        titles.append(lines)
    return titles


def _draw_panel(
    page: Page, matrix: Matrix, cells: _Cells, panel: int, corner: tuple[float, float]
) -> None:
    x, y = corner
    line = page.line_height(page.small)
    for place, text in enumerate(reversed(matrix.titles[panel])):
        page.text(x, y - (place + 0.55) * line, text, size=page.small)
    cells.draw(page, x, y, matrix.values[panel], matrix.seen)
    if matrix.marked and matrix.marked[panel]:
        places = np.array(matrix.marked[panel])[:, ::-1]
        sides = np.array([cells.width, cells.height] * 2)
        boxes = np.array([x, y, x, y]) + sides * np.hstack([places, places + 1])
        page.boxes(boxes, LIGHT.curve_qk, edge=1.0, hollow=True)


def draw_thumbnails(page: Page, y: float, heads: Thumbnails) -> float:
    """Draw a small matrix for every head from y on, and return where they end."""
    n_layers, n_heads, side, _ = heads.values.shape
    scale = page.scale(heads.bar, heads.scale)
    has_bar = page.has_bar(heads.bar, scale)
    names = page.widest([f"L{layer}" for layer in range(n_layers)]) + 4.0
    room = page.width - names - (bar_width(page, scale) if has_bar else 0.0) - 8.0
    room = (room - (n_heads - 1) * _THUMBNAIL_GAP) / n_heads
    cell = _whole_pixels(page, room, side, 40.0 / side)
    if cell is None:
        raise Refused(f"{n_heads} heads a layer do not fit a figure of this width: make it wider")
    cells = _Cells(cell, cell, scale, _as_rectangles(side, side, n_layers * n_heads))
    pitch = page.snap(side * cell + _THUMBNAIL_GAP)
    first, top = page.snap(names), page.snap(y + page.line_height(page.small))
    every = 1
    while page.measure(f"H{n_heads - 1}", page.small) + 1.0 > every * pitch:
        every += 1
    for number in range(0, n_heads, every):
        page.note(first + number * pitch + side * cell / 2, top - 5.0, f"H{number}")
    every = int(np.ceil(page.small / pitch))
    for layer in range(n_layers):
        corner = top + layer * pitch
        if layer % every == 0:
            page.note(first - 3.0, corner + side * cell / 2, f"L{layer}", anchor="right")
        for number in range(n_heads):
            values = heads.values[layer, number]
            cells.draw(page, first + number * pitch, corner, values, heads.seen[layer])
    bottom = top + n_layers * pitch
    if has_bar:
        height = min(max(bottom - top - _THUMBNAIL_GAP, 40.0), 120.0)
        draw_bar(page, first + n_heads * pitch + 4.0, top, height, scale, heads.bar)
        bottom = max(bottom, top + height)
    return float(bottom)
