"""The prompt panel: typing, history, examples, and what a bad text does."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from engine.job import Job
from engine.messages import Refused, RunPrompt, Vocabulary
from gui.panels.prompt import prompt
from gui.panels.prompt.prompt import EXAMPLES, PromptPanel

BOS = "‹BOS›"
AWKWARD = [
    "<s> I <3 you </s> <b>x</b> &amp;",
    r"cost $5, $$, $\foo$ and R&D",
    "💩💩💩💩",
    "東京メトロ",
    "קריירה (123)",
    "tab\there\nand a new line",
    "one",
]


@pytest.fixture
def panel(show):
    return show(PromptPanel)


def retype(panel, text):
    panel.edit.setFocus()
    QTest.keyClick(panel.edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(panel.edit, text)


def test_typing_runs_the_prompt_a_moment_later(qtbot, panel, session, engine):
    retype(panel, "w1 w2 w3")
    assert session.selection.text != "w1 w2 w3"
    qtbot.waitUntil(lambda: RunPrompt("attn-2l", "w1 w2 w3") in engine.asked)
    qtbot.waitUntil(lambda: panel.state == "fresh")
    assert panel.subtitle.text() == "4 tokens"


def test_enter_runs_at_once(panel, session):
    retype(panel, "w1")
    QTest.keyClick(panel.edit, Qt.Key.Key_Return)
    assert session.selection.text == "w1"


def test_the_guesses_say_what_they_follow_when_another_token_is_pinned(panel, session, settle):
    session.pin(1)
    settle(panel)
    last = panel.known("run").labels[-1]
    assert panel.guess_label.text() == f"next token, after the last: {last}"


def test_a_slow_model_waits_for_enter(qtbot, panel, session, client):
    for _ in range(2):
        client.answered.emit(session.run, 2.0)
    with qtbot.waitSignal(panel.edit.edited):
        retype(panel, "w1 w2")
    assert session.selection.text != "w1 w2"
    assert panel.run_offer.isVisible()
    QTest.keyClick(panel.edit, Qt.Key.Key_Return)
    assert session.selection.text == "w1 w2"
    assert not panel.run_offer.isVisible()


def test_a_text_that_waits_is_run_by_a_click_and_no_more_offered_when_it_is_taken_back(
    qtbot, panel, session, client
):
    for _ in range(2):
        client.answered.emit(session.run, 2.0)
    before = session.selection.text
    for text, waits in (("w1 w2", True), (before, False), ("w3", True)):
        with qtbot.waitSignal(panel.edit.edited):
            retype(panel, text)
        assert panel.run_offer.isVisible() == waits
    qtbot.mouseClick(panel.run_offer, Qt.MouseButton.LeftButton)
    assert session.selection.text == "w3"
    assert not panel.run_offer.isVisible()


def test_a_click_elsewhere_does_not_undo_what_is_being_typed(panel, session):
    retype(panel, "w1 w2")
    session.pin(1)
    session.set_kind("scores")
    assert panel.edit.toPlainText() == "w1 w2"


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts_reach_the_engine_exactly(panel, settle, session, engine, text):
    panel.edit.setPlainText(text)
    QTest.keyClick(panel.edit, Qt.Key.Key_Return)
    settle(panel)
    assert RunPrompt("attn-2l", text) in engine.asked
    assert panel.edit.toPlainText() == text


def test_a_text_that_is_too_long_is_kept_and_the_last_result_stays(panel, settle):
    before = panel.known("run")
    text = "word " * 5000
    panel.edit.setPlainText(text)
    QTest.keyClick(panel.edit, Qt.Key.Key_Return)
    settle(panel)
    assert panel.state == "failed"
    assert "5002" in panel.notice.text()
    assert "300" in panel.notice.text()
    assert panel.edit.toPlainText() == text
    assert panel.known("run") is before


def test_a_text_the_model_cannot_read_offers_one_that_it_can(qtbot, panel, settle, session):
    session.set_text("unreadable")
    settle(panel)
    assert "unreadable" in panel.notice.text()
    assert panel.example_offer.isVisible()
    qtbot.mouseClick(panel.example_offer, Qt.MouseButton.LeftButton)
    settle(panel)
    assert session.selection.text == "w1 w2 w3"
    assert panel.edit.toPlainText() == "w1 w2 w3"
    assert panel.state == "fresh"
    assert not panel.example_offer.isVisible()


def test_up_brings_back_the_prompt_before(panel, settle):
    for text in ("w1 first", "w2 second"):
        panel.edit.setPlainText(text)
        QTest.keyClick(panel.edit, Qt.Key.Key_Return)
        settle(panel)
    QTest.keyClick(panel.edit, Qt.Key.Key_Up)
    assert panel.edit.toPlainText() == "w1 first"


def test_a_prompt_that_grew_while_it_was_typed_is_one_entry_of_the_history(panel, settle, session):
    for text in ("w1", "w1 w2", "w1 w2 w3", "another"):
        session.set_text(text)
        settle(panel)
    assert panel.history[-2:] == ["w1 w2 w3", "another"]
    assert "w1 w2" not in panel.history


def test_a_click_on_a_token_pins_it(qtbot, panel, session):
    place = panel.strip.tile(2).center()
    qtbot.mouseClick(panel.strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.selection.query == 2


def test_tokens_that_are_no_text_are_told_from_text_by_the_vocabulary(
    monkeypatch, show, session, engine
):
    ids = engine.answer(RunPrompt("attn-2l", "w1 w2"), Job()).ids
    known = engine._Vocabulary(Vocabulary("attn-2l"))
    texts = tuple("" if i == ids[1] else text for i, text in enumerate(known.texts))
    monkeypatch.setattr(engine, "_Vocabulary", lambda request: replace(known, texts=texts))
    session.set_text("w1 w2")
    panel = show(PromptPanel)
    assert panel.pieces(ids.tolist()) == {ids[1]}
    place = panel.strip.tile(1).center()
    assert panel.strip.tip_at(QPointF(place)).startswith("bytes ")


def test_the_prompt_does_not_wait_for_the_vocabulary(
    monkeypatch, qtbot, show, session, settle, engine
):
    panel = show(PromptPanel)
    answered, release = engine._Vocabulary, threading.Event()

    def slow(request):
        release.wait()
        return answered(request)

    monkeypatch.setattr(engine, "_Vocabulary", slow)
    session.open_model("toy")
    qtbot.waitUntil(lambda: panel.state == "fresh")
    assert not release.is_set()
    release.set()
    settle(panel)


def test_guesses_are_probabilities(panel, settle):
    run = panel.known("run")
    index = panel.guesses.model().index(0, panel.guesses.model().columnCount() - 1)
    assert f"{100 * np.exp(run.next_log_probs[0]):.1f}" in index.data()


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_opens_its_model_and_text(panel, settle, session, number):
    _, model, text = EXAMPLES[number]
    panel.example_actions[number].trigger()
    assert session.selection.model == model
    assert session.selection.text == text
    assert panel.edit.toPlainText() == text


def test_up_and_down_reach_every_prompt_while_each_is_run(qtbot, panel, settle):
    for text in ("w1 a", "w2 b", "w3 c"):
        panel.edit.setPlainText(text)
        QTest.keyClick(panel.edit, Qt.Key.Key_Return)
        settle(panel)
    before = list(panel.history)
    shown = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        QTest.keyClick(panel.edit, key)
        with qtbot.waitSignal(panel.edit.edited):
            pass
        settle(panel)
        shown.append(panel.edit.toPlainText())
    assert shown == ["w2 b", "w1 a", "w2 b", "w3 c"]
    assert panel.history == before


def test_deleting_words_keeps_the_longer_prompt_in_the_history(panel, session, settle):
    for text in ("one long prompt", "one"):
        session.set_text(text)
        settle(panel)
    assert panel.history[-1] == "one long prompt"


def test_special_tokens_are_marked_and_can_be_read_as_text(qtbot, panel, settle, session):
    assert not panel.as_text.isVisible()
    session.set_text(f"w1 {BOS} w2")
    settle(panel)
    assert panel.subtitle.text() == "4 tokens · 1 special"
    assert "special token, id 0" in panel.strip.tip_at(QPointF(panel.strip.tile(2).center()))
    assert panel.bos_note.text == ""
    qtbot.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    settle(panel)
    assert session.run.specials == "text"
    assert panel.subtitle.text() == "4 tokens"
    assert "special" not in panel.strip.tip_at(QPointF(panel.strip.tile(2).center()))
    assert panel.as_text.isVisible()
    assert panel.as_text.isChecked()
    session.set_text("w1 w2")
    settle(panel)
    assert not panel.as_text.isVisible()


def test_a_text_with_its_own_bos_says_that_none_is_added(panel, settle, session):
    session.set_text(f"{BOS} w2")
    settle(panel)
    assert "begins with BOS itself" in panel.bos_note.text
    assert panel.subtitle.text() == "2 tokens · 1 special"
    session.set_prepend_bos(False)
    settle(panel)
    assert panel.bos_note.text == ""
    session.set_prepend_bos(None)
    session.set_specials("text")
    settle(panel)
    assert panel.bos_note.text == ""


def test_what_the_tokenizer_changes_in_the_text_is_said_beside_it(panel, settle, session, engine):
    assert not panel.spelling_note.isVisible()
    engine.spelling = lambda text: text.replace(" w2", "w2")
    session.set_text("w1 w2")
    settle(panel)
    assert panel.spelling_note.isVisible()
    assert panel.spelling_note.text.endswith("changes the text: “1 ” is read as “1”")
    engine.spelling = lambda text: None
    session.set_text("w1 w3")
    settle(panel)
    assert not panel.spelling_note.isVisible()


@pytest.mark.parametrize(
    ("typed", "spelt", "sentence"),
    [
        ("tea", None, ""),
        ("tea", " tea", "The model's tokenizer puts a space before the text"),
        ("Green Tea", "green tea", "“Green T” is read as “green t”"),
        ("un café noir", "un cafe noir", "“fé” is read as “fe”"),
        ("tea  <mask>", "tea<mask>", "“a  ” is read as “a”"),
        ("e\u0301", "\xe9", "“U+0065 U+0301” is read as “U+00E9”"),
        ("日本", "<unk>", "“日本” is read as “<unk>”"),
        (" ", "", "“ ” is read as nothing"),
        ("A" * 99, "a" * 99, f"“{'A' * 40}…” is read as “{'a' * 40}…”"),
    ],
)
def test_the_place_where_tokens_do_not_spell_the_text_is_quoted(typed, spelt, sentence):
    assert prompt.said(typed, spelt).endswith(sentence)
    assert bool(prompt.said(typed, spelt)) == (spelt is not None)


def test_special_tokens_that_cannot_be_text_leave_the_way_back(
    qtbot, panel, settle, session, engine
):
    session.set_text(f"w1 {BOS}")
    settle(panel)
    engine.failing[RunPrompt] = Refused("cannot be read as plain text")
    qtbot.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    settle(panel)
    assert "cannot be read as plain text" in panel.notice.text()
    assert panel.as_text.isVisible()
    engine.failing.clear()
    qtbot.mouseClick(panel.as_text, Qt.MouseButton.LeftButton)
    settle(panel)
    assert panel.state == "fresh"
    assert session.run.specials == "tokens"
