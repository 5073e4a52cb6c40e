"""Several figures on one page: its size, letters, titles, cells, limits, and the way back."""

import json
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from engine.messages import Head, LoadModel, Refused
from gui import figures
from gui.figures import board as boards
from gui.figures import board_file, provenance
from gui.figures.board import Drawn
from gui.state import session_file
from gui.state.figure_board import USUAL, Board, Item, for_session, from_json, to_json
from gui.state.figure_options import FigureOptions
from gui.state.session_file import SavedSession
from gui.style.theme import DIVERGING, SEQUENTIAL, lut
from tests.gui.figures import samples
from tests.gui.figures.reading import Svg, centres, colours, media_box, render_pdf

needs_poppler = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="poppler-utils is not installed"
)
ORIGIN = provenance.Origin("abc", ("I",), (1,), (("headscope", "0"),))


def of_model(request, name):
    return replace(request, run=replace(request.run, model=name))


def three(kind="pattern", **settings):
    """Return a board of two models: two patterns of different limits and a list."""
    one, other = samples.attention(kind=kind), samples.attention(kind=kind, seed=3)
    other = of_model(other[0], "toy"), replace(other[1], values=other[1].values / 2)
    tokens = samples.ov_tokens()
    items = (
        Item(one[0], Head(1, 3)),
        Item(other[0], Head(1, 2), "Mine (half)"),
        Item(tokens[0], labels=2),
    )
    drawn = [Drawn(result, ORIGIN) for result in (one[1], other[1], tokens[1])]
    return Board(items, **{"columns": 3, **settings}), drawn


def test_a_board_is_as_wide_as_asked_and_as_high_as_its_figures(tmp_path):
    board, drawn = three(options=FigureOptions(width=183 / 25.4))
    for suffix in ("pdf", "svg", "png"):
        boards.write(board, drawn, tmp_path / f"b.{suffix}")
    height = boards.compose(board, drawn).figure.get_size_inches()[1] * 72
    assert media_box(tmp_path / "b.pdf") == pytest.approx((183 / 25.4 * 72, height), abs=0.1)
    assert Svg(tmp_path / "b.svg").size == pytest.approx((183 / 25.4 * 72, height), abs=0.1)
    with Image.open(tmp_path / "b.png") as image:
        assert image.info["dpi"] == pytest.approx((600, 600), abs=0.5)
        assert image.width == int(183 / 25.4 * 600)


