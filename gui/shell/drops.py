"""What is dragged onto the window from a file manager, and what becomes of it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from engine.messages import Refused
from gui.client.background import sentence
from gui.state.file_kinds import TAKES, Kind, kind_of


class Drops(QObject):
    """Takes files that are dropped on a widget, or says why not.

    Parameters
    ----------
    widget
        The window; what lies in it and takes drops of its own comes first.
    openers
        What is done with a file of each kind.
    """

    refused = Signal(str, str)
    """What was not taken, and why."""
    taken = Signal()
    """Something was taken."""

    def __init__(self, widget: QWidget, openers: Mapping[Kind, Callable[[Path], object]]) -> None:
        super().__init__(widget)
        self._openers = openers
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
            self._openers[kind](path)
            self.taken.emit()
        except Refused as refusal:
            self.refused.emit(heading, sentence(str(refusal)))

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
