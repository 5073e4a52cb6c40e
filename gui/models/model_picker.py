"""The dialog that models are picked in: what there is, what each would take, and downloading."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QStackedWidget, QWidget

from engine.messages import ListModels, ModelEntry, ModelEstimate, ModelList, Request, Result
from gui.client.engine_client import EngineClient, Failure
from gui.models.download import DownloadPage
from gui.models.estimate import EstimateView
from gui.models.model_box import DOWNLOAD, FILE, FOLDER, Choice, choices
from gui.session.model_opener import ModelOpener, is_path
from gui.session.session import Session
from gui.style.palette import scaled
from gui.style.theme import UNIT
from gui.widgets.controls import Segmented
from gui.widgets.forms import button, column, field, row
from gui.widgets.labels import plain_label
from gui.widgets.table import Heading, Row, TextTable

HERE, HUB = "here", "hub"
COLUMNS = (
    Heading("Model", 0.35),
    Heading("From", 0.13),
    Heading("About", 0.32),
    Heading("Parameters", 0.2, number=True),
)
NAME, ABOUT, PARAMETERS = 0, 2, 3
SIZE = (112 * UNIT, 70 * UNIT)
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ModelPicker(QDialog):
    """Lists models, tells what the chosen one takes, and opens it.

    It is made once and hidden when it is closed, so that a download goes on behind it.
    """

    models_changed = Signal()
    """There are more models than there were."""

    def __init__(
        self, parent: QWidget, session: Session, client: EngineClient, opening: ModelOpener
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Open model")
        self._window = parent
        self._session, self._client, self._opening = session, client, opening
        self._listed: tuple[ModelEntry, ...] = ()
        self._picked: list[str] = []
        self._shown: list[Choice] = []
        self._parameters: dict[str, int] = {}
        self._wanted = ""
        self.page = Segmented([(HERE, "On this computer"), (HUB, "Download")], "Where from")
        self.page.changed.connect(self._turn)
        self.search = field("Search models", "", "Search by name, place or what it is")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda: self._list(self._current()))
        self.search.returnPressed.connect(self.open_chosen)
        self.search.installEventFilter(self)
        self.table = TextTable(COLUMNS, "Models")
        self.table.current_changed.connect(self._on_current)
        self.table.chosen.connect(lambda row: self.open_chosen())
        self.estimate = EstimateView(session, client)
        self.estimate.found.connect(self._on_estimate)
        self.estimate.changed.connect(self._show_open)
        self.folder = button(FOLDER, self.choose_folder, default=False)
        self.file = button(FILE, self.choose_file, default=False)
        self.reason = plain_label(role="small")
        self.reason.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.reason.setAccessibleName("Why it cannot be opened")
        self.open_button = button("Open", self.open_chosen, default=False)
        self.close_button = button("Close", self.reject, default=False)
        self.hub = DownloadPage(client)
        self.hub.downloaded.connect(self._on_downloaded)
        self.hub.open_wanted.connect(self._open)
        self._here = QWidget()
        lists = column(self.search, (self.table, 1), spacing=None)
        column(
            (row((lists, 5), (self.estimate, 3), spacing=2 * UNIT), 1), of=self._here, spacing=None
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self._here)
        self._pages.addWidget(self.hub)
        ends = (self.open_button, self.close_button)
        buttons = row(self.folder, self.file, (self.reason, 1), *ends, spacing=UNIT)
        column(self.page, (self._pages, 1), buttons, of=self, margin=2 * UNIT)

    def show_models(self, model: str = "") -> None:
        """Show what there is, a model of it chosen: the one in use unless told."""
        self.page.set_value(HERE)
        self._turn(HERE)
        self._client.ask(self, "models", ListModels())
        self.search.clear()
        self._wanted = model or self._session.selection.model
        self._list(self._wanted)
        self._come()
        self.search.setFocus()

    def show_download(self) -> None:
        """Show the page that downloads."""
        self.page.set_value(HUB)
        self._turn(HUB)
        self._come()
        self.hub.name.setFocus()

    def do(self, action: str) -> None:
        """Do one of `model_box.ACTIONS`."""
        {FOLDER: self.choose_folder, FILE: self.choose_file, DOWNLOAD: self.show_download}[action]()

    def choose_folder(self) -> None:
        """Ask for a folder, and look it over."""
        path = QFileDialog.getExistingDirectory(self._asker(), "Open a model folder", self._place())
        if path:
            self.look_over(path)

    def choose_file(self) -> None:
        """Ask for a file, and look it over."""
        path, _ = QFileDialog.getOpenFileName(
            self._asker(), "Open a model file", self._place(), "GGUF (*.gguf);;Any file (*)"
        )
        if path:
            self.look_over(path)

    def look_over(self, path: str) -> None:
        """Show a model that was chosen by its path, with what it takes."""
        if path not in self._picked:
            self._picked.append(path)
        self.show_models(path)

    def open_chosen(self) -> None:
        """Open the chosen model, unless it is known that it cannot be."""
        if self.open_button.isEnabled():
            self._open(self._current())

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take the list of models."""
        assert isinstance(result, ModelList)
        news, self._listed = result.models != self._listed, result.models
        if news:
            # The list that was shown until now may not have had what was wanted.
            self._list(self._wanted or self._current())
        self._wanted = ""

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that there is no list; what was opened before stays in it."""
        self.table.set_message("" if self._shown else failure.sentence)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys walk the list while the search is typed in."""
        pressed = event if isinstance(event, QKeyEvent) else None
        if pressed and pressed.type() == QEvent.Type.KeyPress and pressed.key() in _MOVES:
            QApplication.sendEvent(self.table, pressed)
            return True
        return super().eventFilter(watched, event)

    def _turn(self, page: str) -> None:
        self._pages.setCurrentWidget(self._here if page == HERE else self.hub)
        for widget in (self.folder, self.file, self.open_button):
            widget.setVisible(page == HERE)
        self._show_open()

    def _come(self) -> None:
        if not self.isVisible():
            width, height = self._window.width() - 6 * UNIT, self._window.height() - 8 * UNIT
            self.resize(min(scaled(SIZE[0]), width), min(scaled(SIZE[1]), height))
        self.show()
        self.raise_()
        self.activateWindow()

    def _asker(self) -> QWidget:
        return self if self.isVisible() else self._window

    def _place(self) -> str:
        """Return the folder to begin in: that of the model opened last."""
        last = next(iter([*self._picked[::-1], *self._opening.recent]), "")
        return str(Path(last).parent) if last else str(Path.home())

    def _current(self) -> str:
        place = self.table.current()
        return self._shown[place].model if 0 <= place < len(self._shown) else ""

    def _list(self, chosen: str) -> None:
        others = (*self._picked, self._session.selection.model)
        found = choices(self._listed, self._opening.recent, others)
        words = self.search.text().lower().split()
        self._shown = [c for c in found if all(word in _searched(c) for word in words)]
        rows = [self._row(choice) for choice in self._shown]
        names = [choice.model for choice in self._shown]
        current = names.index(chosen) if chosen in names else 0 if rows else -1
        self.table.set_rows(rows, current)
        if not rows:
            self.table.set_message("No model has all these words.")
            self.estimate.show_choice(None)

    def _row(self, choice: Choice) -> Row:
        known = self._parameters.get(choice.model)
        parameters = "" if known is None else f"{known:,}"
        about = choice.missing or choice.about
        path = is_path(choice.model) and not choice.missing
        words = (choice.label, choice.source, about, parameters)
        return Row(words, choice.whole, bool(choice.missing), (NAME, ABOUT) if path else (NAME,))

    def _on_current(self, row: int) -> None:
        chosen = self._shown[row] if 0 <= row < len(self._shown) else None
        self.estimate.show_choice(chosen)

    def _on_estimate(self, told: ModelEstimate) -> None:
        model, row = self._current(), self.table.current()
        self._parameters[model] = told.parameters
        if row >= 0:
            self.table.set_word(row, PARAMETERS, f"{told.parameters:,}")

    def _show_open(self) -> None:
        chosen = self._current()
        in_use = chosen != "" and chosen == self._opening.in_use
        here = self._pages.currentWidget() is self._here
        why = self.estimate.obstacle or ("It is in use already." if in_use else "")
        self.open_button.setEnabled(bool(chosen) and not why)
        self.reason.setText("" if self.estimate.obstacle or not here else why)
        self.open_button.setAccessibleDescription(why)

    def _open(self, model: str) -> None:
        self.accept()
        self._opening.open(model)

    def _on_downloaded(self, model: str) -> None:
        self._client.ask(self, "models", ListModels())
        self.models_changed.emit()


def _searched(choice: Choice) -> str:
    return f"{choice.model} {choice.source} {choice.about}".lower()
