"""The token that a panel asks about: typed, clicked in a list, or that of the prompt."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engine.messages import RunPrompt
from gui.panels.head.direct_path import DirectPathPanel
from gui.panels.head.token_rankings import OVPanel, QKPanel
from gui.panels.head.virtual_head import VirtualHeadPanel
from gui.panels.prompt.attribution import AttributionPanel

RANKINGS = {OVPanel: "tokens", QKPanel: "tokens", DirectPathPanel: "tokens"}
LISTS = RANKINGS | {VirtualHeadPanel: "parts"}
ALL = LISTS | {AttributionPanel: "parts"}
"""Panel -> the slot of its question about a token."""


def of(panels):
    return pytest.mark.parametrize("panel_class", panels, ids=lambda panel: panel.title)


def choice(panel):
    return panel.question.target if isinstance(panel, AttributionPanel) else panel.choice


def asked(panel):
    request = panel.wants()[ALL[type(panel)]]
    return request.target if isinstance(panel, AttributionPanel) else request.token


def type_text(panel, text):
    field = choice(panel).field
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(QApplication.activePopupWidget() or field, Qt.Key.Key_Return)


@of(ALL)
def test_a_typed_token_is_asked_about_until_the_prompt_is_followed_again(
    qtbot, show, settle, panel_class
):
    panel = show(panel_class)
    followed, follow = asked(panel), choice(panel).follow
    qtbot.waitUntil(follow.isHidden)
    type_text(panel, " w17")
    settle(panel)
    assert asked(panel) == 17
    qtbot.waitUntil(lambda: "·w17" in panel.sentence.text)
    qtbot.mouseClick(follow, Qt.MouseButton.LeftButton)
    settle(panel)
    assert asked(panel) == followed
    qtbot.waitUntil(follow.isHidden)


@of(ALL)
def test_a_text_that_is_no_token_is_named_and_changes_nothing(show, panel_class):
    panel = show(panel_class)
    before = asked(panel)
    type_text(panel, "zebra")
    assert "'zebra' is no single token" in panel.notice.text()
    assert asked(panel) == before


@of(LISTS)
def test_a_click_on_a_row_asks_about_its_token(qtbot, show, settle, panel_class):
    panel = show(panel_class)
    token, raised = int(panel.known(ALL[panel_class]).ids[2]), panel.lists.raised
    place = raised.visualRect(raised.model().index(2, 1)).center()
    qtbot.mouseClick(raised.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(panel)
    assert asked(panel) == token
    qtbot.waitUntil(lambda: not choice(panel).follow.isHidden())


@of(RANKINGS)
def test_a_typed_question_does_not_wait_for_the_prompt(show, settle, session, engine, panel_class):
    panel = show(panel_class)
    type_text(panel, " w4")
    session.set_text("unreadable")
    settle(panel)
    assert panel.state == "fresh"
    assert RunPrompt("attn-2l", "unreadable") not in engine.asked
