"""Read files from outside: regular files only, never more of them than the caller allows."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from engine.messages import Refused, in_bytes

# Without it, to open a named pipe waits for a writer; Windows has neither flag nor such pipes.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, following links.

    Raises
    ------
    Refused
        If it is a named pipe, a socket or a device, reading which may never end.
    OSError
        If it cannot be opened; a folder is an IsADirectoryError.
    """
    handle = os.open(path, _FLAGS)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise Refused(f"{path.name} is a pipe or a device, not a file: only files are read")


def check_regular(path: Path) -> int:
    """Return the size of a file, which a library is to open itself.

    Raises
    ------
    Refused
        If it is no regular file.
    OSError
        If it cannot be opened.
    """
    with open_regular(path) as file:
        return os.fstat(file.fileno()).st_size


def read(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file.

    Parameters
    ----------
    path : Path
        The file; links are followed.
    most : int
        Bytes that it may have.

    Raises
    ------
    Refused
        If it is no regular file, or larger; no more than `most` + 1 bytes are read.
    OSError
        If it cannot be read.
    """
    with open_regular(path) as file:
        # The size is not asked for: some files (of /proc, or one that grows) say 0 or too little.
        data = file.read(most + 1)
    if len(data) > most:
        raise Refused(f"{path.name} is larger than {in_bytes(most)}, which no such file is")
    return data
