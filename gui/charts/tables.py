"""Rows of a table: what they hold beside numbers, heads and tokens, and as text between tabs."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.messages import Head, IntArray, VocabularyTokens

Row = tuple[Any, ...]


class Tokens(NamedTuple):
    """In the row of names: three columns, the id, the label and the text of a token."""

    prefix: str = ""
    label: str = "token"


class TokenCell(NamedTuple):
    """In a row of values: a token. Its id is looked up by its label where it is not known."""

    label: str
    id: int | None = None


class Unlisted(NamedTuple):
    """In a row of values: a label in the columns of a token that is none."""

    label: str = ""


def listed(*columns: Any) -> Iterator[Row]:
    """Yield rows from columns, arrays or sequences; a text stands in every row."""
    turned = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
    count = next(len(column) for column in turned if not isinstance(column, str))
    turned = [[column] * count if isinstance(column, str) else column for column in turned]
    return zip(*turned, strict=True)


def token_cells(labels: Sequence[str], ids: IntArray | None = None) -> list[TokenCell]:
    """Return tokens by their labels, and their ids where those are known."""
    numbers = [None] * len(labels) if ids is None else ids.tolist()
    return [TokenCell(*token) for token in zip(labels, numbers, strict=True)]


def filled(
    rows: Iterable[Row], vocabulary: VocabularyTokens | None, precision: str
) -> Iterator[Row]:
    """Yield rows with each token as id, label and text; names of columns first.

    Parameters
    ----------
    rows
        The names, and then the values.
    vocabulary
        All tokens of the model; without, ids that are not known and texts are empty. A piece that
        is not whole UTF-8 has no text.
    precision
        How the model was run, said in a last column; empty for none.
    """
    texts = () if vocabulary is None else vocabulary.texts
    ids = {label: number for number, label in enumerate(vocabulary.labels if vocabulary else ())}
    last: Row = ("precision",) if precision else ()
    for row in rows:
        cells: list[Any] = []
        for value in row:
            if isinstance(value, Tokens):
                cells += [f"{value.prefix}{name}" for name in ("id", value.label, "text")]
            elif isinstance(value, Unlisted):
                cells += ["", value.label, ""]
            elif isinstance(value, TokenCell):
                number = ids.get(value.label, -1) if value.id is None else value.id
                text = texts[number] if 0 <= number < len(texts) else ""
                cells += ["" if number < 0 else number, value.label, text]
            else:
                cells.append(value)
        yield (*cells, *last)
        last = (precision,) if precision else ()


def cell(value: object) -> str:
    """Return one cell: numbers at full precision, nothing for what is not a number."""
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    # 0.10 would be read as the number 0.1, as which another head is written.
    return value.name if isinstance(value, Head) else str(value)


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
