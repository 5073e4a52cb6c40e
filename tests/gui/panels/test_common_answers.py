"""What several panels read is asked once for all of them, and only while one needs it."""

import pytest

from engine.messages import HeadScores, LoadModel, LogitAttribution, RunPrompt, Vocabulary
from gui.client.engine_client import STOPPED
from gui.panels.head.direct_path import DirectPathPanel
from gui.panels.head.token_rankings import OVPanel
from gui.panels.model.finder import FinderPanel
from gui.panels.prompt.attention import AttentionPanel
from gui.session.common_answers import COMMON, CommonAnswers

SHARED = (LoadModel, Vocabulary, RunPrompt, HeadScores)


def asked(engine):
    return [request for request in engine.asked if isinstance(request, SHARED)]


def test_a_panel_that_is_opened_later_asks_for_nothing_that_is_known(show, engine):
    first = show(OVPanel)
    before = asked(engine)
    assert [type(request) for request in before] == [LoadModel, RunPrompt, Vocabulary]
    second = show(DirectPathPanel)
    assert second.state == "fresh"
    assert asked(engine) == before
    assert second.common is first.common


def test_fields_of_a_panel_that_is_opened_later_complete_all_the_same(show):
    show(OVPanel)
    assert show(DirectPathPanel).choice.field._index.complete("w1", 3)


def test_the_scores_on_random_tokens_are_asked_for_once(show, engine):
    show(AttentionPanel)
    show(FinderPanel)
    random = [asked for asked in engine.asked if asked == HeadScores("attn-2l", "random")]
    assert len(random) == 1


def test_what_no_panel_needs_any_more_is_not_asked_for(show, settle, session, engine):
    panel = show(OVPanel)
    panel.hide()
    session.set_text("w9")
    settle()
    assert RunPrompt("attn-2l", "w9") not in engine.asked
    assert panel.common.run is None
    assert panel.common.focus is None
    panel.show()
    settle(panel)
    assert panel.common.focus.query == len(panel.common.run.ids) - 1


def test_the_focus_follows_pins_and_is_made_once(show, settle, session):
    panel = show(OVPanel)
    session.pin(5, 3)
    settle(panel)
    assert panel.focus == (5, 3)
    assert panel.focus.offset == 2
    assert panel.focus is panel.focus
    session.pin(99)
    settle(panel)
    assert panel.focus.query == len(panel.common.run.ids) - 1


def test_what_was_stopped_is_asked_for_again(qtbot, session, client, engine, settle):
    common = CommonAnswers.of(session, client)
    engine.seconds = 1
    common.need(session, COMMON)
    client.start()
    qtbot.waitUntil(lambda: client.running is not None)
    client.cancel()
    settle()
    assert common.slots.failures(common.requests(["run"])) == {"run": STOPPED}
    engine.seconds = 0
    common.ask_again()
    settle()
    assert common.run is not None


@pytest.mark.parametrize(("query", "questions"), [(None, 0), (3, 1)])
def test_the_models_own_guess_is_asked_for_only_inside_the_prompt(
    show, settle, session, engine, query, questions
):
    session.pin(query)
    panel = show(DirectPathPanel)
    settle(panel)
    assert sum(isinstance(request, LogitAttribution) for request in engine.asked) == questions
    assert panel.guess.isVisible()
