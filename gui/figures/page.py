"""A page measured in points from its top left corner, on which the figures are set.

Every text is measured before it is placed and every cell lies on whole pixels of the printed
resolution, so that nothing is clipped, overlaps or is smoothed. The height is settled last, by
what was placed; the width is the one asked for, exactly.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D

from engine.messages import printable
from gui.figures.fonts import advance, properties
from gui.state.figure_options import SMALLEST, Advice, FigureOptions
from gui.style import colour_scale
from gui.style.colour_scale import ColourScale
from gui.style.formatting import MINUS
from gui.style.theme import LIGHT

Anchor = Literal["left", "center", "right"]
Quantity = tuple[str, bool]
"""What a colour stands for: the title of its colour bar, and whether it is signed."""

DPI = 600
"""Printed resolution; a raster picture has this or a whole multiple of it."""

_BASELINE = 0.36
"""How far below the middle of a line its baseline lies, in units of the font size."""


def in_pieces(text: str) -> tuple[str, ...]:
    """Return what of a label is set one after the other, from left to right.

    Set as one text, the right-hand token of a Hebrew or Arabic `a | b` would stand on the left.
    """
    if not any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
        return (text,)
    if " | " in text:
        return text.partition(" | ")
    if text.startswith(("+ ", f"{MINUS} ")):
        return text[:2], text[2:]
    return (text,)


class _Raster(Artist):
    """Pixels set down as they are; matplotlib's own images resample in some formats."""

    def __init__(self, page: "Page", x: float, y: float, pixels: npt.NDArray[np.uint8]) -> None:
        super().__init__()
        self._place = (page, x, y)
        self._pixels = pixels

    def draw(self, renderer: Any) -> None:
        page, x, y = self._place
        left, bottom = page.points.transform((x, y))
        # A PNG may be finer than the pixels; vector formats scale an image by themselves.
        finer = max(1, round(max(page.figure.dpi, page.printed) / page.dpi))
        context = renderer.new_gc()
        renderer.draw_image(
            context, left, bottom, self._pixels.repeat(finer, axis=0).repeat(finer, axis=1)
        )
        context.restore()
        self.stale = False


