"""Rows as a workbook of one sheet: numbers are numbers, and every text is text and no formula.

CSV leaves both to the spreadsheet, which in some languages takes `1.3` for a date.
"""

import io
import math
from collections.abc import Iterable
from datetime import datetime

from engine.messages import Refused
from gui.figures.columns import Row, cell

MOST_ROWS, LONGEST = 2**20, 2**15 - 1
"""Rows of a sheet, and characters of a cell."""

_DATE = datetime(1980, 1, 1)
"""Of every workbook, so that equal rows are equal bytes."""


def encode(rows: Iterable[Row]) -> bytes:
    """Return rows as the content of an .xlsx file, numbers with 16 digits.

    Raises
    ------
    Refused
        If there are more rows than a sheet has.
    """
    import xlsxwriter  # for this kind of file only

    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    book.set_properties({"created": _DATE})
    sheet = book.add_worksheet("Headscope")
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            raise Refused(
                f"a sheet holds {MOST_ROWS:,} rows, and these are more: write CSV, or one head"
            )
        for column, value in enumerate(row):
            if isinstance(value, int | float) and not isinstance(value, bool):
                if math.isfinite(value):
                    sheet.write_number(number, column, value)
            elif text := cell(value)[:LONGEST]:
                # Half a surrogate pair cannot be written as UTF-8.
                text = text.encode("utf-8", "backslashreplace").decode()
                sheet.write_string(number, column, text)
    book.close()
    return buffer.getvalue()
