"""Sessions in the window: saved, opened, asked about, kept aside, brought back."""

import json
import os

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from engine.messages import Head
from gui.session.document import Autosave, data_folder
from gui.session.session import Selection, Session
from gui.session.settings import Settings
from gui.shell.layouts import LAYOUTS
from gui.state import session_file
from gui.state.session_file import Favourite, SavedSession, WindowState
from gui.style import palette
from gui.window import Window


@pytest.fixture
def open_window(qtbot, qapp, client):
    """Open windows as the program does, one after another or several at once."""
    palette.apply(qapp, "light")

    def opened():
        autosave = Autosave(data_folder())
        saved = autosave.read()
        window = Window(Session(), client, Settings(), "light", autosave=autosave)
        if saved is not None:
            window.begin(saved)
        qtbot.addWidget(window, before_close_func=let_go)
        window.show()
        qtbot.wait(30)
        return window

    return opened


def let_go(window):
    """Let a test end without being asked about changes."""
    window._may_close = True


@pytest.fixture
def window(open_window):
    return open_window()


def box_of(window):
    boxes = [box for box in window.findChildren(QMessageBox) if box.isVisible()]
    return boxes[-1] if boxes else None


def press(qtbot, window, button):
    box = box_of(window)
    qtbot.mouseClick(box.button(button), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: box_of(window) is None)


def read(path):
    return session_file.read(path)


def test_a_session_that_was_saved_has_a_name_and_a_star_for_changes(qtbot, window, tmp_path):
    assert window.windowTitle() == "Headscope"
    window.session.set_text("changed")
    qtbot.wait(10)
    assert not window.isWindowModified()
    path = tmp_path / "tea & <b> [*].headscope.json"
    window.document.save(path)
    assert window.windowTitle() == "tea & <b> [*][*][*] — Headscope"
    assert not window.isWindowModified()
    for change, back in (
        (lambda: window.session.pin(2), window.history.back),
        (lambda: window.session.favourites.add("toy", Head(0, 0)), None),
    ):
        change()
        qtbot.wait(10)
        assert window.isWindowModified()
        if back:
            back()
            qtbot.wait(10)
            assert not window.isWindowModified()


def test_an_open_card_is_a_change_and_a_suggested_head_is_none(qtbot, window, tmp_path):
    window.document.save(tmp_path / "a.headscope.json")
    window.session.suggest_head(Head(1, 2))
    qtbot.wait(10)
    assert not window.isWindowModified()
    window.open_cards(["Notes"])
    qtbot.wait(10)
    assert window.isWindowModified()


def test_a_session_opens_as_it_was_saved_and_the_board_is_carried_along(qtbot, window, tmp_path):
    path = tmp_path / "full.headscope.json"
    selection = Selection("toy", "w1 w2", head=Head(1, 2), head_chosen=True, query=1, kind="scores")
    board = [{"panel": "Attention", "anything": [1, None]}]
    cards = ("Prompt", "Notes", "Composition")
    favourites = (Favourite("toy", Head(1, 2), "this one"),)
    state = WindowState("Compose", cards)
    session_file.write(path, SavedSession(selection, state, favourites, board))
    window.open_session(path)
    qtbot.wait(30)
    assert window.session.selection == selection
    assert window.session.favourites.all == favourites
    assert window.session.board.kept == board
    assert set(window.state().cards) == set(cards)
    assert window.state().layout == "Compose"
    assert not window.isWindowModified()
    QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    again = read(path)
    assert (again.selection, again.favourites, again.board) == (selection, favourites, board)
    assert again.window.docks
    assert Settings().recent_sessions() == [str(path)]


@pytest.mark.parametrize("damaged", [b"", b"[1]", b'{"headscope": "session", "version": 9}'])
def test_a_damaged_session_is_said_and_changes_nothing(qtbot, window, tmp_path, damaged):
    path = tmp_path / "broken.headscope.json"
    path.write_bytes(damaged)
    before = window.document.current()
    window.open_session(path)
    box = box_of(window)
    assert box.text().startswith("cannot open broken.headscope.json: it ")
    assert box.textFormat() == Qt.TextFormat.PlainText
    box.close()
    qtbot.wait(10)
    assert window.document.current() == before
    assert path.read_bytes() == damaged
    assert Settings().recent_sessions() == []


