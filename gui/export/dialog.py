"""Export: how a figure is set, or which kind of data, with a preview that is the file."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QWidget

from engine.messages import Refused
from gui.client.background import Worker, sentence
from gui.client.engine_client import EngineClient, Failure
from gui.client.gather import Gathering
from gui.export import jobs
from gui.export.exportable import Exportable, file_stem
from gui.export.jobs import AnswerInputs, ExportInputs, Preview, gather
from gui.export.options_form import TIPS, FigureForm, LastExport, scrolled
from gui.export.preview import DPI, PreviewPane
from gui.export.screenshot import copy_figure, copy_text
from gui.session.session import Session
from gui.state.figure_board import Board
from gui.state.figure_options import PICTURES, FigureOptions
from gui.style.palette import ScaledSize
from gui.style.theme import UNIT
from gui.widgets.controls import Segmented
from gui.widgets.forms import ask_for_file, button, column, combo, progress_bar, row
from gui.widgets.labels import Notice, plain_label

PATIENCE_MS = 200
"""How long after a change the preview is made: typing goes on meanwhile."""
_WIDTH = 320


class ExportDialog(QDialog):
    """Shows how a file will be a moment after each change, and writes or copies it.

    Parameters
    ----------
    chosen
        What it begins with, and what it leaves for the next one.
    subjects
        What there is to be exported.
    suffixes
        The kinds of file that are offered.
    options
        How a figure is set at first; `None` is as it was last.
    """

    message = Signal(str)
    """What was written or copied, in a sentence."""

    def __init__(
        self,
        parent: QWidget,
        client: EngineClient,
        worker: Worker,
        chosen: LastExport,
        subjects: Sequence[Exportable],
        suffixes: tuple[str, ...],
        options: FigureOptions | None = None,
    ) -> None:
        super().__init__(parent)
        self._client, self._worker, self._chosen = client, worker, chosen
        self._subjects = list(subjects)
        self._inputs: ExportInputs | None = None
        self._gathering: Gathering | None = None
        self._drawing = self._making = 0
        self._leaving = False
        self._seen: tuple[str, ...] = ()
        self.setWindowTitle("Export figure" if suffixes[0] in PICTURES else "Export data")
        self.what = combo("What to export", [subject.name for subject in self._subjects])
        self.kind = Segmented([(suffix, suffix[1:].upper()) for suffix in suffixes], "Kind of file")
        for suffix in suffixes:
            self.kind.set_option_tip(suffix, TIPS[suffix])
        self.kind.set_value(chosen.suffix(suffixes))
        self.form = FigureForm(options or chosen.options)
        self.pane = PreviewPane()
        self.progress = progress_bar("Answers of the engine")
        self.small = plain_label(role="small", wraps=True)
        self.notice = Notice()
        copies = {"Copy picture": self.copy_picture}
        copies |= {text: partial(self._copy_code, text) for text in jobs.CODES}
        self.copies = {text: button(text, does, default=False) for text, does in copies.items()}
        self.stop_button = button("Stop", self.stop, default=False)
        self.close_button = button("Close", self.reject, default=False)
        self.save_button = button("Save …", self.ask_where, default=False)
        self.save_button.setDefault(True)
        self._scroll = scrolled(self.form)
        top = QFormLayout()
        top.setSpacing(UNIT)
        top.addRow("What", self.what)
        top.setRowVisible(self.what, len(self._subjects) > 1)
        top.addRow("File", self.kind)
        side = QWidget()
        column(top, (self._scroll, 1), 0, of=side)
        ScaledSize(side, side.setFixedWidth, _WIDTH)
        shown = column((self.pane, 1), self.progress, self.small)
        ends = (self.stop_button, self.close_button, self.save_button)
        column(
            (row(side, (shown, 1), spacing=UNIT * 2), 1),
            self.notice,
            row(*self.copies.values(), 1, *ends),
            of=self,
            margin=UNIT * 2,
        )
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self.preview)
        client.progress.connect(self._on_progress)
        self.prepare()
        self.what.currentIndexChanged.connect(self.gather)
        self.kind.changed.connect(self.on_changed)
        self.form.changed.connect(self._patience.start)
        self.gather()

    def prepare(self) -> None:
        """Leave out what the export of a board has alone, and set the size."""
        self.progress.hide()
        self.stop_button.hide()
        self.resize(820, 560)

    @property
    def subject(self) -> Exportable:
        """What is to be exported."""
        return self._subjects[self.what.currentIndex()]

    @property
    def suffix(self) -> str:
        """The kind of file."""
        return self.kind.value()

    @property
    def ready(self) -> bool:
        """Whether the preview is of what is chosen now."""
        return not (self._drawing or self._patience.isActive()) and self._inputs is not None

    def name(self) -> str:
        """Return the name that is suggested for the file."""
        return file_stem(self.subject) + self.suffix

    def options(self) -> FigureOptions | None:
        """Return the options that are chosen, or say what is wrong with them."""
        try:
            return self.form.options()
        except Refused as refused:
            self.notice.show_failure(sentence(str(refused)))
            return None

    def gather(self) -> None:
        """Ask for all that the file is made from."""
        self.stop_gathering()
        self._inputs = None
        self._gathering = gather(
            self._client, self._worker, self.subject, self.on_gathered, self.on_no_preview
        )
        self.fit()
        self.say_waiting()

    def ask_where(self) -> None:
        """Ask for the file; the dialog asks before it is overwritten."""
        kind = self.suffix[1:]
        kinds = f"{kind.upper()} (*.{kind})"
        ask_for_file(
            self, self.windowTitle(), self._chosen.folder, kinds, self.save, self.name(), kind
        )

    def save(self, path: Path) -> None:
        """Write the file, and close unless there is something new to say about it."""
        options = self.options()
        if self._inputs is not None and options is not None:
            work = partial(self._inputs.write, path, options)
            self._make(self._worker.do(work, partial(self._on_saved, path), self._on_refused))
            self.notice.show_info(f"Writing {path.name} …")

    def preview(self) -> None:
        """Make the preview anew; the last one stays until it is there."""
        self._worker.forget(self._drawing)
        self._drawing = 0
        if self._inputs is None:
            return
        options = self.options()
        if options is None:
            self.pane.show_words("No preview")
            return
        self.notice.clear()
        self.pane.show_words("Drawing …")
        show = partial(self._show, options.ground == "transparent")
        draw = partial(self._inputs.preview, self.suffix, options, DPI)
        self._drawing = self._worker.do(draw, show, self.on_no_preview)

    def copy_picture(self) -> None:
        """Put the figure on the clipboard, at the resolution that is chosen."""
        found, options = self._inputs, self.options()
        if isinstance(found, AnswerInputs) and options is not None:
            copied = partial(self._on_copied, "Copied the figure")
            self._make(copy_figure(self._worker, found, options, copied, self._on_refused))

    def stop(self) -> None:
        """Ask the engine nothing more."""
        self.stop_gathering()
        self.notice.show_info("Stopped. Close this and open it again to draw the board.")
        self.pane.show_words("No preview")
        self.fit()

    def stop_gathering(self) -> None:
        """Want no answers any more."""
        if self._gathering is not None:
            self._gathering.stop()

    def say_waiting(self, before: str = "") -> None:
        """Say what the engine does before it answers."""
        if self._gathering is not None and not self._gathering.over:
            doing = self._client.doing
            self.pane.show_words(f"{before}Waiting: {doing} …" if doing else f"{before}Waiting …")

    def _on_progress(self, *_: object) -> None:
        self.say_waiting()

    def fit(self) -> None:
        """Show and allow what has a meaning now."""
        ready = self._inputs is not None and not self._making
        self.save_button.setEnabled(ready)
        for copy in self.copies.values():
            copy.setEnabled(not self._making)
        self.copies["Copy picture"].setVisible(self.suffix in PICTURES)
        self.copies["Copy picture"].setEnabled(ready)
        self._scroll.setVisible(self.suffix in PICTURES)
        self.form.show_for(self.suffix)

    def on_changed(self) -> None:
        """Follow another kind of file."""
        self.fit()
        self._patience.start()

    def on_gathered(self, found: ExportInputs) -> None:
        """Draw what can be drawn now."""
        self._inputs = found
        self.fit()
        self.preview()

    def on_no_preview(self, failure: Failure) -> None:
        """Say why there is no preview; without an answer nothing is waited for either."""
        self._drawing = 0
        self.pane.show_words("No preview")
        self.small.setText("")
        self.notice.show_failure(sentence(failure.sentence), failure.details)
        self.fit()

    def reject(self) -> None:
        """Close, after what is being written or copied."""
        if self._making:
            self._leaving = True
        else:
            super().reject()

    def done(self, result: int) -> None:
        """Want nothing more, and leave what was chosen for the next time."""
        self._patience.stop()
        self.stop_gathering()
        self._worker.forget(self._drawing)
        self._chosen.keep_suffix(self.suffix)
        self.keep_options()
        super().done(result)

    def keep_options(self) -> None:
        """Let the next dialog begin with these options, unless one is half a word."""
        self._chosen.options = self.options() or self._chosen.options

    def _make(self, number: int) -> None:
        """Note that something is being written or copied."""
        if self._patience.isActive():
            # The preview takes back what was said: not what will be said of this.
            self._patience.stop()
            self.preview()
        self._making = number
        self.fit()

    def _made(self) -> None:
        self._making = 0
        self.fit()

    def _copy_code(self, text: str) -> None:
        """Put the command or the program that makes the file on the clipboard."""
        options = self.options()
        if options is not None:
            make, what = jobs.CODES[text]
            work = partial(make, self.subject, options, Path(self.name()))
            copied = partial(self._on_copied, f"Copied {what}")
            self._make(copy_text(self._worker, work, copied, self._on_refused))

    def _show(self, transparent: bool, shown: Preview) -> None:
        self._drawing = 0
        self.pane.show_preview(shown, transparent=transparent)
        self._seen = shown.lacking
        size = self.pane.size_in_words()
        self.small.setText("\n".join([*([size] if size else []), *map(sentence, shown.lacking)]))

    def _on_copied(self, text: str) -> None:
        self._made()
        self.notice.show_info(f"{text}.")
        self.message.emit(text)
        if self._leaving:
            self.reject()

    def _on_saved(self, path: Path, lacking: tuple[str, ...]) -> None:
        self._made()
        self._chosen.keep_folder(path.absolute().parent)
        text = " ".join([f"Saved {path.name}.", *map(sentence, lacking)])
        self.message.emit(text)
        if self._leaving or set(lacking) <= set(self._seen):
            self.accept()  # they stood under the preview
        else:
            self.notice.show_info(text)

    def _on_refused(self, failure: Failure) -> None:
        """Say why nothing was written or copied."""
        self._made()
        self._leaving = False
        self.notice.show_failure(sentence(failure.sentence), failure.details)


class BoardDialog(ExportDialog):
    """Exports the board: its answers come one by one, and its options are kept with it."""

    gathered = Signal(object)
    """The answers, by question."""

    def __init__(
        self,
        parent: QWidget,
        session: Session,
        client: EngineClient,
        worker: Worker,
        chosen: LastExport,
    ) -> None:
        self._session = session
        super().__init__(parent, client, worker, chosen, (), PICTURES, self.board.options)

    @property
    def board(self) -> Board:
        """What is drawn."""
        return self._session.board.board

    def prepare(self) -> None:
        """Leave out what the export of an answer has alone, and set the size."""
        self.setWindowTitle("Export board")
        self.form.title_kind.set_option_tip("own", "Each figure has its own")
        self.form.title_kind.set_option_tip("other", "A title over all figures")
        for copy in self.copies.values():
            copy.hide()
        self.resize(940, 620)

    def name(self) -> str:
        """Return the name that is suggested for the file."""
        return "board" + self.suffix

    def options(self) -> FigureOptions | None:
        """Keep with the board what is chosen, or say what is wrong with it."""
        options = super().options()
        if options is not None:
            self._session.board.put(replace(self.board, options=options))
        return options

    def keep_options(self) -> None:
        """Keep with the board what is chosen."""
        self.options()

    def gather(self) -> None:
        """Ask for all that the board is made from."""
        self._gathering = gather(
            self._client, self._worker, self.board, self.on_gathered, self.on_no_preview,
            self._session.selection.model, self._on_step,
        )  # fmt: skip
        self.fit()
        self.say_waiting()

    def say_waiting(self, before: str = "") -> None:
        """Say how many answers are there, and what the engine does before the next."""
        done, total = max(self.progress.value(), 0), self.progress.maximum()
        super().say_waiting(f"{done} of {total} answers. " if total > 0 else "")

    def fit(self) -> None:
        """Show and allow what has a meaning now."""
        super().fit()
        self.copies["Copy picture"].hide()
        waiting = self._gathering is not None and not self._gathering.over
        self.progress.setVisible(waiting)
        self.stop_button.setVisible(waiting)

    def on_gathered(self, found: ExportInputs) -> None:
        """Draw what can be drawn now."""
        self.gathered.emit(found.answers)
        super().on_gathered(found)

    def _on_step(self, done: int, total: int) -> None:
        self.progress.setRange(0, total)
        self.progress.setValue(done)
        self.say_waiting()
