import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import engine
import main as headscope
from engine import Engine
from engine.messages import Attention, LogitAttribution, Refused, RunPrompt
from gui import app, figures
from gui.platform import system
from gui.state import session_file
from gui.state.figure_options import Advice
from tests.oracles import hugging_face

PROMPT = ["--model", "toy", "--text", "result = 0 ans return"]


@pytest.fixture
def run(capsys):
    """Run a command line in this process: status, standard output, standard error."""

    def run(*words):
        status = headscope.main(words)
        return status, *capsys.readouterr()

    return run


def test_ask_prints_the_request_and_the_result(run):
    status, out, err = run("ask", "attention", *PROMPT, "--layer", "0")
    answer = json.loads(out)
    assert (status, err, out.count("\n")) == (0, "", 1)
    assert answer["request"]["question"] == "attention"
    assert answer["request"]["run"]["text"] == "result = 0 ans return"
    last = [round(value, 3) for value in answer["result"]["values"][0][4]]
    assert last == [0.624, 0.075, 0.075, 0.152, 0.075]


def test_a_head_out_of_range_is_refused_though_it_only_chose_the_layer(run):
    status, out, err = run("ask", "attention", *PROMPT, "--head", "0.3")
    assert (status, out) == (2, "")
    assert err == "headscope: toy has only head 0.0 (layer.head), not 0.3\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ask"], "ask needs a question: list-models, "),
        (["ask", "heads"], "there is no question 'heads'"),
        (["ask", "attention", *PROMPT], "attention needs --layer"),
        (["ask", "attention", *PROMPT, "--layer", "3"], "toy has only layer 0, not 3"),
        (["ask", "load-model", "--model", "nothing"], "there is no model 'nothing'"),
        (["ask", "ov-tokens", "--model", "toy", "--head", "0.0", "--token", "x"], "'x' is none of"),
        (["figure", "attention", *PROMPT, "--layer", "0"], "needs -o FILE"),
        (["figure", "attention", *PROMPT, "--layer", "0", "-o", "f.bmp"], "bmp"),
        (["figure", "attention", *PROMPT, "--font-size", "x", "-o", "f.pdf"], "number, not 'x'"),
        (["draw"], "no command 'draw': there are ask, figure, open, report, models and d"),
        (["attn-2l"], "; --model attn-2l opens a model by its name"),
        (["/no/such"], "there is no folder or file '/no/such'"),
        (["no.gguf"], "there is no folder or file 'no.gguf'"),
        (["a\0b.pdf"], "there is no folder or file 'a"),
        (["main.py"], "'main.py' is none of what the window takes: a model folder, a GGUF file, "),
        (["tests", "docs"], "opens one file or folder at a time: leave 'docs' out"),
        (["report"], "report needs --model"),
        (["report", *PROMPT, "--head", "0.1"], "toy has only head 0.0"),
        (["download"], "download takes the name of one model on the Hugging Face hub"),
        (["download", "-x"], "download takes the name of one model on the Hugging Face hub"),
        (["download", "a/b/c"], "'a/b/c' is no name on the Hugging Face hub"),
        (["models", "x"], "models takes no words: leave 'x' out"),
        (["--version", "--verbose"], "--version takes no words: leave '--verbose' out"),
        (["--screenshots", "x"], "no option '--screenshots'"),
        (["--screenshot"], "--screenshot needs a value"),
        (["--model", ""], "--model is a name of `headscope models`, a model folder"),
        (["--screenshot", "x.jpg"], "a screenshot is a PNG"),
        (["none.headscope.json"], "cannot open none.headscope.json: No such file"),
        (["--session", "pyproject.toml"], "cannot open pyproject.toml: it is not JSON"),
        (["--session"], "--session needs a value"),
        (["--screenshot", "x.png", "--size", "big"], "--size is width x height"),
        (["--screenshot", "x.png", "--scale", "5"], "--scale is 1, 2, 3 or 4, not '5'"),
        (["--screenshot", "x.png", "--theme", "red"], "--theme is light or dark, not 'red'"),
    ],
)
def test_what_is_wrong_is_one_line_on_standard_error_and_status_2(run, words, sentence):
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_report_prints_seven_sections_on_standard_output(run):
    status, out, err = run("report", *PROMPT, "--head", "BEST")
    assert (status, err) == (0, "")
    assert re.findall(r"^== (\d)\. ", out, re.M) == list("1234567")


