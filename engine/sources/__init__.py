"""Where models come from; nothing in here imports torch, so that listing them is quick.

Throughout, `name` is what a model is opened as (its path, its name on the hub or TransformerLens's
own) and `title` what sentences call it. Functions raise `Refused`, with the file and the reason,
where files are missing (`Missing`), damaged, cut short, or of no model that can be shown.
"""

from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple

from engine.messages import PATH, ModelEntry, Refused
from engine.sources import bundled, folder, gguf, hub_cache, toys
from engine.sources.checkpoint import Checkpoint, Pretrained


class Source(NamedTuple):
    """A place that models come from: what it lists, what it has, and how one of them is read."""

    called: str
    entries: Callable[[], list[ModelEntry]]
    has: Callable[[str], bool]
    load: Callable[[str], Checkpoint | Pretrained]


LONGEST_PATH = 200
"""Characters of a path that are shown."""

HOW_TO_OPEN = """
--model takes one of these names, the path of a model folder (config.json, weights and
tokenizer.json, or a TransformerLens state dict) or the path of a GGUF file. A model on the Hugging
Face hub is fetched first, and listed from then on: headscope download NAME
"""
"""What `headscope models` says after the list."""


def _listed(entries: Callable[[], list[ModelEntry]]) -> Callable[[str], bool]:
    return lambda name: name in [entry.name for entry in entries()]


# A name that is listed means what the list says, whatever folder lies where one happens to be.
SOURCES = (
    Source("bundled", bundled.entries, _listed(bundled.entries), bundled.load),
    Source("toy", toys.entries, _listed(toys.entries), toys.load),
    Source("cache", folder.cached_entries, folder.is_cached, folder.load_cached),
    Source("folder", list, folder.has, folder.load),
    Source("file", list, gguf.has, gguf.load),
)


def entries() -> tuple[ModelEntry, ...]:
    """List every model that can be opened by name."""
    return tuple(entry for source in SOURCES for entry in source.entries())


def load(name: str) -> Checkpoint | Pretrained:
    """Read or look over a model of the source that has it: listed, cached, a folder or a file."""
    return source_of(name).load(name)


def source_of(name: str) -> Source:
    """Return the source that has a model.

    Raises
    ------
    Refused
        If none has it; the sentence says what there is, and how a name on the hub is fetched.
    """
    for source in SOURCES:
        if source.has(name):
            return source
    shown = name if len(name) <= LONGEST_PATH else f"{name[:LONGEST_PATH]}…"
    repository = hub_cache.on_hub(name)
    if PATH.match(name) or not hub_cache.is_repository(repository):
        raise Refused(
            f"there is no folder or file {shown!r} on this computer, and nothing is downloaded: "
            "give the path of a model folder or of a GGUF file"
        )
    if "/" in repository:
        raise Refused(
            f"there is no model {shown!r} on this computer, and nothing is downloaded unasked: "
            f"`headscope download {shown}` fetches it from the Hugging Face hub"
        )
    names = [entry.name for entry in entries()]
    close = get_close_matches(name, names, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    raise Refused(
        f"there is no model {shown!r}: there are {', '.join(names)}, and `headscope download "
        f"{shown}` would fetch one of that name from the Hugging Face hub{meant}"
    )
