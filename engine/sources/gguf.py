"""A model in a GGUF file."""

import math
import re
import struct
from pathlib import Path
from typing import BinaryIO

from engine.bounded_file import open_regular
from engine.messages import Refused
from engine.sources.checkpoint import BYTES, Pretrained, is_there
from engine.sources.config import checked_size

PEAK = 2.2
"""Memory that reading a GGUF file takes at most, over that of its weights in single precision."""

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by the format's number for its type; 8 is text and 9 a list."""

TEXT, LIST = 8, 9

WHOLE = {4: "I", 5: "i", 10: "Q", 11: "q"}
"""The types of whole numbers that sizes are given in, as struct names them."""

LONGEST_KEY = 2**16
"""Bytes of a key that the format allows."""

BLOCK = re.compile(r"blk\.(\d{1,9})\.")
"""How the names of the tensors of one layer begin."""

DENSEST = 8
"""Numbers that a byte holds at most."""


def has(name: str) -> bool:
    """Return whether a name is the path of a file."""
    return is_there(name, Path.is_file)


def load(name: str) -> Pretrained:
    """Look a GGUF file over."""
    path = Path(name).expanduser()
    with open_regular(path) as stream:
        if stream.read(4) != b"GGUF":
            raise Refused(
                f"{path.name} is not a GGUF file: open one, or a model folder (with config.json)"
            )
        try:
            about, parameters, layers = _header(stream)
        except (
            struct.error,
            KeyError,
            ValueError,
            MemoryError,
            OverflowError,
            OSError,
            RecursionError,
        ) as error:
            raise Refused(f"{path.name} is damaged: its header cannot be read") from error
    if parameters == 0:
        raise Refused(f"{path.name} holds no weights: open the file that has them")
    disk, meant = path.stat().st_size, about.get("block_count", layers)
    if parameters > DENSEST * disk:
        raise Refused(
            f"{path.name} is damaged or cut short: its header means {parameters:,} parameters, and "
            f"it has {disk:,} bytes"
        )
    for name_ in ("attention.head_count", "context_length"):
        if name_ in about:
            checked_size(f"{path.name}: its header", about, name_)
    if meant != layers:
        raise Refused(
            f"{path.name} is damaged, or a part of a model: its header means {meant:,} layers, and "
            f"it holds {layers:,}"
        )
    return Pretrained(
        name=name,
        title=path.name,
        path=path,
        layout="GGUF",
        parameters=parameters,
        disk=disk,
        peak=int(PEAK * BYTES * parameters),
        layers=layers,
        heads=about.get("attention.head_count", 0),
        context=about.get("context_length", 0),
    )


def _header(stream: BinaryIO) -> tuple[dict[str, int], int, int]:
    """Return the model's sizes by their names, and how many numbers and layers its tensors are."""
    _, tensors, fields = struct.unpack("<IQQ", stream.read(20))
    about = {}
    for _ in range(fields):
        key = _text(stream)
        kind = _number(stream, "I")
        if kind in WHOLE:
            # Each is named after its architecture, as in `llama.block_count`.
            about[key.partition(".")[2]] = _number(stream, WHOLE[kind])
        else:
            _skip(stream, kind)
    total, layers = 0, set()
    for _ in range(tensors):
        if found := BLOCK.match(_text(stream)):
            layers.add(found[1])
        axes = _number(stream, "I")
        if axes > 8:
            raise struct.error("too many axes")
        total += math.prod(_number(stream, "Q") for _ in range(axes))
        stream.seek(12, 1)
    return about, total, len(layers)


def _text(stream: BinaryIO) -> str:
    length = _number(stream, "Q")
    if length > LONGEST_KEY:
        raise struct.error("too long a key")
    return stream.read(length).decode()


def _skip(stream: BinaryIO, kind: int) -> None:
    if kind == TEXT:
        stream.seek(_number(stream, "Q"), 1)
    elif kind == LIST:
        of, count = _number(stream, "I"), _number(stream, "Q")
        if of in SIZES:
            stream.seek(SIZES[of] * count, 1)
        else:
            for _ in range(count):
                _skip(stream, of)
    else:
        stream.seek(SIZES[kind], 1)


def _number(stream: BinaryIO, kind: str) -> int:
    size = struct.calcsize(f"<{kind}")
    number: int = struct.unpack(f"<{kind}", stream.read(size))[0]
    return number
