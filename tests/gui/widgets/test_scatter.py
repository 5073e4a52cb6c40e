"""The scatter: where points lie, which one a click asks for, and what is left out."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from gui.style import palette
from gui.widgets.scatter import Scatter

NAMES = ["L0H0", "<b>L0H1</b>", "L0H2", "L0H3", "L0H4"]
ACROSS = np.array([0.0, 1.0, 0.5, 0.5, np.nan])
UP = np.array([0.0, 0.2, -0.4, -0.4, 0.1])


@pytest.fixture
def scatter(qtbot):
    widget = Scatter()
    qtbot.addWidget(widget)
    widget.resize(360, 320)
    widget.set_points(NAMES, ACROSS, UP, ("previous", "induction"))
    widget.show()
    return widget


def click(qtbot, scatter, at):
    with qtbot.waitSignal(scatter.chosen) as asked:
        qtbot.mouseClick(scatter, Qt.MouseButton.LeftButton, pos=at.toPoint())
    return asked.args[0]


def test_larger_numbers_lie_to_the_right_and_above(scatter):
    assert scatter.place(1).x() > scatter.place(2).x() > scatter.place(0).x()
    assert scatter.place(1).y() < scatter.place(0).y() < scatter.place(2).y()


def test_nought_lies_on_both_axes_so_that_small_differences_stay_small(qtbot, scatter):
    scatter.set_points(["a", "b"], np.array([0.98, 0.99]), np.array([0.5, 0.5]), ("x", "y"))
    assert scatter.place(1).x() - scatter.place(0).x() < 0.02 * scatter.width()


def test_a_click_asks_for_the_point_and_again_for_the_next_on_the_same_place(qtbot, scatter):
    assert click(qtbot, scatter, scatter.place(1)) == 1
    assert click(qtbot, scatter, scatter.place(2)) == 2
    scatter.set_selected(2)
    assert click(qtbot, scatter, scatter.place(2)) == 3
    scatter.set_selected(3)
    assert click(qtbot, scatter, scatter.place(2)) == 2


def test_a_click_far_from_every_point_asks_for_none(qtbot, scatter):
    with qtbot.assertNotEmitted(scatter.chosen):
        qtbot.mouseClick(scatter, Qt.MouseButton.LeftButton, pos=QPointF(120, 60).toPoint())


def test_a_point_says_its_name_and_both_numbers_and_those_under_it_too(scatter):
    assert scatter.tip_at(scatter.place(1)) == "<b>L0H1</b>: previous 1.00, induction 0.20"
    assert scatter.tip_at(scatter.place(2)).splitlines() == [
        "L0H2: previous 0.50, induction −0.40",
        "L0H3: previous 0.50, induction −0.40",
    ]


def test_what_is_not_a_number_is_not_there(scatter):
    assert scatter.thing_at(scatter.place(0)) == 0
    scatter.set_points(NAMES, np.full(5, np.nan), UP, ("previous", "induction"))
    assert scatter.thing_at(QPointF(180, 160)) is None


def test_the_selected_point_is_drawn_in_accent(scatter):
    def accents():
        image = scatter.grab().toImage()
        at = scatter.place(1).toPoint()
        return image.pixelColor(at).name()

    before = accents()
    scatter.set_selected(1)
    assert accents() == palette.theme().accent != before


def test_arrows_go_from_left_to_right(qtbot, scatter):
    scatter.set_selected(0)
    with qtbot.waitSignal(scatter.chosen) as asked:
        qtbot.keyClick(scatter, Qt.Key.Key_Right)
    assert asked.args == [2]


def test_one_point_at_nought_and_huge_ones_are_drawn(scatter):
    for value in (0.0, 12460.35, 1e-9, -3.0):
        scatter.set_points(["a"], np.array([value]), np.array([value]), ("x", "y"), equal=True)
        scatter.grab()
        assert scatter.rect().contains(scatter.place(0).toPoint())
