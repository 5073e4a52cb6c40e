"""Figures and data of a difference, against the numpy difference of two answers of the engine."""

import csv
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

from engine import Engine
from engine import messages as m
from engine.messages import Head, Refused
from gui import figures
from gui.figures import FigureOptions, board_file, data, provenance
from gui.figures import board as boards
from gui.figures.page import Page, in_pieces
from gui.state import question
from gui.state.difference import UNSEEN, Difference, Subtraction
from gui.state.figure_board import Board, Item, from_json, to_json
from gui.style.theme import DIVERGING, lut
from tests.gui.figures.reading import Svg, centres, colours, render_pdf

GREEN = m.RunPrompt("attn-2l", "I like green tea, so I drink green")
LONGER = m.RunPrompt("attn-2l", "I really like black tea, so I drink black")
OFF = replace(GREEN, heads_off=(Head(0, 2),))
HEAD = Head(1, 3)
HAS = [0, 1, *range(3, 11)]
"""Positions of the longer prompt that the other has too: all but that of ` really`."""
ASKED: dict[str, Difference] = {
    "attention": Difference(m.Attention(LONGER, 1), m.Attention(GREEN, 1)),
    "destination-row": Difference(m.DestinationRow(LONGER), m.DestinationRow(GREEN)),
    "logit-attribution": Difference(m.LogitAttribution(LONGER), m.LogitAttribution(GREEN)),
    "off": Difference(m.Attention(OFF, 1), m.Attention(GREEN, 1)),
}
needs_poppler = pytest.mark.skipif(
    shutil.which("pdftoppm") is None, reason="poppler-utils is not installed"
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def answered(engine: Engine, name: str) -> tuple[Difference, Subtraction, figures.Origin]:
    asked = ASKED[name]
    beside = [engine.answer(one) for one in figures.questions(asked)]
    return asked, question.answer(asked, engine.answer), figures.origin(beside, "9")


def spread(engine: Engine) -> np.ndarray:
    """Return right minus left of the open head, [query, key], not a number where one lacks it."""
    right = engine.answer(m.Attention(LONGER, 1)).values[HEAD.number]
    left = engine.answer(m.Attention(GREEN, 1)).values[HEAD.number]
    wanted = np.full((11, 11), np.nan)
    wanted[np.ix_(HAS, HAS)] = right[np.ix_(HAS, HAS)] - left
    wanted[~np.tri(11, dtype=bool)] = np.nan
    return wanted


def expected(values: np.ndarray) -> np.ndarray:
    """Return the colour of each cell: white is 0, the limits lie alike on both sides of it."""
    most = np.nanmax(np.abs(values))
    share = (np.nan_to_num(values) / most + 1.0) / 2.0
    made = lut(DIVERGING).astype(int)[np.rint(share * 255).astype(int)]
    made[np.isnan(values)] = 255
    return made


def texts(page: Any) -> list[str]:
    return [text.get_text() for text in page.figure.findobj(Text)]


@needs_poppler
def test_every_cell_is_the_difference_of_two_answers_and_paper_where_one_has_none(
    engine: Engine, tmp_path: Path
) -> None:
    asked, result, _ = answered(engine, "attention")
    for suffix in ("svg", "pdf"):
        figures.write(asked, result, tmp_path / f"f.{suffix}", head=HEAD)
    svg = Svg(tmp_path / "f.svg")
    found = colours(render_pdf(tmp_path / "f.pdf"), centres(svg.frames()[0], 11, 11), svg.size[0])
    assert np.abs(found - expected(spread(engine))).max() <= 1


@pytest.mark.parametrize(
    ("name", "bar", "title"),
    [
        ("attention", "right − left: attention", "L1H3 attention, right − left"),
        ("destination-row", "right − left: attention", "Every head, right − left"),
        ("logit-attribution", "right − left: logit", "Logit attribution, right − left"),
        ("off", "heads off − whole model: attention", "L1H3 attention, heads off − whole model"),
    ],
)
def test_title_and_colour_bar_say_what_is_taken_off_what(
    engine: Engine, name: str, bar: str, title: str
) -> None:
    asked, result, origin = answered(engine, name)
    head = HEAD if isinstance(asked.request, m.Attention) else None
    page = figures.compose(asked, result, head=head, origin=origin)
    ((quantity, scale),) = page.scales.items()
    assert quantity == (bar, True)
    assert scale.low == -scale.high
    said = texts(page)
    assert {bar, title} <= set(said)
    assert ("heads" in said) == (name == "off")  # heads off: L0H2
    assert ("“a" in said) == (name in ("attention", "destination-row"))  # “a | b” is a on …


def test_labels_name_both_tokens_and_mark_one_that_only_one_prompt_has(engine: Engine) -> None:
    asked, result, _ = answered(engine, "attention")
    tokens = figures.compose(asked, result, FigureOptions(5.5), head=HEAD).tokens
    assert tokens.count("+ ·really") == 2
    assert tokens.count("·green | ·black") == 4


def test_thinned_labels_have_the_positions_of_both_prompts(engine: Engine) -> None:
    asked, result, _ = answered(engine, "attention")
    page = figures.compose(asked, result, FigureOptions(labels=5), head=HEAD)
    assert {"0", "4 | 5", "9 | 10"} <= set(texts(page))


def test_rows_hold_both_sides_and_what_is_left(engine: Engine) -> None:
    asked, result, _ = answered(engine, "attention")
    written = data.encode_csv(data.rows(asked, result, HEAD)).decode().splitlines()
    table = list(csv.DictReader(written))
    right = engine.answer(m.Attention(LONGER, 1)).values[HEAD.number]
    left = engine.answer(m.Attention(GREEN, 1)).values[HEAD.number]
    assert len(table) == 66
    for row in table:
        query, key = int(row["right_query"]), int(row["right_key"])
        assert float(row["right"]) == right[query, key]
        if 2 in (query, key):
            assert row["left"] == row["difference"] == ""
        else:
            before = left[int(row["left_query"]), int(row["left_key"])]
            assert float(row["left"]) == before
            assert float(row["difference"]) == right[query, key] - before
    tokens = {(row["left_query_token"], row["right_query_token"]) for row in table}
    assert tokens >= {("", "·really"), ("·green", "·black")}


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        (
            "destination-row",
            "head,left_source,left_source_id,left_source_token,left_source_text,right_source,"
            "right_source_id,right_source_token,right_source_text,left,right,difference",
        ),
        ("logit-attribution", "part,head,left,right,difference"),
        (
            "off",
            "head,query,query_id,query_token,query_text,key,key_id,key_token,key_text,"
            "whole_model,heads_off,difference",
        ),
    ],
)
def test_columns_are_named_by_their_sides(engine: Engine, name: str, columns: str) -> None:
    asked, result, _ = answered(engine, name)
    table = list(data.rows(asked, result, None))
    assert ",".join(table[0]) == columns
    numbers = [row[-3:] for row in table[1:] if "" not in row[:2]]
    assert numbers
    for before, now, change in numbers:
        assert change == pytest.approx(now - before, abs=1e-6)


