"""Favourites: made by a star or a note, removed whole, and brought back as they were."""

import pytest

from engine.messages import Head
from gui.session.history import LONGEST_UNDO, Undo
from gui.session.session import Favourites
from gui.state.session_file import Favourite

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
