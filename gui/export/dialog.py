"""Export: how a figure is set, or which kind of data, with a preview that is the file."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from engine.messages import Refused
from gui.client.background import Worker
from gui.client.engine_client import EngineClient, Failure
from gui.client.gather import Gathering
from gui.export import jobs
from gui.export.exportable import Subject, file_stem
from gui.export.jobs import Material, Preview, gather
from gui.export.options_form import Choices, Chosen
from gui.export.preview import DPI, PreviewDialog
from gui.export.screenshot import copy_figure, copy_text
from gui.state.figure_options import PICTURES, FigureOptions


class ExportDialog(PreviewDialog):
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
    """

    def __init__(
        self,
        parent: QWidget,
        client: EngineClient,
        worker: Worker,
        chosen: Chosen,
        subjects: Sequence[Subject],
        suffixes: tuple[str, ...],
    ) -> None:
        self.choices = choices = Choices(chosen, subjects, suffixes)
        super().__init__(parent, client, worker, chosen, choices.form)
        self._gathering: Gathering | None = None
        self._material: Material | None = None
        self.setWindowTitle("Export figure" if suffixes[0] in PICTURES else "Export data")
        self.what, self.kind = choices.what, choices.kind
        choices.subject_changed.connect(self._gather)
        choices.changed.connect(self._on_changed)
        self.copies = {
            name: self.button(name, does)
            for name, does in (
                ("Copy picture", self.copy_picture),
                ("Copy as command", self.copy_command),
                ("Copy as Python", self.copy_python),
            )
        }
        self.lay_out(choices, [], list(self.copies.values()), [])
        self.resize(820, 560)
        self.fit()
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
    def there(self) -> bool:
        """Whether the answer is there."""
        return self._material is not None

    def name(self) -> str:
        """Return the name that is suggested for the file."""
        return file_stem(self.subject) + self.suffix

    def drawing(self, options: FigureOptions) -> Callable[[], Preview]:
        """Return what makes the preview, in the thread of the worker."""
        assert self._material is not None
        return partial(jobs.preview, self._material, self.suffix, options, DPI)

    def save(self, path: Path) -> None:
        """Write the file, and close unless there is something new to say about it."""
        found, options = self._material, self.options()
        if found is not None and options is not None:
            self.write(path, partial(jobs.write, found, path, options))

    def say_waiting(self) -> None:
        """Say what the engine does before it answers."""
        if self._material is None and self._gathering is not None:
            doing = self._client.doing
            self.pane.show_words(f"Waiting: {doing} …" if doing else "Waiting …")

    def on_no_preview(self, failure: Failure) -> None:
        """Say why there is no preview; without an answer nothing is waited for either."""
        if self._material is None:
            self._gathering = None
        super().on_no_preview(failure)

    def fit(self) -> None:
        """Show and allow what has a meaning now."""
        super().fit()
        self.copies["Copy picture"].setVisible(self.suffix in PICTURES)
        self.copies["Copy picture"].setEnabled(self.there and not self._making)
        for name in ("Copy as command", "Copy as Python"):
            self.copies[name].setEnabled(not self._making)

    def copy_picture(self) -> None:
        """Put the figure on the clipboard, at the resolution that is chosen."""
        found, options = self._material, self.options()
        if found is not None and options is not None:
            said = partial(self._say_copied, "Copied the figure")
            self.make(copy_figure(self._worker, found, options, said, self.on_refused))

    def copy_command(self) -> None:
        """Put the command that makes the file on the clipboard."""
        self._copy_words(jobs.command, "Copied a command for a shell")

    def copy_python(self) -> None:
        """Put the program that makes the file on the clipboard."""
        self._copy_words(jobs.python, "Copied a Python program")

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

    def _copy_words(self, make: Callable[[Subject, FigureOptions, Path], str], said: str) -> None:
        options = self.options()
        if options is not None:
            work = partial(make, self.subject, options, Path(self.name()))
            told = partial(self._say_copied, said)
            self.make(copy_text(self._worker, work, told, self.on_refused))

    def _gather(self) -> None:
        self._material = None
        if self._gathering is not None:
            self._gathering.stop()
        self._gathering = gather(
            self._client, self._worker, self.subject, self._on_gathered, self.on_no_preview
        )
        self.fit()
        self.say_waiting()

    def _on_gathered(self, found: Material) -> None:
        self._material = found
        self.fit()
        self.preview()

    def _say_copied(self, said: str) -> None:
        self.made()
        self.notice.show_info(f"{said}.")
        self.told.emit(said)
        if self._leaving:
            self.reject()

    def _on_changed(self) -> None:
        self.fit()
        self._patience.start()

    def _keep(self) -> None:
        self._chosen.keep_suffix(self.suffix)
        try:
            self._chosen.options = self.form.options()
        except Refused:
            return  # half a word: the next one begins as this one did
