"""A session as one JSON file: what is selected, how the window lies, favourites, the board.

No Qt in here: a session is read where there is no display, too.
"""

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from engine import bounded_file
from engine.messages import MEASURES, Head, Refused, from_plain, to_plain
from gui.platform import atomic_file
from gui.state.selection import Selection

SUFFIX = ".headscope.json"
KIND = "session"
VERSION = 1
"""Of the format. A file of an older version opens: what it lacks has its default. Count up when
a file of today would be misread by the Headscope of yesterday."""
LARGEST = 20 * 2**20
"""Bytes of a file that is read at all."""
_MOST = 2**31 - 1


@dataclass(frozen=True)
class Favourite:
    """A head marked by the user, and a note about it."""

    model: str
    head: Head
    note: str = ""


@dataclass(frozen=True)
class WindowState:
    """How the window lies; what is empty is left as it is.

    The name of the layout last chosen, the titles of the open cards, and Qt's own records of
    window and cards in base64.
    """

    layout: str = ""
    cards: tuple[str, ...] = ()
    geometry: str = ""
    docks: str = ""


@dataclass(frozen=True)
class SavedSession:
    """All that a session file holds.

    `board` is a list of plain JSON values that is kept as it is. `file` and `digest` are only in
    the copy that the window keeps by itself: the file that the session was last saved to or opened
    from, and what was in it then.
    """

    selection: Selection = field(default_factory=Selection)
    window: WindowState = WindowState()
    favourites: tuple[Favourite, ...] = ()
    board: list[Any] = field(default_factory=list)
    file: str = ""
    digest: str = field(default="", compare=False)


def is_session(path: Path) -> bool:
    """Return whether a file is a session by its name."""
    return path.name.lower().endswith(SUFFIX)


def name_of(path: Path) -> str:
    """Return what a session is called: its file's name without the suffix."""
    return path.name[: -len(SUFFIX)] if is_session(path) else path.name


def read(path: Path, *, own: bool = False) -> SavedSession:
    """Read a session file.

    Parameters
    ----------
    path
        The file.
    own
        Whether it is the session's own file from then on, which the session then says.

    Raises
    ------
    Refused
        If it cannot be read or is no session, whatever is in it; the sentence says what is wrong.
    """
    try:
        data = bounded_file.read(path, LARGEST)
        saved = decode(data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Refused(f"cannot open {path}: {reason}") from None
    except Refused as refused:
        raise Refused(f"cannot open {path.name}: {refused}") from None
    return replace(saved, file=str(path), digest=digest(data)) if own else saved


def digest(data: bytes) -> str:
    """Return what the bytes of a session file are known by."""
    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str:
    """Return what the bytes of a session file are known by now.

    Raises
    ------
    Refused or OSError
        As `bounded_file.read` does.
    """
    return digest(bounded_file.read(path, LARGEST))


def write(path: Path, saved: SavedSession) -> str:
    """Write a session file, whole or not at all, and return its digest.

    Raises
    ------
    Refused
        If it cannot be written; what was there is as it was.
    """
    try:
        data = encode(saved)
        atomic_file.write(path, data)
        return digest(data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Refused(f"cannot save {path}: {reason}") from None


def encode(saved: SavedSession) -> bytes:
    """Return the bytes of a session file."""
    record = to_plain(replace(saved, board=[])) | {"board": saved.board}
    if not saved.file:
        del record["file"], record["digest"]
    text = json.dumps(
        {"headscope": KIND, "version": VERSION, **record}, indent=1, ensure_ascii=False
    )
    # Half a surrogate pair, which UTF-8 lacks, becomes what JSON writes for it.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def decode(data: bytes) -> SavedSession:
    """Read the bytes of a session file.

    Raises
    ------
    Refused
        If they are no session; the sentence says what is wrong.
    """
    try:
        record = json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise Refused("it is not text in UTF-8, so it is damaged or no session") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(
            f"it is not JSON, so it is damaged or no session: {error.msg} at {where}"
        ) from None
    except (RecursionError, ValueError):
        raise Refused(
            "it is not JSON of a session: it is nested too deeply, or a number in it is too long"
        ) from None
    if not isinstance(record, dict) or record.get("headscope") != KIND:
        raise Refused(f'it is no session: it does not begin with "headscope": "{KIND}"')
    version = record.get("version")
    if type(version) is not int or version < 1:
        raise Refused("it is damaged: its version is not a number from 1 on")
    if version > VERSION:
        raise Refused(
            f"it was saved by a newer Headscope (format {version}, and this one reads up to "
            f"{VERSION}): update Headscope to open it"
        )
    given = {name: value for name, value in record.items() if name not in ("headscope", "version")}
    board = given.pop("board", [])
    if not isinstance(board, list):
        raise Refused("its board is not a list")
    saved: SavedSession = from_plain(SavedSession, given, "a session")
    _check(saved)
    return replace(saved, board=board)


def _check(saved: SavedSession) -> None:
    """Refuse what has the right type and cannot be."""
    now = saved.selection
    if not now.model or not all(favourite.model for favourite in saved.favourites):
        raise Refused("the field 'model' is empty")
    if now.measure != "pattern" and now.measure not in MEASURES:
        raise Refused(f"there is no measure {now.measure!r}")
    if now.difference and not now.heads_off:
        raise Refused("it shows the difference to the whole model with no head switched off")
    heads = [now.head, *now.heads_off, *(now.pair or ()), *(f.head for f in saved.favourites)]
    numbers = [now.query, now.source, now.ov.token, now.qk.token]
    for number in (*numbers, *(part for head in heads for part in head)):
        if number is not None and not 0 <= number <= _MOST:
            raise Refused(f"{str(number)[:20]} is no position, token or head")


def _no_number(name: str) -> NoReturn:
    raise Refused(f"{name} is not JSON")
