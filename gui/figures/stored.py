"""The text that a written file keeps about itself, found without drawing or running anything."""

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

import numpy as np

from engine import bounded_file
from engine.messages import Refused, in_bytes
from gui.state.figure_options import ROWS

_DESCRIPTION = "http://purl.org/dc/elements/1.1/ description"
_PNG = b"\x89PNG\r\n\x1a\n"
_RECORD = 2**24
"""Bytes of a record, and of what an SVG or PNG has before it ends; ours have some thousands."""
_DIRECTORY = 2**22
"""Bytes of an archive's table of contents; ours has some hundreds of lines."""
_MOST_LISTS = 2**20
"""Lists and objects in a JSON file, which take twenty times their text in memory; a pattern of
1,024 tokens and 12 heads has 12,301."""
_LARGEST = {".pdf": 2**27, ".json": 2**26}
"""Bytes of files that have to be read whole. A PDF of 256 x 256 cells, each a shape, has 12 MB."""


def _pdf(path: Path, file: BinaryIO) -> str | None:
    # The information dictionary is written plainly, and parentheses in it are escaped.
    data = _whole(path, file)
    _, found, rest = data.rpartition(b"/Subject (")
    rest = rest[:_RECORD]
    for escaped in re.finditer(rb"\\.|[()]", rest, re.DOTALL):
        if found and escaped[0] == b")":
            plain = re.sub(rb"\\(.)", rb"\1", rest[: escaped.start()], flags=re.DOTALL)
            return plain.decode("ascii", errors="replace")
        if len(escaped[0]) == 1:
            break
    return None


class _Found(Exception):
    """What is looked for has come."""


def _svg(path: Path, file: BinaryIO) -> str | None:
    parser, texts = expat.ParserCreate(namespace_separator=" "), list[str]()
    parser.buffer_text = True

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == _DESCRIPTION:
            parser.CharacterDataHandler = texts.append
            parser.EndElementHandler = end

    def end(name: str) -> None:
        raise _Found

    parser.StartElementHandler = start
    try:
        parser.Parse(file.read(_RECORD))
    except _Found:
        return "".join(texts)
    except expat.ExpatError:
        pass
    return None


def _png(path: Path, file: BinaryIO) -> str | None:
    if file.read(len(_PNG)) != _PNG:
        return None
    while file.tell() < _RECORD and len(head := file.read(8)) == 8:
        length, kind = struct.unpack(">I4s", head)
        if kind == b"IDAT":
            return None
        if kind == b"tEXt" and length <= _RECORD:
            name, _, text = file.read(length).partition(b"\0")
            if name == b"Description":
                return text.decode("latin-1")
            length = 0
        file.seek(length + 4, io.SEEK_CUR)
    return None


class _InPieces:
    """A file as zipfile reads it, but never more at once than a table of contents has."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all that follow."""
        data = self._file.read(_DIRECTORY + 1 if size < 0 else min(size, _DIRECTORY + 1))
        if len(data) > _DIRECTORY:
            raise ValueError(f"more than {_DIRECTORY} bytes at once")
        return data


def _npz(path: Path, file: BinaryIO) -> str | None:
    # What a damaged archive leads to, zipfile, zlib, lzma and numpy's reader of headers each say
    # by exceptions of their own.
    try:
        archive = zipfile.ZipFile(_InPieces(file))
        with archive, archive.open("record.npy") as member:
            data = io.BytesIO(member.read(4 * _RECORD))  # a character is four bytes
        return str(np.lib.format.read_array(data, allow_pickle=False))
    except Exception:
        return None


def _json(path: Path, file: BinaryIO) -> str | None:
    data = _whole(path, file)
    if data.count(b"[") + data.count(b"{") > _MOST_LISTS:
        return None
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not {"request", "result"} <= set(found):
        return None
    about = found.get("provenance", {})
    kept = {**(about if isinstance(about, dict) else {}), "request": found["request"]}
    return json.dumps(kept if found.get("base") is None else {**kept, "base": found["base"]})


def _whole(path: Path, file: BinaryIO) -> bytes:
    most = _LARGEST[path.suffix.lower()]
    data = file.read(most + 1)
    if len(data) > most:
        others = ", ".join(suffix for suffix in READABLE if suffix not in _LARGEST)
        raise Refused(
            f"{path.name} is larger than {in_bytes(most)}, and is not read: open another file of "
            f"the same figure ({others})"
        )
    return data


_READERS: dict[str, Callable[[Path, BinaryIO], str | None]] = {
    ".pdf": _pdf,
    ".svg": _svg,
    ".png": _png,
    ".json": _json,
    ".npz": _npz,
}
READABLE = tuple(_READERS)
"""Kinds of file that say what question they answer; rows do not."""


def record(path: Path) -> dict[str, Any]:
    """Return what a figure, a board of figures or a data file says it was made from.

    Parameters
    ----------
    path
        A file that `write` wrote.

    Raises
    ------
    Refused
        If it is of another kind, no regular file, too large, or holds no question.
    OSError
        If it cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix in ROWS:
        raise Refused(
            f"{path.name} holds rows and not the question they answer: open a PDF, SVG, PNG, JSON "
            "or NPZ of it"
        )
    if suffix not in _READERS:
        raise Refused(f"{path.name!r} does not end in {', '.join(READABLE[:-1])} or {READABLE[-1]}")
    with bounded_file.open_regular(path) as file:
        text = _READERS[suffix](path, file)
    try:
        found = json.loads(text or "null")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not any(
        isinstance(found.get(name), dict) for name in ("request", "board")
    ):
        raise Refused(
            f"{path.name} holds no question of Headscope: it was written or saved anew by another "
            "program"
        )
    return found
