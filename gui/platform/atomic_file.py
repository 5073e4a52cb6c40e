"""Files that are written whole or not at all, whenever the process is killed.

Every file that Headscope writes goes through here, but for the log, which grows, and Qt's settings.
"""

import contextlib
import errno
import os
import re
import shutil
import stat
from pathlib import Path

from engine.messages import Refused

try:
    import fcntl
except ImportError:  # Windows removes no file that is open, and needs no lock
    fcntl = None  # type: ignore[assignment]

_PART = re.compile(r"\.headscope-[0-9a-f]{16}\.part")
# What stands at a name that nobody can guess, such as a link to a file of ours, is not written to.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


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


def check(path: Path) -> None:
    """Refuse a path at which no file can be written whole.

    Raises
    ------
    Refused
        If there is a folder, a pipe or a device.
    """
    mode = _mode(path)
    if mode is None or stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise Refused(f"{path} is a folder: name a file in it")
    raise Refused(f"{path} is a pipe or a device: name a file, which can be written whole")


def write(path: Path, data: bytes) -> None:
    """Write a file whole: what was there stays until the new one is complete on the disk.

    A link stays a link, and the file that it leads to is written. Who may read and write a file
    stays as it was. Another name of the same file (a hard link) keeps what was there.

    Raises
    ------
    Refused
        If there is a folder, a pipe or a device.
    OSError
        If it cannot be written; it names `path`, and what was there is as it was.
    """
    check(path)
    target = Path(os.path.realpath(path))
    _clean(target.parent)
    try:
        if target.is_symlink():  # one that leads to itself
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        before = target.exists()
        if before and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        # Nobody else may read what takes the place of a file that nobody else may read.
        handle, part = _new_part(target.parent, 0o600 if before else 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                if before:
                    _keep_rights(target, part)
                if fcntl is None:
                    file.close()  # Windows moves no file that is open
                part.replace(target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        # The user named this file, and not the one in between.
        raise OSError(error.errno, error.strerror, str(path)) from error


def _mode(path: Path) -> int | None:
    try:
        return os.stat(path).st_mode
    except OSError:  # nothing is there, or writing says what is wrong
        return None


def _new_part(folder: Path, mode: int) -> tuple[int, Path]:
    """Return a new file that is locked while it is open, and where it is."""
    while True:
        part = folder / f".headscope-{os.urandom(8).hex()}.part"
        handle = os.open(part, _NEW, mode)
        try:
            _lock(handle)
        except BlockingIOError:  # just taken for a dead process's
            os.close(handle)
            continue
        except OSError:
            return handle, part  # a file system without locks, on which nothing is cleaned
        if os.fstat(handle).st_nlink:
            return handle, part
        os.close(handle)


def _keep_rights(target: Path, part: Path) -> None:
    """Give a file the owner, the mode and the extended attributes of another, as far as allowed."""
    about = target.stat()
    with contextlib.suppress(OSError, AttributeError):
        os.chown(part, about.st_uid, about.st_gid)
    with contextlib.suppress(OSError):
        shutil.copystat(target, part)
        os.utime(part)


def _clean(folder: Path) -> None:
    """Remove what processes of this user that were killed while they wrote have left."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if _PART.fullmatch(name):
                _remove_dead(folder / name)


def _remove_dead(part: Path) -> None:
    if fcntl is None:
        with contextlib.suppress(OSError):
            part.unlink()
        return
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with contextlib.suppress(OSError):
        handle = os.open(part, flags)
        try:
            about = os.fstat(handle)
            if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid():
                _lock(handle)
                part.unlink()
        finally:
            os.close(handle)


def _lock(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
