"""Opening and saving sessions, and the message boxes about them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QMenu, QMessageBox, QWidget

from engine.messages import Refused, printable
from gui.session import document
from gui.session.document import Document
from gui.session.settings import Settings
from gui.state import session_file
from gui.state.session_file import SUFFIX, SavedSession, is_session, name_of
from gui.widgets.forms import ask_for_file

_OK = QMessageBox.StandardButton.NoButton
"""Qt puts an OK into a box without buttons."""


def message_box(
    parent: QWidget | None, title: str, text: str, buttons: QMessageBox.StandardButton = _OK
) -> QMessageBox:
    """Return a box of plain text that is gone once it is closed; `open` shows it."""
    text = printable(text, keep="\n")
    box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, buttons, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


FILTER = f"Headscope sessions (*{SUFFIX})"
Button = QMessageBox.StandardButton


class FileMenu(QObject):
    """Opens and saves sessions, and asks about unsaved changes.

    Parameters
    ----------
    held
        The session as a document.
    """

    opened = Signal(object)
    """A SavedSession that the window is to show."""
    saved = Signal(Path)
    """The session was saved to this file."""

    def __init__(self, window: QWidget, held: Document, settings: Settings | None) -> None:
        super().__init__(window)
        self._window, self._document, self._settings = window, held, settings
        self.recent = QMenu("Open recent session", window)
        self.recent.setToolTipsVisible(True)
        self.recent.aboutToShow.connect(self._list_recent)
        held.changed.connect(self.show_title)
        self.show_title()

    def show_title(self) -> None:
        """Name the session in the window's title, with a star for unsaved changes."""
        name = self._document.name.replace("[*]", "[*][*]")
        self._window.setWindowTitle(f"{name}[*] — Headscope" if name else "Headscope")
        self._window.setWindowModified(self._document.modified)

    def open(self, path: Path) -> None:
        """Open a session file in the place of this session, whose changes are asked about.

        A file that cannot be opened changes nothing.
        """
        if self._read(path) is not None:
            # It may be this very session that is saved first: it is read again after that.
            self.when_saved(partial(self._show, path))

    def when_saved(
        self, then: Callable[[], object], discarded: Callable[[], object] | None = None
    ) -> None:
        """Go on once there are no unsaved changes, or they may be lost.

        Parameters
        ----------
        then
            What to go on with; not called where Cancel is pressed.
        discarded
            What to go on with instead where changes are thrown away.
        """
        if not self._document.modified:
            then()
            return
        box = message_box(
            self._window,
            "Unsaved changes",
            f"{self._document.name} has changes that are not saved.",
            Button.Save | Button.Discard | Button.Cancel,
        )
        box.setDefaultButton(Button.Save)

        def go_on(button: int) -> None:
            if button == Button.Discard:
                (discarded or then)()
            elif button == Button.Save:
                self.save(then)

        box.finished.connect(go_on)
        box.open()

    def save(self, then: Callable[[], object] = lambda: None) -> None:
        """Save into the session's file, or ask for one; go on with `then` once it is saved there.

        A file that another window or program has written meanwhile is asked about.
        """
        path = self._document.path
        if path is None:
            self.save_as()
        else:
            self._save_unless_changed(path, then)

    def save_as(self) -> None:
        """Ask for a file and save there."""
        name = f"{self._document.name or 'session'}{SUFFIX}"
        ask_for_file(
            self._window, "Save session as", self._folder(), FILTER,
            lambda chosen: self._save_unless_changed(_with_suffix(chosen)),
            name, SUFFIX.removeprefix("."),
        )  # fmt: skip

    def ask_which(self) -> None:
        """Ask for a session to open."""
        ask_for_file(self._window, "Open session", self._folder(), FILTER, self.open)

    def _save_unless_changed(self, path: Path, then: Callable[[], object] = lambda: None) -> None:
        if self._document.would_overwrite(path):
            self._ask_whose(path, then)
        elif self._save(path):
            then()

    def _ask_whose(self, path: Path, then: Callable[[], object]) -> None:
        """Ask which of two sessions is to be in a file that has changed under this one."""
        box = message_box(
            self._window,
            "The file has changed",
            f"Another window or program has saved {self._document.name} since it was opened or "
            "saved here. Overwrite it, save this session to another file, or open what is there "
            "now and keep this session in a file of its own?",
            Button.Cancel,
        )
        role = QMessageBox.ButtonRole.ActionRole
        ways: dict[QAbstractButton, Callable[[], object]] = {
            box.addButton("Save as another …", role): self.save_as,
            box.addButton("Overwrite", role): lambda: self._save(path) and then(),
            box.addButton("Open theirs", role): lambda: self._show(path, aside=True),
        }

        def go_on() -> None:
            ways.get(box.clickedButton(), lambda: None)()

        box.finished.connect(go_on)
        box.open()

    def _folder(self) -> Path:
        at = self._document.path
        recent = self._settings.recent_sessions() if self._settings else []
        return at.parent if at else Path(recent[0]).parent if recent else Path.home()

    def _save(self, path: Path) -> bool:
        try:
            self._document.save(path)
        except Refused as refused:
            self.tell(str(refused))
            return False
        self._remember(path)
        self.saved.emit(path)
        return True

    def _read(self, path: Path) -> SavedSession | None:
        try:
            return session_file.read(path.absolute(), own=True)
        except Refused as refused:
            self.tell(str(refused))
            return None

    def _show(self, path: Path, aside: bool = False) -> None:
        saved = self._read(path)
        if saved is None:
            return
        try:
            self._keep_what_was_never_saved(aside)
        except Refused as refused:
            self.tell(f"Nothing was opened, for this session is in no file yet: {refused}")
            return
        self.opened.emit(saved)
        self._remember(Path(saved.file))

    def _keep_what_was_never_saved(self, aside: bool) -> None:
        now, autosave = self._document.current(), self._document.autosave
        if autosave is not None and (aside or (not now.file and document.is_lost_without(now))):
            self._remember(autosave.keep(now))

    def _remember(self, path: Path) -> None:
        if self._settings is not None:
            self._settings.keep_recent_session(str(path.absolute()))

    def _list_recent(self) -> None:
        self.recent.clear()
        paths = [Path(text) for text in self._settings.recent_sessions()] if self._settings else []
        for path in paths:
            name = name_of(path).replace("&", "&&")
            action = self.recent.addAction(name, partial(self.open, path))
            action.setToolTip(str(path) if path.exists() else f"{path} is not there any more")
            action.setEnabled(path.exists())
        if not paths:
            self.recent.addAction("none yet").setEnabled(False)

    def tell(self, sentence: str) -> None:
        """Show a sentence in a box over the window."""
        message_box(self._window, "Headscope", sentence).open()


def _with_suffix(path: Path) -> Path:
    return path if is_session(path) else path.with_name(path.name + SUFFIX)
