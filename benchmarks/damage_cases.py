"""What chance does to a file: to its bytes, to what its JSON holds, to what a tokenizer does."""

import json
import os
import random
import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.damage_files import Original

JSON = (".json", ".svg")

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 0.5, 2**31, 2**63, 10**30, -(10**30), 1e308, float("nan"),
    float("inf"), "", "4", "nan", "../../etc/passwd", "\x1b[31m", "\0", "x" * 10**6, [], {},
    [1, "2", None], {"a": {"b": []}}, [[]] * 1000, list(range(3000)),
)  # fmt: skip
"""What stands in the place of a value."""


def damage(original: Original, place: Path, chance: random.Random) -> tuple[Path, str]:
    """Copy an original and do one thing to it; return where it is and what was done, in words."""
    path = place / original.path.name
    if original.parts:
        shutil.copytree(original.path, path)
        # A tokenizer and a config have the most ways of being wrong.
        texts = [name for name in original.parts if name.endswith(".json")]
        name = chance.choice(texts if chance.random() < 0.6 else original.parts)
        victim = path / name
    else:
        shutil.copy(original.path, path)
        victim = path
    if victim.name == "tokenizer.json" and chance.random() < 0.4:
        done = chance.choice(TOKENIZERS)
    elif victim.suffix in (*JSON, ".safetensors") and chance.random() < 0.6:
        done = chance.choice(TREES)
    else:
        done = chance.choice(BYTES)
    done(victim, chance)
    return path, f"{victim.name}: {done.__name__.strip('_')}"


# --- of bytes


def _flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    reach = len(data) if chance.random() < 0.5 else min(len(data), 4096)
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        if reach:
            data[chance.randrange(reach)] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _cut(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.choice((0, 1, 7, chance.randrange(len(data) + 1)))])


