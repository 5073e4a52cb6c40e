"""Every check of the open head: in a sentence, and line by line."""

from typing import NamedTuple

from PySide6.QtGui import QResizeEvent

from engine.messages import HeadReceipts, Receipt, Receipts, Request
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack, yield_room
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.formatting import head_name, percent, plain, scientific
from gui.style.palette import scaled
from gui.widgets.check_list import Check, CheckList, Outcome
from gui.widgets.text import Paragraph, Sentence


class Verdict(NamedTuple):
    """All checks of a head in a few words.

    Attributes
    ----------
    text
        How many pass; identities are no evidence and are not counted.
    identities
        How many of those hold; empty for none.
    worst
        Which comes closest to its tolerance, or is farthest beyond it; empty for none.
    failed
        Whether one does not pass.
    """

    text: str
    identities: str
    worst: str
    failed: bool


def verdict(found: HeadReceipts) -> Verdict:
    """Return what the checks of a head come to."""
    defined = [receipt for receipt in found.receipts if receipt.passed is not None]
    worst = max(defined, key=_severity, default=None)
    if worst is None:
        return Verdict("no check applies", "", "", failed=False)
    failed = any(not receipt.passed for receipt in defined)
    text, held = (
        _outcome([one for one in defined if one.identity is kind]) for kind in (False, True)
    )
    return Verdict(text, held, f"“{worst.name}” {_share_text(worst)}", failed)


def _outcome(receipts: list[Receipt]) -> str:
    """Return how many of some checks, or of some identities, are as they should be."""
    if not receipts:
        return ""
    count, failed = len(receipts), sum(not receipt.passed for receipt in receipts)
    if failed:
        of = "identities" if receipts[0].identity else "checks"
        return f"{failed} of {count} {of} {'fails' if failed == 1 else 'fail'}"
    if receipts[0].identity:
        return "1 identity holds" if count == 1 else f"{count} identities hold"
    return f"{count} of {count} checks pass"


def in_order(found: HeadReceipts) -> list[Receipt]:
    """Return the failed checks, the worst first, those that passed, identities, the undefined."""
    rank = {False: 0, True: 1, None: 2}
    return sorted(
        found.receipts,
        key=lambda receipt: (
            rank[receipt.passed],
            receipt.identity,
            -_severity(receipt) if receipt.passed is False else 0.0,
        ),
    )


def check(receipt: Receipt) -> Check:
    """Return a receipt as a line of a list."""
    outcome: Outcome = "undefined"
    if receipt.passed is not None:
        outcome = "passed" if receipt.passed else "failed"
    details = [Paragraph(receipt.compares, "small")]
    if _share(receipt) is not None:
        details.append(Paragraph(_share_text(receipt), "small"))
    details += [
        Paragraph(f"{measured.name}: {_number(measured.value)}", "code")
        for measured in receipt.measured
    ]
    return Check(outcome, receipt.name, _measure(receipt), _share(receipt), tuple(details))


def _measure(receipt: Receipt) -> str:
    if receipt.passed is None:
        return f"does not apply: {receipt.reason}" if receipt.reason else "does not apply"
    if receipt.residual is None or receipt.tolerance is None:
        return receipt.reason or "could not be measured"
    kind = "identity, which holds for any weights: " if receipt.identity else ""
    text = f"{kind}residual {_number(receipt.residual)}, tolerance {_number(receipt.tolerance)}"
    return f"{text}; {receipt.reason}" if receipt.reason else text


def _share(receipt: Receipt) -> float | None:
    if receipt.residual is None or receipt.tolerance is None:
        return None
    if receipt.tolerance == 0:
        return 0.0 if receipt.residual == 0 else float("inf")
    return receipt.residual / receipt.tolerance


def _severity(receipt: Receipt) -> float:
    """Return how near a check is to failing; one that failed is beyond all that passed."""
    share = _share(receipt)
    if share is None or share != share:
        share = 0.0 if receipt.passed else float("inf")
    return share + (1e30 if receipt.passed is False else 0.0)


def _share_text(receipt: Receipt) -> str:
    share = _share(receipt)
    if share is None or share != share:
        return "which could not be measured"
    if share > 10:
        return f"at {plain(share, 2) if share < 1e4 else scientific(share)} times its tolerance"
    return f"at {percent(share)} of its tolerance"


def _number(value: float) -> str:
    return scientific(value) if value and abs(value) < 1e-3 else plain(value, 3)


HINT = (
    "Click a line for what is compared. A bar is how far off it was, in powers of ten; the line "
    "across it is the tolerance."
)

LEAST_LIST, HINT_FROM = 80, 340
"""Least height of the list, and height of the card from which there is room for the hint."""


class ReceiptsPanel(Panel):
    """Every check of the open head on the prompt; one that failed stands first."""

    title = "Receipts"
    main_slot = "shown"
    redraw_on = frozenset({"head"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.sentence = Sentence("How many checks pass")
        self.checks = CheckList()
        self.checks.setAccessibleName("Checks of the open head, failed ones first")
        yield_room(self.checks, LEAST_LIST)
        self.hint = Sentence("What a click does")
        self.hint.set_parts([HINT])
        stack(self.body, self.sentence, (self.checks, 1), self.hint)

    def wants(self) -> dict[str, Request]:
        """Ask for the run, and once the prompt is known to be read, for the checks."""
        wanted = self.basics("run")
        if self.common.run is not None:
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
