"""Sessions and boards on the real engine: saved, closed, exported, and there again."""

import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

import main
from engine import __version__
from engine.messages import Attention, Head, RunPrompt
from gui.client.engine_client import EngineClient
from gui.figures import board as boards
from gui.figures import board_file
from gui.session.document import Autosave, data_folder
from gui.session.session import Selection, Session
from gui.session.settings import Settings
from gui.session.stored_answers import StoredAnswers, folder_of
from gui.state import session_file
from gui.state.figure_board import Board
from gui.state.figure_options import PICTURES
from gui.state.session_file import Favourite
from gui.style import palette
from gui.style.theme import SEQUENTIAL, lut
from gui.window import Window
from tests.app.conftest import settle
from tests.gui.figures.reading import Svg, centres, colours, media_box

TEXT = "I like coffee in London, so I drink coffee"
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def start(qtbot, qapp, engine):
    """Start a window as the program does, the engine's thread on demand."""
    palette.apply(qapp, "light")
    clients = []

    def started():
        autosave = Autosave(data_folder())
        saved = autosave.read()
        client = EngineClient(lambda: engine)
        clients.append(client)
        client.recall = StoredAnswers(folder_of(autosave.path)).find
        selection = saved.selection if saved else None
        window = Window(Session(selection), client, Settings(), "light", autosave=autosave)
        if saved is not None:
            window.begin(saved)
        qtbot.addWidget(window)
        window.show()
        return window

    yield started
    for client in clients:
        assert client.close()


def picture(attention):
    """Return what the panel draws, [head, query, key]."""
    return attention.wanted(attention.main_slot).values


def test_a_session_saved_and_closed_stands_again_before_the_engine_does(qtbot, start, tmp_path):
    window = start()
    window.client.start()
    settle(qtbot, window)
    panels = {panel.title: panel for panel in window.panels}
    prompt = panels["Prompt"]
    QTest.keyClick(prompt.edit, Qt.Key.Key_A, CONTROL)
    QTest.keyClicks(prompt.edit, TEXT)
    QTest.keyClick(prompt.edit, Qt.Key.Key_Return)
    settle(qtbot, window)
    qtbot.mouseClick(panels["Heads"].best.buttons["previous_token"][0], Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    previous = window.session.selection.head
    qtbot.mouseClick(panels["Heads"].best.buttons["induction"][0], Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    best = window.session.selection.head
    assert best != previous
    QTest.keyClick(window, Qt.Key.Key_Left, ALT)
    settle(qtbot, window)
    assert panels["Attention"].head_label.text() == previous.name
    QTest.keyClick(window, Qt.Key.Key_Right, ALT)
    settle(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_D, CONTROL)
    QTest.keyClick(window, Qt.Key.Key_S, CONTROL)
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "coffee"))
    dialog.reject()
    path = tmp_path / "coffee.headscope.json"
    assert session_file.read(path).favourites == (Favourite("attn-2l", best),)
    selection = window.session.selection
    pattern = picture(panels["Attention"])
    window.close()
    assert not window.isVisible()

    again = start()
    panels = {panel.title: panel for panel in again.panels}
    qtbot.waitUntil(lambda: all(p.state == "stored" for p in panels.values()))
    assert again.session.selection == selection
    assert again.document.path == path
    assert not again.document.modified
    np.testing.assert_array_equal(picture(panels["Attention"]), pattern)
    assert panels["Attention"].head_label.text() == best.name
    again.client.start()
    settle(qtbot, again)
    assert {panel.state for panel in again.panels} == {"fresh"}
    np.testing.assert_array_equal(picture(panels["Attention"]), pattern)


needs_poppler = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="poppler-utils is not installed"
)
TOY = Selection("toy", "result = 0 ans return")


def add(window, title):
    card = next(panel for panel in window.panels if panel.title == title)
    menu = QMenu()
    window.exports.fill(menu, card)
    entry = next(action for action in menu.actions() if action.text() == "Add to board")
    (entry if entry.menu() is None else entry.menu().actions()[0]).trigger()


@needs_poppler
def test_a_board_of_two_models_is_the_same_file_from_the_window_and_from_the_session(
    qtbot, open_window, engine, tmp_path
):
    QApplication.setApplicationVersion(__version__)
    window = open_window()
    window.session.choose_head(Head(1, 3))
    settle(qtbot, window)
    add(window, "Attention")
    add(window, "OV")
    window.session.show(TOY)
    settle(qtbot, window)
    add(window, "Attention")
    board = window.session.board
    board.put(Board(board.board.items, columns=3).titled(2, "The toy's head"))
    window.open_cards(["Board"])
    settle(qtbot, window)
    panel = next(panel for panel in window.panels if panel.title == "Board")
    dialog = window.exports.open_dialog(panel, PICTURES)
    qtbot.waitUntil(lambda: dialog.ready)
    told = []
    dialog.message.connect(told.append)
    exported = tmp_path / "window.pdf"
    dialog.save(exported)
    qtbot.waitUntil(lambda: bool(told))
    session = tmp_path / "two.headscope.json"
    window.document.save(session)
    window._may_close = True

    for source in (session, exported):
        path = tmp_path / f"{source.stem}-again.pdf"
        assert main.main(["figure", str(source), "-o", str(path)]) == 0
        assert path.read_bytes() == exported.read_bytes()

    saved = board_file.read(session).board
    answers = {asked: engine.answer(asked) for asked in boards.questions(saved)}
    for suffix in ("svg", "png"):
        drawn = boards.drawn(saved, answers, __version__)
        boards.write(saved, drawn, tmp_path / f"b.{suffix}")
    with Image.open(tmp_path / "b.png") as image:
        height = image.height / 600 * 72
    assert media_box(exported) == pytest.approx((6.75 * 72, height), abs=0.1)
    command = ["pdftotext", "-layout", str(exported), "-"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    words = text.splitlines()[0].split()
    assert words[:2] == ["a", "L1H3"]
    assert words[words.index("b") + 1] == "L1H3"
    assert words[words.index("c") + 1 :] == ["The", "toy's", "head"]

    run = RunPrompt(TOY.model, TOY.text)
    patterns = engine.answer(Attention(run, 0, "pattern"))
    frames = [box for box in Svg(tmp_path / "b.svg").frames() if box[2] - box[0] > 40]
    count = len(patterns.labels)
    with Image.open(tmp_path / "b.png") as image:
        found = colours(image, centres(frames[1], count, count), 486.0)
    wanted = lut(SEQUENTIAL).astype(int)[np.rint(patterns.values[0] * 255).astype(int)]
    wanted[~patterns.mask] = 255
    assert np.abs(found - wanted).max() <= 1
    assert len(Svg(tmp_path / "b.svg").frames()) == 3  # one colour bar


def test_a_session_without_a_board_is_refused_in_a_sentence(tmp_path, capsys):
    session = tmp_path / "empty.headscope.json"
    session.write_text('{"headscope": "session", "version": 1}\n')
    assert main.main(["figure", str(session), "-o", str(tmp_path / "b.pdf")]) == 2
    assert "there is no figure on the board of empty.headscope.json" in capsys.readouterr().err
