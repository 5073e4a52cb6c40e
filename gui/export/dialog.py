"""Export: how a figure is set, or which kind of data, with a preview that is the file."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Refused
from gui.engine_client import EngineClient, Failure
from gui.export import material
from gui.export.choices import Choices
from gui.export.chosen import Chosen
from gui.export.copying import copy_figure, copy_text
from gui.export.gathering import Gathering
from gui.export.material import Material, Preview
from gui.export.preview import DPI, PreviewPane
from gui.export.subjects import Subject, file_stem
from gui.export.worker import Worker, sentence
from gui.figures.options import PICTURES, FigureOptions
from gui.theme import UNIT
from gui.widgets.notice import Notice
from gui.widgets.plain_label import plain_label

PATIENCE_MS = 200
"""How long after a change the preview is made: whoever types is not done yet."""


class ExportDialog(QDialog):
    """Asks how something is to be exported, shows how it will be, and writes or copies it.

    Parameters
    ----------
    parent
        The window.
    client, worker
        The ways to the engine and to the figures.
    chosen
        What it begins with, and what it leaves for the next one.
    subjects
        What there is to be exported.
    suffixes
        The kinds of file that are offered.
    note
        Why what is seen is not among the subjects; empty where it is.
    """

    told = Signal(str)
    """What was written or copied, in a sentence."""

    def __init__(
        self,
        parent: QWidget,
        client: EngineClient,
        worker: Worker,
        chosen: Chosen,
        subjects: Sequence[Subject],
        suffixes: tuple[str, ...],
        note: str = "",
    ) -> None:
        super().__init__(parent)
        self._client, self._worker, self._chosen = client, worker, chosen
        self._gathering: Gathering | None = None
        self._material: Material | None = None
        self._drawing = self._making = 0
        self._leaving = False
        self._seen: tuple[str, ...] = ()
        self.setWindowTitle("Export figure" if suffixes[0] in PICTURES else "Export data")
        self.choices = choices = Choices(chosen, subjects, suffixes, note)
        self.what, self.kind, self.form = choices.what, choices.kind, choices.form
        choices.subject_changed.connect(self._gather)
        choices.changed.connect(self._on_changed)
        self.pane = PreviewPane()
        self.small = plain_label(role="small", wraps=True)
        self.notice = Notice()
        self.copies = {
            name: self._button(name, does)
            for name, does in (
                ("Copy picture", self.copy_picture),
                ("Copy as command", self.copy_command),
                ("Copy as Python", self.copy_python),
            )
        }
        self.save_button = self._button("Save …", self.ask_where)
        self.save_button.setDefault(True)
        self.close_button = self._button("Close", self.reject)
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._preview)
        client.progress.connect(self._say_waiting)
        self._lay_out()
        self._fit()
        self._gather()

    @property
    def subject(self) -> Subject:
        """What is to be exported."""
        return self.choices.subject

    @property
    def suffix(self) -> str:
        """The kind of file."""
        return self.choices.suffix

    @property
    def ready(self) -> bool:
        """Whether the preview is of what is chosen now."""
        return not (self._drawing or self._patience.isActive()) and self._material is not None

    def name(self) -> str:
        """Return the name that is suggested for the file."""
        return file_stem(self.subject) + self.suffix

    def save(self, path: Path) -> None:
        """Write the file, and close unless there is something new to say about it."""
        found, options = self._material, self._options()
        if found is None or options is None:
            return
        self.notice.show_info(f"Writing {path.name} …")
        work = partial(material.write, found, path, options)
        self._make(self._worker.do(work, partial(self._on_saved, path), self._on_refused))

    def ask_where(self) -> None:
        """Ask for the file; the dialog asks before it is overwritten."""
        suffix = self.suffix
        dialog = QFileDialog(
            self, self.windowTitle(), str(self._chosen.folder),
            f"{suffix[1:].upper()} (*{suffix})",
        )  # fmt: skip
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setDefaultSuffix(suffix[1:])
        dialog.selectFile(self.name())
        dialog.fileSelected.connect(lambda chosen: self.save(Path(chosen)))
        dialog.open()

    def copy_picture(self) -> None:
        """Put the figure on the clipboard, at the resolution that is chosen."""
        found, options = self._material, self._options()
        if found is not None and options is not None:
            said = partial(self._say_copied, "Copied the figure")
            self._make(copy_figure(self._worker, found, options, said, self._on_refused))

    def copy_command(self) -> None:
        """Put the command that makes the file on the clipboard."""
        self._copy_words(material.command, "Copied a command for a shell")

    def copy_python(self) -> None:
        """Put the program that makes the file on the clipboard."""
        self._copy_words(material.python, "Copied a Python program")

    def reject(self) -> None:
        """Close, after what is being written or copied."""
        if self._making:
            self._leaving = True
        else:
            super().reject()

    def done(self, result: int) -> None:
        """Want nothing more, and leave what was chosen for the next time."""
        self._patience.stop()
        if self._gathering is not None:
            self._gathering.stop()
        self._worker.forget(self._drawing)
        self._keep()
        super().done(result)

    def _make(self, number: int) -> None:
        """Note that something is being written or copied."""
        self._making = number
        self._fit()

    def _made(self) -> None:
        self._making = 0
        self._fit()

    def _copy_words(self, make: Callable[[Subject, FigureOptions, Path], str], said: str) -> None:
        options = self._options()
        if options is not None:
            work = partial(make, self.subject, options, Path(self.name()))
            told = partial(self._say_copied, said)
            self._make(copy_text(self._worker, work, told, self._on_refused))

    def _options(self) -> FigureOptions | None:
        """Return the options that are chosen, or say what is wrong with them."""
        try:
            options = self.form.options()
        except Refused as refused:
            self.notice.show_failure(sentence(str(refused)))
            return None
        return options

    def _gather(self) -> None:
        self._material = None
        if self._gathering is not None:
            self._gathering.stop()
        self._gathering = Gathering(
            self._client, self._worker, self.subject, QApplication.applicationVersion(),
            self._on_gathered, self._on_no_preview,
        )  # fmt: skip
        self._fit()
        self._say_waiting()

    def _on_gathered(self, found: Material) -> None:
        self._material = found
        self._fit()
        self._preview()

    def _preview(self) -> None:
        self._worker.forget(self._drawing)
        self._drawing = 0
        if self._material is None:
            return
        options = self._options()
        if options is None:
            self.pane.show_words("No preview")
            return
        self.notice.clear()
        self.pane.show_words("Drawing …")
        work = partial(material.preview, self._material, self.suffix, options, DPI)
        self._drawing = self._worker.do(
            work, partial(self._show, options.ground == "transparent"), self._on_no_preview
        )

    def _show(self, transparent: bool, shown: Preview) -> None:
        self._drawing = 0
        self.pane.show_preview(shown, transparent=transparent)
        self._seen = shown.told
        size = self.pane.size_in_words()
        self.small.setText("\n".join([*([size] if size else []), *map(sentence, shown.told)]))

    def _say_waiting(self) -> None:
        if self._material is None and self._gathering is not None:
            doing = self._client.doing
            self.pane.show_words(f"Waiting: {doing} …" if doing else "Waiting …")

    def _on_no_preview(self, failure: Failure) -> None:
        self._drawing = 0
        self._gathering = None if self._material is None else self._gathering
        self.pane.show_words("No preview")
        self.small.setText("")
        self.notice.show_failure(sentence(failure.sentence), failure.details)

    def _on_saved(self, path: Path, told: tuple[str, ...]) -> None:
        self._made()
        self._chosen.keep_folder(path.absolute().parent)
        said = " ".join([f"Saved {path.name}.", *map(sentence, told)])
        self.told.emit(said)
        if self._leaving or set(told) <= set(self._seen):
            self.accept()  # they stood under the preview
        else:
            self.notice.show_info(said)

    def _on_refused(self, failure: Failure) -> None:
        self._made()
        self._leaving = False
        self.notice.show_failure(sentence(failure.sentence), failure.details)

    def _say_copied(self, said: str) -> None:
        self._made()
        self.notice.show_info(f"{said}.")
        self.told.emit(said)
        if self._leaving:
            self.reject()

    def _on_changed(self) -> None:
        self._fit()
        self._patience.start()

    def _keep(self) -> None:
        self._chosen.keep_suffix(self.suffix)
        try:
            self._chosen.options = self.form.options()
        except Refused:
            return  # half a word: the next one begins as this one did

    def _fit(self) -> None:
        """Show and allow what has a meaning now."""
        self.copies["Copy picture"].setVisible(self.suffix in PICTURES)
        there = self._material is not None and not self._making
        self.save_button.setEnabled(there)
        self.copies["Copy picture"].setEnabled(there)
        for name in ("Copy as command", "Copy as Python"):
            self.copies[name].setEnabled(not self._making)

    def _button(self, text: str, does: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _=False: does())
        return button

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(UNIT)
        right.addWidget(self.pane, 1)
        right.addWidget(self.small)
        middle = QHBoxLayout()
        middle.setSpacing(UNIT * 2)
        middle.addWidget(self.choices)
        middle.addLayout(right, 1)
        buttons = QHBoxLayout()
        for button in self.copies.values():
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.save_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT * 2, UNIT * 2, UNIT * 2, UNIT * 2)
        layout.setSpacing(UNIT)
        layout.addLayout(middle, 1)
        layout.addWidget(self.notice)
        layout.addLayout(buttons)
        self.resize(820, 560)
