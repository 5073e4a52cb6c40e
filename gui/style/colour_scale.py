"""Which colour maps there are, and from numbers to their colours and the ink on them."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gui.style.formatting import reach
from gui.style.theme import DIVERGING, LIGHT, SEQUENTIAL, lut

Array = npt.NDArray[np.floating]
Bytes = npt.NDArray[np.uint8]


class ColourMap(NamedTuple):
    """A map that can be chosen: where its colours are from, and what its ends are called."""

    source: str
    low: str
    high: str


SEQUENTIAL_MAPS = {
    "Blues": ColourMap(SEQUENTIAL, "white", "blue"),
    "Greys": ColourMap("colorbrewer:Greys", "white", "black"),
    "YlGnBu": ColourMap("colorbrewer:YlGnBu", "yellow", "blue"),
    "cividis": ColourMap("cividis", "blue", "yellow"),
    "viridis": ColourMap("viridis", "violet", "yellow"),
    "magma": ColourMap("magma", "black", "yellow"),
    "batlow": ColourMap("crameri:batlow", "dark blue", "pink"),
}
"""Maps for amounts by the name that an option gives them; all can be told apart when colour-blind.

Sources: ColorBrewer 2 (Blues, Greys, YlGnBu), Nuñez et al. 2018 (cividis), van der Walt and
Smith 2015 (viridis, magma), Crameri 2018 (batlow).
"""
DIVERGING_MAPS = {
    "RdBu": ColourMap(DIVERGING, "red", "blue"),
    "PuOr": ColourMap("colorbrewer:PuOr", "orange", "purple"),
    "BrBG": ColourMap("colorbrewer:BrBG", "brown", "green"),
    "vik": ColourMap("crameri:vik", "blue", "red"),
    "cividis": ColourMap("cividis", "blue", "yellow"),
}
"""Maps for signed values; cividis tells the signs apart in greyscale too, and has no white at 0."""
_WINDOW = next(found for found in DIVERGING_MAPS.values() if found.source == DIVERGING)
MORE_OR_LESS = f"more (+, {_WINDOW.high}) or less (−, {_WINDOW.low})"
"""How the window's map of signed values shows a change."""

MASKED = 255
"""Level of a cell that may not be seen or holds no number."""
_MIDDLE = 127
"""Entry left out of 256 so that a level stays free; of a diverging map, 128 is as neutral."""
_READABLE = 4.5
_REVERSAL = 0.5
"""Lightness that rounding to 256 levels may take back."""


