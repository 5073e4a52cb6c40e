"""What every panel does whatever it shows: waits, fills, grows old, fails, recovers."""

import pkgutil

import pytest

from engine.messages import (
    Attention,
    Composition,
    DestinationRow,
    DirectPath,
    Eigenvalues,
    HeadScores,
    LogitAttribution,
    LogitLens,
    OVTokens,
    PositionQK,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    Thumbnails,
    VirtualHead,
    Workings,
)
from gui.client.engine_client import EngineClient
from gui.panels import PANELS
from gui.panels.prompt.prompt import PromptPanel
from gui.session.session import Session
from tests.gui.fake_engine import FakeEngine

CLASSES = [panel for card in PANELS if (panel := pkgutil.resolve_name(card.panel)).main_slot]
"""Panels that ask the engine something."""
MAIN = {
    "Prompt": RunPrompt,
    "Heads": Thumbnails,
    "Attention": Attention,
    "OV": OVTokens,
    "QK": QKTokens,
    "Positions": PositionQK,
    "Spectrum": Spectrum,
    "Poster": DestinationRow,
    "Attribution": LogitAttribution,
    "Lens": LogitLens,
    "Composition": Composition,
    "Virtual head": VirtualHead,
    "Eigenvalues": Eigenvalues,
    "Direct path": DirectPath,
    "Finder": HeadScores,
    "Workings": Workings,
    "Receipts": Receipts,
    "Skip-trigrams": SkipTrigrams,
}
WITHOUT_PROMPT = ("Positions", "Spectrum", "Composition", "Eigenvalues", "Finder", "Skip-trigrams")
FOLLOWING = [c for c in CLASSES if c.title not in ("Prompt", *WITHOUT_PROMPT)]
"""Panels whose picture depends on the prompt's text."""

by_title = pytest.mark.parametrize("panel_class", CLASSES, ids=lambda c: c.title)


@by_title
def test_it_says_what_it_waits_for_before_the_engine_stands(qtbot, qapp, panel_class):
    client = EngineClient(FakeEngine)
    panel = panel_class(Session(), client)
    qtbot.addWidget(panel)
    qtbot.addWidget(panel.header)
    panel.show()
    qtbot.wait(10)
    assert panel.state == "waiting"
    assert "torch" in panel.waiting_text


@by_title
def test_it_fills(show, panel_class):
    panel = show(panel_class)
    assert panel.state == "fresh"
    assert panel.notice.text() == ""
    assert panel.waiting_text == "" or not panel.showing_wait


@by_title
def test_a_failure_is_said_in_the_panel_and_the_next_question_clears_it(
    show, settle, session, engine, panel_class
):
    panel = show(panel_class)
    engine.failing[MAIN[panel.title]] = ValueError("the sky fell")
    session.open_model("another")
    session.set_text("w1 w2")
    session.choose_head(type(session.selection.head)(0, 1))
    settle(panel)
    assert panel.state == "failed"
    assert "the sky fell" in panel.notice.text()
    assert "Traceback" in panel.failure().details
    engine.failing.clear()
    panel.ask_again()
    settle(panel)
    assert panel.state == "fresh"
    assert panel.notice.text() == ""


@pytest.mark.parametrize("panel_class", FOLLOWING, ids=lambda c: c.title)
def test_a_text_that_cannot_be_run_leaves_the_last_picture_marked(
    show, settle, session, panel_class
):
    panel = show(panel_class)
    before = panel.known(panel.main_slot)
    session.set_text("unreadable")
    settle(panel)
    assert panel.state == "failed"
    assert panel.known(panel.main_slot) is before
    assert "attn-2l has not run the prompt: see Prompt" in panel.notice.text()
    session.set_text("w5 w6")
    settle(panel)
    assert panel.state == "fresh"
    assert panel.known(panel.main_slot) is not before
    assert panel.notice.text() == ""


@pytest.mark.parametrize("panel_class", FOLLOWING, ids=lambda c: c.title)
def test_a_slow_answer_marks_the_old_picture_as_old(
    qtbot, monkeypatch, show, session, engine, panel_class
):
    monkeypatch.setattr("gui.panels.panel.PATIENCE_MS", 20)
    panel = show(panel_class)
    engine.seconds = 0.25
    session.set_text("w7 w8 w9")
    assert panel.state == "old"
    assert panel.notice.text() == ""
    qtbot.waitUntil(lambda: panel.notice.text().startswith("Old"))
    qtbot.waitUntil(lambda: panel.state == "fresh")
    assert panel.notice.text() == ""


def test_an_old_picture_says_what_is_waited_for_now(qtbot, monkeypatch, show, session, engine):
    monkeypatch.setattr("gui.panels.panel.PATIENCE_MS", 20)
    panel = show(PromptPanel)
    engine.seconds = 0.25
    session.set_text("w7 w8 w9")
    qtbot.waitUntil(lambda: panel.notice.text().startswith("Old"))
    monkeypatch.setattr(panel.client, "_doing", "opening another model")
    panel.client.progress.emit("opening another model", 1, 2)
    assert panel.notice.text() == "Old, waiting: opening another model"
    qtbot.waitUntil(lambda: panel.state == "fresh")
    assert panel.notice.text() == ""


def test_a_hidden_panel_asks_nothing(show, settle, session, engine):
    panel = show(PromptPanel)
    panel.hide()
    asked = len(engine.asked)
    session.set_text("w9")
    settle()
    assert len(engine.asked) == asked
    panel.show()
    settle(panel)
    assert RunPrompt("attn-2l", "w9") in engine.asked


def test_two_panels_of_one_prompt_run_it_once(qtbot, window, engine):
    runs = [request for request in engine.asked if isinstance(request, RunPrompt)]
    assert len(set(runs)) == 1
    grids = [request for request in engine.asked if isinstance(request, HeadScores)]
    assert len(set(grids)) == 1


@by_title
def test_a_refusal_has_no_details(show, settle, session, engine, panel_class):
    panel = show(panel_class)
    engine.failing[MAIN[panel.title]] = Refused("that means nothing")
    session.open_model("another")
    session.set_text("w1 w2")
    session.choose_head(type(session.selection.head)(0, 1))
    settle(panel)
    assert panel.notice.text() == "that means nothing"
    assert panel.failure().details == ""


@pytest.mark.parametrize("panel_class", FOLLOWING, ids=lambda c: c.title)
def test_an_empty_panel_says_how_to_fill_it(show, session, engine, panel_class):
    session.set_text("unreadable")
    panel = show(panel_class)
    assert panel.showing_wait
    assert "type one in Prompt" in panel.waiting_text


@by_title
def test_a_panel_that_no_model_fills_says_what_to_choose(show, session, engine, panel_class):
    if panel_class is PromptPanel:
        return  # it asks for a text that can be run instead
    engine.failing[MAIN[panel_class.title]] = Refused("that means nothing")
    panel = show(panel_class)
    assert panel.showing_wait
    assert "Choose another model" in panel.waiting_text
