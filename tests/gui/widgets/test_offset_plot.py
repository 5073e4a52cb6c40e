"""Curves against distance: where values lie, which offset a click asks for, what is said."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from gui.style import palette
from gui.widgets.offset_plot import OffsetPlot

MEAN = np.array([0.0, 2.0, 1.0, 1.0, -1.0, -1.0, 0.5, 0.5])
SCORES = np.array([1.0, 4.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
DEVIATION = np.full(8, 0.5)


@pytest.fixture
def plot(qtbot):
    widget = OffsetPlot()
    qtbot.addWidget(widget)
    widget.resize(400, 240)
    widget.set_curves(MEAN, SCORES, DEVIATION)
    widget.show()
    return widget


def press(qtbot, plot, at):
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=at.toPoint())


def test_offsets_go_right_in_equal_steps_and_larger_values_stand_higher(plot):
    places = [plot.place(offset) for offset in range(len(MEAN))]
    steps = np.diff([place.x() for place in places])
    assert steps.min() > 0
    assert np.allclose(steps, steps[0])
    unit, zero = np.polyfit(MEAN, [place.y() for place in places], 1)
    assert unit < 0
    assert np.allclose([place.y() for place in places], zero + unit * MEAN)


def test_everything_shown_lies_inside_the_axes(plot):
    area = plot._area()
    for values in (SCORES, MEAN + DEVIATION, MEAN - DEVIATION):
        assert all(area.contains(point) for point in plot._points(values))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pair_and_the_mean_are_drawn_in_their_colours(qapp, plot, pixel, theme):
    palette.apply(qapp, theme)
    for values, colour in ((SCORES, "curve_qk"), (MEAN, "text")):
        found = pixel(plot, plot._points(values)[1])
        wanted = QColor(getattr(palette.theme(), colour))
        assert abs(found.lightness() - wanted.lightness()) < 40
        assert abs(found.red() - wanted.red()) < 60


def test_the_band_reaches_one_deviation_up_and_down(plot, pixel):
    card = pixel(plot, plot._points(np.full(8, 3.0))[5])
    for half in (-0.4, 0.4):
        assert pixel(plot, plot._points(MEAN + half)[4] + QPointF(6, 0)) != card
    assert pixel(plot, plot._points(MEAN + 0.7)[4] + QPointF(6, 0)) == card


def test_a_click_asks_for_the_offset_under_it_however_high(qtbot, plot):
    for height in (0, -40):
        with qtbot.waitSignal(plot.chosen) as asked:
            press(qtbot, plot, plot.place(3) + QPointF(2, height))
        assert asked.args == [3]


def test_a_click_beside_the_axes_asks_for_none(qtbot, plot):
    with qtbot.assertNotEmitted(plot.chosen):
        press(qtbot, plot, QPointF(5, 100))
        press(qtbot, plot, QPointF(200, 3))


def test_arrow_keys_go_from_offset_to_offset_and_stop_at_the_ends(qtbot, plot):
    asked = []
    plot.chosen.connect(asked.append)
    plot.chosen.connect(plot.set_selected)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Right):
        QTest.keyClick(plot, key)
    plot.set_selected(7)
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert asked == [0, 1, 2, 7]


def test_an_offset_is_told_with_every_number_it_has(plot):
    assert plot.say(1) == "1 token back: this pair 4.00, all pairs: mean 2.00 ± 0.50"
    plot.set_curves(MEAN)
    assert plot.say(0) == "0 tokens back: all pairs: mean 0.00"


def test_what_was_chosen_among_more_offsets_is_chosen_no_longer(plot):
    plot.set_selected(7)
    plot.set_curves(MEAN[:3])
    assert plot.selected is None
    plot.grab()


def test_one_offset_is_drawn_as_a_dot(plot, pixel):
    plot.set_curves(np.array([2.0]))
    found = pixel(plot, plot.place(0))
    assert found.lightness() < 100


def test_nothing_is_drawn_before_there_are_curves(qtbot):
    plot = OffsetPlot()
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    plot.grab()
    assert plot.thing_at(QPointF(150, 100)) is None
