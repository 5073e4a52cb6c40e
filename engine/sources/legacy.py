"""TransformerLens's own names of models, such as attn-only-2l, and the hub's for the same."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

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
