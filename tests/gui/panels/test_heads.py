"""The heads panel: scores, the best of each measure, and which head opens."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import Head
from gui.panels.heads import HeadsPanel, best
from tests.gui.fake_engine import BEST_INDUCTION


@pytest.fixture
def panel(show):
    return show(HeadsPanel)


def test_the_best_induction_head_opens_by_itself(panel, session):
    assert session.selection.head == Head(*BEST_INDUCTION)
    assert not session.selection.head_chosen


def test_a_head_that_somebody_chose_stays(qtbot, session, client, show):
    session.choose_head(Head(0, 3))
    show(HeadsPanel)
    assert session.selection.head == Head(0, 3)


def test_the_button_of_a_measure_opens_its_best_head(qtbot, panel, session):
    session.choose_head(Head(0, 0))
    button = panel.best_buttons["induction"]
    assert "L1H2" in button.text()
    assert "0.90" in button.text()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert session.selection.head == Head(1, 2)
    assert session.selection.head_chosen


def test_colouring_by_a_measure_is_the_sessions(panel, session, settle):
    session.set_measure("previous_token")
    settle(panel)
    assert panel.measure.value() == "previous_token"


def test_hovering_a_head_names_it_and_its_scores(panel):
    text = panel.describe(Head(1, 2))
    assert text.startswith("L1H2")
    assert "induction 0.90" in text


def test_the_best_head_is_the_first_of_equal_ones():
    assert best(np.array([[0.1, 0.5], [0.5, 0.2]])) == Head(0, 1)
