"""Files name a model that was opened by its path without its folders, and are opened again."""

import json
import os
import zipfile
from pathlib import Path

import pytest

import main as headscope
from engine.messages import CUT, Attention, Head, OVTokens, Refused, RunPrompt
from gui import figures
from gui.export import figure_opener
from gui.figures import board, board_file
from gui.state import question_table
from gui.state.figure_board import Board, Item
from tests.gui.figures import samples
from tests.oracles import hugging_face

FOLDER = "somebodys_secret_folder"
TEXT = ["--text", "w1 w2 w3"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(FOLDER) / "tiny"
    hugging_face.write("llama-tied", folder)
    return folder


def everything(path: Path) -> bytes:
    """Return the bytes of a file, what is packed in it unpacked."""
    data = path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            data += b"".join(archive.read(name) for name in archive.namelist())
    return data.replace(b"\0", b"")  # NumPy's texts are UTF-32


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        ["attention", *TEXT, "--head", "0.0", "--caption"],
        ["attention", *TEXT, "--other-text", "w1 w3 w3", "--head", "0.0", "--caption"],
        ["spectrum", "--head", "0.0", "--caption"],
        ["load-model"],
        ["estimate-model"],
    ],
)
def test_no_file_holds_the_folders_of_a_model(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch, relative: bool, words: list[str]
) -> None:
    named = os.path.relpath(model, model.parents[1]) if relative else str(model)
    monkeypatch.chdir(model.parents[1])
    drawn = words[0] not in ("load-model", "estimate-model")
    for suffix in figures.SUFFIXES if drawn else (".csv", ".xlsx", ".json", ".npz"):
        path = tmp_path / f"f{suffix}"
        asked = [words[0], "--model", named, *words[1:]]
        if not drawn:
            asked.remove("--caption") if "--caption" in asked else None
        assert headscope.main(["figure", *asked, "-o", str(path)]) == 0
        assert FOLDER.encode() not in everything(path), suffix
        assert b"tiny" in everything(path) or suffix in (".csv", ".xlsx")


def test_a_figure_is_drawn_again_where_its_model_is_found(
    tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = tmp_path / "a.svg", tmp_path / "b.svg"
    asked = ["figure", "attention", *TEXT, "--head", "0.0", "--model", str(model)]
    assert headscope.main([*asked, "-o", str(first)]) == 0
    assert headscope.main(["figure", str(first), "-o", str(again)]) == 2
    assert capsys.readouterr().err == (
        "headscope: the figure was made from tiny, a model that was opened by its path, and holds "
        "no more of it: open that model in the window first, or give its path by --model\n"
    )
    words = ["figure", str(first), "-o", str(again)]
    assert headscope.main([*words, "--model", str(model)]) == 0
    assert first.read_bytes() == again.read_bytes()
    again.unlink()
    monkeypatch.chdir(model.parent)
    assert headscope.main(words) == 0
    assert first.read_bytes() == again.read_bytes()
    monkeypatch.chdir(tmp_path)
    (model.parent / "a.svg").write_bytes(first.read_bytes())
    assert headscope.main(["figure", str(model.parent / "a.svg"), "-o", str(again)]) == 0
    assert capsys.readouterr().err == ""


def test_the_window_finds_the_model_among_those_that_were_opened(
    tmp_path: Path, model: Path
) -> None:
    request, result = samples.attention()
    request = Attention(RunPrompt(str(model), request.run.text), 1)
    figures.write(request, result, tmp_path / "f.pdf")
    with pytest.raises(
        Refused, match=r"f\.pdf: the figure was made from tiny, a model that was opened"
    ):
        figure_opener.read(tmp_path / "f.pdf", ["attn-2l", "/elsewhere/tiny"])
    seen = figure_opener.read(tmp_path / "f.pdf", ["attn-2l", "/elsewhere/tiny", str(model)])
    assert isinstance(seen, question_table.View)
    assert seen.request == request


def test_a_board_names_its_models_without_folders_and_finds_them(
    tmp_path: Path, model: Path
) -> None:
    request, result = samples.ov_tokens()
    run = RunPrompt(str(model), "I")
    asked = OVTokens(str(model), Head(1, 3), source="position", run=run, position=4)
    made = Board((Item(asked), Item(request)))
    drawn = [board.Drawn(result), board.Drawn(result)]
    board.write(made, drawn, tmp_path / "f.svg")
    assert FOLDER not in (tmp_path / "f.svg").read_text(encoding="utf-8")
    kept = board_file.read(tmp_path / "f.svg").board
    assert kept.items[0].request.model == f"{CUT}tiny"
    assert figure_opener.read(tmp_path / "f.svg", [str(model)]) == made


def test_a_file_of_earlier_that_holds_the_whole_path_opens_as_it_did(
    tmp_path: Path, model: Path
) -> None:
    record = {"question": "spectrum", "model": str(model), "head": "0.0"}
    path = tmp_path / "f.json"
    path.write_text(json.dumps({"request": record, "result": {}}))
    seen = figure_opener.read(path)
    assert isinstance(seen, question_table.View)
    assert seen.request.model == str(model)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("attn-2l", "attn-2l"), ("owner/name", "owner/name"),
        ("/home/me/small.gguf", "…/small.gguf"),
        ("small.gguf", "small.gguf"), ("./it", "…/it"), ("../it/", "…/it"), ("a/b/c", "…/c"),
        ("~/it", "…/it"), (r"C:\Users\me\it.gguf", "…/it.gguf"), ("…/it", "…/it"),
    ],
)  # fmt: skip
def test_a_name_is_cut_where_it_is_a_path(model: str, said: str) -> None:
    from engine.messages import published

    assert published(model) == said
