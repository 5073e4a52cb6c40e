"""How much of return's attention goes to result, and whether the model does that: by mouse."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import Attention, Head, Receipts
from gui.session.session import Selection
from gui.widgets.matrix_list import ListCell
from tests.app.conftest import settle

TOY = Selection("toy", "result = 0 ans return")
TEA = "I like green tea, so I drink green"

# "Attention in tensor notation", section 1, in the text's own shapes and digits.
NOTEPADS = [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, -1, 0, 0], [0, 0, 0, 1]]
SECTION_1 = {
    "X": NOTEPADS,
    "W_Q": [[0, 0, 0, 2], [0, 0, 0, 1]],
    "Q": [[0, 0], [0, 0], [0, 0], [0, 0], [2, 1]],
    "W_K": [[1, 0, 0, 0], [0, 1, 0, 0]],
    "K": [[1, 1], [0, 0], [0, 0], [1, -1], [0, 0]],
    "W_QK": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [2, 1, 0, 0]],
    "W_V": [[0, 1, 0, 0], [1, 0, 0, 0]],
    "V": [[1, 1], [0, 0], [0, 0], [-1, 1], [0, 0]],
    "W_O": [[0, 1], [1, 0], [0, 0], [0, 0]],
    "W_OV": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    "W_U": NOTEPADS,
}
AT_RETURN = {
    "S": [3, 0, 0, 1, 0],
    "A": [0.624, 0.075, 0.075, 0.152, 0.075],
    "h": [0.78, 0.47, 0, 0],
    "ΔL": [1.248, 0, 0, 0.303, 0],
}
ORDER = ["X", "W_Q", "Q", "W_K", "K", "W_QK", "S", "A", "W_V", "V", "W_O", "h", "W_U", "ΔL"]


@pytest.fixture
def opened(qtbot, open_window):
    """Open a window with the cards Workings and Receipts, as the View menu does."""

    def made(selection):
        window = open_window(selection)
        for dock in window.docks:
            if dock.kind.title in ("Workings", "Receipts"):
                dock.open_action.trigger()
        settle(qtbot, window)
        cards = {panel.title: panel for panel in window.panels}
        return window, cards["Workings"], cards["Receipts"]

    return made


def shown(panel):
    """Return the matrices as they are seen, by symbol, in their order."""
    steps = panel.known("shown").steps
    placed = panel.sheet.placed()
    return {step.symbol: one.entry.grid.values for step, one in zip(steps, placed, strict=True)}


def test_on_the_toy_it_reads_like_section_1_of_the_first_text(qtbot, opened):
    _, workings, _ = opened(TOY)
    qtbot.mouseClick(workings.convention._buttons["papers"], Qt.MouseButton.LeftButton)
    qtbot.wait(30)
    seen = shown(workings)
    assert [symbol for symbol in seen if symbol in ORDER] == ORDER
    for symbol, matrix in SECTION_1.items():
        np.testing.assert_allclose(seen[symbol], matrix, atol=1e-6, err_msg=symbol)
    for symbol, row in AT_RETURN.items():
        decimals = 3 if symbol in ("A", "ΔL") else 2
        told = np.round(seen[symbol][4].astype(np.float64), decimals)
        assert told.tolist() == row, symbol
    assert np.isnan(seen["S/√d"][0, 1:]).all()


def test_return_s_attention_to_result_and_what_the_model_added_are_found_by_mouse(qtbot, opened):
    _, workings, receipts = opened(TOY)
    # The card's first sentence answers; the cell under the mouse works it out.
    assert workings.follow.text.startswith("from return (query 4) to result (source 0)")
    assert "62.4 % of the attention" in workings.follow.text
    qtbot.mouseClick(workings.part._buttons["where"], Qt.MouseButton.LeftButton)
    number = list(shown(workings)).index("S")
    workings.sheet.show_entry(number)
    at = workings.sheet.cell_rect(ListCell(number, 4, 0)).center().toPoint()
    qtbot.mouseMove(workings.sheet.viewport(), at)
    qtbot.waitUntil(lambda: "2 · 1 + 1 · 1 = 3" in workings.cell.text)

    assert receipts.sentence.text.startswith(
        "13 of 13 checks pass on L0H0 and this prompt, 4 identities hold, 2 do not apply"
    )
    claims = [check.claim for check in receipts.checks.checks()]
    line = next(i for i, claim in enumerate(claims) if claim.endswith("what the layer added"))
    place = receipts.checks.line_rect(line)
    receipts.checks.verticalScrollBar().setValue(int(place.top()))
    at = receipts.checks.line_rect(line).center().toPoint()
    qtbot.mouseClick(receipts.checks.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert receipts.checks.is_open(line)
    assert receipts.checks.checks()[line].outcome == "passed"


def test_a_pattern_cell_that_is_clicked_is_the_one_of_the_attention_card(qtbot, opened, engine):
    window, workings, _ = opened(Selection(text=TEA, head=Head(1, 3), head_chosen=True))
    number = list(shown(workings)).index("A")
    workings.sheet.show_entry(number)
    at = workings.sheet.cell_rect(ListCell(number, 8, 5)).center().toPoint()
    qtbot.mouseClick(workings.sheet.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)
    assert (window.session.selection.query, window.session.selection.source) == (8, 5)
    assert "(query 8)" in workings.follow.text
    told = float(workings.follow.text.partition(" % of")[0].rpartition(" ")[2]) / 100
    pattern = engine.answer(Attention(window.session.run, 1)).values[3]
    assert told == pytest.approx(pattern[8, 5], abs=5e-4)
    np.testing.assert_array_equal(shown(workings)["A"], pattern)


def test_the_status_bar_says_that_all_checks_pass_and_a_click_shows_them(
    qtbot, open_window, engine
):
    window = open_window(Selection(text=TEA, head=Head(1, 3), head_chosen=True))
    light = window.status.receipts
    qtbot.waitUntil(lambda: light.text().startswith("✓"))
    found = engine.answer(Receipts(window.session.run, Head(1, 3))).receipts
    defined = [receipt for receipt in found if receipt.passed is not None]
    assert all(receipt.passed for receipt in defined)
    evidence = len(defined) - sum(receipt.identity for receipt in defined)
    assert light.text() == f"✓ {evidence} of {evidence} checks pass"
    qtbot.mouseClick(light, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    receipts = next(panel for panel in window.panels if panel.title == "Receipts")
    assert not receipts.visibleRegion().isEmpty()
    assert receipts.sentence.text.startswith(light.text()[2:])


@pytest.mark.parametrize(
    ("model", "text"), [("toy-2l", "result = 0 ans return"), ("attn-1l", TEA), ("attn-2l", "tea")]
)
def test_both_cards_fill_on_other_models(opened, model, text):
    _, workings, receipts = opened(Selection(model, text))
    assert workings.state == receipts.state == "fresh"
    assert receipts.checks.checks()
