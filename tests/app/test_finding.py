"""Find the head that looks one token back and the one that copies most, by mouse."""

import pytest
from PySide6.QtCore import QPoint, Qt

from engine.messages import Head, HeadScores
from gui.client.engine_client import EngineClient
from gui.panels.model.finder import FinderPanel
from gui.session.session import Selection, Session
from gui.style import palette

TEXT = "I like green tea, so I drink green"


@pytest.fixture
def finder(qtbot, qapp, engine):
    palette.apply(qapp, "light")
    client = EngineClient(lambda: engine)
    panel = FinderPanel(Session(Selection(text=TEXT, head=Head(1, 3), head_chosen=True)), client)
    qtbot.addWidget(panel)
    qtbot.addWidget(panel.header)
    panel.resize(420, 560)
    panel.show()
    client.start()
    settle(qtbot, panel)
    yield panel
    assert client.close()


def settle(qtbot, panel):
    qtbot.waitUntil(lambda: not panel.client.busy and panel.filled)
    qtbot.wait(30)


def open_largest(qtbot, panel, title):
    """Click on what stands over a column, then on the first row."""
    table = panel.table
    model, header = table.model(), table.horizontalHeader()
    titles = [
        model.headerData(at, Qt.Orientation.Horizontal).splitlines()[0]
        for at in range(model.columnCount())
    ]
    column = titles.index(title)
    at = QPoint(header.sectionViewportPosition(column) + 8, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.wait(20)
    row = table.visualRect(model.index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=row)
    settle(qtbot, panel)


def test_the_previous_token_head_and_the_one_that_copies_most_are_found_by_sorting(
    qtbot, finder, engine
):
    assert finder.sentence.text.startswith(
        "L1H3 looks at what followed this token last time: induction 0.98 on random tokens"
    )
    open_largest(qtbot, finder, "previous")
    assert finder.session.selection.head == Head(0, 2)
    assert "L0H2 looks one token back: previous 1.00" in finder.sentence.text

    qtbot.mouseClick(finder.which._buttons["weights"], Qt.MouseButton.LeftButton)
    settle(qtbot, finder)
    open_largest(qtbot, finder, "copying share")
    weights = engine.answer(HeadScores("attn-2l", "weights"))
    best = weights.heads[int(weights.scores["copying_share"].argmax())]
    assert finder.session.selection.head == best
    assert "copying share" in finder.sentence.text
    assert "rank 1 of 16" in finder.sentence.text
