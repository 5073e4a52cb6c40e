"""What is made in the worker's thread, and then put on the clipboard."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gui import screenshot
from gui.engine_client import Failure
from gui.export import material
from gui.export.material import Material
from gui.export.worker import Worker
from gui.figures.options import FigureOptions

Told = Callable[[], object]
Failed = Callable[[Failure], object]


def copy_text(worker: Worker, make: Callable[[], str], told: Told, failed: Failed) -> int:
    """Put a text on the clipboard once it is made; return the number of that work."""

    def then(text: str) -> None:
        QApplication.clipboard().setText(text)
        told()

    return worker.do(make, then, failed)


def copy_figure(
    worker: Worker, found: Material, options: FigureOptions, told: Told, failed: Failed
) -> int:
    """Put a figure on the clipboard, at the resolution of its options; return as `copy_text`."""

    def then(drawn: tuple[bytes, tuple[str, ...]]) -> None:
        screenshot.copy(QImage.fromData(drawn[0]))
        told()

    return worker.do(partial(material.picture, found, options), then, failed)
