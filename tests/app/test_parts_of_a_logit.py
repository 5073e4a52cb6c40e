"""Which head and which source token give ' tea' its logit: found by mouse, in the real window."""

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import DestinationRow, Head, LogitAttribution, LogitLens, RunPrompt
from gui.session.session import Selection
from tests.app.conftest import settle

TEXT = "I like green tea, so I drink green"
RUN = RunPrompt("attn-2l", TEXT)


@pytest.fixture
def open_card(qtbot, open_window):
    def opened(title, selection=None):
        window = open_window(selection or Selection(text=TEXT))
        window.open_cards([title])
        settle(qtbot, window)
        return window, next(panel for panel in window.panels if panel.title == title)

    return opened


def click_cell(qtbot, window, panel, row, column):
    at = panel.map.cell_rect(row, column).center().toPoint()
    qtbot.mouseClick(panel.map.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)


def test_the_head_and_the_source_of_tea_are_two_clicks_away(qtbot, open_card, engine):
    window, panel = open_card("Attribution")
    parts = engine.answer(LogitAttribution(RUN))
    split = engine.answer(LogitAttribution(RUN, split="sources"))
    assert parts.target_label == "·tea"
    assert panel.question.target.field.text() == "·tea"

    name = re.search(r"gives most is (L\d+H\d+)", panel.sentence.text)
    head = Head.parse(name.group(1))
    values = {h: v for h, v in zip(parts.heads, parts.values, strict=True) if h is not None}
    assert head == max(values, key=values.get)
    click_cell(qtbot, window, panel, *head)
    assert window.session.selection.head == head

    by_source = split.values[[other == head for other in split.heads]]
    source = int(np.argmax(by_source))
    label = engine.answer(RUN).labels[source]
    assert label == "·tea"
    assert f"of it from {label} (position {source})" in panel.sentence.text
    first = panel.sources.model().index(0, 1)
    assert first.data() == label
    at = panel.sources.visualRect(first).center()
    qtbot.mouseClick(panel.sources.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert window.session.selection.source == source
    assert abs(parts.remainder) < 1e-3


def test_the_sources_of_the_panel_are_those_of_the_attribution(qtbot, open_card, engine):
    window, panel = open_card("Attribution")
    head = window.session.selection.head
    split = engine.answer(LogitAttribution(RUN, split="sources"))
    by_source = split.values[[other == head for other in split.heads]]
    # HeadOutput sums in float32, the attribution in float64.
    np.testing.assert_allclose(panel._by_source(), by_source, atol=1e-5)


def test_the_poster_opens_the_head_that_looks_most_at_a_token(qtbot, open_card, engine):
    window, panel = open_card("Poster")
    rows = engine.answer(DestinationRow(RUN))
    best = int(np.argmax(rows.values[:, 4]))
    qtbot.mouseClick(panel.order._buttons["source"], Qt.MouseButton.LeftButton)
    click_cell(qtbot, window, panel, panel._shown.index(best), 4)
    assert window.session.selection.head == rows.heads[best]
    assert window.session.selection.source == 4
    assert panel._shown[0] == best
    assert f"attention {rows.values[best, 4]:.2f}" in panel.cell.text


def test_the_last_row_of_the_lens_is_the_model_s_own_guess(qtbot, open_card, engine):
    window, panel = open_card("Lens")
    assert "The last row is what the model itself says" in panel.small_print.text
    found = engine.answer(LogitLens(RUN))
    click_cell(qtbot, window, panel, 0, 9)
    listed = panel.guesses.model()
    labels = [listed.index(row, 1).data() for row in range(listed.rowCount())]
    assert labels == list(found.labels[0][9])


@pytest.mark.parametrize(
    ("model", "text"),
    [("toy", "result = 0 ans return"), ("toy-2l", "result = 0 ans return"), ("attn-1l", TEXT)],
)
def test_each_card_fills_on_other_models(qtbot, open_window, model, text):
    window = open_window(Selection(model, text))
    for title in ("Poster", "Attribution", "Lens"):
        window.open_cards([title])
        settle(qtbot, window)
        (panel,) = (panel for panel in window.panels if panel.title == title)
        assert panel.state == "fresh", title
