from dataclasses import fields

import pytest

from engine.cli.command import parser, read
from engine.messages import (
    QUESTIONS,
    Attention,
    Composition,
    Direction,
    Head,
    HeadOutput,
    HeadScores,
    LogitAttribution,
    OVTokens,
    PositionQK,
    QKOffsets,
    QKTokens,
    Refused,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    Thumbnails,
    VirtualHead,
)

RUN = RunPrompt("toy", "ans 0")
TOY = ["--model", "toy"]
OFF = (Head(0, 1), Head(0, 3))
PROMPT = [*TOY, "--text", "ans 0"]


def parse(question, argv):
    return read(parser(question), question, argv)[0]


@pytest.mark.parametrize(
    ("question", "argv", "request_"),
    [
        ("run-prompt", [*PROMPT, "-k", "3"], RunPrompt("toy", "ans 0", None, 3)),
        ("run-prompt", [*PROMPT, "--bos"], RunPrompt("toy", "ans 0", True)),
        ("run-prompt", [*PROMPT, "--no-bos"], RunPrompt("toy", "ans 0", False)),
        ("run-prompt", [*TOY, "--text", ""], RunPrompt("toy", "")),
        ("run-prompt", [*TOY, "--Text", "--Go On = A"], RunPrompt("toy", "--Go On = A")),
        ("run-prompt", [*TOY, "--TEXT=--Go"], RunPrompt("toy", "--Go")),
        ("attention", [*PROMPT, "--layer", "0"], Attention(RUN, 0)),
        ("attention", [*PROMPT, "--head", "2.3"], Attention(RUN, 2)),
        ("attention", [*PROMPT, "--head", "2.3", "--layer", "2"], Attention(RUN, 2)),
        ("Attention", [*PROMPT, "--LAYER=0", "--Kind", "SCORES"], Attention(RUN, 0, "scores")),
        ("thumbnails", [*PROMPT, "--size", "8"], Thumbnails(RUN, 8)),
        (
            "ov-tokens",
            [*TOY, "--head", "0.0", "--token", " tea", "--direction", "Source", "-K", "4"],
            OVTokens("toy", Head(0, 0), " tea", "source", k=4),
        ),
        (
            "ov-tokens",
            [*PROMPT, "--head", "L0H0", "--source", "position", "--position", "-1"],
            OVTokens("toy", Head(0, 0), source="position", run=RUN, position=-1),
        ),
        (
            "qk-tokens",
            [*TOY, "--head", "0.0", "--token", "#4", "--side", "key", "--offset", "-1", "--biases"],
            QKTokens("toy", Head(0, 0), "#4", "key", offset=-1, biases=True),
        ),
        (
            "spectrum",
            [*TOY, "--head", "0.0", "--circuit", "QK", "--dense"],
            Spectrum("toy", Head(0, 0), "qk", dense=True),
        ),
        (
            "direction",
            [*TOY, "--head", "0.0", "--index", "1"],
            Direction("toy", Head(0, 0), index=1),
        ),
        ("head-scores", [*TOY, "--seed", "7"], HeadScores("toy", seed=7)),
        (
            "head-scores",
            [*PROMPT, "--heads-off", "0.3,L0H1"],
            HeadScores("toy", heads_off=OFF, run=RunPrompt("toy", "ans 0", heads_off=OFF)),
        ),
        ("head-scores", [*TOY, "--heads-off", "0.1,0.3"], HeadScores("toy", heads_off=OFF)),
        (
            "run-prompt",
            [*PROMPT, "--heads-off", "0.3,0.1,0.3"],
            RunPrompt("toy", "ans 0", heads_off=OFF),
        ),
        ("run-prompt", [*PROMPT, "--specials", "text"], RunPrompt("toy", "ans 0", specials="text")),
        (
            "thumbnails",
            [*PROMPT, "--specials", "TEXT"],
            Thumbnails(RunPrompt("toy", "ans 0", specials="text")),
        ),
        (
            "thumbnails",
            [*PROMPT, "--heads-off", "0.1,0.3"],
            Thumbnails(RunPrompt("toy", "ans 0", heads_off=OFF)),
        ),
        (
            "skip-trigrams",
            [*TOY, "--head", "0.0", "--filter", " Tea"],
            SkipTrigrams("toy", Head(0, 0), filter=" Tea"),
        ),
        (
            "head-output",
            [*PROMPT, "--head", "0.0", "--position", "0", "--target", "ans"],
            HeadOutput(RUN, Head(0, 0), 0, "ans"),
        ),
        (
            "logit-attribution",
            [*PROMPT, "--contrast-token", "ans", "--split", "sources"],
            LogitAttribution(RUN, contrast_token="ans", split="sources"),
        ),
        (
            "logit-attribution",
            [*PROMPT, "--contrast", "MEAN"],
            LogitAttribution(RUN, contrast="mean"),
        ),
        (
            "virtual-head",
            [*PROMPT, "--earlier", "0.4", "--later", "1.3", "--token", "0"],
            VirtualHead(RUN, Head(0, 4), Head(1, 3), "0"),
        ),
        ("composition", [*TOY, "--kind", "k"], Composition("toy", "k")),
        (
            "qk-offsets",
            [*TOY, "--head", "0.0", "--query", " tea", "--key", "#3", "--largest-offset", "8"],
            QKOffsets("toy", Head(0, 0), " tea", "#3", largest_offset=8),
        ),
        (
            "position-qk",
            [*TOY, "--head", "0.0", "--positions", "16", "--biases"],
            PositionQK("toy", Head(0, 0), 16, True),
        ),
    ],
)
def test_options_become_the_request(question, argv, request_):
    assert parse(question, argv) == request_


