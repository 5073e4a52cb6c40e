"""Find the head that an induction head reads its keys from, by mouse, on the real engine."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import Composition, Head, Pair, RunPrompt, VirtualHead
from gui.client.engine_client import EngineClient
from gui.panels.head.eigenvalues import EigenvaluesPanel
from gui.panels.head.token_rankings import DirectPathPanel
from gui.panels.head.virtual_head import VirtualHeadPanel
from gui.panels.model.composition import CompositionPanel
from gui.session.session import Selection, Session
from gui.style import palette

INDUCTION, PREVIOUS = Head(1, 3), Head(0, 2)
TEXT = "I like green tea, so I drink green"


@pytest.fixture
def open_panels(qtbot, qapp, engine):
    palette.apply(qapp, "light")
    clients = []

    def opened(selection, *classes):
        client = EngineClient(lambda: engine)
        clients.append(client)
        session = Session(selection)
        panels = [panel_class(session, client) for panel_class in classes]
        for panel in panels:
            qtbot.addWidget(panel)
            qtbot.addWidget(panel.header)
            panel.resize(640, 640)
            panel.show()
        client.start()
        settle(qtbot, client, panels)
        return session, client, panels

    yield opened
    for client in clients:
        assert client.close()


def settle(qtbot, client, panels):
    qtbot.waitUntil(lambda: not client.busy and all(panel.filled for panel in panels))
    qtbot.wait(30)


def test_the_previous_token_head_is_found_behind_the_induction_head(qtbot, open_panels, engine):
    selection = Selection(text=TEXT, head=INDUCTION, head_chosen=True)
    session, client, panels = open_panels(selection, CompositionPanel, VirtualHeadPanel)
    composition, virtual = panels
    assert composition.kind.value() == "k"
    qtbot.mouseClick(composition.which._buttons["into"], Qt.MouseButton.LeftButton)
    settle(qtbot, client, panels)
    table = composition.table
    assert table.model().index(0, 0).data() == "L0H2 → L1H3"
    with qtbot.waitSignal(composition.panel_wanted):
        at = table.visualRect(table.model().index(0, 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, client, panels)
    assert session.selection.pair == Pair(PREVIOUS, INDUCTION)

    answer = engine.answer(Composition("attn-2l", "k"))
    place = answer.pairs.index(Pair(PREVIOUS, INDUCTION))
    assert f"score {answer.scores[place]:.3f}" in composition.cell.text
    assert f"z +{answer.z[place]:.1f}" in composition.cell.text

    # What they move together: the token before the one that the later head looks at.
    run = RunPrompt("attn-2l", TEXT)
    ids = engine.answer(run).ids
    parts = engine.answer(VirtualHead(run, PREVIOUS, INDUCTION, int(ids[0])))
    source = 1 + int(np.argmax(parts.product[-1, 1:]))
    assert f"(source {source})" in virtual.sentence.text
    raised = engine.answer(VirtualHead(run, PREVIOUS, INDUCTION, int(ids[source])))
    assert virtual.lists.raised.model().index(0, 1).data() == raised.labels[0]
    assert f"copying {raised.eigenvalue_copying:+.2f}".replace("-", "−") in virtual.weights.text


@pytest.mark.parametrize("model", ["attn-1l", "toy"])
def test_a_model_of_one_layer_is_told_in_plain_words(open_panels, model):
    text = TEXT if model == "attn-1l" else "result = 0 ans return"
    _, _, panels = open_panels(Selection(model, text), CompositionPanel, VirtualHeadPanel)
    for panel in panels:
        assert panel.showing_wait
        assert panel.waiting_text.startswith(f"{model} has one layer.")


@pytest.mark.parametrize(
    ("model", "text"), [("toy-2l", "result = 0 ans return"), ("toy-induction", "A B C A")]
)
def test_every_panel_fills_on_the_toys_by_hand(open_panels, model, text):
    classes = (CompositionPanel, VirtualHeadPanel, EigenvaluesPanel, DirectPathPanel)
    _, _, panels = open_panels(Selection(model, text), *classes)
    for panel in panels:
        assert panel.state == "fresh"
