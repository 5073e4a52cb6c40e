"""One head on one prompt: every step of it with its numbers, and checks of what is shown."""

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from engine.messages.prompts import RunPrompt
from engine.messages.terms import BoolArray, FloatArray, HeadName, Says

Part = Literal["input", "where", "what", "prediction"]

PARTS: dict[Part, str] = {
    "input": "Input",
    "where": "Where to look",
    "what": "What to move",
    "prediction": "What it does to the prediction",
}
"""What each part of the chain is called, in its order."""


@dataclass(frozen=True)
class Workings:
    """Everything a head does on a prompt, from one-hot tokens to logits, step by step."""

    run: RunPrompt
    head: HeadName
    query: Annotated[
        int, Says("position whose row is followed through; negative: from the end")
    ] = -1


class Step(NamedTuple):
    """One matrix of the chain.

    Attributes
    ----------
    symbol
        What it is called, such as `Q`.
    part
        What it is for: the input, where to look, what to move, or the prediction.
    formula
        How it is made in TransformerLens's shapes, one row a position.
    paper
        The same as the papers write it, their weights being the transposes.
    einsum, paper_einsum
        The same as index strings; empty for what is given and not made.
    operands
        Symbols of the steps that the index string multiplies, in its order.
    sentence
        What it means.
    shape
        Rows and columns.
    axes
        What the rows and the columns are: query, source, position, d_model, d_head or token.
    row_labels, column_labels
        What each row and each column is called.
    values
        [row, column], not a number where masked.
    marked_row
        The row of the query; none where the rows are not queries.
    transposed
        Whether what the papers call by this symbol is the transpose.
    """

    symbol: str
    part: Part
    formula: str
    paper: str
    einsum: str
    paper_einsum: str
    operands: tuple[str, ...]
    sentence: str
    shape: tuple[int, int]
    axes: tuple[str, str]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    values: FloatArray
    marked_row: int | None
    transposed: bool = False


@dataclass(frozen=True, eq=False)
class HeadWorkings:
    """Answer to Workings."""

    steps: Annotated[
        tuple[Step, ...],
        Says(
            "one matrix each, in the order in which they follow from each other: formula in "
            "TransformerLens's shapes, paper as the papers write it, index strings of both and the "
            "symbols that they multiply (none for what is given), values [row, column], the "
            "query's row where rows are queries, and whether what the papers call by the symbol is "
            "the transpose; of a vocabulary above 64 tokens only the "
            "prompt's, and for W_U and the logit change the 10 most raised and most lowered too"
        ),
    ]
    labels: Annotated[tuple[str, ...], Says("the prompt's tokens as shown")]
    query: Annotated[int, Says("the position followed through, counted from 0")]
    divisor: Annotated[float, Says("what the scores are divided by")]
    d_vocab: Annotated[int, Says("tokens in the vocabulary")]

    def step(self, symbol: str) -> Step:
        """Return the step of a symbol; KeyError if there is none."""
        return {step.symbol: step for step in self.steps}[symbol]

    @property
    def seen(self) -> BoolArray:
        """Where a query may look, [query, source]: neither in the future nor beyond a window."""
        return np.isfinite(self.step("S/√d").values)


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
