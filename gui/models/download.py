"""Downloading a model: how much it is, then the download, which can be stopped and resumed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

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
from gui.widgets.forms import button, column, field, progress_bar, row
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
    """A model that is to be opened."""

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
        self.name = field("Name of a model on the Hugging Face hub", "", "gpt2, or owner/name")
        self.name.textChanged.connect(self._forget)
        self.name.returnPressed.connect(self.look_up)
        tip = "Asks the Hugging Face hub; nothing is sent but the name"
        self.look = button("Look up size", self.look_up, tip, default=False)
        self.files = TextTable([Heading("File", 0.72), Heading("Size", 0.26, True)], "Files")
        self.files.setSelectionMode(self.files.SelectionMode.ExtendedSelection)
        self.summary = Sentence("What it takes", muted=False)
        self.notice = Notice()
        self.bar = progress_bar("How far the download is")
        self.progress = plain_label()
        self.progress.setAccessibleName("How much has come")
        self.download = button("Download", self.start, default=False)
        self.stop = button("Cancel", self.cancel, name="Cancel the download", default=False)
        self.open_button = button("Open", self._open, default=False)
        ends = (self.download, self.stop, self.open_button)
        line, buttons = row((self.name, 1), self.look), row((self.bar, 1), self.progress, 1, *ends)
        column(about, line, self.notice, (self.files, 1), self.summary, buttons, of=self)
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
    text = f"{count(len(plan.files), 'file')}, {in_bytes(total)}"
    if missing <= 0:
        return f"{text}, all on this computer already."
    if plan.have:
        text += f", of which {in_bytes(plan.have)} are on this computer already"
    text += f". {in_bytes(plan.free)} are free on the disk of the cache"
    if missing <= plan.free:
        return f"{text}."
    return (
        f"{text}: that is {in_bytes(missing - plan.free)} too little. Make room, or move the cache "
        "to another disk."
    )
