"""Rows of a head's steps and of its checks."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from engine.messages import HeadReceipts, HeadWorkings, Receipts, Workings
from gui.figures.columns import Row, Token, Tokens, Unlisted

_OF_TOKENS = ("query", "source", "position", "token")


def _workings(request: Workings, result: HeadWorkings) -> Iterator[Row]:
    yield "step", "row", Tokens("row_", "label"), "column", Tokens("column_", "label"), "value"
    for step in result.steps:
        down, across = (
            [(Token if axis in _OF_TOKENS else Unlisted)(label) for label in labels]
            for axis, labels in zip(step.axes, (step.row_labels, step.column_labels), strict=True)
        )
        for row, values in enumerate(step.values.tolist()):
            for column, value in enumerate(values):
                yield step.symbol, row, down[row], column, across[column], value


def _receipts(request: Receipts, result: HeadReceipts) -> Iterator[Row]:
    yield "check", "quantity", "value", "tolerance", "passed", "reason"
    for receipt in result.receipts:
        if receipt.passed is None:
            yield receipt.name, "residual", math.nan, math.nan, "", receipt.reason
            continue
        yield receipt.name, "residual", receipt.residual, receipt.tolerance, receipt.passed, ""
        for name, value in receipt.measured:
            yield receipt.name, name, value, math.nan, "", ""


WORKING_ROWS: dict[type, Callable[[Any, Any], Iterator[Row]]] = {
    Workings: _workings,
    Receipts: _receipts,
}
