"""A session by mouse and keyboard on the real engine: saved, closed, and there again at once."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from gui.client.engine_client import EngineClient
from gui.session.document import Autosave, data_folder
from gui.session.session import Session
from gui.session.settings import Settings
from gui.session.stored_answers import StoredAnswers, folder_of
from gui.state import session_file
from gui.state.session_file import Favourite
from gui.style import palette
from gui.window import Window
from tests.app.conftest import settle

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
    return attention.wanted(attention.main).values


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
