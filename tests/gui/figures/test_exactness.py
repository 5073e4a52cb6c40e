"""Every cell of a written figure has the colour of its value, in all three formats."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.lines import Line2D
from PIL import Image

from engine.messages import Group, Head
from gui.figures import compose, write
from gui.style.theme import DIVERGING, LIGHT, SEQUENTIAL, lut
from tests.gui.figures import samples
from tests.gui.figures.reading import Svg, centres, colours, render_pdf

HEAD = Head(1, 3)
needs_poppler = pytest.mark.skipif(
    shutil.which("pdftoppm") is None, reason="poppler-utils is not installed"
)


def expected(values: np.ndarray, mask: np.ndarray, kind: str) -> np.ndarray:
    """Return the colour of each cell, [row, column, 3], from the definition of the colour maps."""
    seen = values[mask].astype(float)
    if kind == "scores":
        share = (values.astype(float) / np.abs(seen).max() + 1.0) / 2.0
    else:
        share = values.astype(float) / (1.0 if kind == "pattern" else seen.max())
    table = lut(DIVERGING if kind == "scores" else SEQUENTIAL).astype(int)
    made = table[np.rint(np.where(mask, share, 0.0) * 255).astype(int)]
    made[~mask] = 255  # paper
    return made


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("pattern", 1), ("pattern", 10), ("scores", 10), ("value-weighted", 10),
        ("pattern", 64), ("scores", 65), ("pattern", 256),
    ],
)  # fmt: skip
def test_every_cell_of_a_png_has_the_colour_of_its_value(
    tmp_path: Path, kind: str, count: int
) -> None:
    request, result = samples.attention(samples.tokens(count), kind=kind)
    write(request, result, tmp_path / "f.svg", head=HEAD)
    write(request, result, tmp_path / "f.png", head=HEAD)
    frame = Svg(tmp_path / "f.svg").frames()[0]
    with Image.open(tmp_path / "f.png") as image:
        found = colours(image, centres(frame, count, count), 234.0)
    wanted = expected(result.values[HEAD.number], result.mask, kind)
    assert np.abs(found - wanted).max() <= 1


@pytest.mark.parametrize("count", [10, 37, 200])
def test_rows_higher_than_their_columns_are_wide_show_every_value(
    tmp_path: Path, count: int
) -> None:
    request, result = samples.destination_row(samples.tokens(count))
    for suffix in ("svg", "png"):
        write(request, result, tmp_path / f"f.{suffix}")
    frame = Svg(tmp_path / "f.svg").frames()[0]
    rows = len(result.heads)
    with Image.open(tmp_path / "f.png") as image:
        found = colours(image, centres(frame, rows, count), 234.0)
    wanted = expected(result.values, np.ones(result.values.shape, dtype=bool), "pattern")
    assert np.abs(found - wanted).max() <= 1
    assert frame[3] - frame[1] >= 6.0 * rows


def test_what_a_window_hides_stays_paper(tmp_path: Path) -> None:
    request, result = samples.destination_row()
    result.values[8:, :6] = np.nan  # of the second layer
    rows, columns = result.values.shape
    seen = np.isfinite(result.values)
    frames, image = drawn(tmp_path, request, result)
    found = colours(image, centres(frames[0], rows, columns), 234.0)
    assert np.abs(found - expected(result.values, seen, "pattern")).max() <= 1

    request, result = samples.thumbnails()
    result.mask[1] &= ~np.tri(10, k=-4, dtype=bool)
    result.values[np.broadcast_to(~result.mask[:, None], result.values.shape)] = np.nan
    frames, image = drawn(tmp_path, request, result)
    for place, frame in enumerate(frames[: 2 * 8]):
        found = colours(image, centres(frame, 10, 10), 234.0)
        layer, number = divmod(place, 8)
        wanted = expected(result.values[layer, number], result.mask[layer], "pattern")
        assert np.abs(found - wanted).max() <= 1, place


def drawn(folder: Path, request: object, result: object) -> tuple[list, Image.Image]:
    """Return the frames of a figure's grids, and its picture."""
    write(request, result, folder / "f.svg")
    write(request, result, folder / "f.png")
    return Svg(folder / "f.svg").frames(), Image.open(folder / "f.png")


@needs_poppler
@pytest.mark.parametrize("count", [10, 65])
def test_every_cell_of_a_rendered_pdf_has_the_colour_of_its_value(
    tmp_path: Path, count: int
) -> None:
    request, result = samples.attention(samples.tokens(count), kind="scores")
    write(request, result, tmp_path / "f.svg", head=HEAD)
    write(request, result, tmp_path / "f.pdf", head=HEAD)
    frame = Svg(tmp_path / "f.svg").frames()[0]
    found = colours(render_pdf(tmp_path / "f.pdf"), centres(frame, count, count), 234.0)
    wanted = expected(result.values[HEAD.number], result.mask, "scores")
    assert np.abs(found - wanted).max() <= 1


