"""What is dropped on the window: models, texts, and what is neither."""

import os

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QLineEdit, QMainWindow, QPlainTextEdit, QVBoxLayout, QWidget

from gui.models.opening_bar import OpeningBar
from gui.session.model_opener import ModelOpener
from gui.shell.drops import Drops
from gui.state.file_kinds import LARGEST_TEXT, read_text
from gui.style import palette
from gui.widgets.fields import PromptEdit


def mime(*paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(qapp, window, data):
    """Drag data into the window and drop it there; return whether it was taken."""
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier
    enter = QDragEnterEvent(QPoint(500, 300), copy, data, left, none.NoModifier)
    qapp.sendEvent(window, enter)
    if not enter.isAccepted():
        return False
    event = QDropEvent(QPointF(500, 300), copy, data, left, none.NoModifier)
    qapp.sendEvent(window, event)
    return event.isAccepted()


@pytest.fixture
def place(qtbot, qapp, session, client):
    """Something to drop on, with the bar of the window in it."""
    palette.apply(qapp, "light")
    place = QWidget()
    qtbot.addWidget(place)
    opening = ModelOpener(session, client, None)
    place.bar = OpeningBar(session, client, opening)
    QVBoxLayout(place).addWidget(place.bar)
    place.sessions = []
    place.figures = []
    openers = {
        "model": lambda path: opening.open(str(path)),
        "session": place.sessions.append,
        "figure": place.figures.append,
        "text": lambda path: session.set_text(read_text(path)),
    }
    place.drops = Drops(place, openers)
    place.drops.refused.connect(place.bar.refuse)
    place.drops.taken.connect(place.bar.dismiss)
    place.resize(1000, 700)
    place.show()
    client.start()
    return place


@pytest.fixture
def dropped(qtbot, qapp, place, client):
    def take(*paths):
        assert drop(qapp, place, mime(*paths))
        qtbot.waitUntil(lambda: not client.busy)
        return place.bar

    return take


def test_the_window_takes_what_is_dropped_on_it(qtbot, qapp, tmp_path, window, session):
    path = tmp_path / "prompt.txt"
    path.write_text("w5 w6")
    assert drop(qapp, window, mime(path))
    assert session.selection.text == "w5 w6"
    assert drop(qapp, window, mime(tmp_path / "x.docx"))
    assert window.opening_bar.heading.text() == "x.docx was not opened"


def test_only_fields_that_one_types_in_take_drops_of_their_own(window):
    takers = [widget for widget in window.findChildren(QWidget) if widget.acceptDrops()]
    assert takers
    # A main window takes only docks, and leaves the rest to what it lies in.
    fields = QLineEdit | QPlainTextEdit | QMainWindow
    assert [w for w in takers if not isinstance(w, fields)] == [
        w.viewport() for w in takers if isinstance(w, QPlainTextEdit)
    ]


@pytest.mark.parametrize("name", ["a model", "tiny.GGUF"])
def test_a_model_that_is_dropped_is_opened(tmp_path, dropped, session, name):
    path = tmp_path / name
    path.touch() if path.suffix else path.mkdir()
    bar = dropped(path)
    assert session.selection.model == str(path)
    assert not bar.isVisible()


def test_a_dropped_model_that_cannot_be_opened_says_why(tmp_path, dropped, session, engine):
    engine.missing.add(str(tmp_path))
    bar = dropped(tmp_path)
    assert "no folder or file" in bar.text.text
    assert session.selection.model == "attn-2l"


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (b"w1 w2\n", "w1 w2"),
        (b"\xef\xbb\xbfone\r\ntwo\r\n", "one\ntwo"),
        ("w1 é <b> 💩\n\n".encode(), "w1 é <b> 💩\n"),
        (b"", ""),
    ],
)
def test_a_text_that_is_dropped_becomes_the_prompt(tmp_path, dropped, session, held, text):
    path = tmp_path / "prompt.txt"
    path.write_bytes(held)
    dropped(path)
    assert session.selection.text == text


@pytest.mark.parametrize(
    ("name", "held", "why"),
    [
        ("big.txt", b"w" * (LARGEST_TEXT + 1), "a prompt is at most 64.0 KiB"),
        ("latin.txt", "é".encode("latin-1"), "not text in UTF-8"),
        ("binary.txt", b"a\0b", "bytes of value 0"),
        ("letter.docx", b"x", "this is none of them"),
    ],
)
def test_what_cannot_be_taken_is_refused_in_a_sentence(tmp_path, dropped, session, name, held, why):
    path = tmp_path / name
    path.write_bytes(held)
    before = session.selection
    bar = dropped(path)
    assert bar.isVisible()
    assert bar.heading.text() == f"{name} was not opened"
    assert why in bar.text.text
    assert session.selection == before
    bar.close_button.click()
    assert not bar.isVisible()


def test_a_pipe_is_refused_and_not_read(tmp_path, dropped, session):
    path = tmp_path / "prompt.txt"
    os.mkfifo(path)
    before = session.selection
    assert "this is none of them" in dropped(path).text.text
    assert session.selection == before


def test_what_is_taken_clears_what_was_refused_before(tmp_path, dropped):
    text = tmp_path / "prompt.txt"
    text.write_text("w1")
    assert dropped(tmp_path / "x.docx").isVisible()
    assert not dropped(text).isVisible()


def test_a_text_of_the_largest_size_is_taken(tmp_path, place, session):
    path = tmp_path / "long.txt"
    path.write_bytes(b"w" * LARGEST_TEXT)
    place.drops.take([path])
    assert len(session.selection.text) == LARGEST_TEXT


def test_a_text_that_cannot_be_read_says_why(tmp_path, dropped):
    assert "No such file" in dropped(tmp_path / "gone.txt").text.text


def test_several_files_at_once_are_refused(tmp_path, dropped, session):
    bar = dropped(tmp_path / "a.txt", tmp_path / "b.txt")
    assert bar.text.text == "Drop one at a time."


def test_what_is_no_file_is_left_alone(qapp, place):
    data = QMimeData()
    data.setText("w1 w2")
    assert not drop(qapp, place, data)


def test_a_file_over_the_prompt_is_the_windows_and_text_stays_the_prompts(qtbot, tmp_path):
    edit = PromptEdit()
    qtbot.addWidget(edit)
    data = mime(tmp_path / "prompt.txt")
    data.setText(str(tmp_path / "prompt.txt"))
    assert not edit.canInsertFromMimeData(data)
    data.clear()
    data.setText("w1 w2")
    assert edit.canInsertFromMimeData(data)
    data.setUrls([QUrl("https://example.org/")])
    assert edit.canInsertFromMimeData(data)


def test_a_session_file_that_is_dropped_is_opened_as_one(tmp_path, dropped, place):
    path = tmp_path / "mine.headscope.json"
    path.write_text("{}")
    dropped(path)
    assert place.sessions == [path]
