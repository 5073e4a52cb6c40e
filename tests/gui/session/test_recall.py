"""Stored answers in the window: there at once, marked, and replaced as the engine confirms."""

import threading
from pathlib import Path

import numpy as np
import pytest

from engine.messages import Attention, Head, Patterns, RunPrompt
from gui.client.engine_client import EngineClient
from gui.session.document import Autosave, data_folder
from gui.session.session import Selection, Session
from gui.session.settings import Settings
from gui.session.stored_answers import StoredAnswers, folder_of
from gui.style import palette
from gui.window import Window
from tests.gui.conftest import filled
from tests.gui.fake_engine import FakeEngine

SHOWN = Selection(text="w1 w2 w3 w1", head=Head(1, 2), head_chosen=True)


class Changed(FakeEngine):
    """The same model with other weights: every pattern is another."""

    def _Attention(self, request):
        answer = super()._Attention(request)
        return Patterns(answer.labels, answer.values[:, ::1] * 0.5, answer.mask, answer.divisor)


class Loading(FakeEngine):
    """Answers nothing until it is let."""

    def __init__(self):
        super().__init__()
        self.may = threading.Event()

    def answer(self, request, job):
        while not self.may.wait(0.01):
            job.step(0, 1, "loading")
        return super().answer(request, job)


@pytest.fixture
def open_window(qtbot, qapp):
    palette.apply(qapp, "light")
    clients = []

    def opened(engine, *, session=None, started=True):
        autosave = Autosave(data_folder())
        saved = autosave.read()
        client = EngineClient(lambda: engine)
        clients.append(client)
        client.recall = StoredAnswers(folder_of(session or autosave.path)).find
        window = Window(
            Session(saved.selection if saved else SHOWN),
            client,
            Settings(),
            "light",
            autosave=autosave,
        )
        if saved is not None:
            window.begin(saved)
        qtbot.addWidget(window)
        if started:
            window.painted.connect(client.start)
        window.show()
        return window

    yield opened
    for client in clients:
        assert client.close()


def close(window):
    window.close()
    assert window.client.close()


def leave(qtbot, window):
    """Wait until all of it stands, and close the window as its user would."""
    filled(qtbot, window.client, *window.panels)
    close(window)


def panel(window, title):
    return next(panel for panel in window.panels if panel.title == title)


def test_the_last_pictures_stand_before_the_engine_does_and_say_so(qtbot, open_window):
    window = open_window(FakeEngine())
    leave(qtbot, window)
    shown = panel(window, "Attention").heatmap.grab().toImage()
    again = open_window(FakeEngine(), started=False)
    for panel_ in again.panels:
        qtbot.waitUntil(lambda p=panel_: p.state == "stored")
    qtbot.waitUntil(
        lambda: all(
            p.notice.text().startswith("Stored, waiting: loading torch") for p in again.panels
        )
    )
    assert not any(p.filled for p in again.panels)
    attention = panel(again, "Attention")
    assert attention.heatmap.isVisible()
    assert attention.mark.text() == "L1H2"
    again.client.start()
    filled(qtbot, again.client, *again.panels)
    qtbot.wait(50)
    assert {p.state for p in again.panels} == {"fresh"}
    assert all(p.notice.text() == "" for p in again.panels)
    assert attention.heatmap.grab().toImage().size() == shown.size()
    assert again.client.recall is None


def test_what_the_engine_says_replaces_what_was_stored(qtbot, open_window):
    leave(qtbot, open_window(FakeEngine()))
    engine = Loading()
    again = open_window(engine)
    attention = panel(again, "Attention")
    question = Attention(RunPrompt("attn-2l", SHOWN.text), 1)
    qtbot.waitUntil(lambda: attention.state == "stored")
    stored = attention.wanted(attention.main).values
    changed = Changed()
    engine._Attention = changed._Attention
    engine.may.set()
    filled(qtbot, again.client, *again.panels)
    np.testing.assert_array_equal(attention.wanted(attention.main).values, stored * 0.5)
    folder = folder_of(again.document.autosave.path)
    close(again)
    np.testing.assert_array_equal(StoredAnswers(folder).find(question).values, stored * 0.5)


def test_a_question_that_is_changed_while_the_engine_loads_waits_for_it(qtbot, open_window):
    leave(qtbot, open_window(FakeEngine()))
    engine = Loading()
    again = open_window(engine)
    qtbot.waitUntil(lambda: all(p.state == "stored" for p in again.panels))
    again.session.set_text("w5 w6")
    qtbot.wait(20)
    assert panel(again, "Prompt").state == "old"
    engine.may.set()
    filled(qtbot, again.client, *again.panels)
    assert len(panel(again, "Prompt").run_result().labels) == 3
    assert {p.state for p in again.panels} == {"fresh"}


def test_a_window_closed_before_the_engine_stood_leaves_what_was_stored(qtbot, open_window):
    window = open_window(FakeEngine())
    folder = folder_of(window.document.autosave.path)
    leave(qtbot, window)
    before = sorted(path.name for path in folder.iterdir())
    assert len(before) > 5
    close(open_window(Loading()))
    assert sorted(path.name for path in folder.iterdir()) == before


def test_damaged_answers_are_computed_again(qtbot, open_window):
    window = open_window(FakeEngine())
    copy = window.document.autosave.path
    leave(qtbot, window)
    for number, path in enumerate(sorted(folder_of(copy).iterdir())):
        if number % 2:
            path.write_bytes(path.read_bytes()[:100])
        else:
            path.unlink()
    again = open_window(FakeEngine())
    filled(qtbot, again.client, *again.panels)
    assert {p.state for p in again.panels} == {"fresh"}


def test_answers_are_kept_beside_a_saved_session_and_shown_when_it_opens(
    qtbot, open_window, tmp_path
):
    window = open_window(FakeEngine())
    filled(qtbot, window.client, *window.panels)
    path = tmp_path / "tea.headscope.json"
    assert window.files._save(path)
    window.session.set_text("w9")
    filled(qtbot, window.client, *window.panels)
    window._may_close = True
    close(window)
    found = StoredAnswers(Path(tmp_path / "tea.headscope.answers"))
    assert found.find(RunPrompt("attn-2l", SHOWN.text)) is not None
    engine = Loading()
    engine.may.set()
    again = open_window(engine)
    filled(qtbot, again.client, *again.panels)
    engine.may.clear()
    again._may_close = True
    again.document.path = None
    again.open_session(path)
    qtbot.waitUntil(lambda: panel(again, "Attention").state == "stored")
    engine.may.set()
    filled(qtbot, again.client, *again.panels)
    assert panel(again, "Attention").state == "fresh"


def test_a_stored_picture_stays_where_the_model_cannot_be_opened(qtbot, open_window):
    leave(qtbot, open_window(FakeEngine()))
    broken = FakeEngine()
    broken.answer = lambda request, job: (_ for _ in ()).throw(ValueError("the model has moved"))
    again = open_window(broken)
    qtbot.waitUntil(lambda: not again.client.busy)
    qtbot.wait(20)
    attention = panel(again, "Attention")
    assert attention.state == "failed"
    assert attention.heatmap.isVisible()
    assert panel(again, "Prompt").notice.text() == "No model is open."
    assert "the model has moved" in again.opening_bar.text.text
