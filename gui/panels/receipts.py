"""Checks that what is shown of the open head is what the model does."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from engine.messages import HeadReceipts, Receipts, Request
from gui.engine_client import EngineClient
from gui.head_names import head_name
from gui.palette import Held, scaled
from gui.panels.panel import Panel
from gui.panels.receipt_words import check, in_order, verdict
from gui.panels.sentence import Sentence
from gui.session import Session
from gui.theme import UNIT
from gui.widgets.check_list import CheckList

HINT = (
    "Click a line for what is compared. A bar is how far off it was, in powers of ten; the line "
    "across it is the tolerance."
)

LEAST_LIST, HINT_FROM = 80, 340
"""Least height of the list, and height of the card from which there is room for the hint."""


class ReceiptsPanel(Panel):
    """Every check of the open head on the prompt; one that failed stands first."""

    title = "Receipts"
    main = "shown"
    draws = frozenset({"head"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.sentence = Sentence("How many checks pass")
        self.checks = CheckList()
        self.checks.setAccessibleName("Checks of the open head, failed ones first")
        self.checks.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        Held(self.checks, self.checks.setMinimumHeight, LEAST_LIST)
        self.hint = Sentence("What a click does")
        self.hint.set_parts([HINT])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.sentence)
        layout.addWidget(self.checks, 1)
        layout.addWidget(self.hint)

    def wants(self) -> dict[str, Request]:
        """Ask for the run, and once the prompt is known to be read, for the checks."""
        wanted: dict[str, Request] = {"run": self.session.run}
        if self.run_result() is not None:
            wanted["shown"] = Receipts(self.session.run, self.session.selection.head)
        return wanted

    def draw(self) -> None:
        """Show the checks."""
        found = self.known("shown")
        if not isinstance(found, HeadReceipts):
            return
        head = head_name(self.session.selection.head)
        self.show_head()
        undefined = sum(receipt.passed is None for receipt in found.receipts)
        told = verdict(found)
        aside = f", {told.identities}" if told.identities else ""
        if undefined:
            aside += f", {undefined} {'does' if undefined == 1 else 'do'} not apply"
        worst = f"; worst: {told.worst}" if told.worst else ""
        self.sentence.set_parts([f"{told.text} on {head} and this prompt{aside}{worst}."])
        self.checks.set_checks([check(receipt) for receipt in in_order(found)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the hint out where the checks need its room."""
        super().resizeEvent(event)
        self.hint.setVisible(self.height() >= scaled(HINT_FROM))
