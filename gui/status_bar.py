"""The line at the bottom: which model, what runs, how far, and whether the checks pass."""

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from engine.messages import (
    EstimateModel,
    ListModels,
    LoadModel,
    ModelFacts,
    Request,
    Result,
    RunPrompt,
    in_bytes,
    model_of,
    printable,
)
from gui.engine_client import EngineClient, Failure
from gui.opening import short_name
from gui.palette import Held
from gui.receipt_light import ReceiptLight
from gui.session import Session
from gui.widgets.plain_label import plain_label, show_progress

PATIENCE_MS = 200
"""What is over sooner is not worth a progress bar."""
LEFT_BEHIND = (
    "What was stopped does not end, and was left behind: its memory comes back when Headscope is "
    "closed."
)
_GAP = 6
"""Pixels that Qt leaves beside what stands in a status bar."""
REMEMBERED_SECONDS = 5e-4
"""What takes less was no run: the engine had the answer already."""


class StatusBar(QStatusBar):
    """Facts of the model on the left, work in the middle, checks and the time of the last run."""

    receipts_wanted = Signal()
    """Somebody wants to see the checks of the open head."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__()
        self._session, self._client = session, client
        self._facts: ModelFacts | None = None
        self._failure = self._beside = ""
        self.setSizeGripEnabled(False)
        self.model = _label("The model in use")
        self.work = _label("What is being computed")
        self.bar = QProgressBar()
        Held(self.bar, self.bar.setMaximumWidth, 160)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("How far it is")
        self.stop = QPushButton("Cancel")
        self.stop.setToolTip("Stop what is being computed (Esc)")
        self.stop.clicked.connect(client.cancel)
        self.receipts = ReceiptLight(session, client)
        self.receipts.opened.connect(self.receipts_wanted)
        self.last = _label("How long the last run took")
        self.addWidget(self.model)
        self.addWidget(self.work, 1)
        for widget in (self.bar, self.stop, self.receipts, self.last):
            self.addPermanentWidget(widget)
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(lambda: self._show_work(True))
        self._show_work(False)
        client.progress.connect(self._on_progress)
        if client.beside is not None:
            client.beside.progress.connect(self._on_progress_beside)
        client.answered.connect(self._on_answered)
        client.failed.connect(self._on_failed)
        client.left_behind.connect(lambda request: self.tell(LEFT_BEHIND))
        client.renewed.connect(self._on_renewed)
        session.changed.connect(self._on_changed)
        self._on_changed("model")

    def event(self, event: QEvent) -> bool:
        """Leave out what has no room: the time of the last run first, then the model."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            shown = (self.work, self.bar, self.stop, self.receipts)
            room = self.width() - sum(_width(part) for part in shown if not part.isHidden())
            for part in (self.model, self.last):
                room -= _width(part)
                part.setVisible(room >= 0)
        return super().event(event)

    def ask_again(self) -> None:
        """Ask once more for what is not known."""
        self._ask_facts()
        self.receipts.ask_again()

    def tell(self, sentence: str) -> None:
        """Say something about the window itself, until something else is said."""
        self._failure = printable(sentence)
        if not self.stop.isVisible():
            self._show_work(False)

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take the facts of the model."""
        assert isinstance(result, ModelFacts)
        self._facts = result
        self.receipts.know(result)
        self._show_facts(result)

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that the model could not be opened; the panels say why."""
        self.model.setText("no model")

    def _show_facts(self, result: ModelFacts) -> None:
        groups = "" if result.n_kv_heads == result.n_heads else f", {result.n_kv_heads} KV"
        heads = f"{result.n_layers} × {result.n_heads} heads{groups}"
        self.model.setText(f"{short_name(result.name)} · {heads} · {result.device}, {result.dtype}")
        self.model.setToolTip(
            f"d_model {result.d_model}, d_head {result.d_head}, {result.d_vocab:,} tokens, "
            f"context {result.n_ctx}, positions {result.positions}, norm {result.norm}; "
            f"{result.parameters:,} parameters, {in_bytes(result.bytes)}"
        )

    def _ask_facts(self) -> None:
        name = self._session.selection.model
        if self._facts is None or self._facts.name != name:
            self.model.setText(short_name(name))
            self._client.ask(self, "facts", LoadModel(name))
        else:
            self._show_facts(self._facts)

    def _on_renewed(self) -> None:
        self._facts = None
        self._ask_facts()

    def _on_changed(self, what: str) -> None:
        # What failed before stands in its panel; here it would outlive what it was about.
        self._failure = ""
        if what == "model":
            self._ask_facts()
        if not self._client.busy:
            self._show_work(False)

    def _on_progress(self, what: str, done: int, total: int) -> None:
        if not what or self.receipts.unasked:
            self._patience.stop()
            self._show_work(False)
            return
        self.work.setText(f"{printable(what)} …")
        show_progress(self.bar, done, total)
        if not self.stop.isVisible() and not self._patience.isActive():
            self._patience.start()

    def _on_progress_beside(self, what: str, done: int, total: int) -> None:
        share = f" ({done * 100 // total} %)" if total > 1 else ""
        self._beside = f"{what} …{share}" if what else ""
        if not self.stop.isVisible():
            self._show_work(False)

    def _on_answered(self, request: Request, seconds: float) -> None:
        if isinstance(request, RunPrompt):
            self._failure = ""
            if seconds >= REMEMBERED_SECONDS or not self.last.text():
                self.last.setText(f"last run {_duration(seconds)}")

    def _on_failed(self, request: Request, sentence: str) -> None:
        # What was asked about something else has its own place, and would outlive it here.
        in_use = self._session.selection.model
        if isinstance(request, ListModels) or (
            model_of(request) == in_use and not isinstance(request, EstimateModel)
        ):
            self._failure = sentence

    def _show_work(self, on: bool) -> None:
        self.bar.setVisible(on)
        self.stop.setVisible(on)
        if not on:
            self.work.setText(self._failure or self._beside or "ready")


def _width(part: QWidget) -> int:
    return min(part.sizeHint().width(), part.maximumWidth()) + _GAP


def _label(name: str) -> QLabel:
    label = plain_label()
    label.setAccessibleName(name)
    label.setContentsMargins(4, 0, 12, 0)
    return label


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
