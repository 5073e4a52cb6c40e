"""Colours, fonts and the window's colour maps, as plain data: the only place that names them.

Data colours never follow the theme: a pattern looks the same in light and in dark.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

UNIT = 8
"""The spacing unit in pixels; margins and gaps are multiples or halves of it."""

SCROLL_BAR = 10
"""Width of a scroll bar: for a card it lies in what else is margin."""

RADIUS = 6
"""Corner radius of cards and controls, in pixels."""

SEQUENTIAL = "colorbrewer:Blues"
"""Colour map of attention: white at 0."""

DIVERGING = "colorbrewer:RdBu"
"""Colour map of signed data: 0 neutral, positive blue, negative red."""

UI_FONTS = ("Inter", "DejaVu Sans")
TOKEN_FONTS = ("DejaVu Sans Mono", "DejaVu Sans")
"""In both, what the first lacks is taken from the second, and what both lack from the system."""
FONT_FILES = ("Inter-Regular.ttf", "Inter-Bold.ttf")
"""What comes with the program, in resources/fonts."""
FIGURE_FONT_FILES = ("DejaVuSans.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf")
"""What comes with matplotlib, and is drawn with in figures too."""
BASE_POINT_SIZE = 9.0
SMALL_POINT_SIZE = 8.0

TEXT_SIZES = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of text that can be chosen, in per cent; sizes in pixels grow with it."""
NORMAL_TEXT = 100


@dataclass(frozen=True)
class Theme:
    """One set of chrome colours, each `#rrggbb`."""

    name: str
    window: str
    card: str
    field: str
    line: str
    text: str
    muted: str
    accent: str
    accent_ground: str
    masked: str
    positive: str
    negative: str
    curve_ov: str
    curve_qk: str
    good: str
    bad: str
    bad_ground: str


LIGHT = Theme(
    name="light",
    window="#f5f6f8",
    card="#ffffff",
    field="#f7f8fa",
    line="#d9dce1",
    text="#1c1f24",
    muted="#5a6170",
    accent="#0b65c2",
    accent_ground="#e3eefa",
    masked="#eff0f3",
    positive="#2166ac",
    negative="#b2182b",
    curve_ov="#2166ac",
    curve_qk="#b35806",
    good="#0a7040",
    bad="#b3261e",
    bad_ground="#fdecea",
)
DARK = Theme(
    name="dark",
    window="#14171b",
    card="#1c2026",
    field="#14171b",
    line="#353a42",
    text="#e8eaed",
    muted="#a3aab6",
    accent="#6fb1ff",
    accent_ground="#213349",
    masked="#272b32",
    positive="#4f9be0",
    negative="#e0625c",
    curve_ov="#6fb1ff",
    curve_qk="#f2a35c",
    good="#5fd39a",
    bad="#ff8a80",
    bad_ground="#3a2222",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


@cache
def lut(name: str) -> npt.NDArray[np.uint8]:
    """Return 256 colours of a colour map, [256, 3], lowest value first."""
    from cmap import Colormap  # not before the window is painted

    colours = np.asarray(Colormap(name).lut(256), dtype=np.float64)[:, :3]
    table: npt.NDArray[np.uint8] = np.round(colours * 255).astype(np.uint8)
    if name == SEQUENTIAL:
        table[0] = 255
    elif name == DIVERGING:
        table[127:129] = 255  # 0 lies between the two
    table.setflags(write=False)
    return table
