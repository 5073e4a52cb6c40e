"""Workbooks of answers: numbers are numbers, and texts are texts and no formulas."""

import io
import math
import re
import zipfile
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.messages import Refused
from gui.charts import tables
from gui.figures import data, write
from tests.gui.figures import samples

_STRINGS = "xl/sharedStrings.xml"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
ODD = (
    *samples.HOSTILE,
    "=1+1",
    "\t=1",
    "\r\n",
    " tea ",
    "\x00\x1b[2J",
    "_x0041_",
    "\ud800",
    "💩",
    "",
)


def read(content: bytes) -> list[list[object]]:
    """Return the cells of the one sheet, as ECMA-376 says that they are read."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        shared = archive.read(_STRINGS) if _STRINGS in archive.namelist() else None
    texts = [] if shared is None else ["".join(it.itertext()) for it in _items(shared)]
    assert not list(sheet.iter(f"{_MAIN}f"))
    return [_cells(row, texts) for row in sheet.iter(f"{_MAIN}row")]


def _items(shared: bytes) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(shared).iter(f"{_MAIN}si"))


def _cells(row: ElementTree.Element, texts: list[str]) -> list[object]:
    """Return the cells of a row up to the last that holds something, by their columns."""
    found: dict[int, object] = {}
    for cell in row.iter(f"{_MAIN}c"):
        letters = str(cell.get("r")).rstrip("0123456789")
        place = 0
        for letter in letters:
            place = 26 * place + ord(letter) - 64
        value = str(cell.findtext(f"{_MAIN}v"))
        if cell.get("t") == "s":
            text = texts[int(value)]
            found[place - 1] = re.sub(r"_x([0-9A-F]{4})_", lambda it: chr(int(it[1], 16)), text)
        else:
            found[place - 1] = float(value)
    return [found.get(place) for place in range(max(found, default=-1) + 1)]


def test_texts_and_numbers_come_back_as_they_are() -> None:
    numbers = (-2, 0.1, 1e-30, math.nan, math.inf)
    found = read(data.encode_workbook([ODD, numbers, (True, "1.10")]))
    assert found[0] == [text.replace("\ud800", r"\ud800") or None for text in ODD][:-1]
    assert found[1] == [-2.0, 0.1, 1e-30]
    assert found[2] == ["True", "1.10"]


def test_a_text_that_xml_cannot_hold_is_escaped_as_spreadsheets_do() -> None:
    with zipfile.ZipFile(io.BytesIO(data.encode_workbook([("\r", "_x0041_", "\x1b")]))) as archive:
        texts = archive.read(_STRINGS).decode()
    assert re.findall(r">([^<]+)</t>", texts) == ["_x000D_", "_x005F_x0041_", "_x001B_"]


@pytest.mark.parametrize("name", list(samples.everything()))
def test_an_answer_is_written_as_its_rows_are(tmp_path: Path, name: str) -> None:
    request, result = samples.everything()[name]
    for again in ("f.xlsx", "g.xlsx"):
        write(request, result, tmp_path / again)
    content = (tmp_path / "f.xlsx").read_bytes()
    assert content == (tmp_path / "g.xlsx").read_bytes()
    found = read(content)
    for row, cells in zip(data.rows(request, result, None), found, strict=True):
        for value, there in zip_longest(row, cells):
            if isinstance(value, float | int) and not isinstance(value, bool):
                # XlsxWriter writes 16 digits, and spreadsheets keep 15.
                exact = there == pytest.approx(value, rel=1e-15, abs=0)
                assert exact or (there is None and not math.isfinite(value))
            else:
                assert (there or "") == tables.cell(value)


def test_more_rows_than_a_sheet_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MOST_ROWS", 3)
    assert len(read(data.encode_workbook([(1,)] * 3))) == 3
    with pytest.raises(Refused, match="a sheet holds 3 rows, and these are more: write CSV"):
        data.encode_workbook([(1,)] * 4)
