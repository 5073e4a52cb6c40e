"""From one model to the next: the one in use stays until the other is open."""

import pytest
from PySide6.QtCore import Qt

from engine.messages import Head, LoadModel, RunPrompt
from gui.session import model_opener
from gui.session.model_opener import ModelOpener, OpeningMarker
from gui.session.session import Session
from gui.session.settings import RECENT_MODELS, Settings
from gui.state.selection import DEFAULT_MODEL, Selection
from gui.window import Window
from tests.gui.asking import Recorder, idle

BAD = "/models/gone/tiny.gguf"


@pytest.fixture
def opening(session, client):
    opening = ModelOpener(session, client, None)
    client.start()
    return opening


def test_the_model_in_use_stays_until_the_next_is_open(qtbot, session, client, engine, opening):
    idle(qtbot, client)
    engine.seconds = 0.2
    opening.open("toy")
    assert (session.selection.model, opening.wanted) == ("attn-2l", "toy")
    idle(qtbot, client)
    assert (session.selection.model, opening.wanted) == ("toy", "")


def test_a_model_that_is_refused_changes_nothing(qtbot, session, client, engine, opening):
    session.choose_head(Head(1, 1))
    idle(qtbot, client)
    before = session.selection
    engine.missing.add(BAD)
    opening.open(BAD)
    idle(qtbot, client)
    assert session.selection == before
    assert opening.in_use == "attn-2l"
    assert opening.not_opened.model == BAD
    assert "no folder or file" in opening.not_opened.failure.sentence
    assert not opening.stuck


def test_of_two_models_wanted_in_a_row_the_last_is_opened(qtbot, session, client, opening):
    opening.open("toy")
    opening.open("another")
    idle(qtbot, client)
    assert session.selection.model == "another"


def test_cancel_leaves_it_at_the_model_in_use(qtbot, session, client, engine, opening):
    idle(qtbot, client)
    engine.seconds = 5
    opening.open("toy")
    opening.cancel()
    idle(qtbot, client)
    assert (session.selection.model, opening.wanted) == ("attn-2l", "")
    assert opening.not_opened is None


def test_what_the_user_stopped_is_no_failure(qtbot, session, client, engine, opening):
    idle(qtbot, client)
    engine.seconds = 5
    opening.open("toy")
    client.cancel()
    idle(qtbot, client)
    assert opening.wanted == ""
    assert opening.not_opened is None


def test_from_a_model_that_turned_out_not_to_open_one_can_go_back(
    qtbot, session, client, engine, opening
):
    idle(qtbot, client)
    session.choose_head(Head(1, 2))
    before = session.selection
    engine.missing.add(BAD)
    session.open_model(BAD)
    idle(qtbot, client)
    assert opening.stuck
    opening.go_back()
    idle(qtbot, client)
    assert session.selection == before
    assert opening.not_opened is None


def test_another_model_does_not_wait_for_work_on_the_one_before(
    qtbot, session, client, engine, opening
):
    idle(qtbot, client)
    engine.seconds = 60
    client.ask(Recorder(), "run", RunPrompt("attn-2l", "w1"))
    qtbot.waitUntil(lambda: RunPrompt("attn-2l", "w1") in engine.asked)
    engine.seconds = 0
    opening.open("toy")
    qtbot.waitUntil(lambda: LoadModel("toy") in engine.asked)
    idle(qtbot, client)
    assert session.selection.model == "toy"


def test_what_waits_about_the_model_before_is_not_begun_once_the_next_is_open(
    qtbot, session, client, engine, opening
):
    idle(qtbot, client)
    asker, old = Recorder(), RunPrompt("attn-2l", "w9")
    session.changed.connect(lambda what: client.withdraw(asker, "run"))
    engine.seconds = 0.2
    opening.open("toy")
    qtbot.waitUntil(lambda: client.running == LoadModel("toy"))
    client.ask(asker, "run", old)
    idle(qtbot, client)
    assert session.selection.model == "toy"
    assert old not in engine.asked


def test_paths_that_opened_are_remembered_newest_first(qtbot, session, client):
    settings = Settings()
    opening = ModelOpener(session, client, settings)
    client.start()
    for number in range(RECENT_MODELS + 2):
        opening.open(f"/models/{number}")
        idle(qtbot, client)
    opening.open("/models/5")
    idle(qtbot, client)
    opening.open("toy")
    idle(qtbot, client)
    assert opening.recent[:3] == ["/models/5", "/models/11", "/models/10"]
    assert len(opening.recent) == RECENT_MODELS
    settings.write()
    assert Settings().recent_models() == opening.recent


def test_a_path_that_does_not_open_is_not_remembered(qtbot, client, engine, opening):
    engine.missing.add(BAD)
    opening.open(BAD)
    idle(qtbot, client)
    assert list(opening.recent) == []


def test_the_bar_says_what_is_opened_and_what_is_shown_meanwhile(qtbot, window, engine, client):
    engine.seconds = 1
    window.opening.open("/models/some-model")
    qtbot.waitUntil(window.opening_bar.isVisible)
    assert window.opening_bar.heading.text() == "Opening some-model"
    assert "everything shows attn-2l" in window.opening_bar.text.text
    assert window.top.models.currentData() == "/models/some-model"
    qtbot.waitUntil(lambda: window.opening_bar.bar.value() > 0)
    qtbot.mouseClick(window.opening_bar.stop, Qt.MouseButton.LeftButton)
    assert not window.opening_bar.isVisible()
    assert window.top.models.currentData() == "attn-2l"
    engine.seconds = 0
    idle(qtbot, client)


def test_a_quick_model_shows_no_bar(qtbot, window, client):
    shown = []
    window.opening.changed.connect(lambda: shown.append(window.opening_bar.isVisible()))
    window.opening.open("toy")
    idle(qtbot, client)
    qtbot.wait(300)
    assert not any(shown)
    assert not window.opening_bar.isVisible()