def test_report_says_what_it_takes(capsys):
    with pytest.raises(SystemExit) as left:
        headscope.main(["report", "--help"])
    assert left.value.code == 0
    assert "BEST" in capsys.readouterr().out


def test_ask_dash_answers_one_line_for_each_line(run, monkeypatch):
    lines = [
        '{"question": "run-prompt", "model": "toy", "text": "ans"}',
        "",
        '{"question": "run-prompt", "model": "toy", "text": "anse"}',
        "not json",
        '["attention"]',
        '{"question": "run-prompt", "model": "toy", "text": "ans", "k": NaN}',
        '{"question": "run-prompt", "model": "toy", "text": "ans", "k": 1e400}',
        "[" * 100_000,
        '{"question": "load-model", "model": "toy"}',
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    status, out, err = run("ask", "-")
    answers = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert [sorted(answer) for answer in answers] == [
        ["request", "result"],
        *[["error", "request"]] * 6,
        ["request", "result"],
    ]
    assert "'anse' is none of this model's tokens" in answers[1]["error"]
    assert "this line is not JSON" in answers[2]["error"]
    assert "NaN is not JSON" in answers[4]["error"]
    assert answers[7]["result"]["d_vocab"] == 5


def test_a_fault_of_our_own_ends_one_line_of_ask_dash_and_not_the_next(run, monkeypatch):
    lines = [json.dumps({"question": "load-model", "model": name}) for name in ("toy", "toy-sharp")]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))

    def answer(self, request, job=None):
        if request.model == "toy":
            raise ZeroDivisionError("planted")
        return honest(self, request, job)

    honest = Engine.answer
    monkeypatch.setattr(Engine, "answer", answer)
    status, out, _ = run("ask", "-")
    first, second = (json.loads(line) for line in out.splitlines())
    assert status == 0
    assert "planted" in first["error"]
    assert second["result"]["name"] == "toy-sharp"


@pytest.mark.parametrize("words", [["--help"], ["ask", "--help"], ["figure", "-h"]])
def test_help_names_every_command_and_question(run, words):
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    for word in ("ask -", "figure", "models", "--screenshot", "ov-tokens", "head-scores"):
        assert word in out


def test_help_of_a_question_lists_its_options(run, capsys):
    with pytest.raises(SystemExit) as left:
        headscope.main(["ask", "ov-tokens", "--help"])
    out, err = capsys.readouterr()
    assert (left.value.code, err) == (0, "")
    assert "--direction output|source" in out
    assert "(default 10)" in out


def test_models_lists_what_can_be_opened(run):
    status, out, _ = run("models")
    listed, _, how = out.partition("\n\n")
    names = [line.split()[0] for line in listed.splitlines()]
    assert status == 0
    assert {"attn-1l", "attn-2l", "toy", "toy-sharp"} <= set(names)
    for word in ("model folder", "GGUF file", "headscope download NAME"):
        assert word in how


def test_version_is_that_of_this_tree(run):
    assert run("--version") == (0, f"headscope {engine.__version__}\n", "")
    assert re.fullmatch(r"\d+\.\d+\.\d+", engine.__version__)


