"""Stored answers: bounded, shown at once, marked, and replaced as the engine confirms."""

import io
import os
import pickle
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from engine.job import Job
from engine.messages import (
    Attention,
    Head,
    LoadModel,
    Patterns,
    RunPrompt,
    ThumbnailPatterns,
    Thumbnails,
)
from gui.client.engine_client import EngineClient
from gui.session import stored_answers
from gui.session.document import Autosave, data_folder
from gui.session.session import Selection, Session
from gui.session.settings import Settings
from gui.session.stored_answers import StoredAnswers, folder_of
from gui.style import palette
from gui.window import Window
from tests.gui.conftest import filled
from tests.gui.fake_engine import FakeEngine

RUN = RunPrompt("attn-2l", "w1 w2 w3 w4")
ATTENTION, FACTS = Attention(RUN, 1), LoadModel("attn-2l")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "a.headscope.answers"


@pytest.fixture(scope="module")
def answers():
    engine = FakeEngine()
    return [(question, engine.answer(question, Job())) for question in (RUN, ATTENTION, FACTS)]


@pytest.fixture
def kept(folder, answers):
    """Keep three answers; return the file of Attention."""
    StoredAnswers(folder).keep(answers)
    return folder / stored_answers._name(ATTENTION)


def test_they_lie_beside_the_session():
    assert folder_of(Path("/x/tea.headscope.json")) == Path("/x/tea.headscope.answers")
    assert folder_of(Path("/x/tea")) == Path("/x/tea.headscope.answers")


def test_what_was_kept_is_found_by_its_question_and_no_other(folder, answers, kept):
    store = StoredAnswers(folder)
    found = store.find(ATTENTION)
    np.testing.assert_array_equal(found.values, answers[1][1].values)
    assert found.labels == answers[1][1].labels
    assert store.find(ATTENTION) is found
    assert store.find(Attention(RUN, 0)) is None
    assert len(list(folder.iterdir())) == 3
    os.replace(kept, folder / stored_answers._name(Attention(RUN, 0)))
    assert StoredAnswers(folder).find(Attention(RUN, 0)) is None  # the answer to another question


def test_what_is_no_longer_shown_goes_and_what_is_not_ours_stays(folder, answers, kept):
    mine = folder / "notes.txt"
    mine.write_text("mine")
    store = StoredAnswers(folder)
    store.keep(answers[:1])
    assert not kept.exists()
    assert mine.exists()
    assert StoredAnswers(folder).find(RUN) is not None


def test_an_answer_that_is_kept_already_is_not_written_again(folder, answers):
    store = StoredAnswers(folder)
    store.keep(answers)
    before = {path: path.stat().st_ino for path in folder.iterdir()}
    store.keep(answers)
    assert {path: path.stat().st_ino for path in folder.iterdir()} == before


def test_all_together_stay_within_the_budget_and_the_first_come_first(folder, answers, monkeypatch):
    StoredAnswers(folder).keep(answers)
    sizes = [(folder / stored_answers._name(question)).stat().st_size for question, _ in answers]
    monkeypatch.setattr(stored_answers, "BUDGET", sizes[0] + sizes[2])
    store = StoredAnswers(folder)
    store.keep(answers)
    assert [store.find(question) is not None for question, _ in answers] == [True, False, True]
    assert sum(path.stat().st_size for path in folder.iterdir()) <= sizes[0] + sizes[2]


def test_large_thumbnails_are_pooled_so_that_a_single_cell_survives(folder, monkeypatch):
    monkeypatch.setattr(stored_answers, "THUMBNAILS", 5000)
    values = np.zeros((2, 3, 33, 33), np.float32)
    values[1, 2, 32, 5] = 1
    mask = np.stack(
        [np.tri(33, dtype=bool), np.tri(33, dtype=bool) & ~np.tri(33, k=-5, dtype=bool)]
    )
    mask[1, 32, 5] = True
    values = np.where(mask[:, np.newaxis], values, np.nan)
    whole = ThumbnailPatterns(("a",) * 33, values, mask, 1)
    question = Thumbnails(RUN)
    StoredAnswers(folder).keep([(question, whole)])
    pooled = StoredAnswers(folder).find(question)
    assert pooled.values.shape == (2, 3, 9, 9)
    assert pooled.block == 4
    assert np.argwhere(pooled.values > 0).tolist() == [[1, 2, 8, 1]]
    assert pooled.mask[:, 8, 8].all()
    assert not pooled.mask[:, 0, 1].any()
    assert pooled.mask[:, 6, 3].tolist() == [True, False]
    assert np.array_equal(np.isnan(pooled.values[:, 0]), ~pooled.mask)


def test_a_lost_folder_and_a_lost_file_count_as_none(folder, kept):
    kept.unlink()
    assert StoredAnswers(folder).find(ATTENTION) is None
    assert StoredAnswers(folder / "nowhere").find(ATTENTION) is None


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_damaged_file_counts_as_none_whatever_byte_is_wrong(folder, kept):
    whole = kept.read_bytes()
    random = np.random.default_rng(0)
    same = StoredAnswers(folder).find(ATTENTION).values.tobytes()
    for place in random.integers(0, len(whole), 300):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(random.integers(8))
        kept.write_bytes(damaged)
        found = StoredAnswers(folder).find(ATTENTION)
        # A bit that no reader looks at, such as a time stamp's, does no harm.
        assert found is None or found.values.tobytes() == same
    for end in random.integers(0, len(whole), 50):
        kept.write_bytes(whole[:end])
        assert StoredAnswers(folder).find(ATTENTION) is None


def test_a_pickle_in_a_file_runs_nothing(folder, kept, tmp_path):
    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "ran"),))

    objects = np.array([Evil()], dtype=object)
    for name in ("record", "question", "0"):
        with np.load(kept) as file:
            named = {key: file[key] for key in file.files}
        np.savez(kept, allow_pickle=True, **(named | {name: objects}))
        assert StoredAnswers(folder).find(ATTENTION) is None
        StoredAnswers(folder).keep([])
        StoredAnswers(folder).keep([(ATTENTION, FakeEngine().answer(ATTENTION, Job()))])
    kept.write_bytes(pickle.dumps(objects))
    assert StoredAnswers(folder).find(ATTENTION) is None
    assert not (tmp_path / "ran").exists()


def test_a_bomb_is_not_unpacked(folder, kept):
    file = io.BytesIO()
    np.save(file, np.zeros(2**23))
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("question.npy", file.getvalue())
    assert kept.stat().st_size < 2**20
    assert StoredAnswers(folder).find(ATTENTION) is None


SHOWN = Selection(text="w1 w2 w3 w1", head=Head(1, 2), head_chosen=True)


class OtherWeights(FakeEngine):
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
    assert attention.head_label.text() == "L1H2"
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
    stored = attention.wanted(attention.main_slot).values
    changed = OtherWeights()
    engine._Attention = changed._Attention
    engine.may.set()
    filled(qtbot, again.client, *again.panels)
    np.testing.assert_array_equal(attention.wanted(attention.main_slot).values, stored * 0.5)
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
    assert len(panel(again, "Prompt").common.run.labels) == 3
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
