"""The first page: once, over the cards, and never in the way."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gui.session.settings import Settings
from gui.shell.guided_examples import GUIDES
from tests.waiting import activate


@pytest.fixture
def welcome(window):
    window.welcome.open()
    return window.welcome


def test_the_first_start_is_the_one_that_nothing_was_kept_before():
    assert Settings().first_start()
    assert not Settings().first_start()


def test_whoever_has_settings_already_is_not_new():
    settings = Settings()
    settings.keep_theme("dark")
    assert not settings.first_start()


@pytest.mark.parametrize("focused", ["page", "prompt"])
def test_escape_closes_the_page_and_stops_nothing(
    qtbot, window, client, welcome, focused, monkeypatch
):
    stopped = []
    monkeypatch.setattr(client, "cancel", lambda: stopped.append(True))
    activate(window)
    if focused == "prompt":
        window.docks[0].panel.edit.setFocus()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert not welcome.isVisible()
    assert not stopped
    assert window.docks[0].panel.edit.hasFocus()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert stopped


def test_a_click_beside_the_page_closes_it_and_one_on_it_does_not(qtbot, welcome):
    qtbot.mouseClick(welcome, Qt.MouseButton.LeftButton, pos=welcome.page.geometry().center())
    assert welcome.isVisible()
    qtbot.mouseClick(welcome, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not welcome.isVisible()


@pytest.mark.parametrize("number", range(len(GUIDES)))
def test_each_example_begins_by_its_button(qtbot, window, session, welcome, number):
    qtbot.mouseClick(welcome.guides[number], Qt.MouseButton.LeftButton)
    assert not welcome.isVisible()
    assert window.guide.isVisible()
    assert session.selection.model == GUIDES[number].steps[0].shows.model


@pytest.mark.parametrize("size", [(1000, 700), (1600, 1000), (720, 480)])
def test_the_page_lies_inside_the_window_and_follows_its_size(qtbot, window, welcome, size):
    window.resize(*size)
    qtbot.wait(20)
    assert welcome.size() == welcome.parentWidget().size()
    assert welcome.rect().contains(welcome.page.geometry())


def test_tab_stays_on_the_page(qtbot, window, welcome):
    activate(window)
    welcome.close_button.setFocus()
    seen = []
    for _ in range(len(GUIDES) + 1):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        seen.append(window.focusWidget())
    assert seen == [*welcome.guides, welcome.close_button]
