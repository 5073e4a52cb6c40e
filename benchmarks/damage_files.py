"""Whole files of every kind that Headscope reads, and the commands that open them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gui.state.session_file import SUFFIX, SavedSession

Words = list[str]


class Original(NamedTuple):
    """A whole file or folder, the files that are damaged, and the command that opens it."""

    kind: str
    path: Path
    parts: tuple[str, ...]
    """Names of files within a folder; for a file, none."""
    command: Callable[[Path], Words]


FIGURES = ("pdf", "svg", "png", "json", "npz")


def _model(words: str) -> Callable[[Path], Words]:
    return lambda path: ["ask", "run-prompt", "--model", str(path), "--text", words]


def _redrawn(path: Path) -> Words:
    return ["figure", str(path), "-o", str(path.parent / "again.csv")]


def _board(path: Path) -> Words:
    return ["figure", str(path), "-o", str(path.parent / "again.svg")]


def make(folder: Path, run: Callable[[Words], int]) -> None:
    """Write every original into a folder.

    Parameters
    ----------
    folder : Path
        An empty folder.
    run : callable
        Runs a command line.
    """
    import torch
    from safetensors.torch import load_file, save_file

    from engine.messages import Attention, Head, RunPrompt
    from gui.state import figure_board
    from gui.state.session_file import write as write_session
    from tests.engine.sources import gguf_files, state_dicts
    from tests.oracles import hugging_face, state_dict

    whole = folder / "safetensors"
    hugging_face.write("llama", whole)
    tensors = load_file(whole / "model.safetensors")
    for kind in ("pickle", "sharded"):
        shutil.copytree(whole, folder / kind)
        (folder / kind / "model.safetensors").unlink()
    torch.save(tensors, folder / "pickle" / "pytorch_model.bin")
    names, where = sorted(tensors), {}
    for number, part in enumerate((names[::2], names[1::2]), 1):
        shard = f"model-0000{number}-of-00002.safetensors"
        held = {name: tensors[name] for name in part}
        save_file(held, folder / "sharded" / shard, metadata={"format": "pt"})
        where |= dict.fromkeys(part, shard)
    index = {"metadata": {"total_size": 1}, "weight_map": where}
    (folder / "sharded" / "model.safetensors.index.json").write_text(json.dumps(index))
    about = state_dict.config()
    state_dicts.write(folder / "state dict", about, state_dict.random(about))
    shutil.copytree(Path("resources/models/attn-1l"), folder / "own")
    gguf_files.write(folder / "small.gguf")
    question = ["attention", "--model", "toy", "--text", "result = 0 ans", "--layer", "0"]
    for suffix in FIGURES:
        if run(["figure", *question, "--head", "0.0", "-o", str(folder / f"figure.{suffix}")]):
            raise RuntimeError(f"the whole figure.{suffix} could not be made")
    item = figure_board.Item(Attention(RunPrompt("toy", "result = 0 ans"), 0), Head(0, 0))
    kept = figure_board.for_session(figure_board.Board((item, item)))
    write_session(folder / f"board{SUFFIX}", SavedSession(board=kept))


def originals(folder: Path) -> list[Original]:
    """Return what `make` wrote."""
    found = []
    for kind, words in (
        ("safetensors", "w3 w4"),
        ("pickle", "w3 w4"),
        ("sharded", "w3 w4"),
        ("state dict", "w3 w4"),
        ("own", "tea"),
    ):
        files = sorted(path.name for path in (folder / kind).iterdir() if path.suffix != ".md")
        found.append(Original(kind, folder / kind, tuple(files), _model(words)))
    found.append(Original("gguf", folder / "small.gguf", (), _model("abc")))
    for suffix in FIGURES:
        found.append(Original(suffix, folder / f"figure.{suffix}", (), _redrawn))
    found.append(Original("session", folder / f"board{SUFFIX}", (), _board))
    return found
