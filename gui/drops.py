"""What is dragged onto the window from a file manager, and what becomes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from engine.messages import Refused
from gui.export.opening import is_figure
from gui.numbers import size
from gui.opening import Opening
from gui.session import Session
from gui.session_file import SUFFIX, is_session

LARGEST_TEXT = 64 * 2**10
"""Bytes of a text file that are read: some 16,000 tokens, at which a pattern takes a GB."""
TEXTS = (".txt", ".md", ".text")


class Target(NamedTuple):
    """What a dropped file can change."""

    session: Session
    opening: Opening
    open_session: Callable[[Path], None]
    open_figure: Callable[[Path], None]


class Kind(NamedTuple):
    """A kind of file: what it is called, how it is told, and what is done with one."""

    name: str
    fits: Callable[[Path], bool]
    take: Callable[[Target, Path], None]


def read_text(path: Path) -> str:
    """Return the text of a file, without the line end that editors put last.

    Raises
    ------
    Refused
        If it is too big, is no UTF-8 text, or cannot be read.
    """
    try:
        length = path.stat().st_size
        if length > LARGEST_TEXT:
            raise Refused(
                f"it holds {size(length)}, and a prompt is at most {size(LARGEST_TEXT)}: "
                "drop a shorter part of it"
            )
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("it is not text in UTF-8: save it as that") from error
    except OSError as error:
        raise Refused(f"it cannot be read: {error.strerror}") from error
    text = text.replace("\r\n", "\n")
    if "\0" in text:
        raise Refused("it is not text: it holds bytes of value 0")
    return text.removesuffix("\n")


def _open_model(target: Target, path: Path) -> None:
    target.opening.open(str(path))


def _open_session(target: Target, path: Path) -> None:
    target.open_session(path)


def _open_figure(target: Target, path: Path) -> None:
    target.open_figure(path)


def _take_text(target: Target, path: Path) -> None:
    target.session.set_text(read_text(path))


KINDS = (
    Kind("a model folder", Path.is_dir, _open_model),
    Kind("a GGUF file", lambda path: path.suffix.lower() == ".gguf", _open_model),
    Kind(f"a session (*{SUFFIX})", is_session, _open_session),
    Kind("a figure that Headscope wrote", is_figure, _open_figure),
    Kind("a text file (.txt)", lambda path: path.suffix.lower() in TEXTS, _take_text),
)
"""What can be dropped; the first that fits is what it is."""


class Drops(QObject):
    """Takes files that are dropped on a widget, or says why not.

    Parameters
    ----------
    widget
        The window; what lies in it and takes drops of its own comes first.
    target
        What a dropped file can change.
    """

    refused = Signal(str, str)
    """What was not taken, and why."""
    taken = Signal()
    """Something was taken."""

    def __init__(self, widget: QWidget, target: Target) -> None:
        super().__init__(widget)
        self._target = target
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def take(self, paths: list[Path]) -> None:
        """Take what was dropped: one file or folder."""
        if len(paths) != 1:
            self.refused.emit(f"{len(paths)} files were dropped", "Drop one at a time.")
            return
        path = paths[0]
        kind = next((kind for kind in KINDS if kind.fits(path)), None)
        heading = f"{path.name} was not opened"
        if kind is None:
            names = [kind.name for kind in KINDS]
            what = f"{', '.join(names[:-1])} and {names[-1]}"
            self.refused.emit(heading, f"The window takes {what}; this is none of them.")
            return
        try:
            kind.take(self._target, path)
            self.taken.emit()
        except Refused as refusal:
            said = str(refusal)
            self.refused.emit(heading, f"{said[:1].upper()}{said[1:]}.")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what is dragged in if it is a file of this computer."""
        if isinstance(event, QDragEnterEvent | QDragMoveEvent):
            if _files(event.mimeData()):
                event.acceptProposedAction()
                return True
        elif isinstance(event, QDropEvent) and (paths := _files(event.mimeData())):
            event.acceptProposedAction()
            self.take(paths)
            return True
        return super().eventFilter(watched, event)


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
