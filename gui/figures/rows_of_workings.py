"""Rows of a head's steps and of its checks."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from engine.messages import HeadReceipts, HeadWorkings, Receipts, Workings
from gui.figures.rows_of_paths import Row


def _workings(request: Workings, result: HeadWorkings) -> Iterator[Row]:
    yield "step", "row", "row_label", "column", "column_label", "value"
    for step in result.steps:
        for row, values in enumerate(step.values.tolist()):
            for column, value in enumerate(values):
                yield (
                    step.symbol, row, step.row_labels[row], column, step.column_labels[column],
                    value,
                )  # fmt: skip


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
