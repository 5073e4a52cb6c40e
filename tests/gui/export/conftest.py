"""Dialogs and menus on a fake engine, and waiting for what is drawn in the worker's thread."""

import pytest
from PySide6.QtWidgets import QWidget

from engine.messages import Attention, Head, RunPrompt
from gui.client.background import Worker
from gui.export.dialog import ExportDialog
from gui.export.exportable import Exportable
from gui.export.options_form import LastExport
from gui.state.figure_options import PICTURES
from gui.style import palette

VERSION = "9.9.9"
RUN = RunPrompt("attn-2l", "w1 w2 w3 w1")
ATTENTION = Exportable("Attention", Attention(RUN, 1), Head(1, 2))


@pytest.fixture(autouse=True)
def _version(qapp):
    qapp.setApplicationVersion(VERSION)
    yield
    qapp.setApplicationVersion("")


@pytest.fixture
def parent(qtbot, qapp):
    palette.apply(qapp, "light")
    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


@pytest.fixture
def worker(parent):
    return Worker(parent)


@pytest.fixture
def chosen():
    return LastExport(None)


@pytest.fixture
def at_rest(qtbot, client, worker):
    """Wait until neither engine nor worker has anything to do."""
    return lambda: rest(qtbot, client, worker)


@pytest.fixture
def opened(qtbot, parent, client, worker, chosen):
    """Open a dialog and wait for its preview."""

    def make(*subjects, suffixes=PICTURES, ready=True):
        client.start()
        dialog = ExportDialog(parent, client, worker, chosen, subjects or [ATTENTION], suffixes)
        dialog.open()
        if ready:
            wait_ready(qtbot, dialog)
        return dialog

    return make


def rest(qtbot, client, worker):
    qtbot.waitUntil(lambda: not client.busy and not worker.busy)
    qtbot.wait(1)


def wait_ready(qtbot, dialog):
    qtbot.waitUntil(lambda: dialog.ready)
