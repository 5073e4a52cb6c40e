"""A figure that is dropped or opened brings back the view that it came from."""

from functools import partial

import pytest

from engine.job import Job
from engine.messages import Attention, DestinationRow, Head, Refused, RunPrompt
from gui import figures
from gui.export.figure_opener import read
from gui.figures import stored
from gui.state import question
from gui.state.difference import Difference
from gui.state.file_kinds import READABLE, is_figure
from gui.state.question_table import View
from tests.gui.conftest import filled
from tests.gui.export.conftest import rest
from tests.gui.figures import samples


def test_what_can_be_opened_is_what_says_its_question():
    assert READABLE == stored.READABLE


@pytest.mark.parametrize("suffix", READABLE)
def test_the_view_of_a_file_is_its_question(tmp_path, suffix):
    request, result = samples.attention()
    figures.write(request, result, tmp_path / f"f{suffix}", head=Head(1, 3))
    view = read(tmp_path / f"f{suffix}")
    assert (view.request, view.head) == (request, Head(1, 3))
    assert is_figure(tmp_path / f"F{suffix.upper()}")


def test_a_figure_that_is_dropped_is_shown(qtbot, tmp_path, window, session, client, engine):
    run = RunPrompt("attn-2l", "w7 w8 w7")
    request = Attention(run, 0, "scores")
    figures.write(request, engine.answer(request, Job()), tmp_path / "f.pdf", head=Head(0, 3))
    window.drops.take([tmp_path / "f.pdf"])
    rest(qtbot, client, window.exports.worker)
    filled(qtbot, client, *window.panels)
    now = session.selection
    assert (now.text, now.head, now.kind) == ("w7 w8 w7", Head(0, 3), "scores")


@pytest.mark.parametrize("suffix", [".pdf", ".json"])
def test_the_figure_of_a_difference_brings_the_comparison_back(
    qtbot, tmp_path, window, session, client, engine, suffix
):
    left, right = RunPrompt("attn-2l", "w7 w8 w7"), RunPrompt("attn-2l", "w7 w9 w7")
    asked = Difference(DestinationRow(right, -2), DestinationRow(left, -2))
    ask = partial(engine.answer, job=Job())
    origin = figures.origin(map(ask, figures.questions(asked)), "9")
    path = tmp_path / f"f{suffix}"
    figures.write(asked, question.answer(asked, ask), path, origin=origin)
    assert read(path) == View(asked, None, None, len(origin.base_tokens))
    window.drops.take([path])
    rest(qtbot, client, window.exports.worker)
    now = session.selection
    assert (now.text, now.other_text, now.compare) == ("w7 w8 w7", "w7 w9 w7", "difference")
    assert now.query == len(origin.base_tokens) - 2


def test_a_figure_of_a_closed_card_opens_it(qtbot, tmp_path, window, client):
    request, result = samples.everything()["composition"]
    figures.write(request, result, tmp_path / "f.svg")
    dock = next(dock for dock in window.docks if dock.kind.title == "Composition")
    assert not dock.isVisible()
    window.figure_opener.open(tmp_path / "f.svg")
    rest(qtbot, client, window.exports.worker)
    assert dock.isVisible()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("f.pdf", b"%PDF", "f.pdf holds no question of Headscope"),
        ("f.json", b'{"request": {"question": "what"}, "result": {}}', "f.json: there is no"),
        (
            "f.json",
            b'{"request": {"question": "attention"}, "result": {}}',
            "f.json: attention needs the field 'run'",
        ),
        ("gone.png", None, "gone.png cannot be read: No such file"),
    ],
)
def test_what_cannot_be_opened_is_said_and_changes_nothing(
    qtbot, tmp_path, window, session, client, name, content, said
):
    before = session.selection
    if content is not None:
        (tmp_path / name).write_bytes(content)
    window.drops.take([tmp_path / name])
    rest(qtbot, client, window.exports.worker)
    assert window.opening_bar.heading.text() == f"{name} was not opened"
    assert said in window.opening_bar.text.text
    assert session.selection == before


def test_a_file_that_is_read_names_what_is_wrong(tmp_path):
    (tmp_path / "f.svg").write_text("<svg/>")
    with pytest.raises(Refused, match=r"f\.svg holds no question"):
        read(tmp_path / "f.svg")
