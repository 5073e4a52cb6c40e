"""Export: how a figure is set, or which kind of data, with a preview that is the file."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from gui.engine_client import EngineClient
from gui.export.chosen import Chosen
from gui.export.subjects import Subject
from gui.export.worker import Worker


class ExportDialog(QDialog):
    """Asks how something is to be exported."""

    saved = Signal(Path)
    copied = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        client: EngineClient,
        worker: Worker,
        chosen: Chosen,
        subjects: Sequence[Subject],
        suffixes: tuple[str, ...],
    ) -> None:
        super().__init__(parent)
