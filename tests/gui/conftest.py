"""A window, a session and a panel on a fake engine."""

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDialog

from gui.client.engine_client import EngineClient
from gui.session.session import Selection, Session
from gui.shell.layouts import LAYOUTS
from gui.style import palette
from gui.window import Window
from tests.gui.fake_engine import FakeEngine
from tests.waiting import until


@pytest.fixture(scope="module")
def lasting(qapp):
    """Return one window for a module whose tests leave nothing that `renew` does not undo."""
    palette.apply(qapp, "light")
    engine = FakeEngine()
    client = EngineClient(lambda: engine)
    window = Window(Session(), client, None, "light")
    window.engine = engine
    window.painted.connect(client.start)
    window.show()
    until(lambda: not client.busy and all(panel.filled for panel in window.panels), "the window")
    yield window
    assert client.close()
    window._may_close = True
    window.close()
    window.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def renew(window):
    """Bring a window back to where it began."""
    for dialog in window.findChildren(QDialog):
        if dialog.isVisible():
            dialog.reject()
    window.engine.__init__()
    session = window.session
    session.set_heads_off([])
    session.show(Selection())
    session.board.show([])
    for favourite in session.favourites.all:
        session.favourites.remove(favourite.model, favourite.head)
    window.undo.clear()
    window.guide.end.click()
    window.opening_bar.dismiss()
    window.text_sizes.reset()
    window.set_theme("light")
    window.resize(1600, 1000)
    window.lay_out(LAYOUTS[0])


@pytest.fixture(scope="module", autouse=True)
def _one_window(request):
    """Make that window before its first test, which would be blamed for its threads."""
    if getattr(request.module, "ONE_WINDOW", False):
        request.getfixturevalue("lasting")


@pytest.fixture
def shared(request):
    """Return the window of a module that says ONE_WINDOW, or `None`."""
    if not getattr(request.module, "ONE_WINDOW", False):
        return None
    window = request.getfixturevalue("lasting")
    renew(window)
    return window


@pytest.fixture
def engine(shared):
    return shared.engine if shared else FakeEngine()


@pytest.fixture
def session(qapp, shared):
    return shared.session if shared else Session()


@pytest.fixture
def client(qapp, engine, shared):
    if shared:
        yield shared.client
        return
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
def window(qtbot, qapp, session, client, shared):
    window = shared
    if not window:
        palette.apply(qapp, "light")
        window = Window(session, client, None, "light")
        qtbot.addWidget(window)
        window.painted.connect(client.start)
        window.show()
    filled(qtbot, client, *window.panels)
    return window


@pytest.fixture
def board_card(show, client, settle):
    """Show the card Board alone, with the thread that draws."""
    from gui.export.menu import Exports
    from gui.panels.model.board import BoardPanel

    card = show(BoardPanel)
    exports = Exports(card, client, None)
    exports.serve(card)
    card.open_dialog = lambda: exports.own[card.title](card)
    settle(card)
    return card


def filled(qtbot, client, *panels):
    qtbot.waitUntil(lambda: not client.busy and all(panel.filled for panel in panels))
    qtbot.wait(10)  # what is drawn is drawn in the next turn of the loop