def test_save_as_adds_the_suffix_and_a_path_that_cannot_be_written_is_said(qtbot, window, tmp_path):
    QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(QFileDialog)
    assert dialog.acceptMode() == QFileDialog.AcceptMode.AcceptSave
    dialog.fileSelected.emit(str(tmp_path / "tea"))
    dialog.reject()
    assert read(tmp_path / "tea.headscope.json").selection == window.session.selection
    window.files._save(tmp_path / "missing" / "a.headscope.json")
    assert "cannot save" in box_of(window).text()
    box_of(window).close()
    assert window.document.name == "tea"


def test_unsaved_changes_are_asked_about_before_another_session_opens(qtbot, window, tmp_path):
    first, second = tmp_path / "one.headscope.json", tmp_path / "two.headscope.json"
    session_file.write(second, SavedSession(Selection(text="second")))
    window.document.save(first)
    window.session.set_text("changed")
    for button, saved, now in (
        (QMessageBox.StandardButton.Cancel, False, "changed"),
        (QMessageBox.StandardButton.Save, True, "second"),
    ):
        window.open_session(second)
        assert box_of(window).text() == "one has changes that are not saved."
        press(qtbot, window, button)
        assert window.session.selection.text == now
        assert (read(first).selection.text == "changed") == saved
    window.session.set_text("changed again")
    window.open_session(first)
    press(qtbot, window, QMessageBox.StandardButton.Discard)
    assert window.session.selection.text == "changed"
    assert read(second).selection.text == "second"


def test_the_same_session_opened_again_after_saving_is_what_was_saved(qtbot, window, tmp_path):
    path = tmp_path / "one.headscope.json"
    window.document.save(path)
    window.session.set_text("changed")
    window.open_session(path)
    press(qtbot, window, QMessageBox.StandardButton.Save)
    assert window.session.selection.text == read(path).selection.text == "changed"


def test_closing_asks_and_what_is_discarded_is_not_there_at_the_next_start(
    qtbot, open_window, tmp_path
):
    window = open_window()
    path = tmp_path / "one.headscope.json"
    window.document.save(path)
    window.session.set_text("changed")
    window.close()
    assert window.isVisible()
    press(qtbot, window, QMessageBox.StandardButton.Cancel)
    assert window.isVisible()
    window.close()
    press(qtbot, window, QMessageBox.StandardButton.Discard)
    assert not window.isVisible()
    again = open_window()
    assert again.document.path == path
    assert again.session.selection.text == read(path).selection.text != "changed"
    assert not again.isWindowModified()
    again.session.set_text("changed")
    again.close()
    press(qtbot, again, QMessageBox.StandardButton.Save)
    assert not again.isVisible()
    assert read(path).selection.text == "changed"


def test_a_session_that_was_never_saved_closes_silently_and_comes_back(open_window):
    window = open_window()
    window.session.set_text("never saved")
    window.session.favourites.write("toy", Head(0, 0), "kept")
    window.close()
    assert not window.isVisible()
    again = open_window()
    assert again.session.selection.text == "never saved"
    assert again.session.favourites.all == (Favourite("toy", Head(0, 0), "kept"),)
    assert again.windowTitle() == "Headscope"


def test_changes_that_were_not_saved_are_there_after_a_crash_and_still_unsaved(
    qtbot, open_window, tmp_path
):
    window = open_window()
    window.document._copy.setInterval(50)
    window.document.save(tmp_path / "one.headscope.json")
    window.session.set_text("before the crash")
    copy = window.document.autosave.path
    qtbot.waitUntil(lambda: copy.exists() and read(copy).selection.text == "before the crash")
    saved = read(copy)
    other = open_window()  # as the next start would, were the first window gone
    other.begin(saved)
    qtbot.wait(30)
    assert other.session.selection.text == "before the crash"
    assert other.windowTitle() == "one[*] — Headscope"
    assert other.isWindowModified()


def test_favourites_that_were_never_saved_are_kept_aside_when_another_session_opens(
    qtbot, window, tmp_path
):
    path = tmp_path / "one.headscope.json"
    session_file.write(path, SavedSession(Selection(text="one")))
    window.session.favourites.write("toy", Head(0, 0), "do not lose me")
    window.open_session(path)
    assert window.session.selection.text == "one"
    aside = data_folder() / "unsaved-1.headscope.json"
    assert read(aside).favourites[0].note == "do not lose me"
    assert Settings().recent_sessions() == [str(path), str(aside)]


