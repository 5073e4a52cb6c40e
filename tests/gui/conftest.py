"""A window, a session and a panel on a fake engine."""

import pytest

from gui.client.engine_client import EngineClient
from gui.session.session import Session
from gui.style import palette
from gui.window import Window
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def engine():
    return FakeEngine()


@pytest.fixture
def session(qapp):
    return Session()


@pytest.fixture
def client(qapp, engine):
    client = EngineClient(lambda: engine)
    yield client
    client.close()


@pytest.fixture
def start(qapp):
    """Make clients, started or not, that are closed afterwards."""
    clients = []

    def make(engine, *, started=True):
        client = EngineClient(lambda: engine)
        clients.append(client)
        if started:
            client.start()
        return client

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def show(qtbot, qapp, session, client):
    """Show a panel alone, with its head above it, and wait until it is filled."""
    palette.apply(qapp, "light")

    def made(panel_class):
        panel = panel_class(session, client)
        qtbot.addWidget(panel)
        qtbot.addWidget(panel.header)
        panel.resize(600, 600)
        client.start()
        panel.show()
        filled(qtbot, client, panel)
        return panel

    return made


@pytest.fixture
def settle(qtbot, client):
    """Wait until nothing runs and the given panels have drawn."""
    return lambda *panels: filled(qtbot, client, *panels)


@pytest.fixture
def window(qtbot, qapp, session, client):
    palette.apply(qapp, "light")
    window = Window(session, client, None, "light")
    qtbot.addWidget(window)
    window.painted.connect(client.start)
    window.show()
    filled(qtbot, client, *window.panels)
    return window


def filled(qtbot, client, *panels):
    qtbot.waitUntil(lambda: not client.busy and all(panel.filled for panel in panels))
    qtbot.wait(10)  # what is drawn is drawn in the next turn of the loop
