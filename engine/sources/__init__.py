"""Where models come from; nothing in here imports torch, so that listing them is quick."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple

from engine.messages import ModelEntry, Refused
from engine.sources import bundled, toys
from engine.sources.checkpoint import Checkpoint


class Source(NamedTuple):
    """A place that models come from: what it has, and how one of them is read."""

    entries: Callable[[], list[ModelEntry]]
    load: Callable[[str], Checkpoint]


SOURCES = (Source(bundled.entries, bundled.load), Source(toys.entries, toys.load))


def entries() -> tuple[ModelEntry, ...]:
    """List every model that can be opened."""
    return tuple(entry for source in SOURCES for entry in source.entries())


def load(name: str) -> Checkpoint:
    """Read a model from the source that has it.

    Raises
    ------
    Refused
        If no source has it; the sentence lists the models there are.
    """
    for source in SOURCES:
        if name in [entry.name for entry in source.entries()]:
            return source.load(name)
    names = [entry.name for entry in entries()]
    close = get_close_matches(name, names, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    raise Refused(f"there is no model {name!r}: there are {', '.join(names)}{meant}")