@needs_poppler
def test_letters_titles_and_models_are_text(tmp_path):
    board, drawn = three()
    boards.write(board, drawn, tmp_path / "b.pdf")
    command = ["pdftotext", "-layout", str(tmp_path / "b.pdf"), "-"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    first = text.splitlines()[0].split()
    assert first == [
        "a", "L1H3", "attention", "attn-2l", "b", "Mine", "(half)", "c", "L1H3", "OV", "attn-2l",
    ]  # fmt: skip
    fonts = subprocess.run(
        ["pdffonts", str(tmp_path / "b.pdf")], check=True, capture_output=True, text=True
    ).stdout
    assert "Type 3" not in fonts
    boards.write(replace(board, letters=False), drawn, tmp_path / "plain.pdf")
    command[-2] = str(tmp_path / "plain.pdf")
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert text.splitlines()[0].split()[:2] == ["L1H3", "attention"]


def wanted(values, mask, kind, limit):
    share = values / limit if kind == "value-weighted" else (values / limit + 1) / 2
    table = lut(DIVERGING if kind == "scores" else SEQUENTIAL).astype(int)
    made = table[np.rint(np.where(mask, share, 0.0).clip(0, 1) * 255).astype(int)]
    made[~mask] = 255
    return made


@pytest.mark.parametrize(
    ("kind", "shared", "suffix"),
    [  # every pair of the three
        ("scores", True, "png"),
        ("value-weighted", False, "png"),
        pytest.param("scores", False, "pdf", marks=needs_poppler),
        pytest.param("value-weighted", True, "pdf", marks=needs_poppler),
    ],
)
def test_every_cell_has_the_colour_of_its_value_in_shared_or_own_limits(
    tmp_path, kind, shared, suffix
):
    board, drawn = three(kind, shared=shared)
    boards.write(board, drawn, tmp_path / "b.svg")
    boards.write(board, drawn, tmp_path / f"b.{suffix}")
    svg = Svg(tmp_path / "b.svg")
    grids = [box for box in svg.frames() if box[2] - box[0] > 40]
    bars = [box for box in svg.frames() if box[2] - box[0] < 10]
    assert (len(grids), len(bars)) == (2, 1 if shared else 2)
    values = [
        one.result.values[item.head.number].astype(float)
        for one, item in zip(drawn[:2], board.items, strict=False)
    ]
    mask = drawn[0].result.mask
    limits = [np.abs(part[mask]).max() for part in values]
    assert limits[0] != limits[1]
    if shared:
        limits = [max(limits)] * 2
        assert bars[0][0] > max(box[2] for box in grids)
    page = render_pdf(tmp_path / "b.pdf") if suffix == "pdf" else Image.open(tmp_path / "b.png")
    with page as image:
        for part, limit, frame in zip(values, limits, grids, strict=True):
            found = colours(image, centres(frame, 10, 10), board.options.width * 72)
            assert np.abs(found - wanted(part, mask, kind, limit)).max() <= 1


@pytest.mark.parametrize("suffix", ["png", pytest.param("pdf", marks=needs_poppler)])
def test_figures_of_different_resolutions_stay_exact_on_one_page(tmp_path, suffix):
    counts = (700, 90)
    made = [samples.attention(samples.tokens(count), 4, kind="scores") for count in counts]
    items = tuple(Item(request, Head(1, 3)) for request, _ in made)
    board = Board(items, options=FigureOptions(width=4.0))
    drawn = [Drawn(result) for _, result in made]
    assert boards.compose(board, drawn).dpi == 1200
    assert boards.compose(board.without(0), drawn[1:]).dpi == 600
    boards.write(board, drawn, tmp_path / "b.svg")
    told = boards.write(board, drawn, tmp_path / f"b.{suffix}")
    assert any("1200 dpi" in sentence for sentence in told) == (suffix == "png")
    frames = [box for box in Svg(tmp_path / "b.svg").frames() if box[2] - box[0] > 20]
    rendered = (
        render_pdf(tmp_path / "b.pdf", 1200) if suffix == "pdf" else Image.open(tmp_path / "b.png")
    )
    limit = max(np.abs(result.values[3][result.mask]).max() for _, result in made)
    inside = np.s_[1:-1, 1:-1]  # the frame may touch the outermost pixels
    with rendered as image:
        assert image.width == 4800
        for count, (_, result), frame in zip(counts, made, frames, strict=True):
            if count == 700 and suffix == "pdf":
                continue  # poppler moves cells of a single pixel, of a figure alone as well
            found = colours(image, centres(frame, count, count), 288.0)
            expected = wanted(result.values[3].astype(float), result.mask, "scores", limit)
            assert np.abs(found - expected)[inside].max() <= 1, count


def test_a_map_that_is_alone_keeps_its_own_bar(tmp_path):
    pattern, scores = samples.attention(), samples.attention(kind="scores")
    board = Board((Item(pattern[0], Head(1, 3)), Item(scores[0], Head(1, 3))))
    page = boards.compose(board, [Drawn(pattern[1]), Drawn(scores[1])])
    apart = boards.compose(replace(board, shared=False), [Drawn(pattern[1]), Drawn(scores[1])])
    assert len(page.figure.get_children()) == len(apart.figure.get_children())


def test_figures_stand_in_columns_of_one_width_and_begin_in_rows():
    board, drawn = three(columns=2, shared=False)
    page = boards.compose(board, drawn)
    page.figure.set_dpi(72)
    places = {
        artist.get_text(): artist.get_transform().transform(artist.get_position())
        for artist in page.figure.get_children()
        if isinstance(artist, Text) and artist.get_text() in board.names
    }
    assert set(places) == {"a", "b", "c"}
    assert places["a"][1] == pytest.approx(places["b"][1])
    assert places["a"][0] == pytest.approx(places["c"][0])
    assert places["b"][0] - places["a"][0] == pytest.approx((486 + boards.GUTTER) / 2, abs=0.3)
    assert places["c"][1] < places["a"][1] - 100


def test_the_same_board_gives_the_same_bytes_and_each_file_gives_it_back(tmp_path):
    board, drawn = three(
        options=FigureOptions(width=6.75, font_size=8.0, caption=True, title="All")
    )
    for suffix in (".pdf", ".svg", ".png"):
        content, _ = boards.picture(board, drawn, suffix)
        assert boards.picture(board, drawn, suffix)[0] == content
        (tmp_path / f"b{suffix}").write_bytes(content)
        made = board_file.read(tmp_path / f"b{suffix}")
        assert made.board == board
        assert made.origins == (ORIGIN,) * 3
        assert boards.picture(made.board, drawn, suffix)[0] == content
        assert b"2026" not in content
        with pytest.raises(Refused, match="is a board of several figures"):
            figures.read(tmp_path / f"b{suffix}")
        assert board_file.is_board(tmp_path / f"b{suffix}")


def test_a_board_is_kept_in_a_session_and_drawn_from_it(tmp_path):
    board, drawn = three()
    path = tmp_path / "s.headscope.json"
    session_file.write(path, SavedSession(board=for_session(board)))
    assert board_file.read(path).board == board
    assert boards.picture(board_file.read(path).board, drawn, ".svg") == boards.picture(
        board, drawn, ".svg"
    )
    session_file.write(path, SavedSession())
    with pytest.raises(Refused, match=r"no figure on the board of s\.headscope\.json"):
        board_file.read(path)
    session_file.write(path, SavedSession(board=[{"columns": "two"}]))
    with pytest.raises(Refused, match=r"s\.headscope\.json: the field 'columns' cannot be"):
        board_file.read(path)


def test_questions_come_once_and_one_model_after_the_other():
    board, _ = three()
    board = board.with_item(board.items[1])
    asked = boards.questions(board)
    assert len(set(asked)) == len(asked) == 7
    models = [figures.provenance.model_of(request) for request in asked]
    assert models == ["attn-2l"] * 4 + ["toy"] * 3
    assert LoadModel("toy") in asked


def test_each_figure_tells_where_it_is_from():
    board, drawn = three(options=replace(USUAL, caption=True))
    record = json.loads(board_file.record(board, [(one.result, one.origin) for one in drawn]))
    assert [answer["weights"] for answer in record["answers"]] == ["abc"] * 3
    texts = [
        artist.get_text()
        for artist in boards.compose(board, drawn).figure.get_children()
        if hasattr(artist, "get_text")
    ]
    assert [text for text in texts if text in ("a:", "b:", "c:")] == ["a:", "b:", "c:"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"items": ()}, "there is no figure on the board"),
        ({"options": FigureOptions(width=3.25)}, "choose fewer columns or a wider page"),
        ({"items": (Item(LoadModel("toy")),)}, "figure a: there is no picture of this answer"),
        ({"items": (Item(samples.attention()[0], Head(0, 9)),)}, "figure a: head 0.9 is not one"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_named(change, said):
    board, drawn = three()
    with pytest.raises(Refused, match=said):
        boards.compose(replace(board, **change), drawn)


def test_a_refused_board_leaves_the_file_as_it_was(tmp_path):
    board, drawn = three()
    path = tmp_path / "b.pdf"
    path.write_bytes(b"before")
    with pytest.raises(Refused):
        boards.write(replace(board, options=FigureOptions()), drawn, path)
    with pytest.raises(Refused, match="written as PDF, SVG or PNG"):
        boards.write(board, drawn, tmp_path / "b.csv")
    assert path.read_bytes() == b"before"


@pytest.mark.parametrize("request_", [r for r, _ in samples.everything().values()], ids=str)
def test_every_question_survives_the_way_to_json_and_back(request_):
    board = Board((Item(request_, None, "", (0, 4)),))
    assert from_json(json.loads(json.dumps(to_json(board)))) == board


def test_every_figure_can_stand_on_a_board_of_two_columns():
    made = samples.everything()
    board = Board(tuple(Item(request) for request, _ in made.values()))
    drawn = [Drawn(result) for _, result in made.values()]
    page = boards.compose(board, drawn)
    assert page.figure.get_size_inches()[0] == 6.75


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ([], "a board is a JSON object"),
        ({"items": 3}, "figures of a board are a list"),
        ({"items": [{"request": {"question": "no"}}]}, "there is no question 'no'"),
        ({"items": [{"request": {"question": "spectrum"}}]}, "needs the field"),
        ({"items": [{}]}, "a request is a JSON object"),
        ({"columns": 0}, "1 to 8 columns"),
        ({"options": {"colour": "red"}}, "a figure has no option 'colour'"),
        ({"options": 3}, "the options of a figure are a JSON object"),
        ({"options": {"width": 99}}, "choose 1.5 to 20"),
        ({"colour": 1}, "a board has no field 'colour'"),
        ({"items": [to_json(three()[0])["items"][0]] * 27}, "holds 26 figures"),
    ],
)
def test_a_damaged_record_is_said(record, said):
    with pytest.raises(Refused, match=said):
        from_json(record)


def test_a_figure_is_moved_and_removed_by_its_place():
    board, _ = three()
    a, b, c = board.items
    assert board.moved(0, 2).items == (b, c, a)
    assert board.moved(2, 0).items == (c, a, b)
    assert board.without(1).items == (a, c)
    assert board.titled(1, None).items[1].title is None
