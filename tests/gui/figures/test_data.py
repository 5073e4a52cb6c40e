"""JSON, NPZ and workbooks of answers: every number whole, texts as texts, the same bytes again."""

import io
import json
import math
import re
import zipfile
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from engine import messages as m
from engine.messages import Refused
from engine.messages.records import request_to_json, result_to_json
from gui.charts import tables
from gui.figures import FigureOptions, Origin, data, write
from tests.gui.figures import samples

EVERYTHING = samples.everything()
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


def sheet(content: bytes) -> list[list[object]]:
    """Return the cells of the one sheet, as ECMA-376 says that they are read."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))
        rows = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        shared = archive.read(_STRINGS) if _STRINGS in archive.namelist() else None
    texts = [] if shared is None else ["".join(it.itertext()) for it in _items(shared)]
    assert not list(rows.iter(f"{_MAIN}f"))
    return [_cells(row, texts) for row in rows.iter(f"{_MAIN}row")]


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


@pytest.mark.parametrize("name", list(EVERYTHING))
def test_every_kind_of_file_holds_the_whole_answer_and_is_the_same_again(
    tmp_path: Path, name: str
) -> None:
    request, result = EVERYTHING[name]
    contents = {}
    for suffix in ("json", "npz", "xlsx"):
        for again in ("f", "g"):
            write(request, result, tmp_path / f"{again}.{suffix}")
        contents[suffix] = (tmp_path / f"f.{suffix}").read_bytes()
        assert contents[suffix] == (tmp_path / f"g.{suffix}").read_bytes()
    asked = json.loads(json.dumps(request_to_json(request)))

    record = json.loads(contents["json"])
    assert list(record) == ["request", "result", "provenance"]
    assert record["request"] == asked
    assert record["result"] == json.loads(json.dumps(result_to_json(result)))

    with np.load(io.BytesIO(contents["npz"]), allow_pickle=False) as archive:
        found = {name: archive[name] for name in archive.files}
    assert not [name for name, array in found.items() if array.dtype.hasobject]
    for field, value in vars(result).items():
        if isinstance(value, np.ndarray):
            assert found[field].dtype == value.dtype
            np.testing.assert_array_equal(found[field], value)
        elif isinstance(value, tuple) and value and isinstance(value[0], str):
            assert tuple(found[field].tolist()) == value
        elif value is not None:
            assert [n for n in found if n == field or n.startswith(f"{field}.")], field
    assert json.loads(str(found["record"]))["request"] == asked

    for row, cells in zip(data.rows(request, result, None), sheet(contents["xlsx"]), strict=True):
        for value, there in zip_longest(row, cells):
            if isinstance(value, float | int) and not isinstance(value, bool):
                # XlsxWriter writes 16 digits, and spreadsheets keep 15.
                exact = there == pytest.approx(value, rel=1e-15, abs=0)
                assert exact or (there is None and not math.isfinite(value))
            else:
                assert (there or "") == tables.cell(value)


def test_texts_and_numbers_come_back_as_they_are() -> None:
    numbers = (-2, 0.1, 1e-30, math.nan, math.inf)
    found = sheet(data.encode_workbook([ODD, numbers, (True, "1.10")]))
    assert found[0] == [text.replace("\ud800", r"\ud800") or None for text in ODD][:-1]
    assert found[1] == [-2.0, 0.1, 1e-30]
    assert found[2] == ["True", "1.10"]


def test_a_text_that_xml_cannot_hold_is_escaped_as_spreadsheets_do() -> None:
    with zipfile.ZipFile(io.BytesIO(data.encode_workbook([("\r", "_x0041_", "\x1b")]))) as archive:
        texts = archive.read(_STRINGS).decode()
    assert re.findall(r">([^<]+)</t>", texts) == ["_x000D_", "_x005F_x0041_", "_x001B_"]


def test_more_rows_than_a_sheet_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MOST_ROWS", 3)
    assert len(sheet(data.encode_workbook([(1,)] * 3))) == 3
    with pytest.raises(Refused, match="a sheet holds 3 rows, and these are more: write CSV"):
        data.encode_workbook([(1,)] * 4)


def test_rows_of_an_answer_are_columns_of_an_archive(tmp_path: Path) -> None:
    for name in ("composition", "spectrum", "logit-attribution", "workings", "head-scores"):
        write(*EVERYTHING[name], tmp_path / f"{name}.npz")

    def column(name: str, key: str) -> np.ndarray:
        with np.load(tmp_path / f"{name}.npz") as archive:
            return archive[key]

    assert column("composition", "pairs.later").tolist()[:2] == ["1.0", "1.1"]
    groups = EVERYTHING["spectrum"][1].groups
    assert column("spectrum", "groups.first").tolist() == [group.first for group in groups]
    assert column("logit-attribution", "heads").tolist()[:3] == ["", "", "0.0"]
    steps = EVERYTHING["workings"][1].steps
    np.testing.assert_array_equal(column("workings", "steps.1.values"), steps[1].values)
    scores = EVERYTHING["head-scores"][1].scores
    np.testing.assert_array_equal(column("head-scores", "scores.induction"), scores["induction"])


def test_labels_of_any_kind_come_back_from_data(tmp_path: Path) -> None:
    labels = (*samples.HOSTILE, "\udc80", "\U0010fffd")
    request, result = samples.attention(labels)
    origin = Origin(tokens=labels, ids=tuple(range(len(labels))))
    for suffix in ("json", "npz"):
        write(request, result, tmp_path / f"f.{suffix}", FigureOptions(), origin=origin)
    record = json.loads((tmp_path / "f.json").read_bytes())
    assert tuple(record["result"]["labels"]) == labels
    assert tuple(record["provenance"]["tokens"]) == labels
    with np.load(tmp_path / "f.npz") as archive:
        assert tuple(archive["labels"].tolist()) == labels


def test_an_answer_without_a_picture_can_be_data(tmp_path: Path) -> None:
    answer = m.ModelList((m.ModelEntry("toy", "toys", "="), m.ModelEntry("a", "b", "c")))
    for suffix in ("csv", "json", "npz"):
        write(m.ListModels(), answer, tmp_path / f"f.{suffix}")
    with np.load(tmp_path / "f.npz") as archive:
        assert archive["models.name"].tolist() == ["toy", "a"]
