"""From numbers to the 256 colours of a map between two limits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gui.theme import DIVERGING, SEQUENTIAL, lut


@dataclass(frozen=True)
class Scale:
    """A colour map between two limits."""

    name: str
    low: float
    high: float

    def index(self, values: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the entry of the map that stands for each value, 0 to 255."""
        share = (np.asarray(values, dtype=np.float64) - self.low) / (self.high - self.low)
        return np.rint(np.clip(share, 0.0, 1.0) * 255.0).astype(np.intp)

    @property
    def colours(self) -> npt.NDArray[np.uint8]:
        """The map, lowest value first, [256, 3]."""
        return lut(self.name)

    def hex(self, index: int) -> str:
        """Return one entry of the map as `#rrggbb`."""
        red, green, blue = self.colours[index].tolist()
        return f"#{red:02x}{green:02x}{blue:02x}"


SHARES = Scale(SEQUENTIAL, 0.0, 1.0)
"""Attention: 0 is white, 1 the darkest."""


def amounts(values: npt.NDArray[np.floating]) -> Scale:
    """Return a scale for values that start at 0."""
    finite = values[np.isfinite(values)]
    return Scale(SEQUENTIAL, 0.0, float(finite.max(initial=0.0)) or 1.0)


def signed(values: npt.NDArray[np.floating]) -> Scale:
    """Return a scale for signed values: 0 neutral in the middle of symmetric limits."""
    finite = values[np.isfinite(values)]
    limit = float(np.abs(finite).max(initial=0.0)) or 1.0
    return Scale(DIVERGING, -limit, limit)
