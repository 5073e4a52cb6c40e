"""Back, forward and undo: what is one step, what is none, and what a step brings back."""

import random

import pytest

from engine.messages import Head
from gui.session import history
from gui.session.history import LONGEST_UNDO, History, Undo
from gui.session.session import Favourites, Selection, Session
from gui.state.session_file import Favourite


@pytest.fixture
def walk(qtbot, qapp):
    """A session, its history, and a function that lets one turn of the event loop pass."""
    session = Session(Selection(text="one"))
    return session, History(session), lambda: qtbot.wait(5)


def test_every_change_can_be_gone_back_from_and_forward_to(walk):
    session, steps, turn = walk
    seen = [session.selection]
    for change in (
        lambda: session.choose_head(Head(1, 2)),
        lambda: session.pin(3, 1),
        lambda: session.set_heads_off([Head(0, 1)]),
        lambda: session.set_kind("scores"),
        lambda: session.set_heads_off([]),
        lambda: session.open_model("toy"),
        lambda: session.set_text("two"),
    ):
        change()
        turn()
        seen.append(session.selection)
    assert not steps.can_go_forward
    for selection in reversed(seen[:-1]):
        steps.back()
        assert session.selection == selection
        turn()
    assert not steps.can_go_back
    for selection in seen[1:]:
        steps.forward()
        assert session.selection == selection
    assert not steps.can_go_forward
    steps.forward()
    assert session.selection == seen[-1]


def test_what_changes_in_one_turn_is_one_step(walk):
    session, steps, turn = walk
    before = session.selection
    session.open_model("toy")
    session.set_text("two")
    turn()
    steps.back()
    assert session.selection == before


def test_a_text_that_is_typed_is_one_step(walk, monkeypatch):
    session, steps, turn = walk
    before = session.selection
    for text in ("t", "tw", "two"):
        session.set_text(text)
        turn()
    steps.back()
    assert session.selection == before
    steps.forward()
    assert session.selection.text == "two"
    monkeypatch.setattr(history, "TYPING_MS", 0)
    session.set_text("three")
    turn()
    steps.back()
    assert session.selection.text == "two"


def test_a_suggested_head_is_no_step(walk):
    session, steps, turn = walk
    session.suggest_head(Head(1, 1))
    turn()
    assert not steps.can_go_back
    session.set_text("two")
    turn()
    session.suggest_head(Head(1, 3))
    turn()
    steps.back()
    turn()
    session.suggest_head(Head(1, 0))  # as the panel does for the text that is back
    turn()
    assert steps.can_go_forward
    steps.forward()
    assert (session.selection.text, session.selection.head) == ("two", Head(1, 3))


def test_another_choice_after_going_back_forgets_what_was_gone_back_from(walk):
    session, steps, turn = walk
    session.choose_head(Head(1, 2))
    turn()
    steps.back()
    session.choose_head(Head(0, 3))
    turn()
    assert not steps.can_go_forward
    steps.back()
    assert session.selection == Selection(text="one")


def test_going_back_at_once_after_a_change_undoes_that_change(walk):
    session, steps, _ = walk
    before = session.selection
    session.choose_head(Head(1, 2))
    steps.back()
    assert session.selection == before


def test_the_list_is_bounded_and_never_lost_in(walk):
    session, steps, turn = walk
    chance = random.Random(0)
    for number in range(250):
        session.choose_head(Head(number, 0))
        turn()
        if chance.random() < 0.1:
            steps.back()
            turn()
    session.choose_head(Head(4000, 0))
    turn()
    gone = 0
    while steps.can_go_back:
        steps.back()
        gone += 1
    assert gone == history.LONGEST - 1
    session.choose_head(Head(5000, 0))
    turn()
    steps.back()
    steps.forward()
    assert session.selection.head == Head(5000, 0)


A, B, C = Head(0, 1), Head(1, 2), Head(1, 3)


@pytest.fixture
def favourites(qapp):
    favourites = Favourites()
    favourites.add("toy", A)
    favourites.write("attn-2l", B, "copies\nwell")
    favourites.add("attn-2l", A)
    return favourites


def test_a_star_or_a_note_makes_one_and_an_empty_note_none(favourites):
    favourites.add("toy", A)
    favourites.write("toy", C, "")
    assert favourites.all == (
        Favourite("toy", A),
        Favourite("attn-2l", B, "copies\nwell"),
        Favourite("attn-2l", A),
    )
    assert favourites.find("toy", B) is None


def test_emptying_a_note_keeps_the_favourite(favourites):
    favourites.write("attn-2l", B, "")
    assert favourites.find("attn-2l", B) == Favourite("attn-2l", B)


def test_what_is_removed_comes_back_in_its_place_with_its_note(qtbot, favourites):
    before = favourites.all
    with qtbot.waitSignal(favourites.removed) as told:
        favourites.remove("attn-2l", B)
    assert favourites.all == (before[0], before[2])
    favourites.restore(*told.args)
    assert favourites.all == before
    favourites.restore(*told.args)
    assert favourites.all == before


def test_writing_the_same_tells_nobody(qtbot, favourites):
    with qtbot.assertNotEmitted(favourites.changed):
        favourites.write("attn-2l", B, "copies\nwell")
        favourites.remove("toy", C)


def test_undo_takes_back_the_last_first_and_says_what(qapp):
    done = []
    undo = Undo(qapp)
    undo.undo()
    for number in range(LONGEST_UNDO + 5):
        undo.push(f"do {number}", lambda number=number: done.append(number))
    assert undo.what == f"do {LONGEST_UNDO + 4}"
    for _ in range(LONGEST_UNDO + 5):
        undo.undo()
    assert done == list(range(LONGEST_UNDO + 4, 4, -1))
    assert undo.what == ""
    undo.push("again", lambda: None)
    undo.clear()
    assert undo.what == ""
