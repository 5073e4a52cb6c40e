"""Where models come from; nothing in here imports torch, so that listing them is quick."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple

from engine.messages import ModelEntry, Refused
from engine.sources import bundled, folder, gguf, toys
from engine.sources.checkpoint import Checkpoint
from engine.sources.pretrained import Pretrained


class Source(NamedTuple):
    """A place that models come from: what it lists, what it has, and how one of them is read."""

    entries: Callable[[], list[ModelEntry]]
    has: Callable[[str], bool]
    load: Callable[[str], Checkpoint | Pretrained]


LONGEST_PATH = 200
"""Characters of a path that are shown."""


def _listed(entries: Callable[[], list[ModelEntry]]) -> Callable[[str], bool]:
    return lambda name: name in [entry.name for entry in entries()]


SOURCES = (
    Source(bundled.entries, _listed(bundled.entries), bundled.load),
    Source(toys.entries, _listed(toys.entries), toys.load),
    Source(folder.entries, folder.has, folder.load),
    Source(gguf.entries, gguf.has, gguf.load),
)


def entries() -> tuple[ModelEntry, ...]:
    """List every model that can be opened."""
    return tuple(entry for source in SOURCES for entry in source.entries())


def load(name: str) -> Checkpoint | Pretrained:
    """Read a model from the source that has it: one that is listed, a folder or a GGUF file.

    Raises
    ------
    Refused
        If no source has it; the sentence lists the models there are. Nothing is downloaded.
    """
    for source in SOURCES:
        if source.has(name):
            return source.load(name)
    if "/" in name or "\\" in name or name.endswith(".gguf"):
        shown = name if len(name) <= LONGEST_PATH else f"{name[:LONGEST_PATH]}…"
        raise Refused(
            f"there is no folder or file {shown!r} on this computer, and nothing is downloaded: "
            "give the path of a model folder or of a GGUF file"
        )
    names = [entry.name for entry in entries()]
    close = get_close_matches(name, names, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    raise Refused(f"there is no model {name!r}: there are {', '.join(names)}{meant}")