def test_a_fault_of_our_own_is_one_line_too(run, monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("a\nb")

    monkeypatch.setattr("engine.Engine.answer", fail)
    status, out, err = run("ask", "load-model", "--model", "toy")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "RuntimeError: a b" in err


def test_figure_hands_over_the_head_only_where_a_question_has_none(run, monkeypatch, tmp_path):
    written = []
    monkeypatch.setattr(
        figures, "write", lambda *given, **options: written.append((given, options)) or ()
    )
    path = str(tmp_path / "f.pdf")
    assert run("figure", "attention", *PROMPT, "--head", "0.0", "-o", path)[0] == 0
    assert run("figure", "attention", *PROMPT, "--layer", "0", "--width", "6", "-o", path)[0] == 0
    assert run("figure", "spectrum", "--model", "toy", "--head", "0.0", "-o", path)[0] == 0
    assert [options["head"] for _, options in written] == [(0, 0), None, None]
    assert [given[3].width for given, _ in written] == [3.25, 6, 3.25]


def test_all_heads_are_answered_one_record_a_line(run):
    words = ["--model", "toy-2l", "--token", "result", "--heads", "all"]
    status, out, err = run("ask", "ov-tokens", *words)
    records = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert [record["request"]["head"] for record in records] == ["0.0", "1.0"]
    alone = run("ask", "ov-tokens", *words[:-2], "--head", "1.0")[1]
    assert json.loads(alone) == records[1]


def test_a_figure_of_all_heads_is_refused(run, tmp_path):
    path = tmp_path / "f.pdf"
    words = ["--model", "toy", "--heads", "all", "-o", str(path)]
    status, out, err = run("figure", "spectrum", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "one head" in err
    assert not path.exists()


def test_heads_that_are_off_change_what_the_model_says(run):
    whole, off = (
        json.loads(run("ask", "run-prompt", *PROMPT, *words)[1])
        for words in ([], ["--heads-off", "0.0"])
    )
    assert off["request"]["heads_off"] == ["0.0"]
    assert whole["result"]["next_log_probs"] != off["result"]["next_log_probs"]


def test_what_a_figure_could_not_do_is_said_and_advice_when_verbose(run, monkeypatch, tmp_path):
    told = ("no font covers x", Advice("another map is better"))
    monkeypatch.setattr(figures, "write", lambda *given, **options: told)
    words = ["figure", "attention", *PROMPT, "--layer", "0", "-o", str(tmp_path / "f.pdf")]
    assert run(*words) == (0, "", "headscope: no font covers x\n")
    status, out, err = run(*words, "--verbose")
    assert (status, out) == (0, "")
    assert "no font covers x\nheadscope: another map is better\n" in err


@pytest.mark.parametrize("words", [["--labels", "all"], ["--labels", "2"], []])
def test_labels_that_have_no_room_are_said(run, tmp_path, words):
    text = " ".join(["result = 0 ans"] * 15)
    asked = ["figure", "attention", "--model", "toy", "--text", text, "--head", "0.0", *words]
    status, out, err = run(*asked, "-o", str(tmp_path / "f.svg"))
    assert (status, out, err.count("\n")) == (0, "", 1)
    wanted = 30 if "2" in words else 60
    assert re.search(rf"^headscope: \d+ of {wanted} tokens are labelled, as many as have room", err)
    wide = [*asked, "--width", "183mm", "--font-size", "5", "-o", str(tmp_path / "g.svg")]
    assert run(*wide) == (0, "", "")


def test_a_title_and_a_prompt_that_no_font_covers_are_said(run, monkeypatch, tmp_path):
    words = ["figure", "attention", *PROMPT, "--head", "0.0", "--title", "\U0010fffd"]
    status, _, err = run(*words, "-o", str(tmp_path / "f.svg"))
    assert status == 0
    assert err == "headscope: no installed font covers \U0010fffd: drawn as boxes\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([*PROMPT, "--layer", "0", "-o", "f.bad"], "'f.bad' does not end in .pdf"),
        (
            [*PROMPT, "--layer", "0", "-o", "f.pdf", "--width", "nan"],
            "a width of nan inches: choose 1.5 to 20",
        ),
        (
            [*PROMPT, "--layer", "0", "-o", "f.pdf", "--font-size", "1e9"],
            "a font size of 1e+09 points: choose 5 to 24",
        ),
        ([*PROMPT, "--layer", "0", "-o", "nowhere/f.csv"], "there is no folder 'nowhere'"),
        ([*PROMPT, "--layer", "0", "--width", "30", "-o", "f.pdf"], "a width of 30 inches"),
        ([*PROMPT, "--head", "0.3", "-o", "f.pdf"], "toy has only head 0.0"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_the_model_runs(run, monkeypatch, words, sentence):
    monkeypatch.setattr(Engine, "answer", lambda *given: pytest.fail("the model ran"))
    status, out, err = run("figure", "attention", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_a_file_that_cannot_be_written_is_named(run, tmp_path):
    path = tmp_path / "f.csv"
    path.mkdir()
    status, out, err = run("figure", "attention", *PROMPT, "--layer", "0", "-o", str(path))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err == f"headscope: {path} is a folder: name a file in it\n"


@pytest.mark.parametrize(
    "words",
    [["--other-text", "result = ans 0 return"], ["--heads-off", "0.0", "--difference"]],
)
def test_a_difference_is_written_and_drawn_again_to_the_byte(run, tmp_path, words):
    first, again, rows = (str(tmp_path / name) for name in ("a.svg", "b.svg", "f.csv"))
    asked = ["figure", "logit-attribution", *PROMPT, *words, "-o"]
    assert run(*asked, first, "--caption") == (0, "", "")
    assert run("figure", first, "-o", again) == (0, "", "")
    assert Path(first).read_bytes() == Path(again).read_bytes()
    made = figures.read(Path(again))
    assert made.question().base == LogitAttribution(RunPrompt("toy", "result = 0 ans return"))
    assert run(*asked, rows) == (0, "", "")
    assert ",difference\n" in Path(rows).read_text()


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json", "npz", "svg"])
def test_a_figure_of_the_same_model_and_prompt_is_written_as_any_kind_in_silence(
    run, tmp_path, suffix
):
    first = str(tmp_path / "a.svg")
    assert run("figure", "attention", *PROMPT, "--head", "0.0", "-o", first) == (0, "", "")
    assert run("figure", first, "-o", str(tmp_path / f"b.{suffix}")) == (0, "", "")


def test_prompts_that_cannot_be_subtracted_are_refused_and_nothing_is_written(run, tmp_path):
    words = ["figure", "attention", *PROMPT, "--other-text", "ans ans ans", "--head", "0.0"]
    status, out, err = run(*words, "-o", str(tmp_path / "f.pdf"))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("headscope: left and right cannot be subtracted: the shorter prompt has")
    assert list(tmp_path.iterdir()) == []


SET = ["--width", "89mm", "--colour-map", "cividis", "--title", "none", "--labels", "2",
       "--caption", "--transparent", "--dpi", "300"]  # fmt: skip


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png", "json", "npz"])
def test_a_figure_is_drawn_again_from_its_file_to_the_byte(run, tmp_path, suffix):
    first, again, other = (str(tmp_path / f"{name}.{suffix}") for name in ("a", "b", "c"))
    for words in (["--layer", "0"], ["--head", "0.0", *SET]):
        assert run("figure", "attention", *PROMPT, *words, "-o", first) == (0, "", "")
        assert run("figure", first, "-o", again) == (0, "", "")
        assert Path(first).read_bytes() == Path(again).read_bytes()
    assert run("figure", first, "--labels", "all", "-o", other) == (0, "", "")
    assert Path(first).read_bytes() != Path(other).read_bytes()
    made = figures.read(Path(other))
    assert (made.options.labels, made.options.title, made.head) == (1, "", (0, 0))
    assert made.origin.tokens == ("result", "=", "0", "ans", "return")
    assert re.fullmatch("[0-9a-f]{16}", made.origin.weights)
    assert dict(made.origin.versions)["headscope"] == engine.__version__


def test_json_of_a_figure_is_what_ask_prints(run, tmp_path):
    words = ["spectrum", "--model", "toy", "--head", "0.0"]
    assert run("figure", *words, "-o", str(tmp_path / "f.json"))[0] == 0
    written = json.loads((tmp_path / "f.json").read_bytes())
    del written["provenance"]
    assert json.loads(run("ask", *words)[1]) == written


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--width", "wide"], "--width is a number of inches, or such as 89mm, not 'wide'"),
        (["--colour-map", "jet"], "there is no colour map 'jet': there are Blues, "),
        (["--labels", "many"], "--labels is all, none, every so many-th such as 2"),
        (["--dpi", "x"], "--dpi is a whole number, not 'x'"),
        (["--width", "89"], "89 inches: choose 1.5 to 20, or say 89mm or 3.5in for millimetres"),
        (["--width", "6000"], "a width of 6000 inches: choose 1.5 to 20\n"),
        (["--dpi", "9"], "a resolution of 9 dpi: choose 72 to 2400"),
        (["--labels", "9,"], "no token 9 to label: the 5 tokens are counted from 0"),
    ],
)
def test_an_option_of_a_figure_that_there_is_not_is_refused(run, tmp_path, words, sentence):
    path = tmp_path / "f.pdf"
    status, out, err = run("figure", "attention", *PROMPT, "--layer", "0", *words, "-o", str(path))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["figure", "nowhere.pdf", "-o", "f.pdf"], "nowhere.pdf: No such file"),
        (["figure", "rows.csv", "-o", "f.pdf"], "rows.csv holds rows and not the question"),
        (["open", "rows.csv"], "rows.csv holds rows and not the question"),
        (["open"], "open needs a FILE"),
        (["open", "nowhere.png"], "nowhere.png: No such file"),
        (["open", "a.txt"], "'a.txt' does not end in .pdf, .svg, .png, .json or .npz"),
    ],
)
def test_a_file_that_cannot_be_opened_is_refused(run, words, sentence):
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_a_figure_from_a_file_needs_a_place_and_takes_no_question(run, tmp_path):
    path = str(tmp_path / "f.svg")
    assert run("figure", "attention", *PROMPT, "--layer", "0", "-o", path)[0] == 0
    assert "needs -o FILE" in run("figure", path)[2]
    assert "has no option '--layer'" in run("figure", path, "--layer", "0", "-o", path)[2]


