"""Export board: how it is set and where it is written, with a preview that is the file."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QApplication,
    QFormLayout,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from gui.client.background import Worker
from gui.client.engine_client import EngineClient, Failure
from gui.client.gather import Gathering
from gui.export import jobs
from gui.export.jobs import Preview
from gui.export.options_form import Chosen, FigureForm, scrolled
from gui.export.preview import DPI, PreviewDialog
from gui.session.session import Session
from gui.state.figure_board import Board
from gui.state.figure_options import PICTURES, FigureOptions
from gui.state.question import Answers
from gui.style.palette import Held
from gui.style.theme import UNIT
from gui.widgets.controls import Segmented

_FORM_WIDTH = 320
NAME = "board"


class BoardDialog(PreviewDialog):
    """Gathers what the board shows, shows how it will be, and writes it.

    What is chosen here is kept with the board in the session.

    Parameters
    ----------
    parent
        The window.
    session, client, worker
        The board, and the ways to the engine and to the figures.
    chosen
        The kind of file and the folder to begin with, and to leave for the next export.
    """

    gathered = Signal(object)
    """The answers, by question."""

    def __init__(
        self,
        parent: QWidget,
        session: Session,
        client: EngineClient,
        worker: Worker,
        chosen: Chosen,
    ) -> None:
        super().__init__(parent, client, worker, chosen, FigureForm(session.board.board.options))
        self._session = session
        self._answers: Answers | None = None
        self._version = QApplication.applicationVersion()
        self.setWindowTitle("Export board")
        self.kind = Segmented([(suffix, suffix[1:].upper()) for suffix in PICTURES], "Kind of file")
        self.kind.set_value(chosen.suffix(PICTURES))
        self.kind.changed.connect(lambda: self.form.show_for(self.suffix))
        self.form.title_kind.set_option_tip("own", "Each figure has its own")
        self.form.title_kind.set_option_tip("other", "A title over all figures")
        self.form.changed.connect(self._patience.start)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Answers of the engine")
        self.stop_button = self.button("Stop", self.stop)
        self.lay_out(self._side(), [self.progress], [], [self.stop_button])
        self.resize(940, 620)
        self.form.show_for(self.suffix)
        self._gathering = Gathering(
            client, worker, partial(jobs.board_questions, self.board), session.selection.model,
            self._on_gathered, self.on_no_preview, self._on_step,
        )  # fmt: skip
        self.fit()
        self.say_waiting()

    @property
    def board(self) -> Board:
        """What is drawn."""
        return self._session.board.board

    @property
    def suffix(self) -> str:
        """The kind of file."""
        return self.kind.value()

    @property
    def there(self) -> bool:
        """Whether all answers are there."""
        return self._answers is not None

    def name(self) -> str:
        """Return the name that is suggested for the file."""
        return NAME + self.suffix

    def options(self) -> FigureOptions | None:
        """Keep with the board what is chosen, or say what is wrong with it."""
        options = super().options()
        if options is not None:
            self._session.board.put(replace(self.board, options=options))
        return options

    def drawing(self, options: FigureOptions) -> Callable[[], Preview]:
        """Return what makes the preview, in the thread of the worker."""
        assert self._answers is not None
        return partial(jobs.preview_board, self.board, self._answers, self._version, DPI)

    def save(self, path: Path) -> None:
        """Write the file, and close unless there is something new to say about it."""
        if self._answers is not None and self.options() is not None:
            self.write(
                path, partial(jobs.write_board, self.board, self._answers, self._version, path)
            )

    def say_waiting(self) -> None:
        """Say how many answers are there, and what the engine does before the next."""
        if not self._gathering.over:
            done, total = max(self.progress.value(), 0), self.progress.maximum()
            count = f"{done} of {total} answers. " if total > 0 else ""
            doing = self._client.doing
            self.pane.show_words(f"{count}Waiting: {doing} …" if doing else f"{count}Waiting …")

    def on_no_preview(self, failure: Failure) -> None:
        """Say why there is no preview."""
        super().on_no_preview(failure)
        self.fit()

    def fit(self) -> None:
        """Show and allow what has a meaning now."""
        super().fit()
        self.progress.setVisible(not self._gathering.over)
        self.stop_button.setVisible(not self._gathering.over)

    def stop(self) -> None:
        """Ask the engine nothing more."""
        self._gathering.stop()
        self.notice.show_info("Stopped. Close this and open it again to draw the board.")
        self.pane.show_words("No preview")
        self.fit()

    def done(self, result: int) -> None:
        """Want nothing more, and leave what was chosen for the next time."""
        self._patience.stop()
        self._gathering.stop()
        for number in (self._drawing, self._making):
            self._worker.forget(number)
        self._chosen.keep_suffix(self.suffix)
        self.options()
        super().done(result)

    def _on_step(self, done: int, total: int) -> None:
        self.progress.setRange(0, total)
        self.progress.setValue(done)
        self.say_waiting()

    def _on_gathered(self, answers: Answers) -> None:
        self._answers = answers
        self.gathered.emit(answers)
        self.fit()
        self.preview()

    def _side(self) -> QWidget:
        top = QFormLayout()
        top.setSpacing(UNIT)
        top.addRow("File", self.kind)
        side = QWidget()
        Held(side, side.setFixedWidth, _FORM_WIDTH)
        left = QVBoxLayout(side)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(UNIT)
        left.addLayout(top)
        left.addWidget(scrolled(self.form), 1)
        return side
