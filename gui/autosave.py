"""The copy of the session that the window keeps by itself, so that a crash loses seconds."""

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, Signal

from engine.messages import Refused
from gui import session_file
from gui.session_file import SUFFIX, SavedSession

NAME = "last"


def data_folder() -> Path:
    """Return where Headscope keeps what it writes by itself, such as `~/.local/share/headscope`."""
    place = QStandardPaths.StandardLocation.GenericDataLocation
    return Path(QStandardPaths.writableLocation(place)) / "headscope"


class Autosave(QObject):
    """A session file of one window; two windows never share one.

    A second window takes another file, and the next start goes on with the newest that no window
    has. Files are written in a thread of their own, in the order in which they are asked for.

    Parameters
    ----------
    folder
        Where the files lie.
    """

    failed = Signal(str)
    """The sentence of what could not be written."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._writer: ThreadPoolExecutor | None = None
        self._told = ""
        with contextlib.suppress(OSError):  # said at the first write
            folder.mkdir(parents=True, exist_ok=True)
        self.path, self._lock = self._free_file()

    @property
    def trouble(self) -> str:
        """The sentence of what could not be written last, empty where all was."""
        return self._told

    def read(self) -> SavedSession | None:
        """Return the session of the last time, or none at the first.

        Raises
        ------
        Refused
            If it is damaged; it is put aside then, and the sentence says where.
        """
        if not self.path.exists():
            return None
        try:
            return session_file.read(self.path)
        except Refused as refused:
            aside = self._new_file("damaged")
            with contextlib.suppress(OSError):
                self.path.replace(aside)
            raise Refused(f"The last session was not reopened: {refused}; see {aside}") from None

    def write(self, saved: SavedSession) -> None:
        """Keep a session, soon."""
        self.later(lambda: session_file.write(self.path, saved))

    def keep(self, saved: SavedSession) -> Path:
        """Write a session that another one takes the place of into a file of its own, now.

        Raises
        ------
        Refused
            If it cannot be written.
        """
        path = self._new_file("unsaved")
        session_file.write(path, replace(saved, file="", digest=""))
        return path

    def later(self, work: Callable[[], object]) -> None:
        """Do something in the thread that writes, after all it was asked for before."""
        if self._writer is None:
            self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="autosave")
        self._writer.submit(self._do, work)

    def close(self) -> None:
        """Wait until all is written, and let another window have the file."""
        if self._writer is not None:
            self._writer.shutdown()
            self._writer = None
        self._lock.unlock()

    def _do(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # nobody else learns of it: the future is not read
            sentence = str(error)
        else:
            sentence = ""
        if sentence and sentence != self._told:
            self.failed.emit(sentence)
        self._told = sentence

    def _new_file(self, name: str) -> Path:
        """Return a file that no other window has either; it is there, empty."""
        for number in count(1):
            path = self._folder / f"{name}-{number}{SUFFIX}"
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                continue
            except OSError:
                pass  # writing it will say why
            return path
        raise AssertionError("numbers do not end")

    def _free_file(self) -> tuple[Path, QLockFile]:
        """Take the newest file that no other window has."""
        found = sorted(self._folder.glob(f"{NAME}*{SUFFIX}"), key=_changed, reverse=True)
        new = (self._folder / f"{NAME}-{number}{SUFFIX}" for number in count(1))
        for path in chain(found, new):
            lock = QLockFile(f"{path}.lock")
            lock.setStaleLockTime(0)  # however old: a window may be open for days
            if lock.tryLock(0) or lock.error() != QLockFile.LockError.LockFailedError:
                return path, lock
        raise AssertionError("numbers do not end")


def _changed(path: Path) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
