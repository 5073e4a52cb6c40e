"""Checks that what is shown of a head is what the model does."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from engine.messages.prompts import RunPrompt
from engine.messages.terms import HeadName, Says


@dataclass(frozen=True)
class Receipts:
    """Whether what the texts say of any head holds for this head of this model on this prompt."""

    run: RunPrompt
    head: HeadName


class Measured(NamedTuple):
    """A number that a check met on its way."""

    name: str
    value: float


class Receipt(NamedTuple):
    """One check.

    Attributes
    ----------
    name
        What is claimed.
    compares
        What is computed in which ways, and how the residual is measured.
    residual
        How far apart they are; none where the check is undefined.
    tolerance
        How far they may be.
    passed
        Whether the residual is within the tolerance; none where the check is undefined.
    reason
        Why it is undefined; empty otherwise.
    measured
        Other numbers that belong to it.
    identity
        Whether it holds for any weights: it says that the algebra is done rightly, and is no
        evidence that what is shown is what the model does.
    """

    name: str
    compares: str
    residual: float | None
    tolerance: float | None
    passed: bool | None
    reason: str
    measured: tuple[Measured, ...]
    identity: bool = False


@dataclass(frozen=True, eq=False)
class HeadReceipts:
    """Answer to Receipts."""

    receipts: Annotated[
        tuple[Receipt, ...],
        Says(
            "every check, failed ones too: what it compares, the residual, the tolerance, and "
            "whether it passed; none of the three, but a reason, where it is undefined; identity: "
            "whether it holds for any weights, and so is no evidence about this model"
        ),
    ]
