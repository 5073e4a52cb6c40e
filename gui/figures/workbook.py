"""Rows as a workbook of one sheet: numbers are numbers, and every text is text and no formula.

CSV leaves both to the spreadsheet, which in some languages takes `1.3` for a date.
"""

import io
import math
import re
import zipfile
from collections.abc import Iterable
from xml.sax.saxutils import escape

from engine.messages import Refused
from gui.figures.columns import Row, cell

MOST_ROWS, LONGEST = 2**20, 2**15 - 1
"""Rows of a sheet, and characters of a cell."""

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_LINKS = f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
_PARTS = {
    "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/book.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
    f'<Override PartName="/sheet.xml" ContentType="{_TYPES}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{_LINKS}<Relationship Id="b" Type="{_OFFICE}/officeDocument" '
    'Target="book.xml"/></Relationships>',
    "book.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Headscope" sheetId="1" r:id="s"/></sheets></workbook>',
    "_rels/book.xml.rels": f'{_LINKS}<Relationship Id="s" Type="{_OFFICE}/worksheet" '
    'Target="sheet.xml"/></Relationships>',
}
_UNWRITABLE = re.compile(
    "[\x00-\x08\x0b\x0c\r\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)"
)
"""What XML cannot hold or would change, and what is read as the escape of it."""


def encode(rows: Iterable[Row]) -> bytes:
    """Return rows as the content of an .xlsx file; never a date.

    Raises
    ------
    Refused
        If there are more rows than a sheet has.
    """
    lines = []
    for row in rows:
        lines.append(f"<row>{''.join(map(_cell, row))}</row>")
        if len(lines) > MOST_ROWS:
            raise Refused(
                f"a sheet holds {MOST_ROWS:,} rows, and these are more: write CSV, or one head"
            )
    sheet = f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (_PARTS | {"sheet.xml": sheet}).items():
            # The date of a ZipInfo is always the same, and so are the bytes.
            archive.writestr(zipfile.ZipInfo(name), text.encode(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<c><v>{value!r}</v></c>" if math.isfinite(value) else "<c/>"
    text = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", cell(value)[:LONGEST])
    if not text:
        return "<c/>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
