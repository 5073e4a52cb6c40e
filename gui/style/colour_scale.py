"""From numbers to the 256 colours of a map between two limits, and which maps there are."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from gui.style.formatting import reach
from gui.style.theme import DIVERGING, SEQUENTIAL, lut

SEQUENTIAL_MAPS = {
    "Blues": SEQUENTIAL,
    "Greys": "colorbrewer:Greys",
    "YlGnBu": "colorbrewer:YlGnBu",
    "cividis": "cividis",
    "viridis": "viridis",
    "magma": "magma",
    "batlow": "crameri:batlow",
}
"""Maps for amounts by the name that an option gives them; all can be told apart when colour-blind.

Sources: ColorBrewer 2 (Blues, Greys, YlGnBu), Nuñez et al. 2018 (cividis), van der Walt and
Smith 2015 (viridis, magma), Crameri 2018 (batlow).
"""

DIVERGING_MAPS = {
    "RdBu": DIVERGING,
    "PuOr": "colorbrewer:PuOr",
    "BrBG": "colorbrewer:BrBG",
    "vik": "crameri:vik",
    "cividis": "cividis",
}
"""Maps for signed values; cividis tells the signs apart in greyscale too, and has no white at 0."""

_REVERSAL = 0.5
"""Lightness that rounding to 256 levels may take back."""


@dataclass(frozen=True)
class Scale:
    """Limits of what is coloured, and whether its sign tells."""

    signed: bool
    low: float
    high: float

    def index(self, values: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the entry of a map that stands for each value, 0 to 255."""
        share = (np.asarray(values, dtype=np.float64) - self.low) / (self.high - self.low)
        return np.rint(np.clip(share, 0.0, 1.0) * 255.0).astype(np.intp)

    def joined(self, other: "Scale") -> "Scale":
        """Return limits that show what both show."""
        return Scale(self.signed, min(self.low, other.low), max(self.high, other.high))


SHARES = Scale(False, 0.0, 1.0)
"""Attention: 0 is one end of the map, 1 the other."""


def amounts(values: npt.NDArray[np.floating]) -> Scale:
    """Return a scale for values that start at 0."""
    finite = values[np.isfinite(values)]
    return Scale(False, 0.0, float(finite.max(initial=0.0)) or 1.0)


def signed(values: npt.NDArray[np.floating], least: float = 0.0) -> Scale:
    """Return a scale for signed values: 0 neutral in the middle of symmetric limits.

    Parameters
    ----------
    values
        What is to be shown.
    least
        The limits reach at least as far.
    """
    limit = reach(values, least)
    return Scale(True, -limit, limit)


def table(name: str, *, diverging: bool) -> npt.NDArray[np.uint8]:
    """Return the colours of a map by its name in an option, lowest value first, [256, 3]."""
    return lut((DIVERGING_MAPS if diverging else SEQUENTIAL_MAPS)[name])


def as_hex(colour: npt.NDArray[np.uint8]) -> str:
    """Return one colour as `#rrggbb`."""
    red, green, blue = colour.tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def lightness(colours: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Return L* of sRGB colours, [colour, 3] -> [colour], 0 to 100 (CIE 15:2004, 8.2.1)."""
    share = colours.astype(np.float64) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    luminance = linear @ np.array([0.2126, 0.7152, 0.0722])
    shades: npt.NDArray[np.float64] = np.where(
        luminance > (6 / 29) ** 3, 116.0 * np.cbrt(luminance) - 16.0, luminance * (29 / 3) ** 3
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
