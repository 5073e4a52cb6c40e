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


def test_options_after_the_dash_are_refused_and_not_left_unread():
    with pytest.raises(Refused, match="ask - takes no options but --verbose"):
        console.ask(["-", "--model", "toy"])
