"""Text of a figure: literal, whole, beside what it names, never clipped or overlapping."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Bbox

from engine.messages import Head
from gui.figures import FigureOptions, compose, write
from gui.figures.page import Page
from tests.gui.figures import samples
from tests.gui.figures.reading import Svg, media_box

HEAD = Head(1, 3)
BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F])


def need(program: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} (poppler-utils) is not installed")
    return program


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("figures") / "hostile.pdf"
    write(*samples.attention(samples.HOSTILE), path, head=HEAD)
    return path


def test_a_pdf_embeds_its_fonts_as_truetype(hostile: Path) -> None:
    listed = subprocess.run(
        [need("pdffonts"), str(hostile)], check=True, capture_output=True, text=True
    ).stdout.splitlines()[2:]
    assert listed
    for line in listed:
        assert "TrueType" in line, line
        assert line.split()[-5] == "yes", line


def test_a_pdf_holds_every_token_as_text(hostile: Path) -> None:
    found = subprocess.run(
        [need("pdftotext"), "-enc", "UTF-8", str(hostile), "-"],
        check=True, capture_output=True, text=True,
    ).stdout.translate(BIDI)  # fmt: skip
    assert [token for token in samples.HOSTILE if token not in found] == []


@pytest.mark.parametrize("question", [samples.ov_tokens, samples.direction])
def test_an_svg_holds_hostile_tokens_literally(tmp_path: Path, question: Any) -> None:
    write(*question(samples.HOSTILE), tmp_path / "f.svg")
    texts = {text for text, _, _ in Svg(tmp_path / "f.svg").texts}
    assert set(samples.HOSTILE) <= texts


def test_control_characters_never_reach_the_file(tmp_path: Path) -> None:
    labels = ("a\x00b", "\x1b[31m", "line\nbreak", "tab\t")
    write(*samples.attention(labels), tmp_path / "f.svg", FigureOptions(width=9.0), head=HEAD)
    texts = {text for text, _, _ in Svg(tmp_path / "f.svg").texts}
    assert {r"a\u0000b", r"\u001b[31m", r"line\u000abreak", r"tab\u0009"} <= texts


@pytest.mark.parametrize("width", [3.25, 89 / 25.4])
def test_the_page_is_exactly_as_wide_as_asked(tmp_path: Path, width: float) -> None:
    write(*samples.table(), tmp_path / "f.pdf", FigureOptions(width=width))
    assert media_box(tmp_path / "f.pdf")[0] == pytest.approx(width * 72, abs=0.1)


@pytest.mark.parametrize("count", [3, 10, 30, 64, 100, 256])
def test_a_label_stands_beside_its_own_row(tmp_path: Path, count: int) -> None:
    labels = tuple(f"·word{place}" for place in range(count))
    write(*samples.attention(labels), tmp_path / "f.svg", head=HEAD)
    svg = Svg(tmp_path / "f.svg")
    left, top, _, bottom = svg.frames()[0]
    rows = [entry for entry in svg.texts if entry[0].startswith("·word") and entry[1] < left]
    assert len(rows) >= min(count, 10)
    for text, _, baseline in rows:
        middle = baseline - 0.36 * 5.5  # sizes run from 5 to 7 points
        assert text == f"·word{int((middle - top) / (bottom - top) * count)}" or (
            abs((middle - top) / (bottom - top) * count - 0.5 - int(text.removeprefix("·word")))
            < max(0.5, 1.2 * count / (bottom - top))
        )


def ink(artist: Text) -> tuple[float, float, float, float]:
    """Return the box of a text's strokes in points from the bottom left corner of the page."""
    font = artist.get_fontproperties()
    strokes, _ = text_to_path.get_text_path(font, artist.get_text(), ismath=False)
    scale = font.get_size() / text_to_path.FONT_SCALE
    box = Bbox.from_extents(*np.min(strokes, axis=0) * scale, *np.max(strokes, axis=0) * scale)
    width = box.x1
    shift = {"left": 0.0, "center": -width / 2, "right": -width}[artist.get_horizontalalignment()]
    figure = artist.get_figure()
    x, y = artist.get_transform().transform(artist.get_position()) * 72.0 / figure.dpi
    turned = Affine2D().translate(shift, 0.0).rotate_deg(artist.get_rotation()).translate(x, y)
    ends = turned.transform([[box.x0, box.y0], [box.x1, box.y1]])
    (left, right), (bottom, top) = np.sort(ends[:, 0]), np.sort(ends[:, 1])
    return float(left), float(bottom), float(right), float(top)


CASES: list[tuple[str, Any, dict[str, Any]]] = [
    *((name, answer, {}) for name, answer in samples.everything().items()),
    *(
        (f"{name} {count}", question(samples.tokens(count)), options)
        for count in (1, 3, 30, 64, 65, 256)
        for name, question, options in (
            ("layer", samples.attention, {}),
            ("head", samples.attention, {"head": HEAD}),
            ("run", samples.next_tokens, {}),
        )
    ),
    ("hostile head", samples.attention(samples.HOSTILE), {"head": HEAD}),
    ("hostile ov", samples.ov_tokens(samples.HOSTILE), {}),
    ("scores", samples.attention(kind="scores"), {}),
    ("value-weighted", samples.attention(kind="value-weighted"), {"head": HEAD}),
    ("144 thumbnails", samples.thumbnails(samples.tokens(64), 12, 12, 4), {}),
    ("144 heads", samples.head_scores(12, 12), {}),
    ("30 layers of 9", samples.head_scores(30, 9), {}),
    ("one layer", samples.head_scores(1, 1), {}),
    ("tied heads", samples.tied_heads(), {}),
    ("tied heads, narrow", samples.tied_heads(), {"options": FigureOptions(width=2.0)}),
    ("tied heads of 144", samples.tied_heads(12, 12), {}),
    ("toy spectrum", samples.toy_spectrum(), {}),
    ("thin spectrum", samples.spectrum(dense=False), {}),
    ("one sign", samples.qk_tokens(samples.TEAS[:5], signed=False), {}),
    ("64 x 64 table", samples.table(samples.tokens(64)), {}),
    ("hostile trigrams", samples.skip_trigrams(samples.HOSTILE), {}),
    ("no trigram", samples.skip_trigrams(()), {}),
    ("long tokens", samples.ov_tokens(tuple(15 * f"·long{n}" for n in range(5))), {}),
]


