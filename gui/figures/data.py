"""Answers as data for other programs: rows of CSV, JSON, and NumPy's archive of arrays."""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.messages import Head, ModelEstimate, ModelFacts, published, to_plain
from gui import questions
from gui.figures import provenance, rows, workbook
from gui.figures.options import ROWS, FigureOptions
from gui.figures.provenance import Origin
from gui.questions import Question


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
    request = questions.with_models(request, published)
    if isinstance(result, ModelFacts | ModelEstimate):
        result = replace(result, name=published(result.name))
    if suffix in ROWS:
        written = workbook.encode if suffix == ".xlsx" else rows.encode
        return written(rows.rows(request, result, head, origin))
    if suffix == ".json":
        record = {
            **questions.to_json(request),
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
