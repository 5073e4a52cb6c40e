"""What the window begins with, and that nothing is lost where another session takes its place."""

import pytest

from engine.messages import Head
from gui.session import document
from gui.session.document import Autosave, FirstSession, data_folder
from gui.session.settings import Settings
from gui.state import session_file
from gui.state.selection import Selection
from gui.state.session_file import Favourite, SavedSession

NOTED = SavedSession(favourites=(Favourite("toy", Head(0, 0), "mine"),))


@pytest.fixture
def autosave(qapp):
    autosave = Autosave(data_folder())
    yield autosave
    autosave.close()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "tea.headscope.json"
    session_file.write(path, SavedSession(Selection(text="tea")))
    return path


def test_the_very_first_start_has_none_and_the_next_the_last(autosave):
    assert document.find(None, autosave, Settings()) == FirstSession(None)
    session_file.write(autosave.path, NOTED)
    assert document.find(None, autosave, Settings()) == FirstSession(NOTED)
    assert document.find(None, None, None) == FirstSession(None)


def test_a_named_file_is_opened_and_recent(autosave, path):
    found = document.find(path, autosave, Settings())
    assert found.saved == SavedSession(Selection(text="tea"), file=str(path))
    assert found.trouble == ""
    assert Settings().recent_sessions() == [str(path)]


def test_favourites_of_a_last_session_that_was_never_saved_are_kept_aside(autosave, path):
    session_file.write(autosave.path, NOTED)
    found = document.find(path, autosave, Settings())
    aside = data_folder() / "unsaved-1.headscope.json"
    assert found.saved.selection.text == "tea"
    assert str(aside) in found.trouble
    assert session_file.read(aside) == NOTED
    assert Settings().recent_sessions() == [str(path), str(aside)]


def test_changes_that_a_crash_left_unsaved_are_kept_aside(autosave, path, tmp_path):
    other = tmp_path / "other.headscope.json"
    session_file.write(other, SavedSession(Selection(text="as saved")))
    crashed = SavedSession(Selection(text="as it was at the crash"), file=str(other))
    session_file.write(autosave.path, crashed)
    found = document.find(path, autosave, Settings())
    assert "kept in" in found.trouble
    aside = data_folder() / "unsaved-1.headscope.json"
    assert session_file.read(aside).selection == crashed.selection


def test_a_last_session_that_is_saved_or_mere_selection_makes_no_noise(autosave, path):
    for last in (
        SavedSession(Selection(text="anything")),
        SavedSession(Selection(text="tea"), file=str(path)),
    ):
        session_file.write(autosave.path, last)
        assert document.find(path, autosave, None).trouble == ""
    assert not (data_folder() / "unsaved-1.headscope.json").exists()


def test_a_damaged_last_session_keeps_no_named_one_from_opening(autosave, path):
    autosave.path.write_text("{")
    found = document.find(path, autosave, None)
    assert found.saved.selection.text == "tea"
    autosave.path.write_text("{")
    found = document.find(None, autosave, None)
    assert found.saved is None
    assert "The last session was not reopened" in found.trouble


def test_a_named_file_that_cannot_be_opened_leaves_the_last_session(autosave, tmp_path):
    session_file.write(autosave.path, NOTED)
    found = document.find(tmp_path / "none.headscope.json", autosave, Settings())
    assert found.saved == NOTED
    assert "cannot open" in found.trouble
    assert Settings().recent_sessions() == []
