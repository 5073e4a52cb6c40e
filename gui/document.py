"""The session as a document: its file, what is not saved yet, and the copy kept by itself."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engine.messages import Refused
from gui import session_file
from gui.autosave import Autosave
from gui.history import settled
from gui.session import Session
from gui.session_file import SavedSession, WindowState

AUTOSAVE_MS = 2000
"""How long after a change the copy is written: what a crash can lose."""


class Document(QObject):
    """What a session file holds, gathered from the window; where it is saved, and whether.

    Parameters
    ----------
    session
        What is selected, and the favourites.
    capture
        Tells how the window lies.
    autosave
        Keeps a copy; none keeps none.
    parent
        The window.
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

    @property
    def board(self) -> list[Any]:
        """Plain JSON values that are kept with the session; never changed in place."""
        return self._session.board.kept

    def current(self) -> SavedSession:
        """Return all that a session file would hold now."""
        return SavedSession(
            self._session.selection,
            self._capture(),
            self._session.favourites.all,
            self.board,
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
                self._saved = session_file.read_own(self.path)
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
            return False  # somebody has just named it
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


def read(path: Path) -> SavedSession:
    """Read a session file that is to be the session's own from then on.

    Raises
    ------
    Refused
        If it cannot be opened.
    """
    return session_file.read_own(path.absolute())


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
