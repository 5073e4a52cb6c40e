import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.widgets import cells as raster


@given(st.integers(1, 300), st.integers(1, 300))
def test_edges_share_the_pixels_out_evenly(cells: int, pixels: int) -> None:
    marks = raster.edges(cells, pixels)
    sizes = np.diff(marks)
    assert marks[0] == 0
    assert marks[-1] == pixels
    assert sizes.max() - sizes.min() <= 1


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_pooling_keeps_the_strongest_of_each_stretch(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
    size = data.draw(st.integers(1, rows))
    signed = data.draw(st.booleans())
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    values = rng.normal(size=(rows, columns))
    pooled = raster.strongest(values, size, 0, signed=signed)
    marks = raster.edges(size, rows)
    for place in range(size):
        stretch = values[marks[place] : marks[place + 1]]
        for column in range(columns):
            members = stretch[:, column].tolist()
            expected = max(members, key=abs) if signed else max(members)
            assert pooled[place, column] == expected


@pytest.mark.parametrize("pixels", [1, 7, 333, 1023])
def test_one_hot_cell_survives_wherever_it_is(pixels: int) -> None:
    for place in (0, 1, 511, 512, 1022, 1023):
        values = np.zeros((1024, 1024), dtype=np.float32)
        values[place, 1023 - place] = 1.0
        fitted, _ = raster.fit(values, None, pixels, pixels)
        assert fitted.shape == (pixels, pixels)
        assert np.count_nonzero(fitted == 1.0) == 1


def test_a_pixel_may_be_seen_when_any_of_its_cells_may() -> None:
    mask = np.tril(np.ones((9, 9), dtype=bool))
    values, fitted = raster.fit(np.zeros((9, 9)), mask, 3, 3)
    assert values.shape == (3, 3)
    assert fitted is not None
    assert fitted.tolist() == np.tril(np.ones((3, 3), dtype=bool)).tolist()


def test_cells_that_fit_are_left_alone() -> None:
    values = np.arange(12.0).reshape(3, 4)
    fitted, _ = raster.fit(values, None, 50, 50)
    assert fitted is values
    tall = raster.enlarge(values, raster.edges(3, 7), raster.edges(4, 9))
    assert tall.shape == (7, 9)
    assert set(tall.ravel().tolist()) == set(values.ravel().tolist())
