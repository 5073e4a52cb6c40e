"""A model in a GGUF file."""

import math
import struct
from pathlib import Path
from typing import BinaryIO

from engine.messages import ModelEntry, Refused
from engine.sources.pretrained import BYTES, Pretrained, is_there

PEAK = 2.2
"""Memory that reading a GGUF file takes at most, over that of its weights in single precision."""

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by the format's number for its type; 8 is text and 9 a list."""

TEXT, LIST = 8, 9


def entries() -> list[ModelEntry]:
    """List nothing: files are opened by their path."""
    return []


def has(name: str) -> bool:
    """Return whether a name is the path of a file."""
    return is_there(name, Path.is_file)


def load(name: str) -> Pretrained:
    """Look a GGUF file over.

    Parameters
    ----------
    name : str
        Path of the file.

    Raises
    ------
    Refused
        If it is no GGUF file, or its header cannot be read.
    """
    path = Path(name).expanduser()
    with path.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise Refused(
                f"{path.name} is not a GGUF file: open one, or a model folder (with config.json)"
            )
        try:
            parameters = _parameters(stream)
        except (struct.error, KeyError, ValueError, MemoryError, OverflowError, OSError) as error:
            raise Refused(f"{path.name} is damaged: its header cannot be read") from error
    if parameters == 0:
        raise Refused(f"{path.name} holds no weights: open the file that has them")
    return Pretrained(
        name=name,
        path=path,
        parameters=parameters,
        disk=path.stat().st_size,
        peak=int(PEAK * BYTES * parameters),
    )


def _parameters(stream: BinaryIO) -> int:
    """Return how many numbers the tensors have, by the header alone."""
    _, tensors, fields = struct.unpack("<IQQ", stream.read(20))
    for _ in range(fields):
        _skip(stream, TEXT)
        _skip(stream, _number(stream, "I"))
    total = 0
    for _ in range(tensors):
        _skip(stream, TEXT)
        axes = _number(stream, "I")
        if axes > 8:
            raise struct.error("too many axes")
        total += math.prod(_number(stream, "Q") for _ in range(axes))
        stream.seek(12, 1)
    return total


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