def test_pictures_stay_fresh_when_a_model_is_refused(qtbot, window, session, client, engine):
    engine.missing.add(BAD)
    window.opening.open(BAD)
    idle(qtbot, client)
    bar = window.opening_bar
    assert bar.heading.text() == "tiny.gguf could not be opened"
    assert bar.text.text == f"there is no folder or file {BAD!r}. attn-2l is still in use."
    assert all(panel.state == "fresh" for panel in window.panels if panel.isVisible())
    assert window.top.models.currentData() == "attn-2l"
    assert not bar.back.isVisible()
    assert window.status.work.text() == "ready"
    qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()


def test_a_refused_model_can_be_tried_again(qtbot, window, session, client, engine):
    engine.missing.add(BAD)
    window.opening.open(BAD)
    idle(qtbot, client)
    engine.missing.clear()
    qtbot.mouseClick(window.opening_bar.again, Qt.MouseButton.LeftButton)
    idle(qtbot, client)
    assert session.selection.model == BAD
    assert not window.opening_bar.isVisible()


def test_one_click_goes_back_from_a_session_whose_model_is_gone(
    qtbot, window, session, client, engine
):
    engine.missing.add(BAD)
    session.open_model(BAD)
    idle(qtbot, client)
    bar = window.opening_bar
    assert bar.isVisible()
    assert bar.back.text() == "Go back to attn-2l"
    assert not bar.close_button.isVisible()
    qtbot.mouseClick(bar.back, Qt.MouseButton.LeftButton)
    idle(qtbot, client)
    assert session.selection.model == "attn-2l"
    assert not bar.isVisible()
    assert window.status.model.text() == "attn-2l · 2 × 4 heads · cpu, float32"
    assert window.status.work.text() == "ready"
    qtbot.waitUntil(
        lambda: all(panel.state == "fresh" for panel in window.panels if panel.isVisible())
    )


def test_a_start_with_a_model_that_is_gone_offers_one_that_is_there(qtbot, qapp, client, engine):
    engine.missing.add(BAD)
    session = Session(Selection(model=BAD))
    window = Window(session, client, None, "light")
    qtbot.addWidget(window)
    window.painted.connect(client.start)
    window.show()
    qtbot.waitUntil(lambda: window.opening_bar.isVisible())
    idle(qtbot, client)
    assert window.opening_bar.back.text() == f"Open {DEFAULT_MODEL}"
    qtbot.mouseClick(window.opening_bar.back, Qt.MouseButton.LeftButton)
    idle(qtbot, client)
    assert session.selection.model == DEFAULT_MODEL
    assert not window.opening_bar.isVisible()


def test_what_is_not_used_of_a_models_files_is_said_when_it_is_open(qtbot, window, client, engine):
    idle(qtbot, client)
    assert not window.opening_bar.isVisible()
    engine.notices = ("the file's key odd.key is not used",)
    window.opening.open("toy")
    qtbot.waitUntil(window.opening_bar.close_button.isVisible)
    assert window.opening_bar.heading.text() == "toy is open"
    assert window.opening_bar.text.text == "The file's key odd.key is not used."
    qtbot.mouseClick(window.opening_bar.close_button, Qt.MouseButton.LeftButton)
    assert not window.opening_bar.isVisible()


@pytest.fixture
def copy(tmp_path):
    return tmp_path / "last-1.headscope.json"


@pytest.fixture
def noted(session, client, copy):
    noted = ModelOpener(session, client, None, OpeningMarker(copy))
    client.start()
    return noted


def test_a_model_is_noted_until_it_is_open(qtbot, client, noted, copy, engine):
    idle(qtbot, client)
    engine.seconds = 0.2
    noted.open("/models/some")
    assert model_opener.left(copy) == ["/models/some"]
    idle(qtbot, client)
    assert model_opener.left(copy) == []
    assert list(copy.parent.iterdir()) == []


def test_a_model_that_is_refused_or_cancelled_is_noted_no_more(qtbot, client, noted, copy, engine):
    engine.missing.add(BAD)
    noted.open(BAD)
    idle(qtbot, client)
    assert model_opener.left(copy) == []
    noted.open("/models/some")
    noted.cancel()
    assert model_opener.left(copy) == []


def test_a_model_that_had_to_be_stopped_stays_noted(qtbot, session, client, noted, copy, engine):
    idle(qtbot, client)
    engine.seconds = 5
    session.open_model("/models/some")
    client.cancel()
    idle(qtbot, client)
    assert model_opener.left(copy) == ["/models/some"]


def test_a_model_that_another_takes_the_place_of_is_noted_no_more(
    qtbot, session, client, noted, copy, engine
):
    idle(qtbot, client)
    engine.seconds = 5
    session.open_model("/models/some")
    session.open_model("/models/other")
    assert model_opener.left(copy) == ["/models/other"]
    engine.seconds = 0


def test_the_model_of_the_first_start_is_never_noted(client, session, noted, copy):
    assert session.selection.model == DEFAULT_MODEL
    assert model_opener.left(copy) == []


def test_a_model_that_is_offered_stays_so_while_another_opens(qtbot, client, session, noted):
    noted.offer(BAD)
    idle(qtbot, client)
    assert noted.in_use == DEFAULT_MODEL
    assert noted.not_opened.model == BAD


@pytest.mark.parametrize("text", ["", "{", "3", '[1, "a"]', "[" * 10_000])
def test_a_damaged_note_says_nothing(copy, text):
    copy.with_name(f"{copy.name}.opening").write_text(text)
    assert [name for name in model_opener.left(copy) if name != "a"] == []
