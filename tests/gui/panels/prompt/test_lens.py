"""The lens: cells, the list of the cell in question, and where the final guess comes up."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from engine.messages import LayerGuesses
from gui.panels.prompt.logit_lens import LensPanel, rise
from gui.widgets.text import Token


@pytest.fixture
def panel(show):
    return show(LensPanel)


def listed(view):
    model = view.model()
    return [model.index(row, 1).data() for row in range(model.rowCount())]


def test_a_click_on_a_cell_pins_its_position_and_lists_its_guesses(panel, session, settle):
    place = panel.map.cell_rect(1, 3).center().toPoint()
    QTest.mouseClick(panel.map.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(panel)
    assert session.selection.query == 3
    found = panel.known("guesses")
    assert listed(panel.guesses) == list(found.labels[1][3])
    assert panel.listed.text.startswith("after layer 0, the token that follows")
    assert "(position 3)" in panel.listed.text


def test_the_cell_under_the_mouse_is_listed_until_the_mouse_leaves(qtbot, panel):
    found = panel.known("guesses")
    qtbot.mouseMove(panel.map.viewport(), panel.map.cell_rect(0, 2).center().toPoint())
    assert listed(panel.guesses) == list(found.labels[0][2])
    qtbot.mouseMove(panel.map.viewport(), QPoint(2, 2))
    assert listed(panel.guesses) == list(found.labels[-1][-1])


def test_keys_go_through_stages_and_positions(panel, session, settle):
    QTest.keyClick(panel.map, Qt.Key.Key_Up)
    QTest.keyClick(panel.map, Qt.Key.Key_Left)
    settle(panel)
    last = len(panel.known("run").labels) - 1
    assert panel.listed.text.startswith("after layer 0")
    assert session.selection.query == last - 1


def test_the_last_row_is_said_to_be_the_model_s_own(panel):
    assert "The last row is what the model itself says" in panel.small_print.text


def test_a_last_row_that_is_not_is_not_hidden(panel, settle):
    panel.known("guesses").log_probs[-1, -1] -= 0.5
    panel.draw()
    assert "differs from what the model itself says by 0.5 nats" in panel.small_print.text


def test_tool_tips_list_the_guesses(panel):
    found = panel.known("guesses")
    lines = panel.describe(2, 1).splitlines()
    assert lines[0] == f"after layer 1, after {found.source_labels[1]}"
    assert len(lines) == 11
    assert found.labels[2][1][0] in lines[1]
    assert f"{100 * np.exp(found.log_probs[2, 1, 0]):.1f} %" in lines[1]
    assert "final norm" in panel.describe(1, -1)
    assert "position 4" in panel.describe(-1, 4)


def guesses(*firsts):
    ids = np.array([[[first]] for first in firsts])
    return LayerGuesses(
        stages=("embedding", *(f"layer {layer}" for layer in range(len(firsts) - 1))),
        source_labels=("x",),
        ids=ids,
        labels=tuple(((f"t{first}",),) for first in firsts),
        log_probs=np.log(np.full(ids.shape, 0.5)),
    )


@pytest.mark.parametrize(
    ("firsts", "said"),
    [
        ((3, 3, 3), "it stands first from the embedding on"),
        ((1, 3, 3), "it stands first after layer 0 and after every later one"),
        ((3, 1, 3), "it stands first only after layer 1, the last"),
    ],
)
def test_it_says_from_where_on_the_final_guess_stands_first(firsts, said):
    parts = rise(guesses(*firsts), 0)
    text = "".join(part.text if isinstance(part, Token) else part for part in parts)
    assert text == f"after x (position 0) the model says t3 (50.0 %): {said}"
