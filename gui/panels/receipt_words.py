"""What is said of checks: in a sentence, and line by line."""

from typing import NamedTuple

from engine.messages import HeadReceipts, Receipt
from gui.numbers import percent, plain, scientific
from gui.widgets.check_line import Check, Outcome
from gui.widgets.text_block import Paragraph


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