def test_a_figure_is_drawn_again_where_and_how_models_are_told_to_run(run, tmp_path):
    path, again = str(tmp_path / "f.svg"), str(tmp_path / "g.svg")
    assert run("figure", "attention", *PROMPT, "--layer", "0", "-o", path)[0] == 0
    options = ("--device", "cpu", "--dtype", "float32")
    assert run("figure", path, *options, "-o", again) == (0, "", "")
    assert "--device is cpu, cuda or mps" in run("figure", path, "--device", "x", "-o", again)[2]


def test_other_weights_than_those_of_the_figure_are_told(run, tmp_path):
    path = tmp_path / "f.json"
    assert run("figure", "spectrum", "--model", "toy", "--head", "0.0", "-o", str(path))[0] == 0
    record = json.loads(path.read_bytes())
    record["provenance"]["weights"] = "0" * 16
    path.write_text(json.dumps(record))
    status, out, err = run("figure", str(path), "-o", str(tmp_path / "g.svg"))
    assert (status, out, err.count("\n")) == (0, "", 1)
    assert "the model's weights are others than those of the figure" in err


def test_a_figure_of_half_precision_is_drawn_again_as_it_was_or_with_a_warning(run, tmp_path):
    hugging_face.write("llama-tied", tmp_path / "it")
    words = ["--model", str(tmp_path / "it"), "--text", "w3 w4", "--layer", "0"]
    first, again = str(tmp_path / "f.svg"), str(tmp_path / "g.svg")
    half = ["--dtype", "bfloat16"]
    assert run("figure", "attention", *words, *half, "-o", first) == (0, "", "")
    assert run("figure", first, *half, "-o", again) == (0, "", "")
    assert Path(first).read_bytes() == Path(again).read_bytes()
    status, out, err = run("figure", first, "-o", again)
    assert (status, out, err.count("\n")) == (0, "", 1)
    assert "runs in float32 on cpu, and ran in bfloat16 on cpu for the figure: --dtype=bfl" in err


