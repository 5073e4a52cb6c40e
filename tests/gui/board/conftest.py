"""The card Board alone, with the thread that draws."""

import pytest

from gui.board.panel import BoardPanel
from gui.export.menu import Exports


@pytest.fixture
def panel(show, client, settle):
    panel = show(BoardPanel)
    panel.serve(Exports(panel, client, None))
    settle(panel)
    return panel
