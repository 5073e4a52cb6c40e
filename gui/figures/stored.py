"""The text that a written file keeps about itself, found without drawing or running anything."""

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from engine.messages import Refused
from gui.figures.options import ROWS

_DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"
_PNG = b"\x89PNG\r\n\x1a\n"
_LARGEST = 2**26
"""Bytes of a record that is read from an archive; ours have some thousands."""


def _pdf(path: Path) -> str | None:
    # The information dictionary is written plainly, and parentheses in it are escaped.
    found = re.findall(rb"/Subject \(((?:[^\\()]|\\.)*)\)", path.read_bytes(), re.DOTALL)
    if not found:
        return None
    plain = re.sub(rb"\\(.)", rb"\1", found[-1], flags=re.DOTALL)
    return str(plain.decode("ascii", errors="replace"))


def _svg(path: Path) -> str | None:
    with path.open("rb") as file:  # iterparse closes what it opens only where it comes to the end
        try:
            for _, element in ElementTree.iterparse(file, events=("end",)):
                if element.tag == _DESCRIPTION:
                    return str(element.text)
        except ElementTree.ParseError:
            return None
    return None


def _png(path: Path) -> str | None:
    with path.open("rb") as file:
        if file.read(len(_PNG)) != _PNG:
            return None
        while len(head := file.read(8)) == 8:
            length, kind = struct.unpack(">I4s", head)
            if kind == b"IDAT":
                return None
            data = file.read(length)
            name, _, text = data.partition(b"\0")
            if kind == b"tEXt" and name == b"Description":
                return text.decode("latin-1")
            file.read(4)
    return None


def _npz(path: Path) -> str | None:
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo("record.npy").file_size > _LARGEST:
                return None
            data = io.BytesIO(archive.read("record.npy"))
        return str(np.lib.format.read_array(data, allow_pickle=False))
    except (KeyError, ValueError, zipfile.BadZipFile, zlib.error, EOFError, MemoryError):
        return None


def _json(path: Path) -> str | None:
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not {"request", "result"} <= set(found):
        return None
    about = found.get("provenance", {})
    kept = {**(about if isinstance(about, dict) else {}), "request": found["request"]}
    return json.dumps(kept if found.get("base") is None else {**kept, "base": found["base"]})


_READERS: dict[str, Callable[[Path], str | None]] = {
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
        If it is of another kind, or holds no question.
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
    text = _READERS[suffix](path)
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
