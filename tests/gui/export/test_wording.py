"""A figure as a command and as Python: what the words mean is what was meant."""

import subprocess
from dataclasses import fields, replace
from pathlib import Path

import pytest

from engine.cli.command import add_placing, parser, read
from engine.messages import (
    Attention,
    DestinationRow,
    Head,
    HeadScores,
    LogitAttribution,
    OVTokens,
    Placing,
    QKTokens,
    Refused,
    RunPrompt,
    VirtualHead,
)
from gui.difference import Difference
from gui.export import material
from gui.export.subjects import Subject, as_said, file_stem
from gui.figures import FigureOptions, command
from tests.gui.figures import samples

TEXTS = (
    "", "-o x.csv", "--text y", "$(touch marker); `id` \\ !! ~ * ?",
    "it's \"quoted\"", "a\nb\r\n\tc",
    "東京 💩 é\u0301", "#7", "%s {x} <b>&amp;", "\\n", "'", "=1+1",
)  # fmt: skip
OPTIONS = FigureOptions(
    5.5, 8.5, "transparent", "viridis", "PuOr", (0, 2), 'It\'s $1 "of" 東京\n', True, 300
)
RUN = RunPrompt("attn-2l", "a b", False, heads_off=(Head(0, 1), Head(1, 2)), specials="text")
OTHER = replace(RUN, text="--text 'b' c")
MORE = (
    Attention(RUN, 1, "value-weighted"),
    HeadScores("attn-2l", "prompt", heads_off=RUN.heads_off, run=RUN),
    OVTokens("attn-2l", Head(1, 3), source="position", run=RUN, position=-1, k=3),
    QKTokens("toy", Head(0, 0), token="#2", side="key", offset=4, biases=True),
    LogitAttribution(RUN, target="--x", contrast_token="#3"),
    VirtualHead(RUN, Head(0, 0), Head(1, 1), "#5"),
    RunPrompt("/a b/$HOME.gguf", "x", True, k=3),
    Difference(Attention(OTHER, 1, "scores"), Attention(RUN, 1, "scores")),
    Difference(LogitAttribution(OTHER, 4, "--x"), LogitAttribution(RUN, 3, "--x")),
    Difference(DestinationRow(OTHER), DestinationRow(RUN)),
    Difference(DestinationRow(RUN, 2), DestinationRow(replace(RUN, heads_off=()), 2)),
)


def bash_words(line):
    """Return what bash makes of the words after the first of a line."""
    script = 'headscope() { printf "%s\\0" "$@"; }\n' + line
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert not done.stderr
    return done.stdout.decode().split("\0")[:-1]


def asked(subject, options=OPTIONS, path="a b.pdf"):
    """Return question, head, options and file of the command of a subject."""
    words = bash_words(material.command(subject, options, Path(path)))
    assert words[0] == "figure"
    made = parser(words[1])
    command.add_difference(made, words[1])
    add_placing(made)
    command.add_options(made)
    request, given = read(made, words[1], words[2:])
    head = given.head if "head" in given and isinstance(request, Attention) else None
    return (
        command.asked(request, given),
        head,
        command.options(given, FigureOptions()),
        given.output,
    )


def run_python(text):
    """Run the lines of a program before it needs an engine; return its names."""
    names = {}
    exec(text.partition("engine = Engine()")[0], names)
    options = text.partition("options = ")[2].partition("\n")[0]
    exec(f"options = {options}", names)
    return names


@pytest.mark.parametrize("name", list(samples.everything()))
def test_the_command_of_every_figure_asks_the_same(name):
    subject = Subject(name, as_said(samples.everything()[name][0]))
    assert asked(subject) == (subject.request, None, OPTIONS, Path("a b.pdf"))


