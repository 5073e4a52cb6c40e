"""What the README claims that a command or a piece of Python prints is what it prints."""

import re
from pathlib import Path

import pytest

from docs.make_examples import commands, run_command, run_snippet, snippets

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")
TOLERANCE = 1e-4
"""Absolute and relative: the order of float32 sums differs between processors."""


def assert_same(printed: str, claimed: str) -> None:
    """Compare texts exactly but for numbers with a point, which may differ by rounding."""
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", claimed)
    measured = [float(number) for number in NUMBER.findall(printed)]
    expected = [float(number) for number in NUMBER.findall(claimed)]
    assert measured == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE)


def test_the_readme_has_examples() -> None:
    assert len(commands(TEXT)) >= 4
    assert len(snippets(TEXT)) == 1


@pytest.mark.parametrize(("line", "claimed"), commands(TEXT))
def test_a_command_of_the_readme_prints_what_it_says(line: str, claimed: str) -> None:
    assert_same(run_command(line), claimed)


@pytest.mark.parametrize(("code", "claimed"), snippets(TEXT))
def test_the_python_of_the_readme_prints_what_it_says(code: str, claimed: str) -> None:
    assert_same(run_snippet(code), claimed)
