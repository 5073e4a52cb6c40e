"""What `ask` prints, and what it keeps from being printed."""

import io
import json
import sys
import warnings

import pytest

from engine import console
from engine.messages import Refused


def test_libraries_are_kept_quiet_unless_verbose(capsys):
    with console.quiet(verbose=False):
        print("bar", file=sys.stderr)  # noqa: T201
        warnings.warn("noise", stacklevel=1)
    assert capsys.readouterr() == ("", "")
    with console.quiet(verbose=True):
        print("bar", file=sys.stderr)  # noqa: T201
    assert capsys.readouterr().err == "bar\n"


@pytest.mark.parametrize(
    "line",
    [
        '{"question": "load-model", "model": "toy", "model": "toy-sharp"}',
        '{"question": "attention", "layer": 0, "run": {"model": "toy", "model": "toy"}}',
    ],
)
def test_a_key_that_comes_twice_is_refused_by_name(capsys, monkeypatch, line):
    monkeypatch.setattr("sys.stdin", io.StringIO(line + "\n"))
    assert console.ask(["-"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"] == "the key 'model' is given twice: leave one out"
    assert answer["request"] == line


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            '{"question": "load-model"',
            "this line is not JSON: Expecting ',' delimiter at character",
        ),
        ("[" * 100_000, "this line is not JSON that can be read: maximum recursion"),
        (f'{{"question": {"9" * 5000}}}', "this line is not JSON that can be read: Exceeds"),
    ],
)
def test_a_line_that_is_no_json_says_where_and_is_no_fault(capsys, monkeypatch, line, sentence):
    monkeypatch.setattr("sys.stdin", io.StringIO(line + "\n"))
    assert console.ask(["-"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"].startswith(sentence)
    assert "line 2" not in answer["error"]


def test_a_byte_order_mark_is_no_part_of_the_first_line(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO('\ufeff{"question": "list-models"}\n'))
    assert console.ask(["-"]) == 0
    assert "result" in json.loads(capsys.readouterr().out)


def test_options_after_the_dash_are_refused_and_not_left_unread():
    with pytest.raises(Refused, match="ask - takes no options but --device, --dtype and --verbose"):
        console.ask(["-", "--model", "toy"])
