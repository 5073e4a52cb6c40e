"""Whether the checks of the open head pass, found out while nothing else is done."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton

from engine.messages import HeadReceipts, Receipts, Request, Result, RunPrompt
from gui.engine_client import EngineClient, Failure
from gui.head_names import head_name
from gui.palette import scaled, set_look
from gui.panels.receipt_words import verdict
from gui.session import Session
from gui.widgets import tool_tip
from gui.widgets.check_line import MARKS

QUIET_MS = 1000
"""How long nothing must have been asked before the checks are made."""

MOST_WIDTH = 300
"""Of what is said, pixels; the tool tip says all of it."""


class ReceiptLight(QPushButton):
    """Hidden until the checks of what is selected are known; a click asks for all of them.

    It asks only once nothing else was asked for a while, and only about a prompt that was run, so
    that somebody who types waits for nothing and is told of no failure twice.
    """

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__()
        self._session, self._client = session, client
        self._ran: Request | None = None
        self._told: Request | None = None
        self.setProperty("quiet", True)
        self.setAccessibleName("Checks of the open head")
        self.hide()
        self._quiet = QTimer(self, interval=QUIET_MS, singleShot=True)
        self._quiet.timeout.connect(self._ask)
        client.idle.connect(self._wait)
        client.answered.connect(self._on_answered)
        client.renewed.connect(self._on_renewed)
        session.changed.connect(self._on_changed)
        session.renamed.connect(self._on_renewed)

    def ask_again(self) -> None:
        """Forget that the checks could not be made."""
        if self.isHidden():
            self._told = None
            self._quiet.start()

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Say what the checks come to."""
        assert isinstance(result, HeadReceipts)
        self._told = request
        told = verdict(result)
        text = f"{MARKS['failed']} {told.text}: {told.worst}" if told.failed else ""
        text = text or f"{MARKS['passed']} {told.text}"
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, scaled(MOST_WIDTH))
        self.setText(shown.replace("&", "&&"))
        self.setAccessibleDescription(f"{told.text}; worst: {told.worst}")
        head = head_name(self._session.selection.head)
        worst = f"\nworst: {told.worst}" if told.worst else ""
        self.setToolTip(tool_tip.literal(f"{told.text} on {head} and this prompt{worst}"))
        set_look(self, "tone", "bad" if told.failed else "muted")
        self.show()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that they could not be made; whoever opens the panel is told why."""
        self._told = request
        self.hide()

    def _wanted(self) -> Receipts:
        return Receipts(self._session.run, self._session.selection.head)

    def _wait(self) -> None:
        if self._wanted() != self._told:
            self._quiet.start()

    def _ask(self) -> None:
        if not self._client.busy and self._ran == self._session.run:
            self._client.ask(self, "receipts", self._wanted())

    def _on_renewed(self) -> None:
        self._told = None
        self.hide()
        self._quiet.start()

    def _on_answered(self, request: Request, seconds: float) -> None:
        if isinstance(request, RunPrompt):
            self._ran = request

    def _on_changed(self, what: str) -> None:
        if self._wanted() != self._told:
            self.hide()
            self._told = None
            self._client.withdraw(self, "receipts")
            self._quiet.start()
