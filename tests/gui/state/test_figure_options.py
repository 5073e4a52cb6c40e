"""What can be chosen about a figure, and that the figure does it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from engine.messages import Head, Refused
from gui.figures import FigureOptions, Origin, compose, write
from gui.state import figure_options as figure_options
from gui.state.figure_options import WIDTHS, Advice, parse_colour_maps, parse_labels, parse_width
from gui.style.colour_scale import DIVERGING_MAPS, SEQUENTIAL_MAPS, fits_greyscale, lightness, table
from gui.style.theme import LIGHT
from tests.gui.figures import samples
from tests.gui.figures.reading import Svg, centres, colours, media_box
from tests.gui.figures.test_text import assert_tidy

HEAD = Head(1, 3)
CHOSEN = FigureOptions(
    89 / 25.4, 8.0, "transparent", "viridis", "PuOr", (0, 4, 9), "Mine", True, 300
)


def texts(page: Any) -> list[str]:
    return [artist.get_text() for artist in page.figure.findobj(Text)]


@pytest.mark.parametrize("options", [FigureOptions(), CHOSEN, FigureOptions(labels=0, title="")])
def test_options_come_back_from_json(options: FigureOptions) -> None:
    record = json.loads(json.dumps(figure_options.to_json(options)))
    assert figure_options.from_json(record) == options


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"width": 0.5}, "a width of 0.5 inches: choose 1.5 to 20"),
        ({"width": float("nan")}, "a width of nan inches"),
        ({"width": "3"}, "the width of a figure is a number of inches, not '3'"),
        ({"font_size": 3.0}, "a font size of 3 points: choose 5 to 24"),
        ({"ground": "dark"}, "there is no ground 'dark': there are paper, transparent"),
        ({"sequential": "jet"}, "there is no sequential colour map 'jet': there are Blues, "),
        ({"diverging": "magma"}, "there is no diverging colour map 'magma': there are RdBu, "),
        ({"labels": -1}, "labels are every so many-th token, such as 2, or positions, not -1"),
        ({"labels": (0, "x")}, "labels are every so many-th"),
        ({"labels": True}, "labels are every so many-th"),
        ({"title": 3}, "the title of a figure is text, not 3"),
        ({"title": "x" * 301}, "a title of 301 characters: 300 is the most"),
        ({"caption": "yes"}, "the caption is true or false, not 'yes'"),
        ({"dpi": 10}, "a resolution of 10 dpi: choose 72 to 2400"),
        ({"dpi": 300.5}, "the resolution is a whole number of dpi"),
        ({"colour": "red"}, "a figure has no option 'colour': it has width, font_size"),
    ],
)
def test_what_there_is_not_is_refused_in_a_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused) as refused:
        figure_options.from_json(given)
    assert said in str(refused.value)


def test_the_usual_venues_have_their_widths() -> None:
    assert [round(width.inches * 72, 2) for width in WIDTHS] == [234, 396, 486, 252.28, 518.74]


@pytest.mark.parametrize(
    ("text", "inches"),
    [("3.25", 3.25), ("3.25in", 3.25), ("89mm", 89 / 25.4), ("8.9 cm", 89 / 25.4), ("183MM", 7.2)],
)
def test_a_width_is_read_in_any_unit(text: str, inches: float) -> None:
    assert parse_width(text) == pytest.approx(inches, abs=0.005)


@pytest.mark.parametrize("text", ["", "mm", "wide", "3,25", "3ft"])
def test_a_width_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="--width is a number of inches, or such as 89mm, not"):
        parse_width(text)


@pytest.mark.parametrize(
    ("text", "labels"),
    [("all", 1), ("None", 0), ("2", 2), ("0,4,9", (0, 4, 9)), ("7,", (7,)), ("0", 0)],
)
def test_labels_are_read(text: str, labels: Any) -> None:
    assert parse_labels(text) == labels


@pytest.mark.parametrize("text", ["", "some", "-1", "1.5", ",", "1,x", "²"])
def test_labels_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="--labels is all, none, every so many-th"):
        parse_labels(text)


def test_a_colour_map_sets_what_it_is_for() -> None:
    assert parse_colour_maps("VIRIDIS") == {"sequential": "viridis"}
    assert parse_colour_maps("magma,puor") == {"sequential": "magma", "diverging": "PuOr"}
    assert parse_colour_maps("cividis") == {"sequential": "cividis", "diverging": "cividis"}
    with pytest.raises(Refused, match="there is no colour map 'jet': there are Blues"):
        parse_colour_maps("viridis,jet")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_has_its_width_to_a_tenth_of_a_point(tmp_path: Path, width: Any) -> None:
    write(*samples.table(), tmp_path / "f.pdf", FigureOptions(width.inches))
    assert media_box(tmp_path / "f.pdf")[0] == pytest.approx(width.inches * 72, abs=0.1)


@pytest.mark.parametrize("name", SEQUENTIAL_MAPS)
def test_amounts_have_the_colours_of_the_map_that_was_chosen(tmp_path: Path, name: str) -> None:
    request, result = samples.attention()
    for suffix in ("svg", "png"):
        write(request, result, tmp_path / f"f.{suffix}", FigureOptions(sequential=name), head=HEAD)
    frame = Svg(tmp_path / "f.svg").frames()[0]
    with Image.open(tmp_path / "f.png") as image:
        found = colours(image, centres(frame, 10, 10), 234.0)
    index = np.rint(result.values[HEAD.number].astype(float) * 255).astype(int)
    wanted = table(name, diverging=False).astype(int)[index]
    assert np.abs(found - wanted)[result.mask].max() <= 1
    assert (found[~result.mask] == 255).all()


@pytest.mark.parametrize("name", DIVERGING_MAPS)
def test_signed_values_have_the_colours_of_the_map_that_was_chosen(
    tmp_path: Path, name: str
) -> None:
    request, result = samples.table()
    write(request, result, tmp_path / "f.svg", FigureOptions(diverging=name))
    write(request, result, tmp_path / "f.png", FigureOptions(diverging=name))
    frame = Svg(tmp_path / "f.svg").frames()[0]
    with Image.open(tmp_path / "f.png") as image:
        found = colours(image, centres(frame, 5, 5), 234.0)
    chosen = table(name, diverging=True)
    assert tuple(found[0, 0]) == tuple(chosen[255])
    assert tuple(found[4, 0]) == tuple(chosen[64])


def test_lightness_is_that_of_known_colours() -> None:
    known = np.array([[0, 0, 0], [255, 255, 255], [119, 119, 119], [255, 0, 0], [0, 0, 255]])
    found = lightness(known.astype(np.uint8))
    assert found == pytest.approx([0.0, 100.0, 50.03, 53.24, 32.30], abs=0.01)


def test_a_map_that_greyscale_folds_is_warned_of_where_it_is_used(tmp_path: Path) -> None:
    assert [name for name in SEQUENTIAL_MAPS if not fits_greyscale(name, diverging=False)] == []
    assert [name for name in DIVERGING_MAPS if fits_greyscale(name, diverging=True)] == ["cividis"]
    path = tmp_path / "f.svg"
    told = write(*samples.table(), path)
    assert told == (
        "the colour map RdBu shows different values alike when it is printed in greyscale: "
        "cividis does not",
    )
    assert [type(one) for one in told] == [Advice]  # it is as it was asked for
    assert write(*samples.table(), path, FigureOptions(diverging="cividis")) == ()
    assert write(*samples.attention(), path) == ()


@pytest.mark.parametrize("count", [10, 30, 65])
@pytest.mark.parametrize("labels", [0, 2, 7, (0, 4, 9)])
def test_only_the_tokens_asked_for_are_labelled(count: int, labels: Any) -> None:
    names = tuple(f"·word{place}" for place in range(count))
    page = compose(*samples.attention(names), FigureOptions(labels=labels), head=HEAD)
    assert_tidy(page)
    wanted = labels if isinstance(labels, tuple) else range(0, count, labels) if labels else ()
    found = [token for token in page.tokens if token.startswith("·word")]
    assert set(found) <= {names[place] for place in wanted}
    if count == 10 or (isinstance(labels, tuple) and count == 30):
        assert sorted(found) == sorted(2 * [names[place] for place in wanted])


def test_fewer_labels_leave_more_room_for_cells(tmp_path: Path) -> None:
    request, result = samples.attention(samples.tokens(30))
    widths = []
    for labels in (1, 0):
        write(request, result, tmp_path / "f.svg", FigureOptions(labels=labels), head=HEAD)
        left, _, right, _ = Svg(tmp_path / "f.svg").frames()[0]
        widths.append(right - left)
    assert widths[1] > widths[0]


def test_a_position_that_the_prompt_lacks_is_refused() -> None:
    with pytest.raises(Refused, match="no token 10 to label: the 10 tokens are counted from 0"):
        compose(*samples.attention(), FigureOptions(labels=(0, 10)))


@pytest.mark.parametrize("name", list(samples.everything()))
def test_a_title_can_be_another_or_none(name: str) -> None:
    request, result = samples.everything()[name]
    usual = texts(compose(request, result))
    own = compose(request, result, FigureOptions(title="What this head $does$ & why"))
    none = compose(request, result, FigureOptions(title=""))
    assert_tidy(own)
    assert_tidy(none)
    assert [usual[0] in texts(page) for page in (own, none)] == [False, False]
    assert " ".join(texts(own)[:6]) == "What this head $does$ & why"
    assert texts(own)[6:] == texts(none)


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_a_transparent_figure_has_no_ground(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"f.{suffix}"
    for count, ground in ((10, "paper"), (10, "transparent"), (65, "transparent")):
        request, result = samples.attention(samples.tokens(count))
        write(request, result, path, FigureOptions(ground=ground), head=HEAD)
        if suffix == "png":
            with Image.open(path) as image:
                alpha = np.asarray(image.convert("RGBA"))[..., 3]
            assert alpha[0, 0] == (255 if ground == "paper" else 0)
            assert (alpha == 0).mean() == 0 if ground == "paper" else (alpha == 0).mean() > 0.3
        elif suffix == "svg":
            whole = [box for box in Svg(path).filled("#ffffff") if box[2] - box[0] > 230]
            assert len(whole) == (ground == "paper")


@pytest.mark.parametrize(("count", "dpi", "written"), [(10, 300, 300), (10, 72, 72)])
def test_a_png_has_the_resolution_that_was_asked_for(
    tmp_path: Path, count: int, dpi: int, written: int
) -> None:
    write(*samples.attention(samples.tokens(count)), tmp_path / "f.png", FigureOptions(dpi=dpi))
    with Image.open(tmp_path / "f.png") as image:
        assert image.info["dpi"] == pytest.approx((written, written), abs=0.1)
        assert image.width == 3.25 * written


@pytest.mark.parametrize("dpi", [72, 600, 700])
def test_an_image_of_cells_keeps_whole_pixels_at_any_resolution(tmp_path: Path, dpi: int) -> None:
    request, result = samples.attention(samples.tokens(65))
    write(request, result, tmp_path / "f.svg", head=HEAD)
    told = write(request, result, tmp_path / "f.png", FigureOptions(dpi=dpi), head=HEAD)
    assert any("so that each cell is whole pixels" in one for one in told) == (dpi != 600)
    frame = Svg(tmp_path / "f.svg").frames()[0]
    with Image.open(tmp_path / "f.png") as image:
        found = colours(image, centres(frame, 65, 65), 234.0)
        resolution = image.info["dpi"][0]
    assert resolution >= max(600, dpi) - 0.1
    assert resolution == pytest.approx(600 * round(resolution / 600), abs=0.1)
    index = np.rint(result.values[HEAD.number].astype(float) * 255).astype(int)
    wanted = table("Blues", diverging=False).astype(int)[index]
    assert np.abs(found - wanted)[result.mask].max() <= 1


def test_a_png_of_more_pixels_than_can_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"a PNG of 48,000 × [\d,]+ pixels is too large"):
        write(*samples.table(), tmp_path / "f.png", FigureOptions(width=20.0, dpi=2400))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", list(samples.everything()))
def test_a_caption_says_what_the_figure_was_made_from(name: str) -> None:
    request, result = samples.everything()[name]
    origin = Origin(
        "0123456789abcdef", samples.TEA, tuple(range(70, 80)), (("headscope", "9.9.9"),)
    )
    page = compose(request, result, FigureOptions(caption=True), origin=origin)
    assert_tidy(page)
    said = " ".join(texts(page))
    for part in (f"Headscope: {name} of", "Weights 0123456789abcdef.", "headscope 9.9.9"):
        assert part in said
    assert "·drink 78, ·green 79." in said
    assert "Weights" not in " ".join(texts(compose(request, result, origin=origin)))


def test_a_caption_of_a_long_prompt_counts_its_tokens() -> None:
    labels = samples.tokens(65)
    origin = Origin("", labels, tuple(range(65)))
    page = compose(
        *samples.attention(labels), FigureOptions(caption=True), head=HEAD, origin=origin
    )
    assert_tidy(page)
    assert "65 tokens, listed with their ids in the file." in " ".join(texts(page))


@pytest.mark.parametrize("question", [samples.ov_tokens, samples.qk_tokens])
def test_a_position_counted_from_the_end_is_said_from_the_beginning(question: Any) -> None:
    from dataclasses import replace

    request, result = question()
    request = replace(request, source="position", run=samples.run(), position=-1)
    known = compose(request, result, origin=Origin(tokens=samples.TEA, ids=tuple(range(10))))
    assert "at position 9" in " ".join(texts(known))
    assert "at position 1 from the end" in " ".join(texts(compose(request, result)))


@pytest.mark.parametrize("width", [3.25, 89 / 25.4])
@pytest.mark.parametrize("font_size", [5.0, 7.0, 9.0])
@pytest.mark.parametrize("shape", [(1, 1), (2, 8), (12, 12)])
def test_names_over_grids_of_heads_are_tidy_at_any_size(
    shape: tuple[int, int], font_size: float, width: float
) -> None:
    options = FigureOptions(width, font_size)
    assert_tidy(compose(*samples.head_scores(*shape), options))
    assert_tidy(compose(*samples.thumbnails(samples.tokens(5), *shape), options))


def test_the_colour_bar_is_256_rectangles_with_a_unit(tmp_path: Path) -> None:
    write(*samples.attention(kind="scores"), tmp_path / "f.svg", head=HEAD)
    svg = Svg(tmp_path / "f.svg")
    left, top, right, bottom = svg.frames()[-1]
    step = (bottom - top - 0.4) / 256
    for level, (red, green, blue) in enumerate(table("RdBu", diverging=True).tolist()):
        ends = [
            box[3]
            for box in svg.filled(f"#{red:02x}{green:02x}{blue:02x}")
            if left <= box[0] and box[2] <= right and box[1] == pytest.approx(top + 0.2, abs=0.01)
        ]
        assert min(abs(end - (bottom - 0.2 - level * step)) for end in ends) < 0.02, level
    assert "score, q · k / 5.657" in {text for text, _, _ in svg.texts}
    assert LIGHT.masked not in (tmp_path / "f.svg").read_text()
