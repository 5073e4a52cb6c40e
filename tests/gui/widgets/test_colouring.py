import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor

from gui.style.theme import DIVERGING, SEQUENTIAL, lut
from gui.widgets.cells import MASKED, Colouring, contrast, image, ink, levels


@pytest.mark.parametrize(
    ("colours", "name"), [("sequential", SEQUENTIAL), ("diverging", DIVERGING)]
)
def test_every_value_has_the_colour_of_its_map(colours: str, name: str) -> None:
    colouring = Colouring(colours, -2.0, 2.0)
    for place in [*range(127), *range(129, 256)]:
        value = -2.0 + 4.0 * place / 255
        assert colouring.colour(value).getRgb()[:3] == tuple(lut(name)[place].tolist())


def test_zero_is_white_in_both_maps() -> None:
    assert Colouring("sequential", 0.0, 1.0).colour(0.0) == QColor("#ffffff")
    assert Colouring("diverging", -3.0, 3.0).colour(0.0) == QColor("#ffffff")


@given(st.floats(allow_nan=False, width=32), st.floats(0.001, 1e6))
def test_any_number_has_a_level_and_none_is_the_masked_one(value: float, limit: float) -> None:
    colouring = Colouring("diverging", -limit, limit)
    level = int(colouring.level(np.array([value], dtype=np.float32))[0])
    assert 0 <= level < MASKED
    assert level == 254 - int(colouring.level(np.array([-value], dtype=np.float32))[0])


def test_what_is_not_a_number_is_masked() -> None:
    level = Colouring("sequential", 0, 1).level(np.array([np.nan, np.inf, -np.inf]))
    assert level.tolist() == [MASKED, 254, 0]


def test_limits_that_meet_colour_everything_without_a_warning() -> None:
    assert Colouring("sequential", 0.0, 0.0).level(np.array([0.0, 5.0])).tolist() == [0, 0]


def luminance(colour: QColor) -> float:
    """Relative luminance of WCAG 2.1, written out here so that the module is not its own judge."""
    parts = [colour.red() / 255, colour.green() / 255, colour.blue() / 255]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one: QColor, other: QColor) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", ["sequential", "diverging"])
def test_ink_can_be_read_on_every_colour_quiet_or_not(colours: str) -> None:
    for red, green, blue in levels(colours).tolist():
        ground = QColor(red, green, blue)
        assert ratio(ink(ground), ground) >= 4.5
        assert ratio(ink(ground, quiet=True), ground) >= 4.5
        assert contrast(ink(ground), ground) == pytest.approx(ratio(ink(ground), ground), abs=1e-3)


@pytest.mark.parametrize("colours", ["sequential", "diverging"])
def test_ink_is_white_where_that_can_be_read_and_else_black(colours: str) -> None:
    black, white = QColor("#000000"), QColor("#ffffff")
    for red, green, blue in levels(colours).tolist():
        ground = QColor(red, green, blue)
        assert ink(ground) == (white if ratio(white, ground) >= 4.5 else black)


def test_an_image_keeps_its_pixels_when_the_array_goes() -> None:
    level = np.array([[0, 254], [MASKED, 10]], dtype=np.uint8)
    made = image(level, "sequential", "#272b32")
    level[:] = 77
    assert made.pixelColor(0, 0) == QColor("#ffffff")
    assert made.pixelColor(0, 1) == QColor("#272b32")
    assert made.pixelIndex(1, 1) == 10
