"""Files that are written whole or not at all, whenever the process is killed."""

import contextlib
import os
from pathlib import Path

from engine.messages import Refused


def parse(text: str) -> Path:
    """Return the path of a file that is to be written, as a command line names it.

    Raises
    ------
    Refused
        If it names a folder.
    """
    if text.endswith(("/", os.sep)):
        raise Refused(f"{text!r} is the name of a folder: leave {text[-1]!r} at its end out")
    return Path(text)


def write(path: Path, data: bytes) -> None:
    """Write a file whole: what was there stays until the new one is complete on the disk.

    Raises
    ------
    OSError
        If it cannot be written; it names `path`, and what was there is as it was.
    """
    # A link stays a link: the file that it leads to is replaced.
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        # The user named this file, and not the one in between.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def clean(path: Path) -> None:
    """Remove what processes that were killed while they wrote a file have left beside it."""
    target = Path(os.path.realpath(path))
    for part in _parts(target):
        writer = part.name.removeprefix(f".{target.name}.").removesuffix(".part")
        if writer.isdecimal() and not _runs(int(writer)):
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def _parts(target: Path) -> list[Path]:
    try:
        names = os.listdir(target.parent)
    except OSError:
        return []
    found = [n for n in names if n.startswith(f".{target.name}.") and n.endswith(".part")]
    return [target.with_name(name) for name in found]


def _runs(process: int) -> bool:
    import psutil  # rarely needed, and the window is there sooner without it

    return process == os.getpid() or psutil.pid_exists(process)
