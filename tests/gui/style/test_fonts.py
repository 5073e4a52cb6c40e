"""The window's faces come with it: the same on every computer, whatever is installed there."""

import itertools
import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFontDatabase, QFontInfo, QFontMetricsF, QRawFont
from PySide6.QtWidgets import QLabel

from gui.style import palette
from gui.style.theme import TOKEN_FONTS, UI_FONTS

ROOT = Path(__file__).parents[3]
FONTS = ROOT / "resources" / "fonts"
NOT_WRITTEN = ("gguf_file.py", "trial.py")
"""Modules with signs to cut a text by, or to try a tokenizer on."""
OF_FIELDS = "＠＝－＋"
"""What a spreadsheet takes for the beginning of a formula: looked for, never shown by us."""


@pytest.mark.parametrize("bold", [False, True])
def test_text_and_tokens_are_in_the_faces_that_come_with_the_window(qapp, bold):
    palette.apply(qapp, "light")
    for font, family in (
        (palette.ui_font(bold=bold), "Inter"),
        (palette.token_font(bold=bold), "DejaVu Sans Mono"),
    ):
        told = QFontInfo(font)
        assert (told.family(), told.bold()) == (family, bold)
        # A true bold, not a smeared one.
        assert QRawFont.fromFont(font).weight() == (700 if bold else 400)


def test_each_face_has_its_licence_beside_it():
    for path in FONTS.glob("*.ttf"):
        licence = FONTS / f"{path.stem.partition('-')[0]}-LICENSE.txt"
        assert "SIL Open Font License, Version 1.1" in licence.read_text(encoding="utf-8")


@pytest.mark.parametrize("families", [UI_FONTS, TOKEN_FONTS], ids=["text", "tokens"])
def test_what_the_window_writes_is_in_its_own_faces(qapp, families):
    palette.apply(qapp, "light")
    faces = [QRawFont.fromFont(QFontDatabase.font(family, "", 9)) for family in families]
    written = set()
    for path in itertools.chain((ROOT / "gui").rglob("*.py"), (ROOT / "engine").rglob("*.py")):
        if path.name not in NOT_WRITTEN:
            written |= set(re.findall(r"[^\x00-\x7f]", path.read_text(encoding="utf-8")))
    written |= set("·↵⇥∑αβγδλσΩ≤≥±─│┌└├") - set(OF_FIELDS)
    missing = {
        sign
        for sign in written - set(OF_FIELDS)
        if not any(face.supportsCharacter(ord(sign)) for face in faces)
    }
    assert missing <= ({"⤓"} if families == TOKEN_FONTS else set())  # the sign on a button


@pytest.mark.parametrize("role", ["", "small", "title"])
def test_digits_are_of_one_width_and_an_arrow_that_was_typed_stays_two_signs(qtbot, qapp, role):
    palette.apply(qapp, "light")
    label = QLabel()
    qtbot.addWidget(label)
    label.setProperty("role", role)
    label.ensurePolished()
    width = QFontMetricsF(label.font()).horizontalAdvance
    assert len({width(digit * 6) for digit in "0123456789"}) == 1
    assert width("->") == pytest.approx(width("-") + width(">"), abs=0.5)
