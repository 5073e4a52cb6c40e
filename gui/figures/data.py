"""An answer as data: its rows as CSV or as a workbook, all of it as JSON or as arrays in NPZ.

In a workbook of one sheet numbers are numbers, and every text is text and no formula. CSV leaves
both to the spreadsheet, which in some languages takes `1.3` for a date.
"""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.messages import Head, ModelEstimate, ModelFacts, Refused, published, to_plain
from gui.charts import subjects
from gui.charts.tables import Row, cell
from gui.figures import provenance
from gui.figures.provenance import Origin
from gui.state import question
from gui.state.figure_options import ROWS, FigureOptions
from gui.state.question import Question

MOST_ROWS, LONGEST = 2**20, 2**15 - 1
"""Rows of a sheet, and characters of a cell."""

_UNKNOWN = Origin()
_DATE = datetime(1980, 1, 1)
"""Of every workbook, so that equal rows are equal bytes."""


def encode_csv(rows: Iterable[Row]) -> bytes:
    """Return rows as CSV in UTF-8, texts as they are."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    quoting = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        texts = [cell(value) for value in row]
        # csv leaves a lone carriage return unquoted, and readers end the row there.
        (quoting if any("\r" in text for text in texts) else writer).writerow(texts)
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def rows(
    request: Question, result: Any, head: Head | None, origin: Origin = _UNKNOWN
) -> Iterator[Row]:
    """Return the rows of an answer as the place it is from completes them (see `subjects.rows`)."""
    return subjects.rows(request, result, head, origin.vocabulary, origin.unusual)


def encode_workbook(rows: Iterable[Row]) -> bytes:
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


def encode(
    suffix: str,
    request: Question,
    result: Any,
    head: Head | None,
    options: FigureOptions,
    origin: Origin,
) -> bytes:
    """Return an answer as a file's content.

    CSV and XLSX hold rows, cut to the head where one is given; JSON holds the request and the
    result as `ask` prints them, and where they are from; NPZ holds the result's arrays by the names
    of its fields (a list of rows by its columns, such as `groups.first`, or row by row, such as
    `steps.0.values`), and `record`, the same as a figure's metadata. None of it needs pickle. Of a
    difference all of them hold both sides as well (see `Subtraction`).

    Parameters
    ----------
    suffix
        One of DATA.
    request, result
        A question and its answer.
    head
        For attention, the one head that is meant; without, all heads of the layer.
    options, origin
        How it would be drawn, and where it is from: kept so that it can be opened again.
    """
    request = question.with_models(request, published)
    if isinstance(result, ModelFacts | ModelEstimate):
        result = replace(result, name=published(result.name))
    if suffix in ROWS:
        written = encode_workbook if suffix == ".xlsx" else encode_csv
        return written(rows(request, result, head, origin))
    if suffix == ".json":
        record = {
            **question.to_json(request),
            "result": to_plain(result),
            "provenance": provenance.about(result, head, options, origin),
        }
        return (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode(
            errors="backslashreplace"
        )
    buffer = io.BytesIO()
    named = dict(_arrays(result, ""))
    named["record"] = np.array(provenance.record(request, result, head, options, origin))
    np.savez_compressed(buffer, allow_pickle=False, **named)
    return buffer.getvalue()


def _arrays(value: Any, name: str) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield every part of an answer as an array under its name; what is none is left out."""
    prefix = f"{name}." if name else ""
    if isinstance(value, np.ndarray):
        yield name, value
    elif is_dataclass(value):
        for field in fields(value):
            yield from _arrays(getattr(value, field.name), prefix + field.name)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _arrays(part, prefix + key)
    elif isinstance(value, tuple) and value and _is_row(value[0]):
        rows = [row._asdict() for row in value]
        if all(_is_cell(cell) for row in rows for cell in row.values()):
            for column in rows[0]:
                yield prefix + column, np.array([_plain(row[column]) for row in rows])
        else:
            for place, row in enumerate(rows):
                yield from _arrays(row, f"{prefix}{place}")
    elif value is not None:
        yield name, np.array(_plain(value))


def _is_row(value: Any) -> bool:
    return hasattr(value, "_asdict") and not isinstance(value, Head)


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, Head | str | bool | int | float)


def _plain(value: Any) -> Any:
    """Return heads as `0.3` and what is none as an empty text, however deep."""
    if isinstance(value, Head):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return "" if value is None else value
