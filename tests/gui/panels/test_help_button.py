"""Each panel says what it shows, by which formula, from where, and what to doubt."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from gui.panels import PANELS
from gui.panels.frame import WIDTH, HelpButton, HelpPage
from gui.panels.help import PANEL_HELP
from gui.style.palette import token_font
from gui.style.theme import UNIT
from tests.waiting import activate

TITLES = [card.title for card in PANELS]
KEPT = ("Notes", "Board")
"""Panels of what the user keeps, which the texts say nothing of."""


def test_every_panel_has_its_help_and_no_help_is_of_none():
    assert set(PANEL_HELP) == set(TITLES)


@pytest.mark.parametrize("title", TITLES)
def test_nothing_is_left_out_of_a_help(title):
    page = PANEL_HELP[title]
    assert all(page)
    for text in (page.shows, page.paper, page.caveat, page.keys):
        assert text[0].isupper() or text[0] == "“"
        assert text.endswith((".", "”"))
    if title in KEPT:
        return
    assert "“A Mathematical Framework for Transformer Circuits”" in page.paper
    if title != "Receipts":
        assert "[" in page.formula
        assert "Papers:" in page.formula or title == "Heads"


@pytest.mark.parametrize("title", TITLES)
def test_every_sign_of_a_formula_is_in_the_font(qapp, title):
    metrics = QFontMetrics(token_font(small=True))
    missing = {sign for sign in PANEL_HELP[title].formula if not metrics.inFontUcs4(ord(sign))}
    assert missing <= {"\n"}


@pytest.fixture
def button(qtbot, qapp):
    button = HelpButton("OV", PANEL_HELP["OV"])
    qtbot.addWidget(button)
    button.show()
    return button


def test_the_page_says_all_of_it_literally_and_without_scrolling(qtbot, button):
    page = button.open_page()
    labels = page.findChildren(QLabel)
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert set(PANEL_HELP["OV"]) <= {label.text() for label in labels}
    assert page.width() == WIDTH
    last = max(label.mapTo(page, label.rect().bottomLeft()).y() for label in labels)
    assert last <= page.height() - UNIT
    page.close()


def test_the_page_opens_by_key_and_closes_by_escape(qtbot, button):
    activate(button)
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    (page,) = button.findChildren(HelpPage)
    assert page.isVisible()
    QTest.keyClick(page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not button.findChildren(HelpPage))


def test_every_card_has_the_button_and_it_keeps_its_place_in_a_narrow_one(qtbot, window):
    for dock in window.docks:
        panel = dock.fill()
        assert panel.frame.help.accessibleName() == f"Help on {dock.kind.title}"
    for dock in window.docks:
        if dock.isVisible():
            help_ = dock.panel.frame.help
            right = help_.mapTo(dock, help_.rect().topRight()).x()
            assert help_.isVisible()
            assert dock.width() - 2 * UNIT <= right < dock.width()
