"""Whether the checks of the open head pass, found out while nothing else is done."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QPushButton

from engine.messages import HeadReceipts, ModelFacts, Receipts, Request, Result, RunPrompt
from gui.engine_client import EngineClient, Failure
from gui.head_names import head_name
from gui.palette import scaled, set_look
from gui.panels.receipt_words import verdict
from gui.session import Session
from gui.widgets import tool_tip
from gui.widgets.check_line import MARKS

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
    that somebody who types waits for nothing and is told of no failure twice. Of a large model it
    asks only after a click.
    """

    opened = Signal()
    """Somebody wants to see the checks."""

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
        """Whether what runs are checks that nobody asked for, and so nobody waits for."""
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
        self._quiet.start()

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
        self.setToolTip(tool_tip.literal(f"{all_of_it} on {head} and this prompt{worst}"))
        set_look(self, "tone", "bad" if told.failed else "good")
        self.show()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that they could not be made; whoever opens the panel is told why."""
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
        in_use = facts is not None and facts.name == self._session.selection.model
        return in_use and facts is not None and facts.parameters <= MOST_PARAMETERS

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
