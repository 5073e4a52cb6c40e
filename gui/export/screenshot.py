"""Pictures of the window or of a panel, size times scale pixels exactly; and the clipboard."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from engine.messages import Refused
from gui.client.background import Worker
from gui.client.engine_client import Failure
from gui.export.jobs import AnswerInputs
from gui.platform import atomic_file
from gui.state.figure_options import FigureOptions
from gui.style.palette import theme

SCALES = (1, 2, 3, 4)


def picture(widget: QWidget, scale: int = 1, area: QRect | None = None) -> QImage:
    """Return what a widget shows, drawn anew at a scale and not enlarged.

    Parameters
    ----------
    widget
        Any widget, shown or not.
    scale
        Pixels per unit of the widget's size.
    area
        Part of the widget, all of it if none.
    """
    area = area or widget.rect()
    image = QImage(area.size() * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(theme().window))
    painter = QPainter(image)
    widget.render(painter, QPoint(), QRegion(area))
    painter.end()
    return image


def save(image: QImage, path: Path) -> None:
    """Write a PNG, whole or not at all.

    Raises
    ------
    Refused
        If it cannot be written there.
    """
    data = QBuffer()
    writer = QImageWriter(data, QByteArray(b"png"))
    if not (data.open(QIODevice.OpenModeFlag.WriteOnly) and writer.write(image)):
        raise Refused(f"cannot write {path}: {writer.errorString()}")
    try:
        atomic_file.write(path, bytes(data.data().data()))
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from error


def copy(image: QImage) -> None:
    """Put a picture on the clipboard."""
    QApplication.clipboard().setImage(image)


Done = Callable[[], object]
Failed = Callable[[Failure], object]


def copy_text(worker: Worker, make: Callable[[], str], done: Done, failed: Failed) -> int:
    """Put a text on the clipboard once it is made; return the number of that work."""

    def then(text: str) -> None:
        QApplication.clipboard().setText(text)
        done()

    return worker.do(make, then, failed)


def copy_figure(
    worker: Worker, found: AnswerInputs, options: FigureOptions, done: Done, failed: Failed
) -> int:
    """Put a figure on the clipboard, at the resolution of its options; return as `copy_text`."""

    def then(drawn: tuple[bytes, tuple[str, ...]]) -> None:
        copy(QImage.fromData(drawn[0]))
        done()

    return worker.do(partial(found.picture, options), then, failed)
