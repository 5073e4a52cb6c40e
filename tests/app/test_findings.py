"""What somebody finds out in the real window, by mouse and keyboard, is what the engine says."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from engine.messages import (
    Attention,
    Composition,
    DestinationRow,
    Head,
    HeadScores,
    LogitAttribution,
    Pair,
    RunPrompt,
    VirtualHead,
)
from gui.client.engine_client import EngineClient
from gui.panels.head.direct_path import DirectPathPanel
from gui.panels.head.eigenvalues import EigenvaluesPanel
from gui.panels.head.virtual_head import VirtualHeadPanel
from gui.panels.model.composition import CompositionPanel
from gui.panels.model.finder import FinderPanel
from gui.panels.model.heads import HeadsPanel
from gui.panels.prompt.attention import AttentionPanel
from gui.panels.prompt.attribution import AttributionPanel
from gui.panels.prompt.destination_row import PosterPanel
from gui.panels.prompt.prompt import PromptPanel
from gui.session.session import Selection, Session
from gui.shell.banners import AblationBar
from gui.shell.layouts import LAYOUTS
from gui.style import palette
from tests.app.conftest import settle

INDUCTION, PREVIOUS = Head(1, 3), Head(0, 2)
TEXT = "I like green tea, so I drink green"


def press(qtbot, window, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)


def click_head(qtbot, window, grid, head):
    at = grid.head_rect(head).center().toPoint()
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)


def rows(table, columns):
    model = table.model()
    return [[model.index(r, c).data() for c in columns] for r in range(model.rowCount())]


def induction_of(subtitle):
    told = dict(part.rsplit(" ", 1) for part in subtitle.split(" · "))
    return float(told["induction"])


def test_without_the_previous_token_head_induction_and_its_guess_fall(qtbot, open_window, engine):
    window = open_window(Selection(text=TEXT, head=INDUCTION, head_chosen=True))
    prompt = window.findChild(PromptPanel)
    heads, attention = window.findChild(HeadsPanel), window.findChild(AttentionPanel)
    bar = window.findChild(AblationBar)
    share = dict(rows(prompt.guesses, (1, 2)))["·tea"]
    assert float(share.removesuffix(" %")) > 50
    assert induction_of(attention.subtitle.text()) > 0.9

    click_head(qtbot, window, heads.grid, PREVIOUS)
    press(qtbot, window, attention.switch)
    assert window.session.selection.heads_off == (PREVIOUS,)
    assert bar.heading.text() == "Ablated: L0H2 is switched off"
    click_head(qtbot, window, heads.grid, INDUCTION)
    assert induction_of(attention.subtitle.text()) < 0.1
    left = dict(rows(prompt.guesses, (1, 2)))
    assert float(left["·tea"].removesuffix(" %")) < 10

    press(qtbot, window, bar.difference)
    [tea] = [row for row in rows(prompt.changes, range(4)) if row[0] == "·tea"]
    assert f"{tea[1]} %" == share
    assert f"{tea[2]} %" == left["·tea"]
    whole = engine.answer(RunPrompt("attn-2l", TEXT))
    chance = dict(zip(whole.next_labels, np.exp(whole.next_log_probs), strict=True))["·tea"]
    assert tea[1] == f"{100 * chance:.1f}"
    fed = [place for place, label in enumerate(whole.labels) if label == "·tea"]
    assert attention.heatmap.matrix.values[-1, fed[0]] < -0.3

    press(qtbot, window, bar.on)
    assert not bar.isVisible()
    scores = engine.answer(HeadScores("attn-2l", "random"))
    back = float(scores.grid("induction")[INDUCTION])
    assert induction_of(attention.subtitle.text()) == round(back, 2)
    assert dict(rows(prompt.guesses, (1, 2)))["·tea"] == share


GREEN, BLACK = "I like green tea, so I drink green", "I like black tea, so I drink black"
LONGER = "I really like black tea, so I drink black"
KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@pytest.fixture
def window(qtbot, open_window):
    window = open_window(Selection(text=GREEN, head=INDUCTION, head_chosen=True))
    window.lay_out(LAYOUTS[1])
    settle(qtbot, window)
    return window


def compare(qtbot, window, text):
    QTest.keyClick(window, Qt.Key.Key_C, KEYS)
    QTest.keyClicks(window.compare_bar.edit, text)
    qtbot.waitUntil(lambda: window.session.selection.other_text == text)
    settle(qtbot, window)


def test_right_minus_left_is_the_difference_of_two_answers(qtbot, window, engine):
    compare(qtbot, window, BLACK)
    left, right = RunPrompt("attn-2l", GREEN), RunPrompt("attn-2l", BLACK)
    attention = window.findChild(AttentionPanel)
    patterns = [engine.answer(Attention(run, 1)).values[3] for run in (left, right)]
    np.testing.assert_array_equal(attention.heatmap.matrix.values, patterns[1] - patterns[0])
    # The induction head reads what followed the word of its own prompt, and so it does in both.
    assert attention.heatmap.matrix.labels[0][3] == "·green | ·black"

    window.open_cards(["Poster"])
    settle(qtbot, window)
    poster = window.findChild(PosterPanel)
    rows = [engine.answer(DestinationRow(run, 9)).values for run in (left, right)]
    np.testing.assert_array_equal(poster.map.matrix.values, rows[1] - rows[0])

    window.open_cards(["Attribution"])
    settle(qtbot, window)
    attribution = window.findChild(AttributionPanel)
    parts = [engine.answer(LogitAttribution(run, 9)) for run in (left, right)]
    assert parts[0].target_label == parts[1].target_label == "·tea"
    np.testing.assert_array_equal(attribution._drawn.values, parts[1].values - parts[0].values)
    assert abs(attribution._drawn.remainder) < 1e-5
    at = parts[0].heads.index(INDUCTION)
    # The head's sources are those of HeadOutput, computed by another road in float32.
    assert attribution._by_source().sum() == pytest.approx(attribution._drawn.values[at], abs=1e-5)


def test_prompts_of_different_length_are_compared_where_both_have_a_token(qtbot, window, engine):
    compare(qtbot, window, LONGER)
    left, right = RunPrompt("attn-2l", GREEN), RunPrompt("attn-2l", LONGER)
    attention = window.findChild(AttentionPanel)
    one, other = (engine.answer(Attention(run, 1)).values[3] for run in (left, right))
    shown = attention.heatmap.matrix
    assert shown.labels[0][2] == "+ ·really"
    assert not shown.mask[2].any()
    assert not shown.mask[:, 2].any()
    has = [0, 1, *range(3, 11)]
    np.testing.assert_array_equal(shown.values[np.ix_(has, has)], other[np.ix_(has, has)] - one)


def test_escape_ends_it_and_leaves_the_window_as_it_was(qtbot, window):
    attention = window.findChild(AttentionPanel)
    before, selection = attention.heatmap.matrix, window.session.selection
    compare(qtbot, window, BLACK)
    QTest.keyClick(window.compare_bar.edit, Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert window.session.selection == selection
    assert not window.compare_bar.isVisible()
    np.testing.assert_array_equal(attention.heatmap.matrix.values, before.values)


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
    settle_panel(qtbot, panel)
    yield panel
    assert client.close()


def settle_panel(qtbot, panel):
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
    settle_panel(qtbot, panel)


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
    settle_panel(qtbot, finder)
    open_largest(qtbot, finder, "copying share")
    weights = engine.answer(HeadScores("attn-2l", "weights"))
    best = weights.heads[int(weights.scores["copying_share"].argmax())]
    assert finder.session.selection.head == best
    assert "copying share" in finder.sentence.text
    assert "rank 1 of 16" in finder.sentence.text


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
        settled(qtbot, client, panels)
        return session, client, panels

    yield opened
    for client in clients:
        assert client.close()


def settled(qtbot, client, panels):
    qtbot.waitUntil(lambda: not client.busy and all(panel.filled for panel in panels))
    qtbot.wait(30)


def test_the_previous_token_head_is_found_behind_the_induction_head(qtbot, open_panels, engine):
    selection = Selection(text=TEXT, head=INDUCTION, head_chosen=True)
    session, client, panels = open_panels(selection, CompositionPanel, VirtualHeadPanel)
    composition, virtual = panels
    assert composition.kind.value() == "k"
    qtbot.mouseClick(composition.which._buttons["into"], Qt.MouseButton.LeftButton)
    settled(qtbot, client, panels)
    table = composition.table
    assert table.model().index(0, 0).data() == "L0H2 → L1H3"
    with qtbot.waitSignal(composition.panel_wanted):
        at = table.visualRect(table.model().index(0, 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settled(qtbot, client, panels)
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
