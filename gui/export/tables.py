"""Rows of an answer as text that pastes into a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from gui.figures.columns import cell

_SHOWN = {ord(end): repr(end)[1:-1] for end in "\0\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}
"""What ends a cell or a row somewhere, as it is shown."""
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")


def tab_separated(rows: Iterable[tuple[Any, ...]]) -> str:
    """Return rows between line ends, cells between tabs.

    What would end a cell or a row inside one is shown escaped; quotation marks are doubled in a
    cell between quotation marks, as spreadsheets read them. A text that a spreadsheet would take
    for a formula gets an apostrophe in front; one that already has apostrophes there gets one
    more, so that taking one off always gives the text.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter="\t", lineterminator="\n")
    for row in rows:
        texts = [
            f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else cell(value)
            for value in row
        ]
        writer.writerow([text.translate(_SHOWN) for text in texts])
    return buffer.getvalue().encode("utf-8", "backslashreplace").decode("utf-8")
