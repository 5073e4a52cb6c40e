"""Tables on the clipboard paste into the same rows and columns, whatever the tokens hold."""

import csv
import io

import pytest

from engine.job import Job
from engine.messages import Head
from gui.charts.tables import tab_separated
from gui.export.exportable import Exportable
from gui.export.jobs import AnswerInputs, questions
from gui.figures import data
from tests.gui.fake_engine import FakeEngine
from tests.gui.figures import samples

HOSTILE = (
    "a\tb", "a\nb", "a\r\nb", "a\rb", '"', '"a"', 'a"b', "\t", "\n", "", " ", "\u2028", "\x0b\x0c",
    "\x00", "\ud800", "東京", "💩", "a,b;c",
)  # fmt: skip
FORMULAE = ("=1+1", "+3", "-2", "@SUM(A1)", "\t=1", "'=x", '=HYPERLINK("x")', "\n=1")


def pasted(text):
    """Return the cells that a spreadsheet makes of a text, quotation marks read as it does."""
    return list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True))


def test_rows_and_columns_are_the_same_whatever_a_cell_holds():
    given = [(1, text, -0.5, text, None) for text in HOSTILE]
    found = pasted(tab_separated(given))
    assert len(found) == len(given)
    assert {len(row) for row in found} == {5}
    plain = [row[1] for row in found]
    assert plain[:4] == ["a\\tb", "a\\nb", "a\\r\\nb", "a\\rb"]
    assert plain[4:7] == ['"', '"a"', 'a"b']


@pytest.mark.parametrize("text", HOSTILE)
def test_a_reader_that_knows_no_quotation_marks_sees_as_many_rows_and_columns(text):
    lines = tab_separated([("x", text, 1.0), (2, 3, 4)]).splitlines()
    assert [len(line.split("\t")) for line in lines] == [3, 3]


@pytest.mark.parametrize("text", FORMULAE)
def test_a_text_that_would_be_a_formula_is_none(text):
    ((cell,),) = pasted(tab_separated([(text,)]))
    assert cell.startswith("'")


def test_numbers_stay_numbers():
    ((*cells,),) = pasted(tab_separated([(-2, -0.25, float("nan"), float("-inf"), 1e-30)]))
    assert cells == ["-2", "-0.25", "", "", "1e-30"]


def material(name, request, result, head=None):
    """Return what a table is made from: the answer, and where it is from."""
    engine = FakeEngine()
    beside = {one: engine.answer(one, Job()) for one in questions(request) if one != request}
    return AnswerInputs(Exportable(name, request, head), beside | {request: result}, "")


@pytest.mark.parametrize("name", list(samples.everything()))
def test_every_answer_pastes_as_its_rows_are(name):
    request, result = samples.everything()[name]
    head = Head(request.layer, 3) if name == "attention" else None
    found = pasted(material(name, request, result, head).table())
    whole = list(data.rows(request, result, head))
    assert [len(row) for row in found] == [len(row) for row in whole]


def test_labels_of_hostile_tokens_paste_as_they_are_shown():
    request, result = samples.attention(samples.HOSTILE)
    found = pasted(material("x", request, result, Head(1, 0)).table())
    shown = {f"'{label}" if label[0] in "=+-@" or label == "'=x" else label
             for label in samples.HOSTILE}  # fmt: skip
    assert {row[3] for row in found[1:]} == shown
