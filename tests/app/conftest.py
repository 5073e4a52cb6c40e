"""The real window on the real engine."""

import pytest
from PySide6.QtCore import QTimer

from engine import Engine
from engine.messages import RunPrompt, Thumbnails
from gui.client.engine_client import EngineClient
from gui.session.session import Session
from gui.style import palette
from gui.window import Window


@pytest.fixture(scope="session")
def engine():
    engine = Engine()
    # Libraries are loaded by the first answers, which nothing can interrupt.
    engine.answer(Thumbnails(RunPrompt("attn-2l", "warm up")))
    return engine


@pytest.fixture
def open_window(qtbot, qapp, engine):
    """Open a window on a session and wait until all of it is filled."""
    palette.apply(qapp, "light")
    clients = []

    def opened(selection=None):
        client = EngineClient(lambda: engine)
        clients.append(client)
        window = Window(Session(selection), client, None, "light", (1600, 1000))
        qtbot.addWidget(window)
        window.painted.connect(client.start)
        window.show()
        settle(qtbot, window)
        return window

    yield opened
    for client in clients:
        assert client.close()


@pytest.fixture
def after_run(qapp):
    """Clear up what `gui.app.run`, which ends with its process, leaves in ours."""
    yield
    for widget in qapp.topLevelWidgets():
        if isinstance(widget, Window):
            widget.deleteLater()
    # A quit that came after `exec` would end each later event loop at once.
    QTimer.singleShot(0, qapp.quit)
    qapp.exec()
    palette.apply(qapp, "light")


def settle(qtbot, window):
    """Wait until nothing runs and every panel has drawn."""
    client = window.client
    qtbot.waitUntil(lambda: not client.busy and all(panel.filled for panel in window.panels))
    qtbot.wait(30)
