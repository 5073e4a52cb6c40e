import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.widgets.spectrum_plot import SpectrumPlot

Tip = Callable[[QWidget, QPointF], str]
OV = np.concatenate([[6.0, 5.99], np.linspace(5, 2, 30)])
QK = 3.0 * np.exp(-np.linspace(0, 5, 32))


@pytest.fixture
def plot(qtbot: QtBot) -> SpectrumPlot:
    widget = SpectrumPlot()
    qtbot.addWidget(widget)
    widget.resize(420, 300)
    widget.show()
    widget.set_curves(OV, QK, None, None, 32, [(0, 1)], [])
    qtbot.wait(10)
    return widget


def colours_near(widget: SpectrumPlot, at: QPointF, reach: int = 8) -> set[str]:
    image = widget.grab().toImage()
    middle = at.toPoint()
    return {
        image.pixelColor(middle.x() + dx, middle.y() + dy).name()
        for dx in range(-reach, reach + 1)
        for dy in range(-reach, reach + 1)
    }


def texts(widget: SpectrumPlot) -> list[str]:
    return [text for _, text in widget._canvas.getAxis("left")._tickLevels[0]]


def test_values_fall_from_left_to_right_inside_the_plot(plot: SpectrumPlot) -> None:
    places = [plot.value_position("ov", i) for i in range(32)]
    assert all(a.x() < b.x() and a.y() <= b.y() for a, b in pairwise(places))
    assert all(plot.rect().contains(place.toPoint()) for place in places)
    assert plot.value_position("qk", 31).y() > plot.value_position("ov", 31).y()


def test_a_logarithmic_axis_has_equal_ratios_equally_far_apart(plot: SpectrumPlot) -> None:
    steps = np.diff([plot.value_position("qk", i).y() for i in range(32)])
    assert steps.max() - steps.min() <= 1.01
    plot.set_log(False)
    steps = np.diff([plot.value_position("ov", i).y() for i in range(2, 32)])
    assert steps.max() - steps.min() <= 1.01


def test_both_curves_are_drawn_in_their_colours(
    qtbot: QtBot, dressed: str, plot: SpectrumPlot
) -> None:
    theme = palette.theme()
    for circuit, colour in (("ov", theme.curve_ov), ("qk", theme.curve_qk)):
        assert colour in colours_near(plot, plot.value_position(circuit, 10))


def test_a_click_on_a_value_chooses_it(qtbot: QtBot, plot: SpectrumPlot) -> None:
    for circuit, index in (("ov", 0), ("qk", 17), ("ov", 31)):
        at = plot.value_position(circuit, index).toPoint()
        canvas = plot._canvas.viewport()
        with qtbot.waitSignal(plot.chosen) as signal:
            qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.mapFrom(plot, at))
        assert signal.args == [circuit, index]


def test_a_click_far_from_every_value_chooses_none(qtbot: QtBot, plot: SpectrumPlot) -> None:
    at = plot.value_position("qk", 0)
    away = QPointF(at.x() + 4, at.y() + 120).toPoint()
    canvas = plot._canvas.viewport()
    with qtbot.assertNotEmitted(plot.chosen):
        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.mapFrom(plot, away))


def test_the_selected_value_is_ringed(qtbot: QtBot, dressed: str, plot: SpectrumPlot) -> None:
    palette_accent = palette.theme().accent
    at = plot.value_position("qk", 20)
    plot.set_selected(None, 0)
    assert palette_accent not in colours_near(plot, at)
    plot.set_selected("qk", 20)
    assert palette_accent in colours_near(plot, at)


def test_arrow_keys_walk_values_and_change_circuits(qtbot: QtBot, plot: SpectrumPlot) -> None:
    asked: list[tuple[str, int]] = []

    def select(circuit: str, index: int) -> None:
        asked.append((circuit, index))
        plot.set_selected(circuit, index)

    plot.chosen.connect(select)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_End,
                Qt.Key.Key_Right, Qt.Key.Key_Left):  # fmt: skip
        qtbot.keyClick(plot, key)
    assert asked == [("ov", 0), ("ov", 1), ("qk", 1), ("qk", 31), ("qk", 31), ("qk", 30)]


def test_tool_tips_count_from_0_as_files_do_and_name_the_group(
    qtbot: QtBot, plot: SpectrumPlot, tip_label: Tip
) -> None:
    canvas = plot._canvas.viewport()

    def tip(circuit: str, index: int) -> str:
        return tip_label(canvas, QPointF(canvas.mapFrom(plot, plot.value_position(circuit, index))))

    assert tip("qk", 0) == "W_QK, value 0 of 0 to 31: 3.0000"
    assert tip("ov", 1).splitlines() == [
        "W_OV, value 1 of 0 to 31: 5.9900",
        "values 0 to 1 are within 1 %: one subspace",
    ]