def test_two_windows_at_once_keep_two_copies_and_the_next_start_has_the_newest(open_window):
    first, second = open_window(), open_window()
    first.session.set_text("first")
    second.session.set_text("second")
    second.close()
    first.close()
    again = open_window()
    assert again.session.selection.text == "first"
    beside = open_window()
    assert beside.session.selection.text == "second"


def test_a_damaged_copy_is_put_aside_and_said(qapp):
    folder = data_folder()
    folder.mkdir(parents=True)
    damaged = b'{"headscope": "session", "vers'
    (folder / "last-1.headscope.json").write_bytes(damaged)
    autosave = Autosave(folder)
    with pytest.raises(session_file.Refused, match=r"was not reopened: .* see .*damaged"):
        autosave.read()
    assert (folder / "damaged-1.headscope.json").read_bytes() == damaged
    assert autosave.read() is None
    autosave.close()


def test_what_was_put_or_kept_aside_is_never_written_over(qapp, tmp_path):
    autosave = Autosave(data_folder())
    for text in ("one", "two"):
        autosave.path.write_bytes(text.encode())
        with pytest.raises(session_file.Refused):
            autosave.read()
    put = sorted(data_folder().glob("damaged-*"))
    assert [path.read_text() for path in put] == ["one", "two"]
    # Two windows keep something aside at the same moment.
    kept = [autosave.keep(SavedSession(Selection(text=text))) for text in ("one", "two")]
    assert [read(path).selection.text for path in kept] == ["one", "two"]
    autosave.close()


CHANGED = "Another window or program has saved one since it was opened or saved here."


@pytest.fixture
def changed(qtbot, open_window, tmp_path):
    """Return a window with a change to a session that another window has saved meanwhile."""
    path = tmp_path / "one.headscope.json"
    session_file.write(path, SavedSession(Selection(text="first")))
    window, other = open_window(), open_window()
    for one in (window, other):
        one.open_session(path)
    window.session.set_text("mine")
    other.session.set_text("theirs")
    other.files.save()
    assert box_of(other) is None
    assert read(path).selection.text == "theirs"
    return window, path


def choose(qtbot, window, text):
    box = box_of(window)
    assert box.text().startswith(CHANGED)
    (button,) = (button for button in box.buttons() if button.text().replace("&", "") == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: box_of(window) is None)


def test_what_another_window_saved_is_not_overwritten_unasked(qtbot, changed):
    window, path = changed
    window.files.save()
    assert box_of(window).text().startswith(CHANGED)
    press(qtbot, window, QMessageBox.StandardButton.Cancel)
    assert read(path).selection.text == "theirs"
    assert window.isWindowModified()
    window.files.save()
    choose(qtbot, window, "Overwrite")
    assert read(path).selection.text == "mine"
    assert not window.isWindowModified()
    window.session.set_text("mine again")
    window.files.save()
    assert box_of(window) is None
    assert read(path).selection.text == "mine again"


def test_what_another_window_saved_can_be_opened_and_the_own_is_kept(qtbot, changed):
    window, path = changed
    window.files.save()
    choose(qtbot, window, "Open theirs")
    assert window.session.selection.text == read(path).selection.text == "theirs"
    qtbot.waitUntil(lambda: not window.isWindowModified())
    aside = data_folder() / "unsaved-1.headscope.json"
    assert read(aside).selection.text == "mine"
    assert Settings().recent_sessions() == [str(path), str(aside)]


def test_both_can_be_kept_under_two_names(qtbot, changed):
    window, path = changed
    window.files.save()
    choose(qtbot, window, "Save as another …")
    dialog = window.findChild(QFileDialog)
    # Its own name is no other one.
    dialog.fileSelected.emit(str(path))
    assert box_of(window).text().startswith(CHANGED)
    press(qtbot, window, QMessageBox.StandardButton.Cancel)
    dialog.fileSelected.emit(str(path.with_name("two.headscope.json")))
    dialog.reject()
    assert read(path).selection.text == "theirs"
    assert read(path.with_name("two.headscope.json")).selection.text == "mine"
    assert window.document.name == "two"


def test_closing_saves_over_another_s_only_when_asked_to(qtbot, changed):
    window, path = changed
    window.close()
    save = box_of(window).button(QMessageBox.StandardButton.Save)
    qtbot.mouseClick(save, Qt.MouseButton.LeftButton)
    assert read(path).selection.text == "theirs"
    choose(qtbot, window, "Overwrite")
    qtbot.waitUntil(lambda: not window.isVisible())
    assert read(path).selection.text == "mine"


