"""Which models can be picked, in sections: what the engine lists, and what was opened before."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from engine.messages import ModelEntry
from gui.opening import is_path, short_name

BUNDLED, CACHED, RECENT = "Comes with Headscope", "Found on this computer", "Opened before"
SECTIONS = (BUNDLED, RECENT, CACHED)
"""In this order: the cache may hold many, of which few were ever opened."""
GONE = "not there any more"


class Choice(NamedTuple):
    """One model that can be picked.

    Attributes
    ----------
    model
        What it is opened by: a name or a path.
    label
        What it is called.
    section
        One of SECTIONS.
    source
        Where it comes from, in a word.
    about
        A sentence, or where it lies.
    missing
        Why it cannot be opened, empty where nothing is known against it.
    """

    model: str
    label: str
    section: str
    source: str
    about: str
    missing: str = ""

    @property
    def whole(self) -> str:
        """All that is known of it, for a tool tip."""
        about = "" if is_path(self.model) else self.about
        return "\n".join(line for line in (self.model, about, self.missing) if line)


def choices(
    listed: Sequence[ModelEntry], recent: Sequence[str], others: Sequence[str] = ()
) -> tuple[Choice, ...]:
    """Return every model that can be picked, section by section.

    Parameters
    ----------
    listed
        What the engine lists.
    recent
        Paths that were opened before, newest first.
    others
        Models that are to be among them wherever they come from.
    """
    known = [_listed(entry) for entry in listed]
    names = {choice.model for choice in known}
    paths = [path for path in recent if path not in names]
    paths = [*(name for name in others if name and name not in (*names, *paths)), *paths]
    found = [*known, *(of_path(path) for path in dict.fromkeys(paths))]
    return tuple(choice for section in SECTIONS for choice in found if choice.section == section)


def of_path(path: str) -> Choice:
    """Return the choice of a folder or a file."""
    gone = is_path(path) and not os.path.exists(path)
    source = "file" if path.lower().endswith(".gguf") else "folder"
    place = os.path.dirname(path) if is_path(path) else "asked for by its name"
    return Choice(path, short_name(path), RECENT, source, place, GONE if gone else "")


def _listed(entry: ModelEntry) -> Choice:
    section = CACHED if entry.source == "cache" else BUNDLED
    return Choice(entry.name, entry.name, section, entry.source, entry.about)
