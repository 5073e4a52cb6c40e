"""A file before it is written: its picture, the beginning of its text, or why there is none."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Refused
from gui.client.background import Worker, sentence
from gui.client.engine_client import EngineClient, Failure
from gui.export.jobs import Preview
from gui.export.options_form import Chosen, FigureForm
from gui.state.figure_options import MM, FigureOptions
from gui.style import palette
from gui.style.palette import theme
from gui.style.theme import UNIT
from gui.widgets.labels import Notice, plain_label

DPI = 192
"""Dots per inch of what is shown: twice a usual screen's, so that small type can be read."""
_PALE = 0.35


class PreviewPane(QStackedWidget):
    """Shows a Preview; the last one stays, paler, while another is made."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(260, 200)
        self.setAccessibleName("Preview")
        self.sheet = _Sheet()
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(palette.token_font(small=True))
        self.text.setAccessibleName("Beginning of the file")
        self.addWidget(self.sheet)
        self.addWidget(self.text)

    def show_preview(self, shown: Preview, *, transparent: bool) -> None:
        """Show how a file will be."""
        if shown.page is not None:
            self.sheet.show_page(shown, transparent=transparent)
            self.setCurrentWidget(self.sheet)
        else:
            self.text.setPlainText(shown.text)
            self.setCurrentWidget(self.text)

    def show_words(self, words: str) -> None:
        """Say that it is being made, or that there is none."""
        self.sheet.show_words(words)
        self.setCurrentWidget(self.sheet)

    def size_in_words(self) -> str:
        """Return the size of the page that is shown, empty for none."""
        return self.sheet.size_in_words() if self.currentWidget() is self.sheet else ""


class _Sheet(QWidget):
    """A page as large as there is room, on squares where it is transparent."""

    def __init__(self) -> None:
        super().__init__()
        self._page: QImage | None = None
        self._inches = (0.0, 0.0)
        self._words, self._transparent = "", False
        self.setAccessibleName("Picture of the page")

    def sizeHint(self) -> QSize:
        """Return room for a column of text and half again."""
        return QSize(440, 380)

    def show_page(self, shown: Preview, *, transparent: bool) -> None:
        """Show a page."""
        self._page, self._inches = shown.page, shown.inches
        self._words, self._transparent = "", transparent
        self.setAccessibleDescription(self.size_in_words())
        self.update()

    def show_words(self, words: str) -> None:
        """Say something over the page that was shown last."""
        self._words = words
        self.setAccessibleDescription(words)
        self.update()

    def size_in_words(self) -> str:
        """Return the size of the page, empty for none."""
        if self._page is None or self._words:
            return ""
        inches = " × ".join(f"{side:.2f}" for side in self._inches)
        mm = " × ".join(f"{side / MM:.1f}" for side in self._inches)
        return f"{inches} in, {mm} mm"

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page, and what is said over it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._page is not None:
            self._paint_page(painter, self._page)
        if self._words:
            box = QRectF(self.rect()).adjusted(UNIT, UNIT, -UNIT, -UNIT)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            said = painter.boundingRect(box, int(flags), self._words)
            painter.fillRect(said.adjusted(-UNIT, -UNIT, UNIT, UNIT), QColor(theme().card))
            painter.setPen(QColor(theme().text))
            painter.drawText(box, int(flags), self._words)
        painter.end()

    def _paint_page(self, painter: QPainter, image: QImage) -> None:
        place = self._place()
        painter.fillRect(place, QColor("white"))
        if self._transparent:
            painter.fillRect(place, QBrush(QColor("#d8d8d8"), Qt.BrushStyle.Dense4Pattern))
        painter.setOpacity(_PALE if self._words else 1.0)
        ratio = self.devicePixelRatioF()
        # Scaled at once: a painter that makes a picture smaller drops pixels.
        painter.drawImage(
            place,
            image.scaled(
                (place.size() * ratio).toSize(),
                Qt.AspectRatioMode.IgnoreAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            ),
        )
        painter.setOpacity(1.0)
        painter.setPen(QPen(QColor(theme().line)))
        painter.drawRect(place)

    def _place(self) -> QRectF:
        """Return where the page lies: as large as fits, at most twice its size in print."""
        room = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        width, height = (side * DPI for side in self._inches)
        scale = min(room.width() / width, room.height() / height, 1.0)
        left = room.x() + (room.width() - width * scale) / 2
        return QRectF(left, room.y(), width * scale, height * scale)


PATIENCE_MS = 200
"""How long after a change the preview is made: whoever types is not done yet."""


class PreviewDialog(QDialog):
    """Shows how a file will be a moment after each change, and writes it.

    A dialog says what it writes (`name`, `suffix`, `there`), how a preview is made (`drawing`)
    and a file (`save`), and what it says while it waits (`say_waiting`).

    Parameters
    ----------
    parent
        The window.
    client, worker
        The ways to the engine and to the figures.
    chosen
        What it begins with, and what it leaves for the next one.
    form
        How a figure is set.
    """

    told = Signal(str)
    """What was written or copied, in a sentence."""

    def __init__(
        self,
        parent: QWidget,
        client: EngineClient,
        worker: Worker,
        chosen: Chosen,
        form: FigureForm,
    ) -> None:
        super().__init__(parent)
        self._client, self._worker, self._chosen = client, worker, chosen
        self.form = form
        self._drawing = self._making = 0
        self._leaving = False
        self._seen: tuple[str, ...] = ()
        self.pane = PreviewPane()
        self.small = plain_label(role="small", wraps=True)
        self.notice = Notice()
        self.save_button = self.button("Save …", self.ask_where)
        self.save_button.setDefault(True)
        self.close_button = self.button("Close", self.reject)
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self.preview)
        client.progress.connect(self.say_waiting)

    @property
    def suffix(self) -> str:
        """The kind of file."""
        raise NotImplementedError

    @property
    def there(self) -> bool:
        """Whether all is there that the file is made from."""
        raise NotImplementedError

    @property
    def ready(self) -> bool:
        """Whether the preview is of what is chosen now."""
        return not (self._drawing or self._patience.isActive()) and self.there

    def name(self) -> str:
        """Return the name that is suggested for the file."""
        raise NotImplementedError

    def drawing(self, options: FigureOptions) -> Callable[[], Preview]:
        """Return what makes the preview, in the thread of the worker."""
        raise NotImplementedError

    def save(self, path: Path) -> None:
        """Write the file, and close unless there is something new to say about it."""
        raise NotImplementedError

    def say_waiting(self) -> None:
        """Say what is waited for, if something is."""
        raise NotImplementedError

    def ask_where(self) -> None:
        """Ask for the file; the dialog asks before it is overwritten."""
        kind = self.suffix[1:]
        dialog = QFileDialog(
            self, self.windowTitle(), str(self._chosen.folder), f"{kind.upper()} (*.{kind})"
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(self.name())
        dialog.fileSelected.connect(lambda chosen: self.save(Path(chosen)))
        dialog.open()

    def options(self) -> FigureOptions | None:
        """Return the options that are chosen, or say what is wrong with them."""
        try:
            return self.form.options()
        except Refused as refused:
            self.notice.show_failure(sentence(str(refused)))
            return None

    def preview(self) -> None:
        """Make the preview anew; the last one stays until it is there."""
        self._worker.forget(self._drawing)
        self._drawing = 0
        if not self.there:
            return
        options = self.options()
        if options is None:
            self.pane.show_words("No preview")
            return
        self.notice.clear()
        self.pane.show_words("Drawing …")
        show = partial(self._show, options.ground == "transparent")
        self._drawing = self._worker.do(self.drawing(options), show, self.on_no_preview)

    def fit(self) -> None:
        """Show and allow what has a meaning now."""
        self.save_button.setEnabled(self.there and not self._making)

    def make(self, number: int) -> None:
        """Note that something is being written or copied."""
        if self._patience.isActive():
            # The preview takes back what was said: not what will be said of this.
            self._patience.stop()
            self.preview()
        self._making = number
        self.fit()

    def made(self) -> None:
        """Note that nothing is being written or copied any more."""
        self._making = 0
        self.fit()

    def write(self, path: Path, work: Callable[[], tuple[str, ...]]) -> None:
        """Write a file in the thread of the worker."""
        self.make(self._worker.do(work, partial(self._on_saved, path), self.on_refused))
        self.notice.show_info(f"Writing {path.name} …")

    def on_no_preview(self, failure: Failure) -> None:
        """Say why there is no preview."""
        self._drawing = 0
        self.pane.show_words("No preview")
        self.small.setText("")
        self.notice.show_failure(sentence(failure.sentence), failure.details)

    def on_refused(self, failure: Failure) -> None:
        """Say why nothing was written or copied."""
        self.made()
        self._leaving = False
        self.notice.show_failure(sentence(failure.sentence), failure.details)

    def lay_out(
        self,
        side: QWidget,
        beside: Sequence[QWidget],
        left: Sequence[QPushButton],
        right: Sequence[QPushButton],
    ) -> None:
        """Lay the dialog out: what is chosen at the left, the preview at the right.

        Parameters
        ----------
        side
            What is chosen.
        beside
            What stands between the preview and its small print.
        left, right
            Buttons at the two ends of the last row; Save is the last of them.
        """
        shown = QVBoxLayout()
        shown.setSpacing(UNIT)
        shown.addWidget(self.pane, 1)
        for widget in (*beside, self.small):
            shown.addWidget(widget)
        middle = QHBoxLayout()
        middle.setSpacing(UNIT * 2)
        middle.addWidget(side)
        middle.addLayout(shown, 1)
        buttons = QHBoxLayout()
        for button in left:
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (*right, self.close_button, self.save_button):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT * 2, UNIT * 2, UNIT * 2, UNIT * 2)
        layout.setSpacing(UNIT)
        layout.addLayout(middle, 1)
        layout.addWidget(self.notice)
        layout.addLayout(buttons)

    def button(self, text: str, does: Callable[[], Any]) -> QPushButton:
        """Return a button that Enter does not press from elsewhere."""
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _=False: does())
        return button

    def _show(self, transparent: bool, shown: Preview) -> None:
        self._drawing = 0
        self.pane.show_preview(shown, transparent=transparent)
        self._seen = shown.told
        size = self.pane.size_in_words()
        self.small.setText("\n".join([*([size] if size else []), *map(sentence, shown.told)]))

    def _on_saved(self, path: Path, told: tuple[str, ...]) -> None:
        self.made()
        self._chosen.keep_folder(path.absolute().parent)
        said = " ".join([f"Saved {path.name}.", *map(sentence, told)])
        self.told.emit(said)
        if self._leaving or set(told) <= set(self._seen):
            self.accept()  # they stood under the preview
        else:
            self.notice.show_info(said)
