"""Which files of a repository on the hub a model needs; never code."""

import re
from collections.abc import Collection

from engine.messages import Refused
from engine.sources.files import WHOLE

TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)

OLDER = ("vocab.json", "merges.txt", "tokenizer.model", "spiece.model", "vocab.txt")
"""What transformers makes a tokenizer of where there is no tokenizer.json."""


def needed(repository: str, names: Collection[str]) -> list[str]:
    """Return the files to download, the smaller ones first.

    Parameters
    ----------
    repository : str
        What the hub calls it.
    names : collection of str
        Every file that it has.

    Raises
    ------
    Refused
        If there is no model among them that could be opened.
    """
    tokenizer = [name for name in TOKENIZER if name in names]
    if "tokenizer.json" not in names:
        tokenizer += [name for name in OLDER if name in names]
    if "config.json" not in names:
        if "tokenizer.json" in names:
            return tokenizer
        hint = ""
        if any(name.endswith(".gguf") for name in names):
            hint = "; it has GGUF files: fetch one from its page, and open it by its path"
        raise Refused(f"{repository} has no config.json, so it is no model to open{hint}")
    weights = _weights(names)
    if not weights:
        raise Refused(
            f"{repository} has no weights that can be read: neither {' nor '.join(WHOLE)} nor a "
            "TransformerLens *_final.pth"
        )
    if not tokenizer and not weights[0].endswith(".pth"):
        raise Refused(f"{repository} has no tokenizer, so no text could be read with it")
    return ["config.json", *tokenizer, *weights]


def _weights(names: Collection[str]) -> list[str]:
    for whole in WHOLE:
        if whole in names:
            return [whole]
        stem, dot, suffix = whole.rpartition(".")
        index = f"{whole}.index.json"
        if index in names:
            shard = re.compile(rf"{stem}-\d+-of-\d+{re.escape(dot + suffix)}")
            return [index, *sorted(name for name in names if shard.fullmatch(name))]
    final = sorted(name for name in names if name.endswith("final.pth") and "/" not in name)
    return final[:1]
