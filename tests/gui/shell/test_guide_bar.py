"""A guided example asks first and shows afterwards."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt

from gui.session.session import Selection
from gui.shell.dock import SpoilerOverlay
from gui.shell.guided_examples import GUIDES

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
    session.show(Selection())
    assert session.selection == before


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_what_stands_between_backticks_is_of_the_prompt(guide):
    for step in guide.steps:
        for text in (step.predict, step.reveal):
            words = text.split("`")
            assert len(words) % 2 == 1
            assert all(word.replace("·", " ").strip() in step.shows.text for word in words[1::2])
