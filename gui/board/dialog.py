"""Export board: how it is set and where it is written, with a preview that is the file."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Refused
from gui.board import making
from gui.board.gathering import Answers, Gathering
from gui.board.record import Board
from gui.engine_client import EngineClient, Failure
from gui.export.chosen import Chosen
from gui.export.form import FigureForm
from gui.export.material import Preview
from gui.export.preview import DPI, PreviewPane
from gui.export.worker import Worker
from gui.figures.options import PICTURES
from gui.palette import Held
from gui.session import Session
from gui.theme import UNIT
from gui.widgets.notice import Notice
from gui.widgets.plain_label import plain_label
from gui.widgets.segmented import Segmented

PATIENCE_MS = 200
"""How long after a change the preview is made: whoever types is not done yet."""
_FORM_WIDTH = 320
NAME = "board"


class BoardDialog(QDialog):
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

    told = Signal(str)
    """What was written, in a sentence."""
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
        super().__init__(parent)
        self._session, self._client, self._worker = session, client, worker
        self._chosen = chosen
        self._answers: Answers | None = None
        self._drawing = self._writing = 0
        self._seen: tuple[str, ...] = ()
        self._version = QApplication.applicationVersion()
        self.setWindowTitle("Export board")
        self.kind = Segmented([(suffix, suffix[1:].upper()) for suffix in PICTURES], "Kind of file")
        self.kind.set_value(chosen.suffix(PICTURES))
        self.kind.changed.connect(self._on_kind)
        self.form = FigureForm(session.board.board.options)
        self.form.title_kind.set_option_tip("own", "Each figure has its own")
        self.form.title_kind.set_option_tip("other", "A title over all figures")
        self.form.changed.connect(self._on_changed)
        self.pane = PreviewPane()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Answers of the engine")
        self.small = plain_label(role="small", wraps=True)
        self.notice = Notice()
        self.save_button = _button("Save …", self.ask_where)
        self.save_button.setDefault(True)
        self.stop_button = _button("Stop", self.stop)
        self.close_button = _button("Close", self.reject)
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._preview)
        client.progress.connect(self._say_waiting)
        self._lay_out()
        self.form.show_for(self.suffix)
        self._gathering = Gathering(
            client, worker, self.board, session.selection.model,
            self._on_gathered, self._on_failed, self._on_step,
        )  # fmt: skip
        self._fit()
        self._say_waiting()

    @property
    def board(self) -> Board:
        """What is drawn."""
        return self._session.board.board

    @property
    def suffix(self) -> str:
        """The kind of file."""
        return self.kind.value()

    @property
    def ready(self) -> bool:
        """Whether the preview is of what is chosen now."""
        return self._answers is not None and not (self._drawing or self._patience.isActive())

    def stop(self) -> None:
        """Ask the engine nothing more."""
        self._gathering.stop()
        self.notice.show_info("Stopped. Close this and open it again to draw the board.")
        self.pane.show_words("No preview")
        self._fit()

    def save(self, path: Path) -> None:
        """Write the file, and close unless there is something new to say about it."""
        if self._answers is None or not self._keep_options():
            return
        self.save_button.setEnabled(False)
        self.notice.show_info(f"Writing {path.name} …")
        work = partial(making.write, self.board, self._answers, self._version, path)
        self._writing = self._worker.do(work, partial(self._on_saved, path), self._on_refused)

    def ask_where(self) -> None:
        """Ask for the file; the dialog asks before it is overwritten."""
        kind = self.suffix[1:]
        dialog = QFileDialog(
            self, self.windowTitle(), str(self._chosen.folder), f"{kind.upper()} (*.{kind})"
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(NAME + self.suffix)
        dialog.fileSelected.connect(lambda chosen: self.save(Path(chosen)))
        dialog.open()

    def done(self, result: int) -> None:
        """Want nothing more, and leave what was chosen for the next time."""
        self._patience.stop()
        self._gathering.stop()
        for number in (self._drawing, self._writing):
            self._worker.forget(number)
        self._chosen.keep_suffix(self.suffix)
        self._keep_options()
        super().done(result)

    def _keep_options(self) -> bool:
        """Keep with the board what is chosen, or say what is wrong with it."""
        try:
            options = self.form.options()
        except Refused as refused:
            text = str(refused)
            self.notice.show_failure(f"{text[:1].upper()}{text[1:]}.")
            return False
        self._session.board.put(replace(self.board, options=options))
        return True

    def _on_step(self, done: int, total: int) -> None:
        self.progress.setRange(0, total)
        self.progress.setValue(done)
        self._say_waiting()

    def _on_gathered(self, answers: Answers) -> None:
        self._answers = answers
        self.gathered.emit(answers)
        self._fit()
        self._preview()

    def _on_failed(self, failure: Failure) -> None:
        self._drawing = 0
        self.pane.show_words("No preview")
        self.small.setText("")
        self.notice.show_failure(failure.sentence, failure.details)
        self._fit()

    def _preview(self) -> None:
        self._worker.forget(self._drawing)
        self._drawing = 0
        if self._answers is None:
            return
        if not self._keep_options():
            self.pane.show_words("No preview")
            return
        self.notice.clear()
        self.pane.show_words("Drawing …")
        work = partial(making.preview, self.board, self._answers, self._version, DPI)
        self._drawing = self._worker.do(work, self._show, self._on_failed)

    def _show(self, shown: Preview) -> None:
        self._drawing = 0
        self.pane.show_preview(shown, transparent=self.board.options.ground == "transparent")
        self._seen = shown.told
        size = self.pane.size_in_words()
        self.small.setText("\n".join([*([size] if size else []), *_sentences(shown.told)]))

    def _say_waiting(self, *_: object) -> None:
        if not self._gathering.over:
            done, total = max(self.progress.value(), 0), self.progress.maximum()
            count = f"{done} of {total} answers. " if total > 0 else ""
            doing = self._client.doing
            self.pane.show_words(f"{count}Waiting: {doing} …" if doing else f"{count}Waiting …")

    def _on_saved(self, path: Path, told: tuple[str, ...]) -> None:
        self._writing = 0
        self._chosen.keep_folder(path.absolute().parent)
        said = " ".join([f"Saved {path.name}.", *_sentences(told)])
        self.told.emit(said)
        if set(told) <= set(self._seen):
            self.accept()  # they stood under the preview
            return
        self.save_button.setEnabled(True)
        self.notice.show_info(said)

    def _on_refused(self, failure: Failure) -> None:
        self._writing = 0
        self._fit()
        self.notice.show_failure(failure.sentence, failure.details)

    def _on_kind(self) -> None:
        self.form.show_for(self.suffix)

    def _on_changed(self) -> None:
        self._patience.start()

    def _fit(self) -> None:
        """Show and allow what has a meaning now."""
        self.progress.setVisible(not self._gathering.over)
        self.stop_button.setVisible(not self._gathering.over)
        self.save_button.setEnabled(self._answers is not None)

    def _lay_out(self) -> None:
        top = QFormLayout()
        top.setSpacing(UNIT)
        top.addRow("File", self.kind)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self.form)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.viewport().setAutoFillBackground(False)
        self.form.setAutoFillBackground(False)
        side = QWidget()
        Held(side, side.setFixedWidth, _FORM_WIDTH)
        left = QVBoxLayout(side)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(UNIT)
        left.addLayout(top)
        left.addWidget(scroll, 1)
        right = QVBoxLayout()
        right.setSpacing(UNIT)
        right.addWidget(self.pane, 1)
        right.addWidget(self.progress)
        right.addWidget(self.small)
        middle = QHBoxLayout()
        middle.setSpacing(UNIT * 2)
        middle.addWidget(side)
        middle.addLayout(right, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.stop_button, self.close_button, self.save_button):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT * 2, UNIT * 2, UNIT * 2, UNIT * 2)
        layout.setSpacing(UNIT)
        layout.addLayout(middle, 1)
        layout.addWidget(self.notice)
        layout.addLayout(buttons)
        self.resize(940, 620)


def _button(text: str, does: object) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _=False: does())  # type: ignore[operator]
    return button


def _sentences(told: tuple[str, ...]) -> list[str]:
    return [f"{one[:1].upper()}{one[1:].rstrip('.')}." for one in told]
