"""What is dragged onto the window from a file manager, and what becomes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from engine.messages import Refused
from gui.session.model_opener import Opening
from gui.session.session import Session
from gui.state.file_kinds import TAKES, Kind, kind_of, read_text


class Target(NamedTuple):
    """What a dropped file can change."""

    session: Session
    opening: Opening
    open_session: Callable[[Path], None]
    open_figure: Callable[[Path], None]


def _open_model(target: Target, path: Path) -> None:
    target.opening.open(str(path))


def _open_session(target: Target, path: Path) -> None:
    target.open_session(path)


def _open_figure(target: Target, path: Path) -> None:
    target.open_figure(path)


def _take_text(target: Target, path: Path) -> None:
    target.session.set_text(read_text(path))


TAKERS: dict[Kind, Callable[[Target, Path], None]] = {
    "model": _open_model,
    "session": _open_session,
    "figure": _open_figure,
    "text": _take_text,
}
"""What is done with each kind of file."""


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
        kind = kind_of(path)
        heading = f"{path.name} was not opened"
        if kind is None:
            self.refused.emit(heading, f"The window takes {TAKES}; this is none of them.")
            return
        try:
            TAKERS[kind](self._target, path)
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