@pytest.fixture
def opened(monkeypatch):
    """Stand in for the window and keep what it is opened with."""
    given = []

    def run(make_engine, **options):
        given.append(options)
        return 0

    monkeypatch.setattr(app, "run", run)
    monkeypatch.setattr(system, "missing_library", lambda x11: "")
    return given


def test_without_a_display_it_says_so_and_pictures_the_default_session(run, opened, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    status, out, err = run()
    assert (status, err) == (0, "")
    assert out == "no display found: rendering the default session to headscope.png\n"
    assert str(opened[0]["screenshot"]) == "headscope.png"


def test_with_a_display_the_window_opens(run, opened, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.delenv("QT_QPA_PLATFORM")
    assert run() == (0, "", "")
    assert opened[0]["screenshot"] is None


def test_screenshot_options_reach_the_window_whatever_their_case(run, opened):
    run("--Screenshot", "x.png", "--SIZE=1000X700", "--scale", "2", "--theme", "Dark")
    assert (opened[0]["size"], opened[0]["scale"], opened[0]["theme"]) == ((1000, 700), 2, "dark")


@pytest.mark.parametrize("name", ["a model", "tiny.GGUF"])
def test_a_model_that_is_named_first_is_opened(run, opened, tmp_path, name):
    path = tmp_path / name
    path.touch() if path.suffix else path.mkdir()
    assert run(str(path), "--screenshot", "x.png", "--theme", "dark") == (0, "", "")
    assert (opened[0]["model"], opened[0]["theme"]) == (str(path), "dark")


def test_a_text_that_is_named_first_is_the_prompt(run, opened, tmp_path):
    path = tmp_path / "prompt.txt"
    path.write_text("w5 w6\n")
    assert run(str(path), "--screenshot", "x.png") == (0, "", "")
    assert opened[0]["text"] == "w5 w6"
    path.write_bytes(b"\xff")
    assert run(str(path)) == (
        2, "", "headscope: prompt.txt: it is not text in UTF-8: save it as that\n"
    )  # fmt: skip


def test_a_command_is_a_command_though_a_folder_has_its_name(run, opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    assert run("models")[1].startswith("attn-1l")
    assert run("./models", "--screenshot", "x.png") == (0, "", "")
    assert opened[0]["model"] == "./models"


@pytest.mark.parametrize("before", [[], ["--session"]])
def test_a_session_file_reaches_the_window(run, opened, tmp_path, before):
    path = tmp_path / "Tea.headscope.json"
    session_file.write(path, session_file.SavedSession())
    assert run(*before, str(path), "--screenshot", "x.png") == (0, "", "")
    assert opened[0]["session_path"] == path


@pytest.mark.parametrize(
    ("environment", "seen"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, False),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "minimal:enable_fonts"}, False),
    ],
)
def test_a_display_is_one_that_can_be_seen(monkeypatch, environment, seen):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert system.has_display() is seen


