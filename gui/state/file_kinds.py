"""Files that are dropped on the window or named on its command line: what each is, by its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from engine import bounded_file
from engine.messages import Refused, in_bytes
from gui.state.figure_options import DATA, PICTURES, ROWS
from gui.state.session_file import SUFFIX, is_session

Kind = Literal["model", "session", "figure", "text"]

LARGEST_TEXT = 64 * 2**10
"""Bytes of a text file that are read: some 16,000 tokens, at which a pattern takes a GB."""
TEXTS = (".txt", ".md", ".text")
READABLE = (*PICTURES, *(suffix for suffix in DATA if suffix not in ROWS))
"""Kinds of figures and data that say what question they answer."""


class _Kind(NamedTuple):
    kind: Kind
    said: str
    fits: Callable[[Path], bool]


def is_figure(path: Path) -> bool:
    """Return whether a file may be a figure, by its name."""
    return path.suffix.lower() in READABLE


_KINDS = (
    _Kind("model", "a model folder", Path.is_dir),
    _Kind("model", "a GGUF file", lambda path: path.suffix.lower() == ".gguf"),
    _Kind("session", f"a session (*{SUFFIX})", is_session),
    _Kind("figure", "a figure that Headscope wrote", is_figure),
    _Kind("text", "a text file (.txt)", lambda path: path.suffix.lower() in TEXTS),
)

_SAID = [kind.said for kind in _KINDS]
TAKES = f"{', '.join(_SAID[:-1])} and {_SAID[-1]}"
"""What the window takes, in words."""


def kind_of(path: Path) -> Kind | None:
    """Return what a file is to the window, the first that fits; none where it takes no such.

    A pipe or a device is none: to read one may never end.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        return None
    return next((it.kind for it in _KINDS if it.fits(path)), None)


def read_text(path: Path) -> str:
    """Return the text of a file, without the line end that editors put last.

    Raises
    ------
    Refused
        If it is too big, is no UTF-8 text, or cannot be read.
    """
    try:
        with bounded_file.open_regular(path) as file:
            data = file.read(LARGEST_TEXT + 1)
        if len(data) > LARGEST_TEXT:
            raise Refused(
                f"it is too long, and a prompt is at most {in_bytes(LARGEST_TEXT)}: take a shorter "
                "part of it"
            )
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("it is not text in UTF-8: save it as that") from error
    except OSError as error:
        raise Refused(f"it cannot be read: {error.strerror}") from error
    text = text.replace("\r\n", "\n")
    if "\0" in text:
        raise Refused("it is not text: it holds bytes of value 0")
    return text.removesuffix("\n")
