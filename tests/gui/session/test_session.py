"""The session: what follows from a choice, and who is told."""

from dataclasses import replace

import pytest

from engine.messages import Head, Pair, RunPrompt
from gui.session.session import Session
from gui.state.selection import OVQuestion, Selection


@pytest.fixture
def told(qapp):
    session = Session()
    names: list[str] = []
    session.changed.connect(names.append)
    return session, names


def test_the_run_is_made_from_model_text_and_bos():
    session = Session(Selection(model="toy", text="0 ans", prepend_bos=False))
    assert session.run == RunPrompt("toy", "0 ans", False)


def test_heads_that_are_off_are_those_of_every_run_until_another_model_opens(told):
    session, names = told
    session.set_heads_off([Head(1, 3), Head(0, 2), Head(1, 3)])
    off = (Head(0, 2), Head(1, 3))
    assert session.selection.heads_off == session.run.heads_off == session.scores.heads_off == off
    assert names == ["heads_off"]
    session.open_model("toy")
    assert session.run.heads_off == session.scores.heads_off == ()
    assert "heads_off" in names


def test_setting_what_is_already_set_tells_nobody(told):
    session, names = told
    session.set_text(session.selection.text)
    session.open_model(session.selection.model)
    session.set_prepend_bos(None)
    session.set_kind("pattern")
    session.set_heads_off([])
    session.suggest_head(session.selection.head)
    assert names == []


def test_a_new_text_keeps_head_and_lets_the_pins_follow(told):
    session, names = told
    session.choose_head(Head(1, 2))
    session.pin(3, 1)
    names.clear()
    session.set_text("something else")
    assert session.selection.head == Head(1, 2)
    assert session.selection.query is None
    assert session.selection.source is None
    assert names == ["text", "query", "source"]


def test_another_model_keeps_the_text_and_forgets_what_belongs_to_the_old_tokens(told):
    session, _ = told
    session.set_text("kept")
    session.set_prepend_bos(False)
    session.choose_head(Head(1, 2))
    session.ask_ov(token=7, direction="source")
    session.ask_qk(token=8)
    session.open_model("toy")
    now = session.selection
    assert now.text == "kept"
    assert now.prepend_bos is None
    assert not now.head_chosen
    assert now.ov == OVQuestion(token=None, direction="source")
    assert now.qk.token is None


def test_another_model_forgets_the_pair_and_keeps_the_kind_of_composition(told):
    session, names = told
    session.set_composition("v")
    session.choose_pair(Pair(Head(0, 1), Head(1, 2)))
    assert names == ["composition", "pair"]
    session.open_model("toy-2l")
    assert session.selection.pair is None
    assert session.selection.composition == "v"


def test_a_suggested_head_never_replaces_a_chosen_one(told):
    session, _ = told
    session.suggest_head(Head(1, 1))
    assert session.selection.head == Head(1, 1)
    session.choose_head(Head(0, 3))
    session.suggest_head(Head(1, 1))
    assert session.selection.head == Head(0, 3)


def test_choosing_another_head_lets_the_source_follow_it(told):
    session, _ = told
    session.pin(4, 2)
    session.choose_head(Head(1, 0))
    assert session.selection.query == 4
    assert session.selection.source is None


def test_pinning_makes_both_circuits_follow_the_prompt_again(told):
    session, _ = told
    session.ask_ov(token=5)
    session.ask_qk(token=6)
    session.pin(2)
    assert session.selection.ov.token is None
    assert session.selection.qk.token is None


def test_special_tokens_are_read_as_text_when_asked_and_the_pins_follow(told):
    session, names = told
    session.pin(3, 1)
    names.clear()
    session.set_specials("text")
    assert session.run == RunPrompt(session.run.model, session.run.text, specials="text")
    assert session.whole_run.specials == "text"
    assert (session.selection.query, session.selection.source) == (None, None)
    session.set_specials("text")
    assert names == ["specials", "query", "source"]


def test_left_right_and_right_minus_left_say_which_runs_are_drawn():
    session = Session(Selection(text="left"))
    left = session.run
    assert (session.drawn_run, session.base_run, session.other_run) == (left, None, None)
    session.set_compare("difference")
    assert session.selection.compare == "left"
    session.compare_with("right")
    right = replace(left, text="right")
    assert (session.drawn_run, session.base_run) == (left, None)
    session.set_compare("right")
    assert (session.drawn_run, session.base_run) == (right, None)
    session.set_compare("difference")
    assert (session.drawn_run, session.base_run) == (right, left)
    session.compare_with(None)
    assert (session.side, session.drawn_run, session.base_run) == ("left", left, None)


def test_one_run_is_taken_off_another_never_two():
    session = Session(Selection(text="left", other_text="right"))
    session.set_heads_off([Head(0, 2)])
    session.set_difference(True)
    session.set_compare("right")
    assert session.drawn_run == replace(session.run, text="right")
    assert session.base_run == replace(session.drawn_run, heads_off=())
    session.set_compare("difference")
    assert not session.selection.difference
    assert session.base_run == session.run
    session.set_difference(True)
    assert session.side == "left"


def test_swapped_prompts_let_the_pins_follow(told):
    session, names = told
    session.compare_with("right")
    session.pin(3, 1)
    left = session.selection.text
    names.clear()
    session.swap_prompts()
    assert (session.selection.text, session.selection.other_text) == ("right", left)
    assert session.selection.query is None
    assert names == ["text", "other_text", "query", "source"]


def test_a_selection_of_one_prompt_shows_the_left_one():
    assert Session(Selection(compare="difference")).side == "left"
