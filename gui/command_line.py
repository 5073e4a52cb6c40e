"""What the command line says about the window and its picture; read before Qt is imported."""

import re
from argparse import ArgumentParser
from pathlib import Path

from engine.messages import Refused
from gui.platform import atomic_file
from gui.state import session_file

LARGEST_SIDE = 8000


def add_options(parser: ArgumentParser) -> None:
    """Add the options of the window; whatever is wrong with one is refused in a sentence."""
    parser.add_argument("--model", type=_model)
    parser.add_argument("--session", type=_session)
    parser.add_argument("--screenshot", type=_picture)
    parser.add_argument("--size", type=_size, default=(1600, 1000))
    parser.add_argument("--scale", type=_scale, default=1)
    parser.add_argument("--theme", type=_theme)


def _model(text: str) -> str:
    if not text:
        raise Refused("--model is a name of `headscope models`, a model folder or a GGUF file")
    return text


def _session(text: str) -> Path:
    path = Path(text)
    session_file.read(path)  # refuses here what the window could only say later
    return path


def _picture(text: str) -> Path:
    path = atomic_file.parse(text)
    if path.suffix.lower() != ".png":
        raise Refused(f"a screenshot is a PNG: end {text!r} in .png")
    if not path.absolute().parent.is_dir():
        raise Refused(f"there is no folder {str(path.parent)!r} to save a screenshot in")
    atomic_file.check(path)
    return path


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{3,5})x(\d{3,5})", text.lower())
    if not found:
        raise Refused(f"--size is width x height in pixels such as 1600x1000, not {text!r}")
    width, height = int(found[1]), int(found[2])
    if max(width, height) > LARGEST_SIDE:
        raise Refused(f"--size is at most {LARGEST_SIDE} pixels wide and high, not {text}")
    return width, height


def _scale(text: str) -> int:
    if text not in ("1", "2", "3", "4"):
        raise Refused(f"--scale is 1, 2, 3 or 4, not {text!r}")
    return int(text)


def _theme(text: str) -> str:
    if text.lower() not in ("light", "dark"):
        raise Refused(f"--theme is light or dark, not {text!r}")
    return text.lower()