class Page:
    """A figure in the making.

    Parameters
    ----------
    options
        How it is set.
    board
        The page that it is a part of, whose figure it is drawn on; without, it is a whole page.
    letter
        What it is called there, set in front of its title.

    Attributes
    ----------
    width
        Width in points.
    size, small
        Sizes of the ordinary and of the small text, in points.
    dpi
        Resolution whose whole pixels cells are.
    tokens, words
        Every token's label that was set, and every other text.
    warnings
        What the figure cannot do as it should, a sentence each.
    has_raster
        Whether it holds an image of cells.
    scales
        What was coloured here, by the title of its colour bar and whether it is signed, and the
        limits that show all of it.
    shared
        Limits that are common to several parts of a board, which has the colour bar.
    """

    def __init__(
        self, options: FigureOptions, board: "Page | None" = None, letter: str = ""
    ) -> None:
        self.options = options
        self.width = options.width * 72.0
        self.size = options.font_size
        self.small = max(SMALLEST, options.font_size - 1.0)
        self.dpi = DPI
        self.tokens: list[str] = []
        self.words: list[str] = []
        self.warnings: list[str] = []
        self.has_raster = False
        self.scales: dict[Quantity, ColourScale] = {}
        self.shared: Mapping[Quantity, ColourScale] = {}
        self.letter = letter
        self._board, self._upright = board, Affine2D()
        if board is None:
            self.figure = Figure(figsize=(options.width, options.width), dpi=DPI, facecolor="none")
            self.points = self._upright + self.figure.dpi_scale_trans
        else:
            self.figure, self.warnings = board.figure, board.warnings
            self.tokens, self.words = board.tokens, board.words
            self.points = self._upright + board.points

    @property
    def printed(self) -> int:
        """Resolution of the whole page, this or a multiple of it."""
        return self.dpi if self._board is None else self._board.dpi

    @property
    def pixel(self) -> float:
        """Size of a printed pixel in points."""
        return 72.0 / self.dpi

    def snap(self, length: float) -> float:
        """Return a place or a length rounded to whole pixels, in points."""
        return round(length / self.pixel) * self.pixel

    def finish(self, height: float) -> Figure:
        """Set the height, in points, and return the figure."""
        height = math.ceil(height / self.pixel) * self.pixel
        self.figure.set_size_inches(self.width / 72.0, height / 72.0)
        self._upright.clear().scale(1 / 72.0, -1 / 72.0).translate(0.0, height / 72.0)
        return self.figure

    def place(self, x: float, y: float) -> None:
        """Put the top left corner of a part at a place of its board, in points."""
        self._upright.clear().translate(x, y)

    def scale(self, title: str, scale: ColourScale) -> ColourScale:
        """Return the limits that a quantity is coloured by: its own, or those it shares.

        Parameters
        ----------
        title
            Title of its colour bar.
        scale
            Its own limits.
        """
        quantity = title, scale.signed
        met = self.scales.get(quantity)
        self.scales[quantity] = scale if met is None else met.joined(scale)
        return self.shared.get(quantity, scale)

    def has_bar(self, title: str, scale: ColourScale) -> bool:
        """Return whether a quantity has its colour bar here, and not on the board."""
        return (title, scale.signed) not in self.shared

    def palette(self, scale: ColourScale) -> npt.NDArray[np.uint8]:
        """Return the colours that stand for a scale, lowest value first, [256, 3]."""
        name = self.options.diverging if scale.signed else self.options.sequential
        warning = colour_scale.greyscale_warning(name, diverging=scale.signed)
        if warning and warning not in self.warnings:
            self.warnings.append(Advice(warning))
        return colour_scale.table(name, diverging=scale.signed)

    def line_height(self, size: float | None = None) -> float:
        """Return the distance between two lines of text, in points."""
        return 1.3 * (size or self.size)

    def measure(
        self, text: str, size: float | None = None, *, token: bool = False, bold: bool = False
    ) -> float:
        """Return the width of a text in points."""
        return advance(printable(text), token=token, bold=bold) * (size or self.size)

    def widest(
        self,
        texts: Iterable[str],
        size: float | None = None,
        *,
        token: bool = False,
        bold: bool = False,
    ) -> float:
        """Return the width of the widest text, small without a size; 0 of none."""
        size = size or self.small
        return max(
            (self.measure(text, size, token=token, bold=bold) for text in texts), default=0.0
        )

    def elide(
        self,
        text: str,
        width: float,
        size: float | None = None,
        *,
        token: bool = True,
        bold: bool = False,
    ) -> str:
        """Return a text, cut with an ellipsis where it is wider than `width` points."""
        if self.measure(text, size, token=token, bold=bold) <= width:
            return text
        kept = len(text) - 1
        while kept > 0 and self.measure(text[:kept] + "…", size, token=token, bold=bold) > width:
            kept -= 1
        return text[:kept] + "…"

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float | None = None,
        anchor: Anchor = "left",
        colour: str = LIGHT.text,
        token: bool = False,
        bold: bool = False,
        upright: bool = False,
    ) -> None:
        """Set a text literally.

        Parameters
        ----------
        x, y
            Middle of the line across its direction, and the place named by `anchor` along it.
        text
            What to set; never read as mathtext or markup.
        size
            Font size in points; the page's own without.
        anchor
            left, center or right, in the direction of reading.
        colour
            `#rrggbb`.
        token
            Whether it is a token's label, set in the tokens' face.
        bold
            Whether it is set bold.
        upright
            Whether it reads from the bottom to the top.
        """
        size = size or self.size
        shown = printable(text)
        (self.tokens if token else self.words).append(shown)
        pieces, along = in_pieces(shown), [0.0]
        if len(pieces) > 1:
            # Between two letters, since a space at an end has no width.
            around = self.measure("nn", size, token=token, bold=bold)
            ends = [self.measure(f"n{piece}n", size, token=token, bold=bold) for piece in pieces]
            widths = [end - around for end in ends]
            before = -sum(widths) * {"left": 0.0, "center": 0.5, "right": 1.0}[anchor]
            along, anchor = [before + sum(widths[:place]) for place in range(len(widths))], "left"
        drop = _BASELINE * size
        for piece, start in zip(pieces, along, strict=True):
            self.figure.add_artist(
                Text(
                    x + drop if upright else x + start,
                    y - start if upright else y + drop,
                    piece,
                    fontproperties=properties(piece, size, token=token, bold=bold),
                    color=colour,
                    horizontalalignment=anchor,
                    verticalalignment="baseline",
                    rotation=90.0 if upright else 0.0,
                    rotation_mode="anchor",
                    parse_math=False,
                    transform=self.points,
                )
            )

    def note(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: Anchor = "center",
        token: bool = False,
        upright: bool = False,
    ) -> None:
        """Set a small muted text; parameters are those of `text`."""
        self.text(
            x, y, text, size=self.small, anchor=anchor, colour=LIGHT.muted, token=token,
            upright=upright,
        )  # fmt: skip

    def line(
        self,
        xs: npt.ArrayLike,
        ys: npt.ArrayLike,
        *,
        colour: str = LIGHT.muted,
        width: float = 0.5,
        **style: Any,
    ) -> None:
        """Draw a line through points, with matplotlib's line properties."""
        self.figure.add_artist(
            Line2D(
                np.asarray(xs),
                np.asarray(ys),
                color=colour,
                linewidth=width,
                transform=self.points,
                **style,
            )
        )

    def boxes(
        self,
        boxes: npt.NDArray[np.floating],
        colour: str,
        *,
        edge: float = 0.0,
        hollow: bool = False,
    ) -> None:
        """Draw closed rectangles of one colour as one path.

        Parameters
        ----------
        boxes
            Left, top, right and bottom in points, [box, 4].
        colour
            `#rrggbb`.
        edge
            Width of their edges in points, in the same colour.
        hollow
            Whether only the edges are drawn.
        """
        left, top, right, bottom = np.asarray(boxes, dtype=np.float64).reshape(-1, 4).T
        corners = np.stack(
            [left, top, right, top, right, bottom, left, bottom, left, top], axis=1
        ).reshape(-1, 2)
        codes = np.tile(
            np.array([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], dtype=np.uint8), len(left)
        )
        self.figure.add_artist(
            PathPatch(
                Path(corners, codes),
                facecolor="none" if hollow else colour,
                edgecolor=colour if edge else "none",
                linewidth=edge,
                joinstyle="miter",
                transform=self.points,
            )
        )

    def frame(self, left: float, top: float, right: float, bottom: float, edge: float) -> None:
        """Draw an edge of some width around a rectangle, all of it outside."""
        half = edge / 2
        box = [left - half, top - half, right + half, bottom + half]
        self.boxes(np.array([box]), LIGHT.muted, edge=edge, hollow=True)

    def raster(self, x: float, bottom: float, pixels: npt.NDArray[np.uint8]) -> None:
        """Set pixels, [row, column, 4], one to a printed pixel, from a bottom left corner.

        The first row is the upper one; matplotlib's renderers count from below.
        """
        self.has_raster = True
        self.figure.add_artist(_Raster(self, x, bottom, pixels[::-1]))


def ticks(low: float, high: float, count: int) -> list[float]:
    """Return at most `count` + 1 round numbers from low to high."""
    found = MaxNLocator(nbins=max(1, count), steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    return [float(tick) for tick in found if low - slack <= tick <= high + slack]


def decades(low: float, high: float, count: int) -> list[int]:
    """Return at most `count` exponents of ten from low to high, evenly spaced."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / max(1, count)))
    return list(range(last, first - 1, -step))
