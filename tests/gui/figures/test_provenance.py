"""What a figure's file says it was made from can be read back, asked again and drawn the same."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.job import Job
from engine.messages import (
    CUT,
    Attention,
    EstimateModel,
    Head,
    HeadScores,
    ListModels,
    LoadModel,
    OVTokens,
    Refused,
    RunPrompt,
)
from engine.messages.records import request_from_json
from gui.figures import FigureOptions, Origin, compose, provenance, questions, read, write
from gui.figures.command import changes
from gui.questions import to_json
from tests.gui.fake_engine import FakeEngine
from tests.gui.figures import samples

HEADS_OFF = (Head(0, 2), Head(1, 3))
ORIGIN = Origin("~0123456789abcdef", samples.HOSTILE, tuple(range(len(samples.HOSTILE))),
                (("headscope", "9.9.9"), ("torch", "2.0")))  # fmt: skip
OPTIONS = FigureOptions(
    5.5, 8.0, "transparent", "viridis", "PuOr", (0, 2), "A (title) \\ of 東京", True, 300
)
TEXTS = (
    "a (b) \\ )",
    "東京 💩 \udc80",
    '"quoted" </dc:description> &amp;',
    "/Subject (x)",
    "\x00\r\n",
)


@pytest.mark.parametrize(
    "request_",
    [
        Attention(RunPrompt("attn-2l", "so green", heads_off=HEADS_OFF), 1, "scores"),
        HeadScores("attn-2l", heads_off=HEADS_OFF),
    ],
)
def test_a_question_with_heads_off_comes_back_the_same(request_):
    assert request_from_json(json.loads(json.dumps(to_json(request_)["request"]))) == request_


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png", "json", "npz"])
@pytest.mark.parametrize("text", TEXTS)
def test_everything_comes_back_from_a_file(tmp_path: Path, suffix: str, text: str) -> None:
    request, result = samples.attention(samples.HOSTILE)
    request = replace(request, run=replace(request.run, model="a/(b).gguf", text=text))
    path = tmp_path / f"f.{suffix.upper()}"
    write(request, result, path, OPTIONS, head=Head(1, 3), origin=ORIGIN)
    made = read(path)
    kept = replace(request, run=replace(request.run, model=f"{CUT}(b).gguf"))
    assert request_from_json(made.request) == kept
    assert (made.head, made.options, made.origin) == (Head(1, 3), OPTIONS, ORIGIN)
    assert made.token is None


@pytest.mark.parametrize("name", list(samples.everything()))
def test_every_question_comes_back_from_a_figure(tmp_path: Path, name: str) -> None:
    request, result = samples.everything()[name]
    write(request, result, tmp_path / "f.svg")
    made = read(tmp_path / "f.svg")
    assert request_from_json(made.request) == request
    assert (made.head, made.options, made.origin) == (None, FigureOptions(), Origin())
    assert made.token == getattr(result, "token_id", None)


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png", "json", "npz"])
def test_a_file_drawn_from_what_it_says_is_the_same_to_the_byte(
    tmp_path: Path, suffix: str
) -> None:
    request, result = samples.attention(samples.HOSTILE)
    first, again = tmp_path / f"f.{suffix}", tmp_path / f"g.{suffix}"
    options = replace(OPTIONS, ground="paper")
    write(request, result, first, options, head=Head(1, 3), origin=ORIGIN)
    made = read(first)
    asked: Any = request_from_json(made.request)
    write(asked, result, again, made.options, head=made.head, origin=made.origin)
    assert first.read_bytes() == again.read_bytes()


def test_what_ask_printed_is_read_with_the_usual_options(tmp_path: Path) -> None:
    request, _ = samples.attention()
    record = {"request": to_json(request)["request"], "result": {}}
    (tmp_path / "f.json").write_text(json.dumps(record))
    made = read(tmp_path / "f.json")
    assert request_from_json(made.request) == request
    assert (made.head, made.options) == (None, FigureOptions())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("f.csv", b"a,b\n", "holds rows and not the question they answer: open a PDF"),
        ("f.txt", b"", "'f.txt' does not end in .pdf, .svg, .png, .json or .npz"),
        ("f", b"", "'f' does not end in"),
        ("f.pdf", b"", "f.pdf holds no question of Headscope"),
        ("f.pdf", b"%PDF-1.4\n<< /Subject (hello) >>", "f.pdf holds no question"),
        ("f.pdf", b"%PDF-1.4\n<< /Subject ({\"request\": 3}) >>", "f.pdf holds no question"),
        ("f.svg", b"<svg", "f.svg holds no question"),
        ("f.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "f.svg holds no question"),
        ("f.png", b"GIF", "f.png holds no question"),
        ("f.png", b"\x89PNG\r\n\x1a\n\xff\xff", "f.png holds no question"),
        ("f.npz", b"PK\x03\x04", "f.npz holds no question"),
        ("f.json", b"[1, 2", "f.json holds no question"),
        ("f.json", b"[" * 100_000, "f.json holds no question"),
        ("f.json", b'{"version": 1}', "f.json holds no question"),
        ("f.json", b'{"request": [], "result": {}}', "f.json holds no question"),
    ],
)  # fmt: skip
def test_other_files_are_refused_in_a_sentence(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Refused) as refused:
        read(tmp_path / name)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"options": {"width": 99}}, "f.json: a width of 99 inches"),
        ({"options": {"glitter": 1}}, "f.json: a figure has no option 'glitter'"),
        ({"options": 3}, "f.json: the options of a figure are a JSON object, not '3'"),
        ({"head": "one"}, "f.json: 'one' is not a head"),
        ({"ids": ["x"]}, "f.json is damaged"),
        ({"tokens": 3}, "f.json is damaged"),
        ({"versions": 3}, "f.json is damaged"),
        ({"token": "x"}, "f.json is damaged"),
    ],
)
def test_what_a_damaged_record_lacks_is_named(
    tmp_path: Path, about: dict[str, Any], said: str
) -> None:
    request, _ = samples.attention()
    record = {"request": to_json(request)["request"], "result": {}, "provenance": about}
    (tmp_path / "f.json").write_text(json.dumps(record))
    with pytest.raises(Refused) as refused:
        read(tmp_path / "f.json")
    assert said in str(refused.value)


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png", "json", "npz"])
def test_a_file_cut_short_is_refused_and_breaks_nothing(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"f.{suffix}"
    write(*samples.attention(), path, head=Head(1, 3), origin=ORIGIN)
    whole = path.read_bytes()
    for share in (0.0, 0.02, 0.1, 0.5, 0.97):
        path.write_bytes(whole[: int(share * len(whole))])
        outcome: Any
        try:
            outcome = read(path).head
        except Refused as refused:
            outcome = str(refused).partition(":")[0]
        assert outcome in (Head(1, 3), f"{path.name} holds no question of Headscope")


def test_an_archive_with_pickles_runs_none(tmp_path: Path) -> None:
    import numpy as np

    class Trap:
        def __reduce__(self) -> Any:
            return (shutil.rmtree, (str(tmp_path / "folder"),))

    (tmp_path / "folder").mkdir()
    np.savez(tmp_path / "f.npz", record=np.array([Trap()], dtype=object))
    with pytest.raises(Refused, match="holds no question"):
        read(tmp_path / "f.npz")
    assert (tmp_path / "folder").is_dir()


def test_what_is_asked_beside_a_question_is_the_model_and_its_prompt() -> None:
    run = samples.run()
    assert questions(samples.attention()[0]) == (LoadModel("attn-2l"), run)
    assert questions(run) == (LoadModel("attn-2l"), run)
    assert questions(samples.spectrum()[0]) == (LoadModel("attn-2l"),)
    assert questions(ListModels()) == questions(EstimateModel("attn-2l")) == ()


def test_half_precision_and_other_devices_are_said_and_the_usual_is_not():
    facts = FakeEngine().answer(LoadModel("attn-2l"), Job())
    usual = provenance.origin([facts], "9")
    assert "precision" not in dict(usual.versions)
    half = provenance.origin([replace(facts, dtype="bfloat16")], "9")
    assert dict(half.versions)["precision"] == "bfloat16 on cpu"
    other = provenance.origin([replace(facts, device="cuda")], "9")
    assert dict(other.versions)["precision"] == "float32 on cuda"


def test_another_precision_or_device_than_a_figures_is_told_with_what_brings_it_back():
    facts = FakeEngine().answer(LoadModel("attn-2l"), Job())
    usual, half, other = (
        provenance.origin([replace(facts, **changed)], "9")
        for changed in ({}, {"dtype": "bfloat16"}, {"device": "cuda"})
    )
    assert [list(changes(one, one)) for one in (usual, half, other)] == [[], [], []]
    assert list(changes(half, usual)) == [
        "the model runs in float32 on cpu, and ran in bfloat16 on cpu for the figure: "
        "--dtype=bfloat16 --device=cpu runs it as it did"
    ]
    assert "ran in float32 on cpu for the figure: --dtype=float32" in next(
        iter(changes(usual, half))
    )
    assert "--dtype=float32 --device=cuda" in next(iter(changes(other, usual)))
    assert list(changes(Origin(), half)) == []  # of a file that does not say it


def test_what_one_of_two_does_not_tell_is_not_said_to_differ() -> None:
    whole = replace(ORIGIN, base_tokens=("a",), base_ids=(7,))
    for told in (Origin(), replace(whole, weights=""), replace(whole, ids=()),
                 replace(whole, base_ids=()), replace(whole, versions=())):  # fmt: skip
        assert list(changes(told, whole)) == list(changes(whole, told)) == []
    assert len(list(changes(whole, replace(whole, weights="b", base_ids=(8,))))) == 2


@pytest.mark.parametrize(("text", "said"), [(" tea", "·tea"), ("\n\t", "↵⇥"), ("  ", "··")])
def test_a_caption_keeps_what_leaves_no_ink_in_a_token(text: str, said: str) -> None:
    request, result = OVTokens("attn-2l", Head(0, 0), token=text), samples.ov_tokens()[1]
    assert f"token {said}, " in "".join(map(str, provenance.caption(request, None, Origin())))
    words = compose(request, result, FigureOptions(width=9.0, caption=True)).words
    assert f"{said}," in words


def test_a_caption_names_a_model_that_is_a_file_without_its_folders() -> None:
    request = OVTokens("/home/somebody/models/small.gguf", Head(0, 0), token=1)
    said = "".join(map(str, provenance.caption(request, None, Origin())))
    assert "model small.gguf," in said
    assert "somebody" not in said
