"""What `ask` prints, and what it keeps from being printed."""

import io
import json
import sys
import warnings

import pytest

from engine import Engine
from engine.cli import console
from engine.messages import Refused
from tests.oracles import hugging_face


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


def lines_of(capsys, monkeypatch, data):
    """Ask what stands in some bytes on a strict standard input; return the answers."""
    strict = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="strict")
    monkeypatch.setattr("sys.stdin", strict)
    assert console.ask(["-"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


TOY = b'{"question": "load-model", "model": "toy"}\n'


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            b'{"text": "caf\xe9"}',
            "this line is not text in UTF-8: character 14 of 16 is the byte E9",
        ),
        (b"\xff\xfe{\x00", "this line is not text in UTF-8: character 1 of 4 is the byte FF"),
        (b'{"question": ' + b"[" * 900 + b"]" * 900 + b"}", "there is no question [["),
        (b'{"question": "vocabulary", "model": ' + b'{"a":' * 900 + b"1" + b"}" * 901, "the field"),
        (b"\x00\x1b[2J", "this line is not JSON"),
    ],
)
def test_no_line_ends_the_conversation(capsys, monkeypatch, line, sentence):
    first, second = lines_of(capsys, monkeypatch, line + b"\n" + TOY)
    assert first["error"].startswith(sentence)
    assert second["result"]["name"] == "toy"


def test_brackets_nested_as_deeply_as_can_be_read_end_no_conversation(capsys, monkeypatch):
    depths = range(700, 1000)
    nested = b"".join(b"[" * depth + b"]" * depth + b"\n" for depth in depths)
    *answers, last = lines_of(capsys, monkeypatch, nested + TOY)
    assert len(answers) == len(depths)
    assert all("error" in answer for answer in answers)
    assert last["result"]["name"] == "toy"


class PanicException(BaseException):
    """What a library of Rust raises, which is no Exception."""


def test_a_panic_ends_one_line_and_an_interrupt_the_conversation(capsys, monkeypatch):
    raised = [PanicException("called `Option::unwrap()`"), None, KeyboardInterrupt()]
    honest = Engine.answer

    def answer(self, request, job=None):
        if (error := raised.pop(0)) is not None:
            raise error
        return honest(self, request, job)

    monkeypatch.setattr(Engine, "answer", answer)
    monkeypatch.setattr("sys.stdin", io.StringIO(TOY.decode() * 3))
    with pytest.raises(KeyboardInterrupt):
        console.ask(["-"])
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["error"] == "this should not happen: PanicException: called `Option::unwrap()`"
    assert second["result"]["name"] == "toy"


PROMPT = ["--model", "toy", "--text", "ans"]


@pytest.mark.parametrize("words", [["--dtype", "bfloat16"], ["--device", "cuda"]])
def test_a_model_that_is_not_moved_is_said_once(capsys, monkeypatch, words):
    said = "headscope: toy runs in float32 on cpu, as attention-only models always do, and not in "
    assert console.ask(["run-prompt", *PROMPT, *words]) == 0
    out, err = capsys.readouterr()
    assert err.startswith(said)
    assert err.count("\n") == 1
    assert list(json.loads(out)) == ["request", "result"]
    monkeypatch.setattr("sys.stdin", io.StringIO(TOY.decode() * 3))
    assert console.ask(["-", *words]) == 0
    assert capsys.readouterr().err == err
    assert console.ask(["run-prompt", *PROMPT, "--dtype", "float32", "--device", "cpu"]) == 0
    assert capsys.readouterr().err == ""


def test_an_answer_says_a_precision_that_is_not_the_usual_one(capsys, monkeypatch, tmp_path):
    hugging_face.write("llama-tied", tmp_path / "it")
    words = ["--model", str(tmp_path / "it")]
    for asked in (
        ["run-prompt", *words, "--text", "w1 w2", "-k", "1"],
        ["spectrum", *words, "--head", "0.0"],
        ["spectrum", *words, "--heads", "all"],
    ):
        assert console.ask([*asked, "--dtype", "bfloat16"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        records = [json.loads(line) for line in out.splitlines()]
        assert {record["precision"] for record in records} == {"bfloat16 on cpu"}
        assert console.ask(asked) == 0
        assert "precision" not in json.loads(capsys.readouterr().out.splitlines()[0])
    line = json.dumps({"question": "load-model", "model": str(tmp_path / "it")})
    monkeypatch.setattr("sys.stdin", io.StringIO(line))
    assert console.ask(["-", "--dtype", "float16"]) == 0
    assert json.loads(capsys.readouterr().out)["precision"] == "float16 on cpu"
