"""The card Board alone, with the thread that draws."""

import pytest

from gui.board.panel import BoardPanel
from gui.export.menu import Exports


@pytest.fixture
def panel(show, client, settle):
    panel = show(BoardPanel)
    exports = Exports(panel, client, None)
    exports.serve(panel)
    panel.open_dialog = exports.own[panel.title]
    settle(panel)
    return panel
