"""Downloading a model: how much it is, then the download, which can be stopped and resumed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.messages import (
    Downloaded,
    DownloadModel,
    DownloadPlan,
    FindDownload,
    Request,
    Result,
    in_bytes,
)
from gui.charts.focus import count
from gui.client.engine_client import STOPPED, EngineClient, Failure
from gui.style.theme import UNIT
from gui.widgets.labels import Notice, plain_label, show_progress
from gui.widgets.table import Heading, Row, TextTable
from gui.widgets.text import Sentence

ABOUT = (
    "A model is fetched from the Hugging Face hub, once; after that it opens offline. "
    "“Look up size” asks the hub; nothing is sent but the name. "
    "Without it, Headscope makes no connection."
)
STOPPED_TEXT = "Stopped. What has come is kept: “Go on” takes it up from there."


class DownloadPage(QWidget):
    """A name, what it would take, and the download."""

    downloaded = Signal(str)
    """Name of a model that is on this computer now."""
    open_wanted = Signal(str)
    """Somebody wants to open it."""

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        # Else each click would interrupt a download, which computes nothing.
        self._client = client = client.beside or client
        self._plan: DownloadPlan | None = None
        self._wanted: DownloadModel | None = None
        self._done: Downloaded | None = None
        self._looking = False
        about = Sentence("What downloading means")
        about.set_parts([ABOUT])
        self.name = QLineEdit()
        self.name.setPlaceholderText("gpt2, or owner/name")
        self.name.setAccessibleName("Name of a model on the Hugging Face hub")
        self.name.textChanged.connect(self._forget)
        self.name.returnPressed.connect(self.look_up)
        self.look = QPushButton("Look up size")
        self.look.setToolTip("Asks the Hugging Face hub; nothing is sent but the name")
        self.look.setAutoDefault(False)
        self.look.clicked.connect(self.look_up)
        self.files = TextTable([Heading("File", 0.72), Heading("Size", 0.26, True)], "Files")
        self.files.setSelectionMode(self.files.SelectionMode.ExtendedSelection)
        self.summary = Sentence("What it takes", muted=False)
        self.notice = Notice()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("How far the download is")
        self.progress = plain_label()
        self.progress.setAccessibleName("How much has come")
        self.download = QPushButton("Download")
        self.download.setAutoDefault(False)
        self.download.clicked.connect(self.start)
        self.stop = QPushButton("Cancel")
        self.stop.setAccessibleName("Cancel the download")
        self.stop.setAutoDefault(False)
        self.stop.clicked.connect(self.cancel)
        self.open_button = QPushButton("Open")
        self.open_button.setAutoDefault(False)
        self.open_button.clicked.connect(self._open)

        line = QHBoxLayout()
        line.addWidget(self.name, 1)
        line.addWidget(self.look)
        buttons = QHBoxLayout()
        buttons.addWidget(self.bar, 1)
        buttons.addWidget(self.progress)
        buttons.addStretch(1)
        for button in (self.download, self.stop, self.open_button):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(about)
        column.addLayout(line)
        column.addWidget(self.notice)
        column.addWidget(self.files, 1)
        column.addWidget(self.summary)
        column.addLayout(buttons)
        client.progress.connect(self._on_progress)
        self._show()

    @property
    def downloading(self) -> bool:
        """Whether a download runs or waits for its turn."""
        return self._wanted is not None

    def look_up(self) -> None:
        """Ask the hub what a model would take: the first that is sent anywhere."""
        name = self.name.text().strip()
        if not name or self.downloading or self._looking:
            return
        self._forget()
        self._looking = True
        self._client.ask(self, "plan", FindDownload(name))
        self._show()

    def start(self) -> None:
        """Download what was looked up, from where an earlier download was stopped."""
        if self._plan is None or self.downloading:
            return
        self.notice.clear()
        self._wanted = DownloadModel(self._plan.repository)
        self._client.ask(self, "download", self._wanted)
        self._show()
        self.progress.setText("Waiting for its turn …")

    def cancel(self) -> None:
        """Stop looking up, or downloading; what has come is kept."""
        was = self.downloading
        self._looking, self._wanted = False, None
        for slot in ("plan", "download"):
            self._client.withdraw(self, slot)
        if was:
            self.notice.show_info(STOPPED_TEXT)
        self._show()

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take what the hub says, or learn that the model is here."""
        if isinstance(result, DownloadPlan):
            self._plan, self._looking = result, False
            rows = zip(result.files, result.sizes.tolist(), strict=True)
            self.files.set_rows([Row((name, in_bytes(bytes_)), name) for name, bytes_ in rows])
        elif isinstance(result, Downloaded):
            self._done, self._wanted = result, None
            self.downloaded.emit(result.model)
        self._show()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Say why there is no answer."""
        was = slot == "download"
        self._looking, self._wanted = False, None
        if failure == STOPPED:
            self.notice.show_info(STOPPED_TEXT if was else "Stopped.")
        else:
            self.notice.show_failure(failure.sentence, failure.details)
        self._show()

    def _open(self) -> None:
        if self._done is not None:
            self.open_wanted.emit(self._done.model)

    def _forget(self) -> None:
        if self.downloading:
            return
        self._client.withdraw(self, "plan")
        self._plan, self._done, self._looking = None, None, False
        self.notice.clear()
        self._show()

    def _on_progress(self, what: str, done: int, total: int) -> None:
        if not self.downloading:
            return
        if self._client.running != self._wanted:
            self.progress.setText(f"Waits for: {what} …" if what else "")
            return
        known = total > 1  # before the sizes are known it counts no bytes
        show_progress(self.bar, done, total if known else 0)
        self.progress.setText(f"{in_bytes(done)} of {in_bytes(total)}" if known else f"{what} …")

    def _show(self) -> None:
        plan, done, busy = self._plan, self._done, self.downloading
        if plan is None:
            self.files.set_rows([])
            hint = "Asking the hub …" if self._looking else "Its files and their sizes stand here."
            self.files.set_message(hint)
            self.summary.set_parts([])
        elif done is not None:
            self.summary.set_parts([f"{done.model} is on this computer ({in_bytes(done.bytes)})."])
        else:
            self.summary.set_parts([_summary(plan)])
        self.name.setEnabled(not busy)
        self.look.setEnabled(not busy and not self._looking)
        room = plan is not None and _missing(plan) <= plan.free
        self.download.setVisible(not busy and done is None)
        self.download.setEnabled(room)
        self.download.setText("Go on" if self.notice.text() == STOPPED_TEXT else "Download")
        self.stop.setVisible(busy or self._looking)
        self.bar.setVisible(busy)
        self.progress.setVisible(busy)
        if not busy:
            self.bar.setRange(0, 0)
        self.open_button.setVisible(done is not None)


def _missing(plan: DownloadPlan) -> int:
    return int(plan.sizes.sum()) - plan.have


def _summary(plan: DownloadPlan) -> str:
    total, missing = int(plan.sizes.sum()), _missing(plan)
    here = f", of which {in_bytes(plan.have)} are on this computer already" if plan.have else ""
    room = f"{in_bytes(plan.free)} are free on the disk of the cache"
    if missing <= 0:
        return f"{count(len(plan.files), 'file')}, {in_bytes(total)}, all on this computer already."
    if missing > plan.free:
        return (
            f"{count(len(plan.files), 'file')}, {in_bytes(total)}{here}. {room}: that is "
            f"{in_bytes(missing - plan.free)} too little. Make room, or move the cache to "
            "another disk."
        )
    return f"{count(len(plan.files), 'file')}, {in_bytes(total)}{here}. {room}."
