"""Stored answers: bounded, and never more than a saving of time."""

import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from engine.job import Job
from engine.messages import Attention, LoadModel, RunPrompt, ThumbnailPatterns, Thumbnails
from gui.session import stored_answers
from gui.session.stored_answers import StoredAnswers, folder_of
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
