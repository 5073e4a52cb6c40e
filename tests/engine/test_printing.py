"""Text from files reaches a terminal and a sentence with nothing in it that would be obeyed."""

import json

import pytest

from engine.cli import console
from engine.messages import printable
from engine.messages.printing import MOST_SAID, in_a_line

HOSTILE = "a\x1b[2J\x00\r\n\x07\x85\x9b31m\u202e\u2066\u200f\u2028\ud800\x7fz"


def test_what_moves_a_cursor_or_turns_text_around_is_escaped_as_json_does() -> None:
    shown = printable(HOSTILE)
    assert shown.isprintable()
    assert json.loads(f'"{shown}"') == HOSTILE
    assert printable(shown) == shown


def test_ink_of_any_language_stays() -> None:
    text = 'naïve 東京 קריירה 💩 👩\u200d👩 نمی\u200cخواهم – − · ↵ \\ "'
    assert printable(text) == text
    assert printable("two\nlines", keep="\n") == "two\nlines"


def test_what_is_said_holds_no_control_character_but_line_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console.say(HOSTILE)
    console.tell(HOSTILE)
    out, err = capsys.readouterr()
    assert out.replace("\n", "").isprintable()
    assert err.endswith("\n")
    assert err[:-1].isprintable()


def test_an_error_is_said_in_one_short_line_after_its_kind_where_that_is_asked_for() -> None:
    error = ValueError("two\n lines\x1b[2J")
    assert in_a_line(error) == "two lines\\u001b[2J"
    assert in_a_line(error, kind=True) == "ValueError: two lines\\u001b[2J"
    assert in_a_line(ValueError()) == "ValueError"
    long = in_a_line(ValueError("x" * 1000), kind=True)
    assert len(long) == MOST_SAID
    assert long.startswith("ValueError: x")
    assert long.endswith("x…")