@dataclass(frozen=True)
class ColourScale:
    """A map of amounts, or of signed values, between two limits.

    Parameters
    ----------
    signed
        Whether the sign tells: limits are then symmetric.
    low, high
        Values of the first and of the last colour.
    """

    signed: bool
    low: float
    high: float

    def index(self, values: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the entry of a map that stands for each value, 0 to 255."""
        return np.rint(np.clip(self.position(values), 0.0, 1.0) * 255.0).astype(np.intp)

    def position(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return where values stand along the map, 0 at its low end and 1 at its high end."""
        share: npt.NDArray[np.float64] = (np.asarray(values, dtype=np.float64) - self.low) / (
            self.high - self.low
        )
        return share

    def level(self, values: npt.ArrayLike) -> Bytes:
        """Return the level of each value, 0 to 254, and MASKED where it is not a number."""
        numbers = np.asarray(values)
        if not np.issubdtype(numbers.dtype, np.floating):
            numbers = numbers.astype(np.float64)
        span = self.high - self.low
        # A factor too large for float32 (limits that nearly meet) must not overflow to NaN.
        scale = 255.0 / span if span > 1e-30 else 0.0
        with np.errstate(over="ignore"):  # what overflows is beyond the limits, and clipped
            scaled = np.subtract(numbers, numbers.dtype.type(self.low))
            np.multiply(scaled, numbers.dtype.type(scale), out=scaled)
        missing = np.isnan(scaled)
        np.clip(scaled, 0.0, 255.0, out=scaled)
        np.rint(scaled, out=scaled)
        with np.errstate(invalid="ignore"):
            index: Bytes = scaled.astype(np.uint8)
        index -= index > _MIDDLE
        index[missing] = MASKED
        return index

    def joined(self, other: "ColourScale") -> "ColourScale":
        """Return limits that show what both show."""
        return ColourScale(self.signed, min(self.low, other.low), max(self.high, other.high))


SHARES = ColourScale(False, 0.0, 1.0)
"""Attention: 0 is one end of the map, 1 the other."""


def amounts(values: Array, baseline: float = 0.0) -> ColourScale:
    """Return a scale for values that start at a baseline; twice that where none is above it."""
    highest = float(values[np.isfinite(values)].max(initial=0.0))
    return ColourScale(False, baseline, highest if highest > baseline else 2 * baseline or 1.0)


def signed(values: Array, least: float = 0.0) -> ColourScale:
    """Return a scale for signed values, 0 in the middle, whose limits reach `least` at least."""
    limit = reach(values, least)
    return ColourScale(True, -limit, limit)


@cache
def levels(*, diverging: bool) -> Bytes:
    """Return the colours of the 255 levels of the window's maps, [255, 3]."""
    table = np.delete(lut(DIVERGING if diverging else SEQUENTIAL), _MIDDLE, axis=0)
    table.setflags(write=False)
    return table


def table(name: str, *, diverging: bool) -> Bytes:
    """Return the colours of a map by its name in an option, lowest value first, [256, 3]."""
    return lut((DIVERGING_MAPS if diverging else SEQUENTIAL_MAPS)[name].source)


def as_hex(colour: Bytes) -> str:
    """Return one colour as `#rrggbb`."""
    red, green, blue = colour.tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def luminance(colours: npt.ArrayLike, knee: float = 0.04045) -> npt.NDArray[np.float64]:
    """Return the relative luminance of sRGB colours, [colour, 3] of 0 to 255, as 0 to 1.

    Below the knee a channel is linear: 0.04045 in IEC 61966-2-1, 0.03928 in WCAG 2.1.
    """
    share = np.asarray(colours, dtype=np.float64) / 255.0
    linear = np.where(share <= knee, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    found: npt.NDArray[np.float64] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return found


def contrast(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.1, relative luminance)."""
    dark, bright = sorted(float(luminance(colour, 0.03928)) for colour in (one, other))
    return (bright + 0.05) / (dark + 0.05)


@cache
def ink(ground: tuple[int, int, int], *, quiet: bool = False) -> str:
    """Return black or white, whichever can be read on a data colour; muted where that can be.

    Data colours do not follow the theme, so neither does the ink on them. The better of the two
    has a contrast of at least 4.58 with any colour (WCAG 2.1 asks for 4.5); where both have that,
    white is easier to read on blue and red than the formula says.
    """
    muted = tuple(bytes.fromhex(LIGHT.muted[1:]))
    if quiet and contrast(muted, ground) >= _READABLE:
        return LIGHT.muted
    return "#ffffff" if contrast((255, 255, 255), ground) >= _READABLE else "#000000"


def lightness(colours: Bytes) -> npt.NDArray[np.float64]:
    """Return L* of sRGB colours, [colour, 3] -> [colour], 0 to 100 (CIE 15:2004, 8.2.1)."""
    light = luminance(colours)
    shades: npt.NDArray[np.float64] = np.where(
        light > (6 / 29) ** 3, 116.0 * np.cbrt(light) - 16.0, light * (29 / 3) ** 3
    )
    return shades


@cache
def fits_greyscale(name: str, *, diverging: bool) -> bool:
    """Return whether a map only ever gets lighter, or only darker, from one end to the other."""
    shades = lightness(table(name, diverging=diverging))
    falls = (np.maximum.accumulate(shades) - shades).max()
    rises = (shades - np.minimum.accumulate(shades)).max()
    return bool(min(falls, rises) <= _REVERSAL)


def greyscale_warning(name: str, *, diverging: bool) -> str:
    """Return what a map loses in greyscale, in a sentence; nothing where it loses nothing."""
    if fits_greyscale(name, diverging=diverging):
        return ""
    maps = DIVERGING_MAPS if diverging else SEQUENTIAL_MAPS
    fit = [other for other in maps if fits_greyscale(other, diverging=diverging)]
    return (
        f"the colour map {name} shows different values alike when it is printed in greyscale: "
        f"{' or '.join(fit)} does not"
    )
