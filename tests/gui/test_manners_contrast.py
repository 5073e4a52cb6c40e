"""All text can be read: at least 4.5:1 on its ground, in both themes and on all data colours."""

from itertools import product

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gui.style.stylesheet import stylesheet
from gui.style.theme import DIVERGING, LIGHT, SEQUENTIAL, THEMES, lut
from gui.widgets.cells import ink, levels

READABLE = 4.5
"""WCAG 2.1, 1.4.3 (AA), text of usual size."""
SEEN = 3.0
"""WCAG 2.1, 1.4.11 (AA), frames and marks."""
INKS = ("text", "muted", "accent", "good", "bad")
GROUNDS = ("window", "card", "field", "masked", "accent_ground", "bad_ground")
NEVER = {
    ("accent", "bad_ground"),
    ("good", "bad_ground"),
    ("good", "masked"),
    ("bad", "masked"),
    ("accent", "masked"),
}
"""Pairs that nothing in the window writes."""


def luminance(rgb):
    """Relative luminance, written out here so that the window's own is not the judge."""
    parts = np.asarray(rgb, dtype=np.float64) / 255
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def ratio(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def rgb(colour):
    return QColor(colour).getRgb()[:3]


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_every_ink_can_be_read_on_every_ground_that_it_stands_on(theme):
    pairs = [pair for pair in product(INKS, GROUNDS) if pair not in NEVER]
    # What is selected in a field and the tab that has the keyboard are the other way round.
    pairs += [("card", "accent")]
    low = {
        pair: round(ratio(rgb(getattr(theme, pair[0])), rgb(getattr(theme, pair[1]))), 2)
        for pair in pairs
    }
    assert {pair: worth for pair, worth in low.items() if worth < READABLE} == {}


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_marks_and_the_focus_ring_are_seen_on_every_ground(theme):
    marks = ("accent", "positive", "negative", "curve_ov", "curve_qk", "good", "bad")
    low = {
        (mark, ground): round(ratio(rgb(getattr(theme, mark)), rgb(getattr(theme, ground))), 2)
        for mark, ground in product(marks, ("window", "card", "field", "accent_ground"))
    }
    assert {pair: worth for pair, worth in low.items() if worth < SEEN} == {}


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("colours", ["sequential", "diverging"])
def test_text_over_data_can_be_read_on_every_colour_of_each_map(colours, quiet):
    worst = min(
        ratio(ink(QColor(*ground), quiet=quiet).getRgb()[:3], ground)
        for ground in levels(colours).tolist()
    )
    assert worst >= READABLE


def test_the_maps_are_those_of_the_theme():
    for colours, name in (("sequential", SEQUENTIAL), ("diverging", DIVERGING)):
        shown = {tuple(colour) for colour in levels(colours).tolist()}
        assert shown <= {tuple(colour) for colour in lut(name).tolist()}


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_the_style_sheet_writes_only_with_inks_that_are_judged_here(theme):
    sheet = stylesheet(theme)
    judged = {getattr(theme, ink_) for ink_ in (*INKS, "card")}
    written = {
        part.split(":", 1)[1].strip()
        for rule in sheet.split("{")[1:]
        for part in rule.split("}")[0].split(";")
        if part.strip().startswith(("color:", "selection-color:"))
    }
    assert written <= judged
    assert LIGHT.name in THEMES