def test_the_axis_counts_from_0_as_files_do(plot: SpectrumPlot) -> None:
    ticks = plot._canvas._ticks(32)
    assert ticks[0] == (0, "0")
    assert [str(place) for place, _ in ticks] == [text for _, text in ticks]
    box = plot._canvas.getViewBox()
    for index in (0, 17):
        at = plot._canvas.mapToScene(plot._canvas.place(index, 1.0).toPoint())
        assert round(box.mapSceneToView(at).x()) == index


def test_near_equal_values_are_bracketed_and_lone_ones_are_not(
    qtbot: QtBot, plot: SpectrumPlot
) -> None:
    middle = (plot.value_position("ov", 0) + plot.value_position("ov", 1)) / 2
    above = QPointF(middle.x(), middle.y() - 8)
    colour = palette.theme().curve_ov
    assert colour in colours_near(plot, above, reach=1)
    plot.set_curves(OV, QK, None, None, 32, [(0, 0), (1, 1)], [])
    assert colour not in colours_near(plot, above, reach=1)


@pytest.mark.parametrize(
    "values",
    [[2.0, 2.0, 1.0], [1.0, 8e-3, 2e-4], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1e-30, 1e-31, 0.0]],
)
def test_zero_and_tiny_values_are_drawn_at_the_bottom_of_a_logarithmic_axis(
    qtbot: QtBot, plot: SpectrumPlot, values: list[float]
) -> None:
    plot.set_curves(np.array(values), None, None, None, 3, [], [])
    qtbot.wait(5)
    places = [plot.value_position("ov", i) for i in range(3)]
    assert all(plot.rect().contains(place.toPoint()) for place in places)
    assert all(a.y() <= b.y() for a, b in pairwise(places))


def test_measured_values_beyond_d_head_are_drawn_beyond_the_cliff(
    qtbot: QtBot, plot: SpectrumPlot
) -> None:
    before = plot.value_position("ov", 31)
    dense = np.concatenate([OV, np.full(224, 1e-7)])
    plot.set_curves(OV, QK, dense, None, 32, [], [])
    qtbot.wait(5)
    assert plot.value_position("ov", 31).x() < before.x()
    at = plot._canvas.place(34, 1e-7)
    assert palette.theme().curve_ov in colours_near(plot, at)


def test_ticks_are_decades_written_plainly(qtbot: QtBot, plot: SpectrumPlot) -> None:
    wide = np.logspace(3, -6.0, 10)
    plot.set_curves(wide * 1e-6, None, None, None, 10, [], [])
    assert all("e" not in text for text in texts(plot))
    assert len(texts(plot)) <= 8


def test_a_logarithmic_axis_begins_just_below_the_least_value(plot: SpectrumPlot) -> None:
    plot.set_curves(np.geomspace(15, 0.8, 32), None, None, None, 32, [], [])
    assert texts(plot) == ["0.5", "1", "2", "5", "10"]


@pytest.mark.parametrize("height", [130, 150, 180, 220, 300])
def test_numbers_beside_the_axis_keep_apart(qtbot: QtBot, plot: SpectrumPlot, height: int) -> None:
    plot.resize(420, height)
    plot.set_curves(np.array([1.0, 1.0]), np.array([2.3, 0.0]), None, None, 2, [], [])
    qtbot.wait(10)
    ticks = [at for at, _ in plot._canvas.getAxis("left")._tickLevels[0]]
    places = [plot._canvas.place(0, 10.0**at).y() for at in ticks]
    line = QFontMetricsF(palette.ui_font(small=True)).ascent()
    assert all(lower - upper > line for lower, upper in pairwise(places))


def test_nothing_stays_painted_where_the_axes_were(qtbot: QtBot, plot: SpectrumPlot) -> None:
    plot.set_curves(np.array([1.0, 1.0]), np.array([2.3, 0.0]), None, None, 2, [], [])
    qtbot.wait(50)
    kept = plot.screen().grabWindow(plot.winId()).toImage()
    assert kept == plot.grab().toImage()


def test_the_other_widgets_do_not_import_pyqtgraph() -> None:
    code = (
        "import sys, pkgutil, importlib, gui.widgets as w\n"
        "for m in pkgutil.iter_modules(w.__path__):\n"
        "    if not m.name.startswith('spectrum'):\n"
        "        importlib.import_module('gui.widgets.' + m.name)\n"
        "assert 'pyqtgraph' not in sys.modules and 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
