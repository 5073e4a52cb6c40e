"""A tokenizer.json from outside: tried in a process of its own before it is read in this one."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine import bounded_file
from engine.messages import Refused
from engine.sources import trial

LONGEST = 2**27
"""Bytes of a tokenizer.json: the largest vocabularies take a quarter of it."""

GROWTH = 1000
"""How many times as long its rules may make a text."""

SECONDS = 15
"""How long reading one may take, in the process that tries it."""


def read_tokenizer(folder: Path, title: str, *, ours: bool = False) -> Tokenizer:
    """Read a folder's tokenizer.json.

    Parameters
    ----------
    folder : Path
        Where it lies.
    title : str
        What sentences call the model.
    ours : bool, optional
        It came with Headscope and is known: not tried first.
    """
    path = folder / "tokenizer.json"
    try:
        if not ours:
            _check_growth(title, bounded_file.read(path, LONGEST))
            _try(title, path)
        return Tokenizer.from_file(str(path))
    except OSError as error:
        raise Refused(f"{title}: tokenizer.json cannot be read: {error.strerror}") from error
    except (Refused, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # the library raises no narrower class, and panics are wider
        raise Refused(f"{title}: tokenizer.json is damaged: {error}") from error


def check_vocabulary(title: str, tokenizer: Tokenizer, d_vocab: int) -> None:
    """Refuse a tokenizer without tokens, or with more than a model has."""
    size = tokenizer.get_vocab_size()
    if not size:
        raise Refused(f"{title}: its tokenizer has no tokens")
    if size > d_vocab:
        raise Refused(
            f"{title}: its tokenizer has {size:,} tokens, and the model only {d_vocab:,}: the "
            "tokenizer is another model's"
        )


def _try(title: str, path: Path) -> None:
    """Read it and a text with it where a panic, an endless loop or an abort ends nothing else."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", trial.__file__, str(path)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Refused(
            f"{title}: tokenizer.json is damaged: reading it takes more than {SECONDS} s"
        ) from error
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip()
        why = said or "the library that reads it breaks down or takes memory without end"
        raise Refused(f"{title}: tokenizer.json is damaged: {why:.200}")


def _check_growth(title: str, data: bytes) -> None:
    """Refuse rules that make a text grow without end: they are followed where none can stop them.

    Each rule may put a longer text in the place of a shorter one, and what one rule wrote is read
    by the next.
    """
    try:
        rules = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{title}: tokenizer.json is damaged: {error}") from error
    if not isinstance(rules, dict):
        return  # the library says what is wrong with it
    for end in ("normalizer", "decoder"):
        growth = math.prod(_growth(rule) for rule in _rules(rules.get(end)))
        if growth > GROWTH:
            raise Refused(
                f"{title}: tokenizer.json is damaged: the rules of its {end} could make a text "
                f"more than {GROWTH:,} times as long"
            )


def _growth(rule: Mapping[str, Any]) -> float:
    content, pattern = rule.get("content"), rule.get("pattern")
    text = pattern.get("String") if isinstance(pattern, dict) else None
    # An expression may match one letter, or none.
    shortest = len(text) if isinstance(text, str) and text else 1
    return max(1.0, len(content) / shortest) if isinstance(content, str) else 1.0


def _rules(part: object) -> Iterator[Mapping[str, Any]]:
    """Yield the rules that replace something, in the order in which they are followed."""
    if not isinstance(part, dict):
        return
    if part.get("type") == "Replace":
        yield part
    for several in ("normalizers", "decoders"):
        parts = part.get(several)
        for one in parts if isinstance(parts, list) else ():
            yield from _rules(one)