@pytest.mark.parametrize("name", list(ASKED))
def test_arrays_and_json_hold_both_answers_and_the_difference(
    engine: Engine, tmp_path: Path, name: str
) -> None:
    asked, result, origin = answered(engine, name)
    figures.write(asked, result, tmp_path / "f.npz", origin=origin)
    sides = [engine.answer(one).values for one in (asked.request, asked.base)]
    with np.load(tmp_path / "f.npz") as file:
        for key, values in zip(("answer.values", "base.values"), sides, strict=True):
            np.testing.assert_array_equal(file[key], values)
        change = file["difference.values"]
        places = file["positions"], file["base_positions"]
        assert file["names"].tolist() == list(asked.names)
    both = np.minimum(*places) >= 0
    if isinstance(asked.request, m.LogitAttribution):
        np.testing.assert_array_equal(change, sides[0] - sides[1])
    else:
        axes = range(1, change.ndim)
        for axis in axes:
            change = np.compress(both, change, axis=axis)
            sides = [
                np.take(side, at[both], axis=axis) for side, at in zip(sides, places, strict=True)
            ]
        np.testing.assert_array_equal(change, sides[0] - sides[1])
    record = json.loads(data.encode(".json", asked, result, None, FigureOptions(), origin))
    assert list(record) == ["request", "base", "result", "provenance"]
    assert question.from_json(record) == asked


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("off", "pdf"), *(("destination-row", kind) for kind in ("pdf", "svg", "png", "json", "npz"))],
)
def test_a_file_says_both_questions_and_is_drawn_again_to_the_byte(
    engine: Engine, tmp_path: Path, name: str, suffix: str
) -> None:
    asked, result, origin = answered(engine, name)
    options = FigureOptions(caption=True, labels=2)
    first, again = tmp_path / f"f.{suffix}", tmp_path / f"g.{suffix}"
    figures.write(asked, result, first, options, origin=origin)
    made = figures.read(first)
    assert (made.question(), made.options, made.origin) == (asked, options, origin)
    assert (len(made.origin.tokens), len(made.origin.base_tokens)) == (
        (10, 0) if name == "off" else (11, 10)
    )
    figures.write(made.question(), result, again, made.options, origin=made.origin)
    assert first.read_bytes() == again.read_bytes()


