"""A grid of values as exact cells, and the colour bar that explains it."""

import numpy as np
import numpy.typing as npt

from gui.figures.page import DPI, Page, ticks
from gui.style.colour_scale import SHARES, Scale, as_hex
from gui.style.formatting import fixed, plain
from gui.style.theme import LIGHT

VECTOR_CELLS = 64
"""Rows and columns up to which cells are drawn as closed rectangles."""
_MOST_RECTANGLES = 70_000
_FRAME = 0.4
BAR = 6.0
"""Width of a colour bar in points."""

_LEAST_BORDERED = 0.6
"""Side of a cell, in points, from which a border beside it can be told from it."""
_FINEST = 2 * DPI


def as_rectangles(rows: int, columns: int, grids: int = 1) -> bool:
    """Return whether grids of this shape are drawn as rectangles rather than as pixels."""
    return max(rows, columns) <= VECTOR_CELLS and grids * rows * columns <= _MOST_RECTANGLES


def whole_pixels(page: Page, room: float, count: int, largest: float) -> float | None:
    """Return the largest side of a cell in whole printed pixels, `count` of which fit the room.

    Raises the page's resolution where whole pixels of 600 dpi would leave much of the room empty.

    Parameters
    ----------
    page
        The page, whose resolution may be raised.
    room
        Width for all cells together, in points.
    count
        Cells side by side.
    largest
        Side that a cell may have at most, in points.

    Returns
    -------
    float or None
        The side in points; None where a cell would be smaller than the finest pixel.
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


def draw(
    page: Page,
    x: float,
    y: float,
    cell: float,
    values: npt.NDArray[np.floating],
    seen: npt.NDArray[np.bool_],
    scale: Scale,
    *,
    rectangles: bool,
    height: float | None = None,
) -> None:
    """Draw a grid of cells.

    Parameters
    ----------
    page
        The page.
    x, y
        Top left corner in points, on whole pixels.
    cell
        Width of a cell in points, whole pixels.
    values
        [row, column].
    seen
        True where a cell has a value, [row, column]; the others stay paper.
    scale
        Colours and limits.
    rectangles
        Whether cells are drawn as rectangles, else as whole pixels.
    height
        Height of a cell in points, whole pixels; without, cells are squares.
    """
    sides = cell, cell if height is None else height
    rows, columns = values.shape
    seen = seen & np.isfinite(values)
    index = scale.index(np.where(seen, values, scale.low))
    if rectangles:
        _draw_rectangles(page, x, y, sides, index, seen, scale)
    else:
        _draw_pixels(page, x, y, sides, index, seen, scale)
    if min(sides) >= _LEAST_BORDERED:
        _draw_border(page, x, y, sides, seen)
    edge = _FRAME if columns * cell >= 40.0 else _FRAME / 2
    half = edge / 2
    frame = [x - half, y - half, x + columns * cell + half, y + rows * sides[1] + half]
    page.boxes(np.array([frame]), LIGHT.muted, edge=edge, hollow=True)


def _draw_rectangles(
    page: Page,
    x: float,
    y: float,
    sides: tuple[float, float],
    index: npt.NDArray[np.intp],
    seen: npt.NDArray[np.bool_],
    scale: Scale,
) -> None:
    (width, height), colours = sides, page.palette(scale)
    # An edge in the cell's own colour closes the seams that smoothing leaves between neighbours.
    edge = min(0.4, 0.15 * min(sides))
    for level in np.unique(index[seen]).tolist():
        row, column = np.nonzero(seen & (index == level))
        left, top = x + column * width, y + row * height
        boxes = np.stack([left, top, left + width, top + height], axis=1)
        page.boxes(boxes, as_hex(colours[level]), edge=edge)


def _draw_pixels(
    page: Page,
    x: float,
    y: float,
    sides: tuple[float, float],
    index: npt.NDArray[np.intp],
    seen: npt.NDArray[np.bool_],
    scale: Scale,
) -> None:
    pixels = np.full((*index.shape, 4), 255, dtype=np.uint8)
    pixels[..., :3] = page.palette(scale)[index]
    pixels[~seen] = 255, 255, 255, 0 if page.options.ground == "transparent" else 255
    across, down = (round(side / page.pixel) for side in sides)
    page.raster(x, y + len(index) * sides[1], pixels.repeat(down, axis=0).repeat(across, axis=1))


def _draw_border(
    page: Page, x: float, y: float, sides: tuple[float, float], seen: npt.NDArray[np.bool_]
) -> None:
    """Draw the border between cells and masked paper, which may look like a neutral value."""
    width, height = sides
    line = min(0.3, 0.25 * min(sides))  # far from the middle of any cell
    xs: list[float] = []
    ys: list[float] = []
    for row, column in np.argwhere(seen[:, 1:] != seen[:, :-1]).tolist():
        xs += [x + (column + 1) * width] * 2 + [np.nan]
        ys += [y + row * height, y + (row + 1) * height, np.nan]
    for row, column in np.argwhere(seen[1:] != seen[:-1]).tolist():
        xs += [x + column * width, x + (column + 1) * width, np.nan]
        ys += [y + (row + 1) * height] * 2 + [np.nan]
    if xs:
        page.line(xs, ys, width=line, solid_capstyle="projecting")


def _bar_ticks(page: Page, scale: Scale, height: float) -> list[tuple[float, str]]:
    count = 2 if scale == SHARES else max(1, min(4, int(height / (3.0 * page.small))))
    places = ticks(scale.low, scale.high, count)
    while len(places) < 2:
        count += 1
        places = ticks(scale.low, scale.high, count)
    largest = max(abs(place) for place in places)
    if largest < 1e-3:
        # Decimals would be too many to read. A locator's 0 may be a remainder, or have a sign.
        return [(at, plain(at) if abs(at) > 1e-9 * largest else "0") for at in places]
    places_after = max(len(f"{place:.6g}".partition(".")[2]) for place in places)
    return [(place, fixed(place, places_after)) for place in places]


def bar_width(page: Page, scale: Scale, height: float) -> float:
    """Return how wide a colour bar is with its numbers and its title, in points."""
    texts = [text for _, text in _bar_ticks(page, scale, height)]
    widest = max(page.measure(text, page.small) for text in texts)
    return BAR + 4.0 + widest + 2.0 + page.line_height(page.small)


def draw_bar(page: Page, x: float, y: float, height: float, scale: Scale, title: str) -> None:
    """Draw a colour bar of 256 rectangles with its top left corner at x, y."""
    step, colours = height / 256, page.palette(scale)
    for level in range(256):
        # Each reaches up to the top, so that no seam is left under the next.
        box = [x, y, x + BAR, y + height - level * step]
        page.boxes(np.array([box]), as_hex(colours[level]))
    half = _FRAME / 2
    frame = [x - half, y - half, x + BAR + half, y + height + half]
    page.boxes(np.array([frame]), LIGHT.muted, edge=_FRAME, hollow=True)
    right = x + BAR
    marks = _bar_ticks(page, scale, height)
    for value, text in marks:
        place = y + height * (scale.high - value) / (scale.high - scale.low)
        page.line([right + 0.4, right + 2.0], [place, place], width=0.4)
        page.text(right + 4.0, place, text, size=page.small)
    widest = max(page.measure(text, page.small) for _, text in marks)
    page.text(
        right + 4.0 + widest + 2.0 + 0.5 * page.line_height(page.small),
        y + height / 2,
        title,
        size=page.small,
        anchor="center",
        colour=LIGHT.muted,
        upright=True,
    )
