"""From numbers to colours: the levels of an Indexed8 image, and ink that can be read on them.

An Indexed8 image has 256 colours and a masked cell needs one of them. The two middle entries of a
256-colour map share a level, which leaves 255 levels with one exactly in the middle: every value
keeps the colour of its map, and 0 of signed data falls on the level that is white.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from gui.theme import DIVERGING, LIGHT, SEQUENTIAL, lut

Colours = Literal["sequential", "diverging"]
MASKED = 255
"""Level of a masked cell."""

_MAPS: dict[str, str] = {"sequential": SEQUENTIAL, "diverging": DIVERGING}
_MIDDLE = 127
_READABLE = 4.5


@cache
def levels(colours: Colours) -> npt.NDArray[np.uint8]:
    """Return the colours of the 255 levels, [255, 3]."""
    table = np.delete(lut(_MAPS[colours]), _MIDDLE, axis=0)
    table.setflags(write=False)
    return table


@dataclass(frozen=True)
class Colouring:
    """A colour map between two limits; diverging maps want symmetric ones."""

    colours: Colours
    low: float
    high: float

    def level(self, values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
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
            index: npt.NDArray[np.uint8] = scaled.astype(np.uint8)
        index -= index > _MIDDLE
        index[missing] = MASKED
        return index

    def colour(self, value: float) -> QColor:
        """Return the colour of one number."""
        red, green, blue = levels(self.colours)[int(self.level([value])[0])].tolist()
        return QColor(red, green, blue)

    def colours_of(self, values: npt.ArrayLike) -> list[QColor | None]:
        """Return the colour of each number, none where it is not a number."""
        table = levels(self.colours).tolist()
        return [
            None if level == MASKED else QColor(*table[level])
            for level in self.level(values).tolist()
        ]


def image(level: npt.NDArray[np.uint8], colours: Colours, masked: str) -> QImage:
    """Return an image of one pixel a cell.

    Parameters
    ----------
    level
        Levels, [height, width].
    colours
        Which map.
    masked
        Colour of the cells at level MASKED, `#rrggbb`.
    """
    data = np.ascontiguousarray(level)
    height, width = data.shape
    table = [0xFF000000 | r << 16 | g << 8 | b for r, g, b in levels(colours).tolist()]
    made = QImage(data.data, width, height, width, QImage.Format.Format_Indexed8)
    made.setColorTable([*table, QColor(masked).rgba()])
    return made.copy()  # the copy owns its pixels: numpy's may go


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.1, relative luminance)."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def ink(ground: QColor, *, quiet: bool = False) -> QColor:
    """Return black or white, whichever can be read on a data colour.

    Data colours do not follow the theme, so neither does the ink on them. The better of the two
    has a contrast of at least 4.58 with any colour (WCAG 2.1 asks for 4.5); where both have that,
    white is easier to read on blue and red than the formula says.

    Parameters
    ----------
    ground
        The data colour.
    quiet
        Muted where that can be read.
    """
    return QColor.fromRgb(_ink(ground.rgb(), quiet))


@cache
def _ink(rgb: int, quiet: bool) -> int:
    ground, muted = QColor.fromRgb(rgb), QColor(LIGHT.muted)
    if quiet and contrast(muted, ground) >= _READABLE:
        return muted.rgb()
    black, white = QColor(Qt.GlobalColor.black), QColor(Qt.GlobalColor.white)
    return white.rgb() if contrast(white, ground) >= _READABLE else black.rgb()


def _luminance(colour: QColor) -> float:
    channels = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))
