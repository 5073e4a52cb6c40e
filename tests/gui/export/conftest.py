"""Dialogs over a window on a fake engine, and waiting for what is drawn in the worker's thread."""

import pytest

from gui.export.material import PICTURES
from gui.panels.panel import Panel


@pytest.fixture
def exports(qapp, window):
    qapp.setApplicationVersion("9.9.9")
    yield window.exports
    qapp.setApplicationVersion("")


@pytest.fixture
def at_rest(qtbot, window, client):
    """Wait until neither engine nor worker has anything to do."""

    def wait():
        qtbot.waitUntil(
            lambda: not client.busy and not window.exports.worker.busy, timeout=30_000
        )
        qtbot.wait(1)

    return wait


@pytest.fixture
def panel(window):
    """Return a panel by its title, opened and filled."""

    def find(title) -> Panel:
        return next(dock for dock in window.docks if dock.kind.title == title).fill()

    return find


@pytest.fixture
def opened(qtbot, exports, panel):
    """Open the dialog for a panel and wait for its preview."""

    def make(title="Attention", suffixes=PICTURES, *, ready=True):
        dialog = exports.open_dialog(panel(title), suffixes)
        if ready:
            wait_ready(qtbot, dialog)
        return dialog

    return make


def wait_ready(qtbot, dialog):
    qtbot.waitUntil(lambda: dialog.ready, timeout=30_000)
