"""The session as a document: its file, its unsaved changes, and the copy kept for a crash."""

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, QTimer, Signal

from engine.messages import Refused
from gui.session.history import settled
from gui.session.session import Session
from gui.session.settings import Settings
from gui.state import session_file
from gui.state.session_file import SUFFIX, SavedSession, WindowState

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
        except Exception as error:  # the future is not read
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


AUTOSAVE_MS = 2000
"""How long after a change the copy is written: what a crash can lose."""


class Document(QObject):
    """What a session file holds, gathered from the window; where it is saved, and whether.

    Parameters
    ----------
    capture
        Tells how the window lies.
    """

    changed = Signal()
    """Name of the session, or whether it has unsaved changes."""

    def __init__(
        self,
        session: Session,
        capture: Callable[[], WindowState],
        autosave: Autosave | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._capture, self.autosave = session, capture, autosave
        self._saved: SavedSession | None = None
        self._digest = ""
        self._told = ("", False)
        self._discarded = False
        self.path: Path | None = None
        """The file that the session was last saved to or opened from, if it ever was."""
        self._look = QTimer(self, interval=0, singleShot=True)
        self._look.timeout.connect(self._tell)
        self._copy = QTimer(self, interval=AUTOSAVE_MS, singleShot=True)
        self._copy.timeout.connect(self.keep)
        session.changed.connect(self.note)
        session.favourites.changed.connect(self.note)
        session.board.changed.connect(self.note)

    @property
    def name(self) -> str:
        """What the session is called, empty where it was never saved."""
        return session_file.name_of(self.path) if self.path else ""

    def current(self) -> SavedSession:
        """Return all that a session file would hold now."""
        return SavedSession(
            self._session.selection,
            self._capture(),
            self._session.favourites.all,
            self._session.board.kept,
            str(self.path) if self.path else "",
            self._digest,
        )

    @property
    def modified(self) -> bool:
        """Whether a session that has a file differs from what is in it."""
        if self.path is None:
            return False
        return self._saved is None or differ(self.current(), self._saved)

    def begin(self, saved: SavedSession) -> None:
        """Take on a session, as it was read from a file or as the copy has it."""
        self._session.show(saved.selection)
        self._session.favourites.show(saved.favourites)
        self._session.board.show(saved.board)
        self.path, self._saved = Path(saved.file) if saved.file else None, None
        self._digest = saved.digest
        if self.path is not None:
            try:
                self._saved = session_file.read(self.path, own=True)
                # A copy of an earlier Headscope does not say what was in the file.
                self._digest = self._digest or self._saved.digest
            except Refused:
                self._saved = None  # it is gone: all of it is unsaved
        self.note()

    def would_overwrite(self, path: Path) -> bool:
        """Return whether a session's own file is not what it was read from or saved as.

        Another window or program has written it since then.
        """
        if path.absolute() != self.path:
            return False  # it was named just now
        try:
            return session_file.digest_of(self.path) != self._digest
        except FileNotFoundError:
            return False
        except (Refused, OSError):
            return True

    def save(self, path: Path) -> None:
        """Write the session to a file, which is its file from then on.

        Raises
        ------
        Refused
            If it cannot be written.
        """
        path = path.absolute()
        saved = replace(self.current(), file="", digest="")
        self._digest = session_file.write(path, saved)
        self.path, self._saved = path, saved
        self.keep()
        self._tell()

    def note(self, *_: object) -> None:
        """Learn that something may have changed."""
        self._look.start()
        if self.autosave is not None and not self._copy.isActive():
            self._copy.start()

    def keep(self) -> None:
        """Write the copy now."""
        self._copy.stop()
        if self.autosave is not None:
            self.autosave.write(self.current())

    def discard(self) -> None:
        """Throw unsaved changes away: the next start has the session as its file has it."""
        self._discarded = True

    def close(self) -> None:
        """Write the copy for the next start; nothing is kept after that."""
        self._look.stop()
        if self._discarded and self._saved is not None and self.autosave is not None:
            self._copy.stop()
            self.autosave.write(replace(self._saved, file=str(self.path), digest=self._digest))
        else:
            self.keep()
        if self.autosave is not None:
            self.autosave.close()
            self.autosave = None  # the file may be another window's by now

    def _tell(self) -> None:
        now = (self.name, self.modified)
        if now != self._told:
            self._told = now
            self.changed.emit()


def differ(one: SavedSession, other: SavedSession) -> bool:
    """Return whether one session has something that another has not, places of cards aside."""
    windows = (one.window, other.window)
    lies_alike = WindowState() in windows or _cards(one.window) == _cards(other.window)
    return not lies_alike or _content(one) != _content(other)


def is_lost_without(saved: SavedSession | None) -> bool:
    """Return whether a copy holds work that is in no other file.

    A selection alone is none: it is quickly made again.
    """
    if saved is None:
        return False
    if not saved.file:
        return bool(saved.favourites or saved.board)
    try:
        return differ(saved, session_file.read(Path(saved.file)))
    except Refused:
        return True


def _content(saved: SavedSession) -> tuple[object, ...]:
    return settled(saved.selection), saved.favourites, saved.board


def _cards(window: WindowState) -> tuple[str, frozenset[str]]:
    return window.layout, frozenset(window.cards)


class FirstSession(NamedTuple):
    """A session, `None` at the very first start; and a sentence on what went wrong."""

    saved: SavedSession | None
    trouble: str = ""


def find(path: Path | None, autosave: Autosave | None, settings: Settings | None) -> FirstSession:
    """Return the session to begin with; one that another takes the place of is not lost.

    Parameters
    ----------
    path
        A session file, or none for the last session.
    """
    last, trouble = None, ""
    try:
        last = autosave.read() if autosave else None
    except Refused as refused:
        trouble = str(refused)
    if path is None:
        return FirstSession(last, trouble)
    try:
        saved = session_file.read(path.absolute(), own=True)
        if autosave and last and is_lost_without(last):
            kept = autosave.keep(last)
            trouble = f"The session that was open before was not saved; it is kept in {kept}."
            if settings:
                settings.keep_recent_session(str(kept))
    except Refused as refused:
        return FirstSession(last, str(refused))
    if settings:
        settings.keep_recent_session(saved.file)
    return FirstSession(saved, trouble)