def test_a_file_that_changed_while_the_program_was_not_running_is_not_overwritten(
    qtbot, open_window, tmp_path
):
    path = tmp_path / "one.headscope.json"
    window = open_window()
    window.document.save(path)
    window.session.set_text("mine")
    window._may_close = True
    window.close()
    session_file.write(path, SavedSession(Selection(text="theirs")))
    again = open_window()
    assert again.session.selection.text == "mine"
    again.files.save()
    choose(qtbot, again, "Overwrite")
    assert read(path).selection.text == "mine"


@pytest.mark.parametrize("change", ["touched", "gone"])
def test_a_file_that_holds_the_same_or_is_gone_is_written_unasked(qtbot, window, tmp_path, change):
    path = tmp_path / "one.headscope.json"
    window.document.save(path)
    window.session.set_text("mine")
    if change == "gone":
        path.unlink()
    else:
        os.utime(path, (1, 1))
    window.files.save()
    assert box_of(window) is None
    assert read(path).selection.text == "mine"


def test_a_copy_that_cannot_be_written_is_said_once_in_the_status_bar(qtbot, window):
    window.document.autosave.path = data_folder() / "gone" / "a.headscope.json"
    with qtbot.waitSignal(window.document.autosave.failed) as told:
        window.document.keep()
    assert "cannot save" in told.args[0]
    qtbot.waitUntil(lambda: "cannot save" in window.status.work.text())
    with qtbot.assertNotEmitted(window.document.autosave.failed, wait=100):
        window.document.keep()


def test_recent_sessions_are_listed_literally_and_missing_ones_greyed(qtbot, window, tmp_path):
    there, gone = tmp_path / "a & b.headscope.json", tmp_path / "gone.headscope.json"
    for path in (gone, there):
        session_file.write(path, SavedSession(Selection(text=path.name)))
        Settings().keep_recent_session(str(path))
        window._settings.keep_recent_session(str(path))
    gone.unlink()
    window.files.recent.aboutToShow.emit()
    first, second = window.files.recent.actions()
    assert (first.text(), first.isEnabled()) == ("a && b", True)
    assert (second.text(), second.isEnabled()) == ("gone", False)
    first.trigger()
    assert window.session.selection.text == "a & b.headscope.json"


def test_a_session_of_an_unknown_layout_and_cards_opens_with_what_there_is(qtbot, window, tmp_path):
    path = tmp_path / "a.headscope.json"
    state = WindowState("Future", ("Prompt", "Telepathy"), "!!!", "AAAA/junk==")
    session_file.write(path, SavedSession(window=state))
    window.open_session(path)
    qtbot.wait(30)
    assert window.state().cards == ("Prompt",)
    assert window.state().layout == LAYOUTS[0].name


def test_undo_brings_back_a_favourite_and_a_layout(qtbot, window):
    actions = {action.text(): action for action in window.actions()}
    undo = actions["Undo"]
    assert not undo.isEnabled()
    window.session.favourites.write("attn-2l", Head(0, 0), "mine")
    QTest.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert window.session.favourites.all == ()
    assert undo.text() == "Undo: remove favourite L0H0"
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.session.favourites.all[0].note == "mine"
    window.open_cards(["Notes"])
    before = set(window.state().cards)
    reset = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    QTest.keyClick(window, Qt.Key.Key_0, reset)
    qtbot.wait(30)
    assert set(window.state().cards) != before
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.wait(30)
    assert set(window.state().cards) == before
    assert not undo.isEnabled()


def test_alt_and_arrows_go_back_and_forward(qtbot, window):
    before = window.session.selection
    window.session.choose_head(Head(1, 3))
    qtbot.wait(10)
    QTest.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.session.selection == before
    QTest.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert window.session.selection.head == Head(1, 3)


def test_undo_in_the_prompt_is_that_of_the_text(qtbot, window):
    window.session.favourites.add("toy", Head(0, 0))
    window.session.favourites.remove("toy", Head(0, 0))
    edit = window.panels[0].edit
    edit.setFocus()
    QTest.keyClicks(edit, "zzz")
    QTest.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not edit.toPlainText().endswith("zzz")
    edit.submitted.emit()  # nothing is left to be told
    assert window.session.favourites.all == ()


def test_the_copy_holds_the_whole_session(window):
    window.session.pin(2, 1)
    copy = window.document.autosave.path
    window.close()
    record = json.loads(copy.read_text(encoding="utf-8"))
    assert record["selection"]["query"] == 2
