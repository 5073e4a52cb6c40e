"""What is typed finds what was meant, first."""

import pytest

from gui.shell.command_palette import score

NAMES = [
    "View › Reset layout",
    "View › Dark theme",
    "View › Larger text",
    "View › Attention how much each token reads of each",
    "View › Attribution what each part gives to a logit",
    "File › Save picture …",
    "Help › About Headscope",
]


def best(query):
    worth = {name: found for name in NAMES if (found := score(query, name)) is not None}
    return max(worth, key=worth.__getitem__) if worth else None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("reset", "View › Reset layout"),
        ("layout", "View › Reset layout"),
        ("rl", "View › Reset layout"),
        ("DARK", "View › Dark theme"),
        ("theme dark", "View › Dark theme"),
        ("attn", "View › Attention how much each token reads of each"),
        ("attr", "View › Attribution what each part gives to a logit"),
        ("savpic", "File › Save picture …"),
        ("about", "Help › About Headscope"),
    ],
)
def test_letters_of_a_name_find_it(typed, meant):
    assert best(typed) == meant


def test_letters_that_are_not_there_in_this_order_find_nothing():
    assert score("zebra", "Reset layout") is None
    assert score("teser", "Reset layout") is None


def test_nothing_typed_fits_everything_alike():
    assert {score("  ", name) for name in NAMES} == {0.0}


def test_letters_scattered_over_words_find_nothing():
    assert score("aeoa", "what each part gives to a logit") is None
