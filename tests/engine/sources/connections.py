"""Tells of each connection, and of each process that is not known to make none.

Audit hooks see every call, whoever holds a reference to it. The standard library starts processes
to ask the system (`ctypes.util` runs ldconfig, `platform` uname), and a tokenizer is tried in one
that imports nothing that could connect.
"""

import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from engine.sources import tokenizer

CONNECTIONS = (
    *("socket.connect", "socket.sendto", "socket.sendmsg"),
    *("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"),
)
PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
STANDARD = Path(sysconfig.get_path("stdlib"))
OTHERS = Path(sysconfig.get_path("purelib"))

Tell = Callable[[str], object]
_told: list[Tell] = []
"""Who is told, the last one alone; a hook that is there stays for ever."""


def forbid(tell: Tell) -> None:
    """Tell from now on of what is tried: the event, its arguments and the caller."""
    if not _told:
        sys.addaudithook(_hook)
    _told.append(tell)


@contextmanager
def forbidden(tell: Tell) -> Iterator[None]:
    """Tell of what is tried within."""
    forbid(tell)
    try:
        yield
    finally:
        _told[:] = [lambda what: None]


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event in CONNECTIONS or event in PROCESSES:
        caller = _caller(sys._getframe(1))
        path = Path(caller.f_code.co_filename) if caller else Path()
        standard = path.is_relative_to(STANDARD) and not path.is_relative_to(OTHERS)
        if event in CONNECTIONS or not (standard or path == Path(tokenizer.__file__)):
            line = caller.f_lineno if caller else 0
            _told[-1](f"{event} {arguments} by {path.name}:{line}")


def _caller(frame: FrameType | None) -> FrameType | None:
    """Return who called, outside of the modules that make connections and start processes."""
    while frame and frame.f_globals.get("__name__") in ("subprocess", "socket", "os"):
        frame = frame.f_back
    return frame