def test_the_caption_names_the_tokens_of_both_prompts(engine: Engine) -> None:
    asked, _, origin = answered(engine, "destination-row")
    at = Difference(replace(asked.request, position=10), replace(asked.base, position=9))
    said = provenance.caption(at, None, origin)
    assert said[0] == (
        "Headscope: destination-row of model attn-2l, position 9·|·10, right − left."
    )
    labels = [part.label for part in said if isinstance(part, provenance.Token)]
    assert labels == [*origin.base_tokens, *origin.tokens]
    assert [part for part in said if part in ("Left: tokens and ids:", "Right: tokens and ids:")]


@needs_poppler
def test_a_board_keeps_differences_and_their_maps_share_limits_and_one_bar(
    engine: Engine, tmp_path: Path
) -> None:
    attention = ASKED["attention"]
    black = replace(GREEN, text="I like black tea, so I drink black")
    other: Any = Difference(m.Attention(black, 1), m.Attention(GREEN, 1))
    board = Board((Item(attention, HEAD), Item(other, HEAD), Item(ASKED["off"], HEAD)), columns=3)
    assert from_json(to_json(board)) == board
    answers = {one: engine.answer(one) for one in boards.questions(board)}
    drawn = boards.drawn(board, answers, "9")
    boards.write(board, drawn, tmp_path / "b.pdf")
    made = board_file.read(tmp_path / "b.pdf")
    assert (made.board, made.origins) == (board, tuple(one.origin for one in drawn))
    page = boards.compose(board, drawn)
    titles = [text for text in texts(page) if text.endswith(": attention")]
    assert sorted(titles) == ["heads off − whole model: attention", "right − left: attention"]
    said = subprocess.run(
        ["pdftotext", str(tmp_path / "b.pdf"), "-"], check=True, capture_output=True, text=True
    ).stdout
    assert said.count("right − left") >= 2


def test_a_board_names_the_figure_whose_prompts_cannot_be_subtracted(engine: Engine) -> None:
    short: Any = m.Attention(replace(GREEN, text="no way"), 1)
    board = Board((Item(ASKED["off"], HEAD), Item(Difference(short, m.Attention(GREEN, 1)), HEAD)))
    answers = {one: engine.answer(one) for one in boards.questions(board)}
    with pytest.raises(Refused, match="figure b: left and right cannot be subtracted"):
        boards.drawn(board, answers, "9")


def test_a_head_of_another_layer_is_refused(engine: Engine, tmp_path: Path) -> None:
    asked, result, _ = answered(engine, "attention")
    for head in (Head(0, 3), Head(1, 8)):
        with pytest.raises(Refused, match="is not one of layer 1"):
            figures.write(asked, result, tmp_path / "f.pdf", head=head)
    row, found, _ = answered(engine, "destination-row")
    with pytest.raises(Refused, match="for attention only"):
        figures.write(row, found, tmp_path / "f.pdf", head=HEAD)


def test_a_difference_that_is_rounding_stays_white_beside_a_bar_that_can_be_read(
    engine: Engine,
) -> None:
    short = m.RunPrompt("attn-2l", "I like green tea")
    longer = m.RunPrompt("attn-2l", "I like green tea, so I drink green")
    request = Difference(m.Attention(longer, 1), m.Attention(short, 1))
    result = question.answer(request, engine.answer)
    tiny = replace(result.difference, values=np.full_like(result.difference.values, 2e-8))
    page = figures.compose(request, replace(result, difference=tiny), head=Head(1, 3))
    (scale,) = page.scales.values()
    assert (scale.low, scale.high) == (-UNSEEN, UNSEEN)
    assert {"−5e−05", "0", "5e−05"} <= set(texts(page))


def test_the_left_token_stands_left_in_hebrew_and_arabic_too() -> None:
    page = Page(FigureOptions())
    page.text(60.0, 10.0, "ש | ת", anchor="right", token=True)
    page.text(10.0, 60.0, "+ ש", token=True, upright=True)
    across = [text for text in page.figure.findobj(Text) if text.get_rotation() == 0.0]
    assert [t.get_text() for t in sorted(across, key=lambda t: t.get_position()[0])] == [
        "ש", " | ", "ת",
    ]  # fmt: skip
    assert [in_pieces(text) for text in ("·ש", "a | b", "+ a")] == [("·ש",), ("a | b",), ("+ a",)]
    assert page.tokens == ["ש | ת", "+ ש"]