@pytest.mark.parametrize("request_", MORE)
def test_what_a_question_has_beside_the_usual_is_in_its_command_and_its_python(request_):
    subject = Subject("x", request_)
    assert asked(subject)[0] == request_
    names = run_python(material.python(subject, OPTIONS, Path("x.svg")))
    assert (names["request"], names["options"]) == (request_, OPTIONS)


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_survives_the_shell_and_python(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    request = Attention(replace(RUN, text=text, model=f"m{text}"), 1)
    options = replace(OPTIONS, title=text)
    subject = Subject("x", request, Head(1, 3))
    given = asked(subject, options)
    assert given[:2] == (request, Head(1, 3))
    program = material.python(subject, options, Path(f"x{text}.png"))
    names = run_python(program)
    assert (names["request"], names["options"]) == (request, options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["a\0b", "half a pair \ud83d"])
def test_what_no_command_line_can_hold_is_refused_and_python_holds_it(text):
    subject = Subject("x", Attention(RunPrompt("attn-2l", text), 0), Head(0, 0))
    with pytest.raises(Refused, match="copy as Python instead"):
        material.command(subject, FigureOptions(), Path("x.pdf"))
    program = material.python(subject, FigureOptions(), Path("x.pdf"))
    program.encode()  # as a clipboard and a file must hold it
    assert run_python(program)["request"] == subject.request


def test_what_is_usual_is_left_out_of_the_command():
    subject = Subject("x", Attention(RunPrompt("attn-2l", "tea"), 0), Head(0, 3))
    line = material.command(subject, FigureOptions(), Path("x.pdf"))
    assert line == "headscope figure attention --model=attn-2l --text=tea --head=0.3 -o x.pdf"


@pytest.mark.parametrize(
    ("placing", "words", "made"),
    [
        (
            Placing(dtype="bfloat16"),
            "--dtype=bfloat16",
            "Engine(placing=Placing(dtype='bfloat16'))",
        ),
        (Placing("cuda"), "--device=cuda", "Engine(placing=Placing(device='cuda'))"),
        (Placing(), "", "Engine()"),
    ],
)
def test_where_and_how_the_model_runs_is_said(placing, words, made):
    subject = Subject("x", Attention(RunPrompt("m", "tea"), 0), Head(0, 3), placing)
    line = material.command(subject, FigureOptions(), Path("x.pdf"))
    assert line.replace(f" {words}" if words else "", "") == (
        "headscope figure attention --model=m --text=tea --head=0.3 -o x.pdf"
    )
    given = asked(subject)
    assert given[0] == subject.request
    program = material.python(subject, FigureOptions(), Path("x.pdf"))
    assert f"engine = {made}\n" in program
    names = run_python(program.replace(made, "Engine()"))
    assert ("Placing" in names) is (made != "Engine()")


def test_rows_have_no_options_of_a_figure():
    subject = Subject("x", Attention(RunPrompt("attn-2l", "tea"), 0), Head(0, 3))
    assert "--title" not in material.command(subject, OPTIONS, Path("x.csv"))


def test_tokens_known_by_their_ids_are_said_so():
    said = as_said(QKTokens("toy", Head(0, 0), token=5, position=None, offset=4))
    assert (said.token, said.offset) == ("#5", 4)
    assert as_said(RunPrompt("toy", "x", k=3)) == RunPrompt("toy", "x", k=3)
    assert as_said(LogitAttribution(RUN, target=0)).target == "#0"


@pytest.mark.parametrize("name", list(samples.everything()))
def test_file_names_are_plain(name):
    request = samples.everything()[name][0]
    renamed = {f.name: "/x/ü & co/<b>.gguf" for f in fields(request) if f.name == "model"}
    stem = file_stem(Subject(name, replace(request, **renamed)))
    assert name in stem
    assert not set(stem) & set(" /\\<>&:*?\"'|")
    assert not stem.startswith(("-", "."))


def test_the_command_of_a_difference_is_short_and_its_file_is_named_so():
    left, right = RunPrompt("attn-2l", "a b"), RunPrompt("attn-2l", "a c")
    subject = Subject("x", Difference(Attention(right, 0), Attention(left, 0)), Head(0, 3))
    assert material.command(subject, FigureOptions(), Path("x.pdf")) == (
        "headscope figure attention --model=attn-2l '--text=a b' '--other-text=a c' --head=0.3 "
        "-o x.pdf"
    )
    assert file_stem(subject) == "attn-2l-L0H3-attention-difference"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--difference"], "--difference is of what switched-off heads change"),
        (["--difference", "--other-text=x", "--heads-off=0.1"], "exclude each other"),
        (["--other-position=3"], "--other-position is about a second prompt"),
        (["--split=sources", "--other-text=x"], "is split by heads"),
    ],
)
def test_options_of_a_difference_that_contradict_are_refused(words, said):
    made = parser("logit-attribution")
    command.add_difference(made, "logit-attribution")
    question, given = read(made, "logit-attribution", ["--model=toy", "--text=x", *words])
    with pytest.raises(Refused, match=said):
        command.asked(question, given)


def test_only_what_can_be_subtracted_has_options_of_a_difference():
    for question, takes in (("attention", True), ("ov-tokens", False), ("Logit-Lens", False)):
        made = parser(question)
        command.add_difference(made, question)
        assert ("--other-text" in made.format_help()) == takes