@pytest.mark.parametrize(
    ("question", "argv", "sentence"),
    [
        ("heads", [], "there is no question 'heads': there are list-models, "),
        ("attention", [], "attention needs --model: name of the model"),
        ("attention", TOY, "attention needs --text: the prompt"),
        ("attention", PROMPT, "attention needs --layer: layer, counted from 0"),
        ("attention", [*PROMPT, "--head", "0.3", "--layer", "1"], "--layer 1 and --head 0.3 dis"),
        ("attention", [*PROMPT, "--layer", "one"], "--layer is a whole number, not 'one'"),
        ("attention", [*PROMPT, "--layer"], "--layer needs a value.*--layer=VALUE"),
        ("attention", [*PROMPT, "--layer", "0", "--kind", "x"], "--kind is pattern, scores or val"),
        ("attention", [*PROMPT, "--layers", "0"], "no option '--layers': it takes .*--layer"),
        ("attention", [*PROMPT, "--layer", "0", "tea"], "no place for 'tea'"),
        ("spectrum", [*TOY, "--head", "3"], "'3' is not a head: write layer.head"),
        ("spectrum", TOY, "spectrum needs --head: layer.head"),
        ("ov-tokens", [*TOY, "--head", "0.0", "--bos"], "--bos and --no-bos are about a prompt"),
        ("spectrum", [*TOY, "--head", "0.0", "--dense=yes"], "--dense"),
        ("spectrum", [*TOY, "--head", "0.0", "--heads", "all"], "--head and --heads all exclude"),
        ("spectrum", [*TOY, "--heads", "0.1"], "--heads takes the word all, not '0.1'"),
        ("composition", [*TOY, "--heads", "all"], "no option '--heads'"),
        ("run-prompt", [*PROMPT, "--heads-off", "0.1,x"], "'x' is not a head"),
        ("run-prompt", [*PROMPT, "--specials", "none"], "--specials is tokens or text, not 'none'"),
        ("ov-tokens", [*TOY, "--head", "0.0", "--specials", "text"], "--specials is about a pro"),
        ("ov-tokens", [*TOY, "--heads", "all", "--heads-off", "0.0"], "--heads-off is about a pro"),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(question, argv, sentence):
    with pytest.raises(Refused, match=sentence) as caught:
        parse(question, argv)
    assert "\n" not in str(caught.value)


def test_all_heads_are_asked_for_where_a_question_has_one():
    request, given = read(parser("spectrum"), "spectrum", [*TOY, "--HEADS", "All"])
    assert given.heads == "all"
    assert request == Spectrum("toy", Head(0, 0))  # the head stands until the model is known


@pytest.mark.parametrize("question", QUESTIONS)
def test_help_explains_every_option(question):
    made = parser(question)
    shown = made.format_help()
    for action in made._actions:
        assert action.help, action.option_strings
        assert action.option_strings[0] in shown
    own = {field.name for field in fields(QUESTIONS[question])} - {"run"}
    assert own <= {action.dest for action in made._actions}


@pytest.mark.parametrize("text", ["--", "-", "-k", "--text=x"])
def test_a_text_of_hyphens_is_that_text(text):
    words = ["--model=toy", f"--text={text}"]
    request, _ = read(parser("run-prompt"), "run-prompt", words)
    assert request == RunPrompt("toy", text)


@pytest.mark.parametrize(
    ("again", "said"),
    [
        (["--heads-off", "0.1", "--heads-off", "0.3"], "name all heads in one, such as 0.2,1.3"),
        (["--text", "ans"], "--text is given twice: leave one out"),
        (["--model", "toy-2l"], "--model is given twice: leave one out"),
    ],
)
def test_an_option_given_twice_is_refused_and_not_silently_replaced(again, said):
    with pytest.raises(Refused, match=said):
        parse("run-prompt", [*PROMPT, *again])
