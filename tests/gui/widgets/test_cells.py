"""From numbers to coloured pixels: nothing strong is lost, every colour is the map's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor

from gui.style.colour_scale import MASKED, contrast
from gui.style.theme import DIVERGING, SEQUENTIAL, lut
from gui.widgets import cells
from gui.widgets.cells import Colouring, image, ink, levels

both = pytest.mark.parametrize("colours", ["sequential", "diverging"])


@given(st.integers(1, 300), st.integers(1, 300))
def test_edges_share_the_pixels_out_evenly(count, pixels):
    marks = cells.edges(count, pixels)
    sizes = np.diff(marks)
    assert (marks[0], marks[-1]) == (0, pixels)
    assert sizes.max() - sizes.min() <= 1


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_pooling_keeps_the_strongest_of_each_stretch(data):
    rows, columns = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
    size = data.draw(st.integers(1, rows))
    signed = data.draw(st.booleans())
    values = np.random.default_rng(data.draw(st.integers(0, 10**6))).normal(size=(rows, columns))
    pooled = cells.strongest(values, size, 0, signed=signed)
    marks = cells.edges(size, rows)
    for place in range(size):
        for column, members in enumerate(values[marks[place] : marks[place + 1]].T.tolist()):
            assert pooled[place, column] == (max(members, key=abs) if signed else max(members))


@pytest.mark.parametrize("pixels", [1, 7, 333, 1023])
def test_one_hot_cell_survives_wherever_it_is(pixels):
    for place in (0, 1, 511, 512, 1022, 1023):
        values = np.zeros((1024, 1024), dtype=np.float32)
        values[place, 1023 - place] = 1.0
        fitted, _ = cells.fit(values, None, pixels, pixels)
        assert fitted.shape == (pixels, pixels)
        assert np.count_nonzero(fitted == 1.0) == 1


def test_a_pixel_may_be_seen_when_any_of_its_cells_may():
    mask = np.tril(np.ones((9, 9), dtype=bool))
    values, fitted = cells.fit(np.zeros((9, 9)), mask, 3, 3)
    assert values.shape == (3, 3)
    assert fitted.tolist() == np.tril(np.ones((3, 3), dtype=bool)).tolist()


def test_cells_that_fit_are_left_alone():
    values = np.arange(12.0).reshape(3, 4)
    fitted, _ = cells.fit(values, None, 50, 50)
    assert fitted is values
    tall = cells.enlarge(values, cells.edges(3, 7), cells.edges(4, 9))
    assert tall.shape == (7, 9)
    assert set(tall.ravel().tolist()) == set(values.ravel().tolist())


@pytest.mark.parametrize(
    ("colours", "name"), [("sequential", SEQUENTIAL), ("diverging", DIVERGING)]
)
def test_every_value_has_the_colour_of_its_map(colours, name):
    colouring = Colouring(colours, -2.0, 2.0)
    for place in [*range(127), *range(129, 256)]:
        value = -2.0 + 4.0 * place / 255
        (colour,) = colouring.colours_of([value])
        assert colour.getRgb()[:3] == tuple(lut(name)[place].tolist())
    neutral = Colouring(colours, 0.0 if colours == "sequential" else -2.0, 2.0)
    assert neutral.colours_of([0.0]) == [QColor("#ffffff")]


@given(st.floats(allow_nan=False, width=32), st.floats(0.001, 1e6))
def test_any_number_has_a_level_and_none_is_the_masked_one(value, limit):
    colouring = Colouring("diverging", -limit, limit)
    level, mirrored = colouring.level(np.array([value, -value], dtype=np.float32)).tolist()
    assert 0 <= level < MASKED
    assert level == 254 - mirrored


def test_what_is_not_a_number_is_masked():
    level = Colouring("sequential", 0, 1).level(np.array([np.nan, np.inf, -np.inf]))
    assert level.tolist() == [MASKED, 254, 0]


def test_limits_that_meet_colour_everything_without_a_warning():
    assert Colouring("sequential", 0.0, 0.0).level(np.array([0.0, 5.0])).tolist() == [0, 0]


def luminance(colour):
    """Relative luminance of WCAG 2.1, written out here so that the module is not its own judge."""
    parts = [colour.red() / 255, colour.green() / 255, colour.blue() / 255]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@both
def test_ink_is_white_where_that_can_be_read_and_else_black_and_quiet_where_it_may_be(colours):
    black, white = QColor("#000000"), QColor("#ffffff")
    for colour in levels(colours).tolist():
        ground = QColor(*colour)
        assert ink(ground) == (white if ratio(white, ground) >= 4.5 else black)
        assert ratio(ink(ground), ground) >= 4.5
        assert ratio(ink(ground, quiet=True), ground) >= 4.5
        judged = contrast(ink(ground).getRgb()[:3], colour)
        assert judged == pytest.approx(ratio(ink(ground), ground), abs=1e-3)


def test_an_image_keeps_its_pixels_when_the_array_goes():
    level = np.array([[0, 254], [MASKED, 10]], dtype=np.uint8)
    made = image(level, "sequential", "#272b32")
    level[:] = 77
    assert made.pixelColor(0, 0) == QColor("#ffffff")
    assert made.pixelColor(0, 1) == QColor("#272b32")
    assert made.pixelIndex(1, 1) == 10