def test_a_missing_library_is_named_with_the_line_that_installs_it(run, monkeypatch):
    def fail(name):
        raise ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(system.importlib, "import_module", fail)
    status, out, err = run("--check-system")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "Qt needs libEGL.so.1" in err
    assert re.search(r"apt-get install .*\blibegl1\b", err)
    with pytest.raises(Refused, match=r"libEGL\.so\.1"):
        headscope._dispatch([])


@pytest.mark.parametrize(
    ("display", "xvfb", "told"), [("", "", False), (":9", "", True), ("", "/bin/xvfb-run", True)]
)
def test_what_the_x11_plugin_misses_is_named_where_x11_could_be(
    run, monkeypatch, display, xvfb, told
):
    def fail(path):
        assert path.endswith("libqxcb.so")
        raise OSError("libxcb-cursor.so.0: cannot open shared object file: No such file")

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(system.ctypes, "CDLL", fail)
    monkeypatch.setattr(system.shutil, "which", lambda name: xvfb or None)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("QT_QPA_PLATFORM")
    status, out, err = run("--check-system")
    assert (status, out) == (int(told), "")
    assert ("Qt needs libxcb-cursor.so.0" in err) is told
    assert ("libxcb-cursor0" in err) is told


def test_a_library_that_all_of_qt_needs_is_named_like_any_other(tmp_path):
    broken = tmp_path / "PySide6"
    broken.mkdir()
    (broken / "__init__.py").touch()
    for name in ("QtCore", "QtWidgets"):
        said = "libglib-2.0.so.0: cannot open shared object file"
        (broken / f"{name}.py").write_text(f"raise ImportError({said!r})")
    path = os.pathsep.join([str(tmp_path), str(Path(headscope.__file__).parent)])
    done = subprocess.run(
        [sys.executable, "-m", "main", "--check-system"],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("Qt needs libglib-2.0.so.0, which is not installed: ")


def test_a_whole_system_lacks_nothing(run):
    assert run("--check-system") == (0, "", "")


@pytest.mark.parametrize(
    ("closed", "status", "printed"),
    [("models >&-", 0, ""), ("ask - <&-", 0, ""), ("ask heads 2>&-", 2, "")],
)
def test_a_closed_stream_is_no_fault(python, repository, closed, status, printed):
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" main.py {closed}', python],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, printed, "")


def test_a_full_disk_behind_standard_output_is_named(run, monkeypatch):
    class Full(io.StringIO):
        def flush(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Full())
        status, _, err = run("models")
    assert (status, err) == (2, "headscope: standard output: No space left on device\n")


def test_open_shows_what_a_figure_was_made_from(run, opened, tmp_path, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.delenv("QT_QPA_PLATFORM")
    path = str(tmp_path / "f.pdf")
    assert run("figure", "attention", *PROMPT, "--head", "0.0", "-o", path)[0] == 0
    for words in (["open", path], [path]):
        assert run(*words, "--theme", "dark") == (0, "", "")
        shown = opened[-1]["shown"]
        assert shown.request == Attention(RunPrompt("toy", "result = 0 ans return"), 0)
        assert (shown.head, shown.positions, opened[-1]["theme"]) == ((0, 0), 5, "dark")


@pytest.mark.parametrize("command", ["ask", "figure", "open", "models"])
def test_commands_answer_a_call_for_help(run, command):
    status, out, err = run(command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith("usage: headscope [--model")


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_download_has_a_help_of_its_own(run, flag):
    status, out, err = run("download", flag)
    assert (status, err) == (0, "")
    assert out.startswith("usage: headscope download NAME\n")


@pytest.mark.parametrize("words", [["-o", "a.pdf/"], ["--screenshot", "a.png/"]])
def test_a_folder_in_the_place_of_a_file_is_refused(run, words):
    before = ["figure", "attention", *PROMPT, "--layer", "0"] if words[0] == "-o" else []
    status, out, err = run(*before, *words)
    assert (status, out) == (2, "")
    assert err == (f"headscope: {words[1]!r} is the name of a folder: leave '/' at its end out\n")


def test_open_shows_the_difference_that_a_figure_was_made_from(run, opened, tmp_path, monkeypatch):
    monkeypatch.delenv("QT_QPA_PLATFORM")
    path = str(tmp_path / "f.pdf")
    words = ["--other-text", "result", "-o", path]
    assert run("figure", "destination-row", "--model", "toy", "--text", "result =", *words)[2]
    words = ["--other-text", "result ans", "-o", path]
    assert run("figure", "destination-row", "--model", "toy", "--text", "result =", *words)[0] == 0
    assert run("open", path)[0] == 0
    shown = opened[-1]["shown"]
    assert (shown.request.base.run.text, shown.request.request.run.text) == (
        "result =", "result ans",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["figure", "{}", "-o", "f.pdf"], "pipe.pdf"),
        (["figure", "{}", "-o", "f.pdf"], "pipe.headscope.json"),
        (["open", "{}"], "pipe.npz"),
        (["open", "{}"], "pipe.headscope.json"),
        (["--session", "{}"], "pipe.headscope.json"),
    ],
)
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(run, tmp_path, words, name):
    os.mkfifo(tmp_path / name)
    status, out, err = run(*(word.format(tmp_path / name) for word in words))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{name} is a pipe or a device, not a file" in err


@pytest.mark.parametrize("words", [["-o", "{}.pdf"], ["--screenshot", "{}.png"]])
def test_a_pipe_to_write_to_is_refused_before_anything_is_computed(
    run, tmp_path, monkeypatch, words
):
    monkeypatch.setattr(Engine, "answer", lambda *given: pytest.fail("the model ran"))
    path = words[1].format(tmp_path / "pipe")
    os.mkfifo(path)
    before = ["figure", "attention", *PROMPT, "--layer", "0"] if words[0] == "-o" else []
    status, out, err = run(*before, words[0], path)
    assert (status, out) == (2, "")
    assert (
        err == f"headscope: {path} is a pipe or a device: name a file, which can be written whole\n"
    )


@pytest.mark.parametrize("module", ["numpy", "torch", "engine.messages.plain"])
def test_an_interrupt_while_something_is_imported_is_quiet(module):
    script = (
        "import builtins, runpy, sys\n"
        "honest = builtins.__import__\n"
        "def planted(name, *given, **more):\n"
        f"    if name == {module!r}:\n"
        "        raise KeyboardInterrupt\n"
        "    return honest(name, *given, **more)\n"
        "builtins.__import__ = planted\n"
        "sys.argv = ['headscope', 'ask', 'run-prompt', '--model', 'toy', '--text', 'ans']\n"
        "runpy.run_path('main.py', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_panic_of_a_library_is_one_line_too(run, monkeypatch):
    class PanicException(BaseException):
        pass

    def fail(*arguments, **options):
        raise PanicException("called `Option::unwrap()`\x1b[2J")

    monkeypatch.setattr("engine.Engine.answer", fail)
    status, out, err = run("ask", "load-model", "--model", "toy")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert r"PanicException: called `Option::unwrap()`\u001b[2J" in err


def test_a_name_of_a_file_cannot_move_the_cursor(run, tmp_path):
    status, out, err = run("figure", str(tmp_path / "a\x1b[2J\u202e.pdf"), "-o", "x.pdf")
    assert (status, out) == (2, "")
    assert err[:-1].isprintable()
    folder = tmp_path / "it"
    hugging_face.write("llama-tied", folder)
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "evil\x1b]0;owned\x07\r\n\u202e"
    (folder / "config.json").write_text(json.dumps(config))
    status, out, err = run("ask", "load-model", "--model", str(folder))
    assert (status, out) == (2, "")
    assert err[:-1].isprintable()
    assert "evil" in err
