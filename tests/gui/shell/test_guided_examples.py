"""The first page, and the guided examples that ask first and show afterwards."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gui.session.settings import Settings
from gui.shell.dock import SpoilerOverlay
from gui.shell.guided_examples import GUIDES
from tests.waiting import activate

ONE_WINDOW = True


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


GUIDE = GUIDES[1]


def plain(text):
    """Return what is read of a step's text."""
    return text.replace("`", "")


def covered(window):
    """Return the titles of the cards with a cover on them; closed ones are opened to see."""
    covers = {}
    for dock in window.docks:
        dock.fill()
        covers[dock.kind.title] = dock.findChildren(SpoilerOverlay)
    return {title for title, found in covers.items() if any(not one.isHidden() for one in found)}


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_guide_opens_model_and_prompt_and_gives_nothing_else_away(window, session):
    window.guide.start(GUIDE)
    first = GUIDE.steps[0]
    now = session.selection
    assert (now.model, now.text) == (first.shows.model, first.shows.text)
    assert now.query is None
    assert window.guide.isVisible()
    assert window.guide.text.text == plain(first.predict)
    assert window.guide.forth.text() == "Reveal"
    assert not window.guide.back.isEnabled()


def test_reveal_selects_what_the_step_shows_and_opens_its_cards(qtbot, window, session):
    for dock in window.docks:
        dock.close()
    window.guide.start(GUIDE)
    click(qtbot, window.guide.forth)
    step = GUIDE.steps[0]
    assert session.selection == step.shows
    assert window.guide.text.text == plain(step.reveal)
    assert {d.kind.title for d in window.docks if d.isVisible()} == set(step.cards)


def test_a_guide_is_walked_to_its_end_and_closes(qtbot, window):
    window.guide.start(GUIDE)
    seen = []
    while window.guide.isVisible():
        seen.append(window.guide.text.text)
        click(qtbot, window.guide.forth)
    assert seen == [plain(text) for step in GUIDE.steps for text in (step.predict, step.reveal)]


def test_back_goes_the_same_way(qtbot, window, session):
    window.guide.start(GUIDE)
    for _ in range(2):
        click(qtbot, window.guide.forth)
    assert window.guide.text.text == plain(GUIDE.steps[1].predict)
    click(qtbot, window.guide.back)
    assert window.guide.text.text == plain(GUIDE.steps[0].reveal)
    click(qtbot, window.guide.back)
    assert window.guide.text.text == plain(GUIDE.steps[0].predict)
    assert not window.guide.back.isEnabled()


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_what_is_still_to_be_predicted_is_covered_and_what_is_revealed_is_not(qtbot, window, guide):
    window.guide.start(guide)
    for number, step in enumerate(guide.steps):
        assert set(step.hides) <= covered(window)
        assert {title for later in guide.steps[number:] for title in later.hides} == covered(window)
        click(qtbot, window.guide.forth)
        assert not covered(window) & set(step.cards)
        click(qtbot, window.guide.forth)
    assert not covered(window)


def test_a_cover_hides_its_card_and_of_the_prompt_only_the_guesses(qtbot, window):
    window.guide.start(GUIDES[0])
    qtbot.wait(20)
    attention = next(dock for dock in window.docks if dock.kind.title == "Attention")
    cover = attention.findChild(SpoilerOverlay)
    assert cover.geometry() == attention.rect()
    assert attention.childAt(attention.rect().center()) is cover
    prompt = window.docks[0]
    over = prompt.findChild(SpoilerOverlay).geometry()
    guesses, strip = prompt.panel.guesses, prompt.panel.strip
    assert over.contains(guesses.rect().translated(guesses.mapTo(prompt, QPoint())))
    assert not over.intersects(strip.rect().translated(strip.mapTo(prompt, QPoint())))
    window.resize(1200, 800)
    qtbot.wait(20)
    assert cover.geometry() == attention.rect()


def test_back_to_a_question_shows_what_was_seen_before_it(qtbot, window, session):
    window.guide.start(GUIDES[0])
    for _ in range(3):
        click(qtbot, window.guide.forth)
    assert session.selection == GUIDES[0].steps[1].shows
    click(qtbot, window.guide.back)
    assert session.selection == GUIDES[0].steps[0].shows


def test_end_uncovers_everything(qtbot, window):
    window.guide.start(GUIDES[0])
    assert covered(window)
    click(qtbot, window.guide.end)
    assert not covered(window)


def test_end_leaves_the_window_as_it_is(qtbot, window, session):
    window.guide.start(GUIDE)
    click(qtbot, window.guide.forth)
    before = session.selection
    click(qtbot, window.guide.end)
    assert not window.guide.isVisible()
    assert session.selection == before


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_every_step_names_cards_that_exist_and_stays_on_its_prompt(window, guide):
    titles = {dock.kind.title for dock in window.docks}
    assert all(set(step.hides) <= titles for step in guide.steps)
    first = guide.steps[0].shows
    for step in guide.steps:
        assert set(step.cards) <= titles
        assert (step.shows.model, step.shows.text) == (first.model, first.text)
        assert step.shows.head_chosen


def test_a_selection_shown_whole_is_told_part_by_part(session):
    told = []
    session.changed.connect(told.append)
    before = session.selection
    session.show(replace(before, text="other", query=1))
    assert sorted(told) == ["query", "text"]
    session.show(before)
    assert session.selection == before


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_what_stands_between_backticks_is_of_the_prompt(guide):
    for step in guide.steps:
        for text in (step.predict, step.reveal):
            words = text.split("`")
            assert len(words) % 2 == 1
            assert all(word.replace("·", " ").strip() in step.shows.text for word in words[1::2])
