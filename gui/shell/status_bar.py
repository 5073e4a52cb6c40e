"""The status bar: facts of the model, work in progress, and the checks of the open head."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QStatusBar, QWidget

from engine.messages import (
    EstimateModel,
    HeadReceipts,
    ListModels,
    ModelFacts,
    Receipts,
    Request,
    Result,
    RunPrompt,
    in_bytes,
    model_of,
    printable,
)
from gui.client.engine_client import EngineClient, Failure
from gui.panels.head.checks import verdict
from gui.session.model_opener import ModelOpener, short_name
from gui.session.session import Session
from gui.style.formatting import head_name
from gui.style.palette import ScaledSize, scaled, set_look
from gui.widgets import painting
from gui.widgets.check_list import MARKS
from gui.widgets.forms import button, progress_bar
from gui.widgets.labels import plain_label, show_progress

QUIET_MS = 1000
"""How long nothing must have been asked before the checks are made."""

MOST_PARAMETERS = 20_000_000
"""Of a model whose checks take a second or two, and so are made unasked."""

OFFER, CHECKING = "check this head", "checking …"

MOST_WIDTH = 300
"""Of what is said, pixels; the tool tip says all of it."""


class ReceiptLight(QPushButton):
    """Says what the checks of what is selected come to; a click then asks to see all of them.

    It asks only once nothing else was asked for a while, and only about a prompt that was run, so
    that typing never waits for it and no failure is shown twice. Of a large model it
    asks only after a click.
    """

    opened = Signal()
    """The checks are to be shown."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__()
        self._session, self._client = session, client
        self._ran: Request | None = None
        self._told: Request | None = None
        self._asked: Request | None = None
        self._facts: ModelFacts | None = None
        self.setProperty("quiet", True)
        self.setAccessibleName("Checks of the open head")
        self.hide()
        self._quiet = QTimer(self, interval=QUIET_MS, singleShot=True)
        self._quiet.timeout.connect(self._begin)
        self.clicked.connect(self._on_clicked)
        client.idle.connect(self._wait)
        client.answered.connect(self._on_answered)
        client.renewed.connect(self._on_renewed)
        session.changed.connect(self._on_changed)
        session.renamed.connect(self._on_renewed)

    @property
    def unasked(self) -> bool:
        """Whether what runs are checks made without a click, which are not waited for."""
        running = self._client.running
        return running is not None and running == self._asked and self._cheap()

    def ready(self) -> bool:
        """Return whether nothing is to be waited for; ask at once for what is."""
        wanted = self._wanted()
        if self._ran != self._session.run or self._told == wanted or not self._cheap():
            return True
        self._ask()
        return False

    def know(self, facts: ModelFacts) -> None:
        """Learn how large the model in use is."""
        self._facts = facts
        self._wait()

    def ask_again(self) -> None:
        """Forget that the checks could not be made."""
        if self.isHidden():
            self._told = None
            self._quiet.start()

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Say what the checks come to."""
        assert isinstance(result, HeadReceipts)
        self._told, self._asked = request, None
        told = verdict(result)
        all_of_it = ", ".join(filter(None, (told.text, told.identities)))
        text = f"{MARKS['failed']} {all_of_it}: {told.worst}" if told.failed else ""
        text = text or f"{MARKS['passed']} {told.text}"
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, scaled(MOST_WIDTH))
        self.setText(shown.replace("&", "&&"))
        self.setAccessibleDescription(f"{all_of_it}; worst: {told.worst}")
        head = head_name(self._session.selection.head)
        worst = f"\nworst: {told.worst}" if told.worst else ""
        self.setToolTip(painting.literal(f"{all_of_it} on {head} and this prompt{worst}"))
        set_look(self, "tone", "bad" if told.failed else "good")
        self.show()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that they could not be made; the panel says why."""
        self._told, self._asked = request, None
        self.hide()
        if not self._cheap():
            self._offer()

    def _wanted(self) -> Receipts:
        return Receipts(self._session.run, self._session.selection.head)

    def _wait(self) -> None:
        if self._wanted() != self._told:
            self._quiet.start()

    def _cheap(self) -> bool:
        facts = self._facts
        if facts is None or facts.name != self._session.selection.model:
            return False
        return facts.parameters <= MOST_PARAMETERS

    def _begin(self) -> None:
        if self._client.busy or self._ran != self._session.run:
            return
        if self._cheap():
            self._ask()
        elif self._asked is None:
            self._offer()

    def _ask(self) -> None:
        self._quiet.stop()
        self._asked = self._wanted()
        self._say(CHECKING, "The checks of the open head are made")
        self._client.ask(self, "receipts", self._asked)

    def _offer(self) -> None:
        self._say(OFFER, "Hold what is shown of the open head against the model's own pass")

    def _say(self, text: str, about: str) -> None:
        self.setText(text)
        self.setAccessibleDescription(about)
        self.setToolTip(about)
        set_look(self, "tone", "muted")
        self.show()

    def _on_clicked(self) -> None:
        if self.text() == OFFER:
            self._ask()
        else:
            self.opened.emit()

    def _on_renewed(self) -> None:
        self._told = self._asked = None
        self.hide()
        self._quiet.start()

    def _on_answered(self, request: Request, seconds: float) -> None:
        if isinstance(request, RunPrompt):
            self._ran = request

    def _on_changed(self, what: str) -> None:
        if self._wanted() != self._told:
            self.hide()
            self._told = self._asked = None
            self._client.withdraw(self, "receipts")
            self._quiet.start()


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
    """The checks of the open head are to be shown."""

    def __init__(self, session: Session, client: EngineClient, opening: ModelOpener) -> None:
        super().__init__()
        self._session, self._client = session, client
        self._opening = opening
        self._failure = self._beside = ""
        self.setSizeGripEnabled(False)
        self.model = _label("The model in use")
        self.work = _label("What is being computed")
        self.bar = progress_bar("How far it is")
        ScaledSize(self.bar, self.bar.setMaximumWidth, 160)
        self.stop = button("Cancel", client.cancel, "Stop what is being computed (Esc)")
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
        opening.changed.connect(self._show_model)
        session.changed.connect(self._on_changed)
        self._show_model()

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
        """Make the checks once more that could not be made."""
        self.receipts.ask_again()

    def tell(self, sentence: str) -> None:
        """Say something about the window itself, until something else is said."""
        self._failure = printable(sentence)
        if not self.stop.isVisible():
            self._show_work(False)

    def _show_model(self) -> None:
        facts = self._opening.facts
        if facts is None:
            name = self._session.selection.model
            self.model.setText("no model" if self._opening.stuck else short_name(name))
            self.model.setToolTip("")
            return
        self.receipts.know(facts)
        groups = "" if facts.n_kv_heads == facts.n_heads else f", {facts.n_kv_heads} KV"
        heads = f"{facts.n_layers} × {facts.n_heads} heads{groups}"
        self.model.setText(f"{short_name(facts.name)} · {heads} · {facts.device}, {facts.dtype}")
        self.model.setToolTip(
            f"d_model {facts.d_model}, d_head {facts.d_head}, {facts.d_vocab:,} tokens, "
            f"context {facts.n_ctx}, positions {facts.positions}, norm {facts.norm}; "
            f"{facts.parameters:,} parameters, {in_bytes(facts.bytes)}"
        )

    def _on_changed(self, what: str) -> None:
        # What failed before stands in its panel; here it would outlive what it was about.
        self._failure = ""
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
