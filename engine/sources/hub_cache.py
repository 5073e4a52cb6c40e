"""The Hugging Face cache of this computer: where it keeps a model, by the hub's name for it.

TransformerLens's own names of models, such as attn-only-2l, are turned into the hub's for the same.
"""

import json
import os
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from engine.bounded_file import read
from engine.messages import Refused
from engine.sources.files import Folder

REPOSITORY = re.compile(r"(?!.*(--|\.\.))([\w][\w.-]{0,95}/)?[\w][\w.-]{0,95}")
"""What the hub allows as a name: `name` or `owner/name`."""

LONGEST_NAME = 1000
"""Bytes of the name of a revision."""


def root() -> Path:
    """Return the cache's folder, as huggingface_hub finds it: by the environment or at home."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if found := os.environ.get(name):
            return Path(os.path.expandvars(found)).expanduser()
    above = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or os.path.join(above, "huggingface")
    return Path(os.path.expandvars(home)).expanduser() / "hub"


def is_repository(name: str) -> bool:
    """Return whether a name may be one of the hub's."""
    return REPOSITORY.fullmatch(name) is not None


def place(repository: str) -> Path:
    """Return where the cache keeps a repository."""
    return root() / f"models--{repository.replace('/', '--')}"


def folder(name: str) -> Folder | None:
    """Return the files of a model: those of `main` as last fetched, or else the newest."""
    repository = on_hub(name)
    if not is_repository(repository):
        return None
    snapshots = place(repository) / "snapshots"
    try:
        main = snapshots / read(place(repository) / "refs" / "main", LONGEST_NAME).decode().strip()
        if main.parent == snapshots and main.is_dir():
            return Folder(main, name)
    except (OSError, ValueError, Refused):
        pass
    try:
        found = [path for path in snapshots.iterdir() if path.is_dir()]
        return Folder(max(found, key=lambda path: path.stat().st_mtime), name) if found else None
    except OSError:
        return None


TABLE = "tools/model_registry/data/model_aliases.json"
"""TransformerLens's table of names, read as a file: importing it takes seconds."""

OWNERS = ("NeelNanda/", "ArthurConmy/", "Baidicoot/")
"""Whose models are stored as TransformerLens state dicts."""


def on_hub(name: str) -> str:
    """Return what the hub calls a model; the name itself where TransformerLens has no other."""
    return _names().get(name.lower(), name)


def short(repository: str) -> str:
    """Return what TransformerLens calls a model that is stored its way; else the hub's name."""
    if not repository.startswith(OWNERS):
        return repository
    return next((name for name, long in _names().items() if long == repository), repository)


@cache
def _names() -> dict[str, str]:
    found = find_spec("transformer_lens")
    if found is None or not found.submodule_search_locations:
        return {}
    try:
        table = json.loads((Path(found.submodule_search_locations[0]) / TABLE).read_bytes())
        aliases: dict[str, list[str]] = table["aliases"]
        return {name.lower(): long for long, names in aliases.items() for name in names}
    except (OSError, ValueError, KeyError, AttributeError):
        return {}
