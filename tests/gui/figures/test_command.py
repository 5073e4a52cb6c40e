"""The options of a figure as words of a command line, and read from them again."""

from argparse import ArgumentParser
from dataclasses import replace
from itertools import product

import pytest

from gui.figures import FigureOptions, command
from gui.state.figure_options import WIDTHS
from gui.style.colour_scale import DIVERGING_MAPS, SEQUENTIAL_MAPS

USUAL = FigureOptions()


def read(words: list[str]) -> FigureOptions:
    parser = ArgumentParser()
    command.add_options(parser)
    return command.options(parser.parse_args(words), USUAL)


def test_what_is_usual_needs_no_word() -> None:
    assert command.words(USUAL) == []
    assert read([]) == USUAL


@pytest.mark.parametrize(
    "changes",
    [
        *({"width": width.inches} for width in WIDTHS),
        *({"width": width} for width in (1.5, 4.123456789, 20.0)),
        {"font_size": 8.5},
        {"labels": 0},
        {"labels": 3},
        {"labels": (4,)},
        {"labels": (0, 4, 9)},
        {"title": ""},
        {"title": "--odd = $title$ of 東京"},
        {"title": "None"},
        {"caption": True, "ground": "transparent", "dpi": 300},
    ],
)
def test_words_set_what_was_chosen(changes: dict[str, object]) -> None:
    options = replace(USUAL, **changes)  # type: ignore[arg-type]
    assert read(command.words(options)) == options


def test_every_pair_of_colour_maps_can_be_said() -> None:
    for sequential, diverging in product(SEQUENTIAL_MAPS, DIVERGING_MAPS):
        options = FigureOptions(sequential=sequential, diverging=diverging)
        assert read(command.words(options)) == options


def test_a_width_of_a_venue_is_said_in_its_unit() -> None:
    assert command.words(FigureOptions(89 / 25.4)) == ["--width=89mm"]


def test_options_of_a_file_stand_where_no_others_are_given() -> None:
    parser = ArgumentParser()
    command.add_options(parser)
    kept = FigureOptions(5.5, labels=2, caption=True)
    given = parser.parse_args(["--labels", "all", "--colour-map", "magma"])
    assert command.options(given, kept) == replace(kept, labels=1, sequential="magma")


@pytest.mark.parametrize(
    ("word", "is_file"),
    [("a.pdf", True), ("d/a.SVG", True), ("a.csv", True), ("attention", False), ("a.gguf", False)],
)  # fmt: skip
def test_a_file_is_told_from_a_question_by_its_suffix(word: str, is_file: bool) -> None:
    assert command.is_file(word) == is_file
