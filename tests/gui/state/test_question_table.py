"""Each question has its place among what waits, and a card that shows it again."""

import ast
from pathlib import Path

import pytest

import gui
from engine import messages as m
from engine.messages import QUESTIONS, DownloadModel, Head, LoadModel, RunPrompt
from gui.charts.subjects import DRAWN
from gui.panels import PANELS
from gui.session.session import Selection
from gui.state import question_table
from gui.state.difference import Difference
from gui.state.question_table import TABLE, View, makes_way

GUI = Path(gui.__file__).parent
ASKERS = sorted(GUI.rglob("*.py"))


@pytest.mark.parametrize("path", ASKERS, ids=lambda path: str(path.relative_to(GUI)))
def test_every_question_that_the_window_can_ask_has_a_place_in_the_order(path):
    named = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "engine.messages"
        for alias in node.names
    }
    missing = {kind.__name__ for kind in QUESTIONS.values() if kind not in TABLE} & named
    assert not missing, "give it a line in gui.state.question_table.TABLE"


def test_another_model_is_not_kept_waiting_and_the_one_in_use_stops_nothing():
    running = RunPrompt("attn-2l", "w1")
    assert makes_way(running, LoadModel("toy"))
    assert not makes_way(running, LoadModel("attn-2l"))
    assert not makes_way(LoadModel("attn-2l"), LoadModel("toy"))


def test_a_download_makes_way_for_whatever_else_is_asked():
    assert makes_way(DownloadModel("gpt2"), RunPrompt("attn-2l", "w1"))
    assert all(
        TABLE[kind].rank < TABLE[DownloadModel].rank for kind in TABLE if kind != DownloadModel
    )


RUN = m.RunPrompt("attn-2l", "w1 w2 w3 w1", True, heads_off=(Head(0, 1),))
HEAD = Head(1, 2)

ASKED_BY_THE_WINDOW = [
    RUN,
    m.Attention(RUN, 1, "scores"),
    m.OVTokens("attn-2l", HEAD, source="position", run=RUN, position=2),
    m.OVTokens("attn-2l", HEAD, 5, "source", "token"),
    m.QKTokens("attn-2l", HEAD, source="position", run=RUN, position=3),
    m.QKTokens("attn-2l", HEAD, 5, "key", "token"),
    m.Spectrum("attn-2l", HEAD),
    m.DestinationRow(RUN, 2),
    m.LogitLens(RUN),
    m.HeadOutput(RUN, HEAD, 2),
    m.Workings(RUN, HEAD, 2),
    m.Eigenvalues("attn-2l", HEAD),
    m.Composition("attn-2l", "v"),
    m.VirtualHead(RUN, Head(0, 1), HEAD, 5),
]


def test_every_picture_has_a_card_that_there_is() -> None:
    titles = {card.title for card in PANELS}
    tables = [m.Table("toy", HEAD, circuit) for circuit in ("ov", "qk")]
    assert set(DRAWN) - {kind for kind, row in question_table.TABLE.items() if row.card} == {
        m.Table
    }
    assert {
        *(row.card for row in question_table.TABLE.values() if row.card),
        *map(question_table.card, tables),
    } <= titles


@pytest.mark.parametrize("request_", ASKED_BY_THE_WINDOW, ids=lambda r: type(r).__name__)
def test_the_card_of_a_question_asks_it_again(window, session, settle, engine, request_) -> None:
    session.show(question_table.selection(View(request_), session.selection))
    title = question_table.card(request_)
    window.open_cards([title])
    dock = next(dock for dock in window.docks if dock.kind.title == title)
    settle(dock.fill())
    named = {
        name: value
        for name, value in vars(request_).items()
        if name not in ("run", "token", "position", "dense")
    }
    same = [asked for asked in engine.asked if type(asked) is type(request_)]
    alike = [asked for asked in same if {name: vars(asked)[name] for name in named} == named]
    assert alike
    if getattr(request_, "run", None) is not None:
        assert any(asked.run == request_.run for asked in alike)
    for field in ("position", "token"):
        wanted = getattr(request_, field, None)
        if wanted is not None and not isinstance(request_, m.VirtualHead):
            assert any(getattr(asked, field) == wanted for asked in alike)


def test_model_prompt_and_heads_off_are_those_of_the_run() -> None:
    found = question_table.selection(View(m.LogitLens(RUN)), Selection(text="other"))
    assert (found.model, found.text, found.prepend_bos) == ("attn-2l", "w1 w2 w3 w1", True)
    assert found.heads_off == (Head(0, 1),)


def test_a_question_about_no_prompt_leaves_the_text() -> None:
    found = question_table.selection(View(m.Spectrum("toy", Head(0, 0))), Selection(text="other"))
    assert (found.model, found.text) == ("toy", "other")


@pytest.mark.parametrize(
    ("request_", "head"),
    [
        (m.Attention(RUN, 1), Head(1, 0)),
        (m.Spectrum("attn-2l", HEAD), HEAD),
    ],
)
def test_the_head_is_that_of_the_figure_or_the_first_of_its_layer(request_, head) -> None:
    found = question_table.selection(View(request_), Selection())
    assert (found.head, found.head_chosen) == (head, True)
    cut = question_table.selection(View(request_, Head(1, 3)), Selection())
    assert cut.head == Head(1, 3)


def test_positions_from_the_end_are_counted_where_the_tokens_are_known() -> None:
    request = m.DestinationRow(RUN, -2)
    assert question_table.selection(View(request, positions=5), Selection()).query == 3
    assert question_table.selection(View(request), Selection()).query is None


def test_a_token_that_was_given_as_text_is_found_by_its_id() -> None:
    request = m.OVTokens("attn-2l", HEAD, " tea")
    assert question_table.selection(View(request, token=17), Selection()).ov.token == 17
    request = m.QKTokens("attn-2l", HEAD, " tea", "key")
    found = question_table.selection(View(request, token=17), Selection()).qk
    assert (found.token, found.side) == (17, "key")


def test_what_heads_that_are_off_change_is_shown_again() -> None:
    asked = Difference(m.Attention(RUN, 1), m.Attention(m.RunPrompt("attn-2l", RUN.text, True), 1))
    found = question_table.selection(View(asked, HEAD), Selection(other_text="x", compare="right"))
    assert (found.heads_off, found.difference, found.head) == (RUN.heads_off, True, HEAD)
    assert (found.text, found.other_text) == (RUN.text, None)
    assert question_table.card(asked) == "Attention"