@pytest.mark.parametrize("width", [3.25, 7.0])
@pytest.mark.parametrize("count", [1, 10, 37, 100, 256])
def test_every_head_is_named_beside_its_row_however_long_the_prompt(
    tmp_path: Path, count: int, width: float
) -> None:
    request, result = samples.destination_row(samples.tokens(count))
    write(request, result, tmp_path / "f.svg", FigureOptions(width=width))
    svg = Svg(tmp_path / "f.svg")
    _, top, _, bottom = svg.frames()[0]
    row = (bottom - top) / len(result.heads)
    named = {text.split()[0]: baseline for text, _, baseline in svg.texts if text.startswith("L")}
    assert list(named) == [head.name for head in result.heads]
    middles = (np.array(list(named.values())) - 0.36 * 6.0 - top) / row
    np.testing.assert_allclose(middles, np.arange(len(named)) + 0.5, rtol=0, atol=0.2)


def assert_tidy(page: Page) -> None:
    """Assert that no text of a page is clipped or overlaps another."""
    width, height = page.figure.get_size_inches() * 72.0
    texts = [artist for artist in page.figure.findobj(Text) if artist.get_text().strip()]
    boxes = np.array([ink(artist) for artist in texts])
    left, bottom, right, top = boxes.T
    clipped = (left < 0) | (bottom < 0) | (right > width) | (top > height)
    assert [texts[place].get_text() for place in np.flatnonzero(clipped)] == []
    slack = 0.15
    overlap = (
        (left[:, None] < right - slack)
        & (left < right[:, None] - slack)
        & (bottom[:, None] < top - slack)
        & (bottom < top[:, None] - slack)
    )
    pairs = np.argwhere(np.triu(overlap, 1)).tolist()
    assert [(texts[one].get_text(), texts[other].get_text()) for one, other in pairs] == []


@pytest.mark.parametrize(("name", "answer", "options"), CASES, ids=[case[0] for case in CASES])
def test_no_text_is_clipped_or_overlaps_another(
    name: str, answer: Any, options: dict[str, Any]
) -> None:
    assert_tidy(compose(*answer, **options))


@pytest.mark.parametrize("shape", [(2, 8), (12, 12)])
def test_heads_as_good_as_the_best_are_named_and_none_where_no_head_does_it(
    shape: tuple[int, int],
) -> None:
    page = compose(*samples.tied_heads(*shape))
    titles = [artist.get_text() for artist in page.figure.findobj(Text)]
    last = shape[0] - 1
    told = " ".join(titles)
    for named in (f"L{last}H2 0.95", f"L{last}H4 0.95", f"L{last}H3 0.94", "L0H0 0.94", "none"):
        assert named in told, named
    assert "0.91" not in told


@pytest.mark.parametrize(("width", "font_size"), [(2.0, 5.0), (3.25, 10.0), (6.75, 9.0)])
@pytest.mark.parametrize("name", list(samples.everything()))
def test_pages_of_other_sizes_are_as_tidy(name: str, width: float, font_size: float) -> None:
    assert_tidy(compose(*samples.everything()[name], FigureOptions(width, font_size)))


@pytest.mark.parametrize("name", ["attention", "run-prompt", "head-scores"])
def test_a_figure_names_the_heads_that_were_off(name: str) -> None:
    request, result = samples.everything()[name]
    off = {"heads_off": (Head(0, 2), Head(1, 3))}
    if name == "run-prompt":
        request = replace(request, **off)
    else:
        run = replace(request.run, **off)
        request = replace(request, run=run, **(off if name == "head-scores" else {}))
    page = compose(request, result)
    assert_tidy(page)
    said = " ".join(artist.get_text() for artist in page.figure.findobj(Text))
    assert "heads off: L0H2, L1H3" in said


@pytest.mark.parametrize("font_size", [5.0, 7.0, 10.0])
def test_no_text_is_smaller_than_five_points(font_size: float) -> None:
    page = compose(*samples.attention(samples.tokens(64)), FigureOptions(font_size=font_size))
    assert min(artist.get_fontsize() for artist in page.figure.findobj(Text)) >= 5.0


def test_a_token_that_no_font_covers_is_named_to_the_caller(tmp_path: Path) -> None:
    labels = ("a", "\U0010fffd", "b\U0010fffd")
    told = write(*samples.attention(labels), tmp_path / "f.png", head=HEAD)
    assert told == ("no installed font covers \U0010fffd, b\U0010fffd: drawn as boxes",)
    assert write(*samples.attention(), tmp_path / "f.png", head=HEAD) == ()


def test_a_model_that_is_a_file_is_named_without_its_folders(tmp_path: Path) -> None:
    model = tmp_path / "models" / "small.gguf"
    request, result = samples.ov_tokens()
    write(replace(request, model=str(model)), result, tmp_path / "f.svg")
    texts = {text for text, _, _ in Svg(tmp_path / "f.svg").texts}
    assert "small.gguf" in texts
    assert not any("models" in text for text in texts)
