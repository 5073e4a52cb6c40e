"""Rows of an answer as text that pastes into a spreadsheet."""

import csv
import io
from collections.abc import Iterable
from typing import Any

_SHOWN = {ord(end): repr(end)[1:-1] for end in "\0\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}
"""What ends a cell or a row somewhere, as it is shown."""


def tab_separated(rows: Iterable[tuple[Any, ...]]) -> str:
    """Return rows between line ends, cells between tabs.

    What would end a cell or a row inside one is shown escaped; quotation marks are doubled in a
    cell between quotation marks, as spreadsheets read them.
    """
    from gui.figures.rows import cell

    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter="\t", lineterminator="\n")
    for row in rows:
        writer.writerow([cell(value).translate(_SHOWN) for value in row])
    return buffer.getvalue().encode("utf-8", "backslashreplace").decode("utf-8")