def _fill(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start = chance.randrange(min(len(data), chance.choice((64, 1024, 10**9))) or 1)
    length = chance.choice((1, 2, 4, 8, 8, 100))
    data[start : start + length] = bytes([chance.choice((0, 0xFF, 0x7F, 0x80, 0x20))]) * length
    path.write_bytes(data)


def _repeat(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    start = chance.randrange(len(data) or 1)
    length = chance.choice((1, 100, len(data)))
    path.write_bytes(data[: start + length] + data[start:])


def _long_number(path: Path, chance: random.Random) -> None:
    """Write another number in the place of one that stands there in digits."""
    data = path.read_bytes()
    spans = [found.span() for found in re.finditer(rb"\d+", data[:200_000])]
    if spans:
        start, end = chance.choice(spans)
        written = chance.choice((b"0", b"-1", b"1e400", b"9" * 400, b"9" * 5000, b"4294967297"))
        data = data[:start] + written + data[end:]
    path.write_bytes(data)


def _pipe(path: Path, chance: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def _endless(path: Path, chance: random.Random) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _loop(path: Path, chance: random.Random) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _gone(path: Path, chance: random.Random) -> None:
    path.unlink()


def _folder(path: Path, chance: random.Random) -> None:
    path.unlink()
    path.mkdir()


def _unreadable(path: Path, chance: random.Random) -> None:
    path.chmod(0)


def _huge(path: Path, chance: random.Random) -> None:
    # Of nothing: the disk holds no more of it.
    with path.open("r+b") as file:
        file.truncate(2**33)


# --- of what JSON holds


def _read(path: Path) -> tuple[bytes, Any, bytes]:
    """Return what stands before the JSON value of a file, the value, and what stands after it."""
    data = path.read_bytes()
    if path.suffix == ".safetensors":
        (length,) = struct.unpack("<Q", data[:8])
        return b"", json.loads(data[8 : 8 + length]), data[8 + length :]
    if path.suffix == ".svg":
        start, end = data.find(b"{"), data.rfind(b"}") + 1
        try:
            return data[:start], json.loads(data[start:end]), data[end:]
        except ValueError:
            return data, None, b""
    return b"", json.loads(data), b""


def _write(path: Path, before: bytes, text: bytes, after: bytes) -> None:
    if path.suffix == ".safetensors":
        before = struct.pack("<Q", len(text))
    path.write_bytes(before + text + after)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place of a value: what holds it, and under which key."""
    found: list[tuple[Any, Any]] = []
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        found.append((value, key))
        found += _places(value[key])
    return found


def _changed(path: Path, change: Callable[[Any, Any], None], chance: random.Random) -> None:
    before, value, after = _read(path)
    shallow = [(value, key) for key in value] if isinstance(value, dict) else []
    places = shallow if shallow and chance.random() < 0.5 else _places(value)
    if places:
        change(*chance.choice(places))
    _write(path, before, json.dumps(value).encode(errors="surrogatepass"), after)


def _swap(path: Path, chance: random.Random) -> None:
    def put(holder: Any, key: Any) -> None:
        old = holder[key]
        as_text = isinstance(old, int | float) and chance.random() < 0.3
        holder[key] = str(old) if as_text else chance.choice(VALUES)

    _changed(path, put, chance)


def _drop(path: Path, chance: random.Random) -> None:
    def drop(holder: Any, key: Any) -> None:
        del holder[key]

    _changed(path, drop, chance)


def _rename(path: Path, chance: random.Random) -> None:
    def rename(holder: Any, key: Any) -> None:
        if isinstance(holder, dict):
            holder[chance.choice(("", "unknown", "\x1b]0;x\x07", key.upper()))] = holder.pop(key)

    _changed(path, rename, chance)


def _twice(path: Path, chance: random.Random) -> None:
    before, value, after = _read(path)
    text = json.dumps(value)
    if isinstance(value, dict) and value:
        key = chance.choice(list(value))
        text = f"{text[:-1]}, {json.dumps(key)}: {json.dumps(chance.choice(VALUES[:20]))}}}"
    _write(path, before, text.encode(), after)


def _deep(path: Path, chance: random.Random) -> None:
    before, value, after = _read(path)
    depth = chance.choice((200, 1_000, 50_000, 1_000_000))
    opened, closed = chance.choice((("[", "]"), ('{"a":', "}")))
    nested = f"{opened * depth}0{closed * depth}"
    text = json.dumps(value)
    text = f'{text[:-1]}, "deep": {nested}}}' if isinstance(value, dict) and value else nested
    _write(path, before, text.encode(), after)


# --- of what a tokenizer does


def _tokenizer(path: Path, **parts: Any) -> None:
    found = json.loads(path.read_bytes())
    path.write_text(json.dumps(found | parts))


def _precompiled(path: Path, chance: random.Random) -> None:
    letters = "".join(chance.choices("ABCDwxyz0123+/", k=4 * chance.randrange(1, 20)))
    _tokenizer(path, normalizer={"type": "Precompiled", "precompiled_charsmap": letters})


def _doubling(path: Path, chance: random.Random) -> None:
    letter, times = chance.choice("aw= "), chance.choice((5, 12, 30, 400))
    rule = {"type": "Replace", "pattern": {"String": letter}, "content": letter * 2}
    _tokenizer(path, normalizer={"type": "Sequence", "normalizers": [rule] * times})


def _pattern(path: Path, chance: random.Random) -> None:
    pattern = {
        "Regex": chance.choice(("(a+)+$", "(", "", "(?:" * 5000, "a{1,99999999}", ".*.*.*x"))
    }
    part = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    rule = {"type": "Replace", "pattern": pattern, "content": "b" * chance.choice((0, 1, 10**6))}
    _tokenizer(path, **chance.choice(({"pre_tokenizer": part}, {"normalizer": rule})))


def _cutting(path: Path, chance: random.Random) -> None:
    longest, step = chance.choice((0, 1, 6, 10**9)), chance.choice((0, 1, 7, 10**9))
    cut = {"direction": "Right", "max_length": longest, "strategy": "LongestFirst", "stride": step}
    filled = {
        "strategy": {"Fixed": chance.choice((1, 10**5, 10**12))},
        "direction": "Left", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0,
        "pad_token": "w0",
    }  # fmt: skip
    _tokenizer(path, **chance.choice(({"truncation": cut}, {"padding": filled})))


def _added(path: Path, chance: random.Random) -> None:
    flags = {name: chance.random() < 0.5 for name in ("single_word", "lstrip", "rstrip", "special")}
    token = {
        "id": chance.choice((0, 5, 10**6, 2**32 - 1, 2**32)),
        "content": chance.choice(("", " ", "w3", "x" * 10**5, "\0")), "normalized": True, **flags,
    }  # fmt: skip
    _tokenizer(path, added_tokens=[token] * chance.choice((1, 2, 1000)))


def _other_model(path: Path, chance: random.Random) -> None:
    vocab = json.loads(path.read_bytes())["model"].get("vocab", {})
    words = list(vocab)[:50] or ["a"]
    made: dict[str, Any] = chance.choice((
        {"type": "Unigram", "vocab": [], "unk_id": 0},
        {"type": "Unigram", "vocab": [[word, -1.0] for word in words], "unk_id": 10**6},
        {"type": "Unigram", "vocab": [[word, 0.0] for word in words], "unk_id": None},
        {"type": "WordLevel", "vocab": {}, "unk_token": "w0"},
        {"type": "WordLevel", "vocab": {word: 2**32 - 1 for word in words}, "unk_token": "w0"},
        {"type": "WordPiece", "vocab": vocab, "unk_token": "", "continuing_subword_prefix": "",
         "max_input_chars_per_word": 0},
        {"type": "BPE", "vocab": vocab, "merges": ["a", "a b c"]},
        {"type": "BPE", "vocab": vocab, "merges": [], "dropout": 7},
    ))  # fmt: skip
    _tokenizer(path, model=made)


BYTES = (_flip, _flip, _flip, _cut, _cut, _fill, _fill, _repeat, _long_number, _long_number)
BYTES += (_pipe, _endless, _loop, _gone, _folder, _unreadable, _huge)
TREES = (_swap, _swap, _swap, _swap, _drop, _rename, _twice, _deep)
TOKENIZERS = (_precompiled, _doubling, _pattern, _cutting, _added, _other_model)
