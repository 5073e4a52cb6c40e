"""The card Board alone, with the thread that draws."""

import pytest

from gui.export.menu import Exports
from gui.panels.model.board import BoardPanel


@pytest.fixture
def panel(show, client, settle):
    panel = show(BoardPanel)
    exports = Exports(panel, client, None)
    exports.serve(panel)
    panel.open_dialog = exports.own[panel.title]
    settle(panel)
    return panel