@needs_poppler
@pytest.mark.parametrize("count", [10, 30, 64])
@pytest.mark.parametrize("dpi", [150, 600])
def test_no_paper_shows_between_cells(tmp_path: Path, count: int, dpi: int) -> None:
    request, result = samples.attention(samples.tokens(count))
    checkers = np.where(np.indices((count, count)).sum(axis=0) % 2, 0.8, 1.0)
    result.values[HEAD.number] = np.where(result.mask, checkers, 0.0)
    write(request, result, tmp_path / "f.svg", head=HEAD)
    write(request, result, tmp_path / "f.pdf", head=HEAD)
    left, top, right, bottom = (
        round(edge * dpi / 72) for edge in Svg(tmp_path / "f.svg").frames()[0]
    )
    page = np.asarray(render_pdf(tmp_path / "f.pdf", dpi).convert("RGB")).astype(int)
    cells = page[top + 2 : bottom - 2, left + 2 : right - 2]
    below = np.tri(*cells.shape[:2], -int(2 * len(cells) / count) - 2, dtype=bool)
    lightest = lut(SEQUENTIAL)[round(0.8 * 255)].astype(int)
    assert (cells[below].max(axis=0) - lightest).max() <= 1


@pytest.mark.parametrize(("count", "images"), [(10, 0), (64, 0), (65, 1)])
def test_an_svg_holds_rectangles_up_to_64_tokens_and_one_image_above(
    tmp_path: Path, count: int, images: int
) -> None:
    request, result = samples.attention(samples.tokens(count))
    write(request, result, tmp_path / "f.svg", head=HEAD)
    svg = Svg(tmp_path / "f.svg")
    assert len(svg.images) == images
    if not images:
        levels = {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in lut(SEQUENTIAL).tolist()}
        left, top, right, bottom = svg.frames()[0]
        cells = [
            box
            for colour in levels
            for box in svg.filled(colour)
            if left <= box[0] and box[2] <= right and top <= box[1] and box[3] <= bottom
        ]
        assert len(set(cells)) == count * (count + 1) // 2


def test_a_png_says_its_resolution(tmp_path: Path) -> None:
    write(*samples.attention(), tmp_path / "f.png", head=HEAD)
    with Image.open(tmp_path / "f.png") as image:
        assert image.info["dpi"] == pytest.approx((600, 600), abs=0.1)
        assert image.width == 1950


def test_the_raster_has_whole_pixels_for_every_cell(tmp_path: Path) -> None:
    request, result = samples.attention(samples.tokens(100))
    write(request, result, tmp_path / "f.png", head=HEAD)
    write(request, result, tmp_path / "f.svg", head=HEAD)
    left, _, right, _ = Svg(tmp_path / "f.svg").frames()[0]
    with Image.open(tmp_path / "f.png") as image:
        assert image.width % 1950 == 0
        side = (right - left - 0.4) / 100 * image.width / 234.0
    assert side == pytest.approx(round(side), abs=0.01)
    assert round(side) >= 1


def test_bars_are_as_long_as_their_values(tmp_path: Path) -> None:
    request, result = samples.ov_tokens()
    write(request, result, tmp_path / "f.svg")
    svg = Svg(tmp_path / "f.svg")
    raised = [box[2] - box[0] for box in svg.filled(LIGHT.positive)]
    lowered = [box[2] - box[0] for box in svg.filled(LIGHT.negative)]
    unit = raised[0] / float(result.values[0])
    assert raised == pytest.approx(result.values * unit, abs=0.01)
    assert lowered == pytest.approx(-result.bottom_values * unit, abs=0.01)


def test_the_heat_map_of_a_table_puts_the_source_down_and_the_output_across(
    tmp_path: Path,
) -> None:
    request, result = samples.table()
    write(request, result, tmp_path / "f.svg")
    write(request, result, tmp_path / "f.png")
    frame = Svg(tmp_path / "f.svg").frames()[0]
    with Image.open(tmp_path / "f.png") as image:
        found = colours(image, centres(frame, 5, 5), 234.0)
    assert tuple(found[0, 0]) == tuple(lut(DIVERGING)[255])
    assert tuple(found[4, 0]) == tuple(lut(DIVERGING)[64])
    assert tuple(found[0, 4]) == (255, 255, 255)


@pytest.mark.parametrize("dense", [False, True])
def test_brackets_of_near_equal_values_stand_within_the_axes(dense: bool) -> None:
    request, result = samples.spectrum(dense)
    first = Group(0, 1)
    page = compose(request, replace(result, groups=(first, *result.groups[2:])))
    lines = [np.array(line.get_ydata()) for line in page.figure.findobj(Line2D)]
    (axis,) = (ys for ys in lines if len(ys) == 3)
    brackets = [ys for ys in lines if len(ys) == 4]
    assert len(brackets) == 2
    for bracket in brackets:
        assert axis.min() <= bracket.min() <= bracket.max() <= axis.max()


def test_a_list_is_called_lowered_only_where_all_of_it_is(tmp_path: Path) -> None:
    for signed, titles in ((True, {"raised", "lowered"}), (False, {"raised", "lowest"})):
        write(*samples.ov_tokens(signed=signed), tmp_path / "f.svg")
        texts = {text for text, _, _ in Svg(tmp_path / "f.svg").texts}
        assert texts & {"raised", "lowered", "highest", "lowest"} == titles


def test_a_colour_bar_that_begins_at_a_baseline_names_it() -> None:
    for size in ((2, 8), (2, 2)):
        assert compose(*samples.composition(*size)).words.count("≤0.06") == 1
    assert not any("≤" in word for word in compose(*samples.table()).words)
