"""Plots: where points and curves lie, what a click or key asks for, what is said and marked."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPicture

from gui.style import palette
from gui.widgets.curve_plots import OffsetPlot, SpectrumPlot, log_start, log_ticks
from gui.widgets.point_plots import ComplexPlane, Scatter

NAMES = ["L0H0", "<b>L0H1</b>", "L0H2", "L0H3", "L0H4"]
ACROSS = np.array([0.0, 1.0, 0.5, 0.5, np.nan])
UP = np.array([0.0, 0.2, -0.4, -0.4, 0.1])
EIGENVALUES = np.array([30 + 40j, 30 - 40j, -20.0, 5.0])
MEAN = np.array([0.0, 2.0, 1.0, 1.0, -1.0, -1.0, 0.5, 0.5])
SCORES = np.array([1.0, 4.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
OV = np.concatenate([[6.0, 5.99], np.linspace(5, 2, 30)])
QK = 3.0 * np.exp(-np.linspace(0, 5, 32))
KEY = Qt.Key


@pytest.fixture
def shown(qtbot):
    """Return a function that shows a plot at a size."""

    def show(plot, *size):
        qtbot.addWidget(plot)
        plot.resize(*size)
        plot.show()
        return plot

    return show


@pytest.fixture
def scatter(shown):
    widget = shown(Scatter(), 360, 320)
    widget.set_points(NAMES, ACROSS, UP, ("previous", "induction"))
    return widget


@pytest.fixture
def plane(shown):
    widget = shown(ComplexPlane(), 420, 300)
    widget.set_points(EIGENVALUES.real, EIGENVALUES.imag, "ov")
    return widget


@pytest.fixture
def offsets(shown):
    widget = shown(OffsetPlot(), 400, 240)
    widget.set_curves(MEAN, SCORES, np.full(8, 0.5))
    return widget


@pytest.fixture
def spectrum(shown):
    widget = shown(SpectrumPlot(), 420, 300)
    widget.set_curves(OV, QK, None, None, 32, [(0, 1)], [])
    return widget


def asked(qtbot, plot, *places):
    """Return what clicks at some places ask for."""
    found = []
    plot.chosen.connect(lambda *args: found.append(args if len(args) > 1 else args[0]))
    for place in places:
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=place.toPoint())
    return found


def walked(qtbot, plot, *keys):
    """Return what keys ask for, each time followed."""
    found = []
    follow = getattr(plot, "select", plot.set_selected)
    plot.chosen.connect(lambda *args: found.append(args if len(args) > 1 else args[0]))
    plot.chosen.connect(follow)
    for key in keys:
        qtbot.keyClick(plot, key)
    return found


def points(plot, values):
    """Return where a curve over 0, 1, 2, … lies."""
    places = plot.places(np.array([np.arange(len(values)), values]))
    return [QPointF(x, y) for x, y in places.T.tolist()]


def colours_near(widget, at, extent=8):
    image, middle = widget.grab().toImage(), at.toPoint()
    steps = range(-extent, extent + 1)
    return {
        image.pixelColor(middle.x() + dx, middle.y() + dy).name() for dx in steps for dy in steps
    }


def test_larger_numbers_lie_to_the_right_and_above(scatter):
    assert scatter.place(1).x() > scatter.place(2).x() > scatter.place(0).x()
    assert scatter.place(1).y() < scatter.place(0).y() < scatter.place(2).y()


def test_nought_lies_on_both_axes_so_that_small_differences_stay_small(scatter):
    scatter.set_points(["a", "b"], np.array([0.98, 0.99]), np.array([0.5, 0.5]), ("x", "y"))
    assert scatter.place(1).x() - scatter.place(0).x() < 0.02 * scatter.width()


def test_a_click_asks_for_the_next_of_points_on_the_same_place(qtbot, scatter):
    assert asked(qtbot, scatter, scatter.place(1), scatter.place(2)) == [1, 2]
    scatter.set_selected(2)
    assert asked(qtbot, scatter, scatter.place(2)) == [3]
    scatter.set_selected(3)
    assert asked(qtbot, scatter, scatter.place(2)) == [2]


def test_what_is_not_a_number_is_not_there(scatter):
    assert scatter.item_at(scatter.place(0)) == 0
    scatter.set_points(NAMES, np.full(5, np.nan), UP, ("previous", "induction"))
    assert scatter.item_at(QPointF(180, 160)) is None


def test_the_selected_point_is_drawn_in_accent(scatter, pixel):
    before = pixel(scatter, scatter.place(1)).name()
    scatter.set_selected(1)
    assert pixel(scatter, scatter.place(1)).name() == palette.theme().accent != before


@pytest.mark.parametrize("value", [0.0, 12460.35, 1e-9, -3.0])
def test_one_point_at_nought_and_huge_ones_are_drawn(scatter, value):
    scatter.set_points(["a"], np.array([value]), np.array([value]), ("x", "y"), equal=True)
    scatter.grab()
    assert scatter.rect().contains(scatter.place(0).toPoint())


@pytest.mark.parametrize("size", [(420, 300), (240, 500)])
def test_both_axes_of_the_plane_have_one_scale_and_show_proportions(plane, size):
    plane.resize(*size)
    apart = plane.place(0) - plane.place(2)
    assert apart.x() / 50 == pytest.approx(-apart.y() / 40, abs=0.05)
    assert all(plane.rect().contains(plane.place(i).toPoint()) for i in range(4))
    before = plane.place(2)
    plane.set_points(1000 * EIGENVALUES.real, 1000 * EIGENVALUES.imag, "ov")
    assert plane.place(2) == before


@pytest.mark.usefixtures("dressed")
def test_eigenvalues_have_the_colour_of_their_circuit_and_the_real_axis_is_heavy(plane, pixel):
    theme = palette.theme()
    for circuit, wanted in (("ov", theme.curve_ov), ("qk", theme.curve_qk)):
        plane.set_points(EIGENVALUES.real, EIGENVALUES.imag, circuit)
        inside = pixel(plane, plane.place(0))
        assert inside != pixel(plane, plane.place(0) + QPointF(0, 12))
        assert inside.hslHue() == pytest.approx(QColor(wanted).hslHue(), abs=12)
    centre = (plane.place(0) + plane.place(1)) / 2
    centre.setX(plane.place(2).x() - 12)
    assert theme.muted in colours_near(plane, centre, extent=1)


def test_nothing_but_zeros_is_said_not_drawn(qtbot, plane):
    plane.set_points(np.zeros(3), np.zeros(3), "ov")
    plane.grab()
    assert walked(qtbot, plane, KEY.Key_Right) == []


def test_offsets_go_right_in_equal_steps_and_larger_values_stand_higher(offsets):
    places = [offsets.place(offset) for offset in range(len(MEAN))]
    steps = np.diff([place.x() for place in places])
    assert steps.min() > 0
    assert np.allclose(steps, steps[0])
    unit, zero = np.polyfit(MEAN, [place.y() for place in places], 1)
    assert unit < 0
    assert np.allclose([place.y() for place in places], zero + unit * MEAN)


@pytest.mark.usefixtures("dressed")
def test_curves_lie_inside_the_axes_in_their_colours_with_a_band_around_the_mean(offsets, pixel):
    for values in (SCORES, MEAN + 0.5, MEAN - 0.5):
        assert all(offsets.canvas.box.contains(point) for point in points(offsets, values))
    for values, colour in ((SCORES, "curve_qk"), (MEAN, "text")):
        found = pixel(offsets, points(offsets, values)[1])
        wanted = QColor(getattr(palette.theme(), colour))
        assert abs(found.lightness() - wanted.lightness()) < 40
        assert abs(found.red() - wanted.red()) < 60
    card = pixel(offsets, points(offsets, np.full(8, 3.0))[5])
    for height, inside in ((-0.4, True), (0.4, True), (0.7, False)):
        at = points(offsets, MEAN + height)[4] + QPointF(6, 0)
        assert (pixel(offsets, at) != card) == inside


def test_a_click_asks_for_the_offset_under_it_however_high_but_not_beside_the_axes(qtbot, offsets):
    inside = [offsets.place(3) + QPointF(2, height) for height in (0, -40)]
    outside = [QPointF(5, 100), QPointF(200, 3)]
    assert asked(qtbot, offsets, *inside, *outside) == [3, 3]


def test_what_was_chosen_among_more_offsets_is_chosen_no_longer(offsets, pixel):
    offsets.set_selected(7)
    offsets.set_curves(MEAN[:3])
    assert offsets.selected is None
    offsets.set_curves(np.array([2.0]))
    assert pixel(offsets, offsets.place(0)).lightness() < 100, "one offset is a dot"


def test_nothing_is_drawn_before_there_are_curves(shown):
    for plot in (OffsetPlot(), SpectrumPlot()):
        shown(plot, 300, 200).grab()
        assert plot.item_at(QPointF(150, 100)) is None


def test_values_fall_from_left_to_right_inside_the_plot(spectrum):
    places = [spectrum.value_position("ov", i) for i in range(32)]
    assert all(a.x() < b.x() and a.y() <= b.y() for a, b in pairwise(places))
    assert all(spectrum.rect().contains(place.toPoint()) for place in places)
    assert spectrum.value_position("qk", 31).y() > spectrum.value_position("ov", 31).y()


def test_a_logarithmic_axis_has_equal_ratios_equally_far_apart(spectrum):
    for circuit, first in (("qk", 0), ("ov", 2)):
        heights = [spectrum.value_position(circuit, i).y() for i in range(first, 32)]
        assert np.ptp(np.diff(heights)) <= 1.01
        spectrum.set_log(False)


@pytest.mark.usefixtures("dressed")
def test_curves_have_their_colours_and_the_selected_value_a_ring(spectrum):
    theme = palette.theme()
    for circuit, colour in (("ov", theme.curve_ov), ("qk", theme.curve_qk)):
        assert colour in colours_near(spectrum, spectrum.value_position(circuit, 10))
    at = spectrum.value_position("qk", 20)
    spectrum.select(None, 0)
    assert theme.accent not in colours_near(spectrum, at)
    spectrum.select("qk", 20)
    assert theme.accent in colours_near(spectrum, at)


def test_a_click_on_a_value_asks_for_it_and_a_second_one_is_told(qtbot, spectrum):
    values = [("ov", 0), ("qk", 17), ("ov", 31)]
    places = [spectrum.value_position(*value) for value in values]
    assert asked(qtbot, spectrum, *places) == values
    spectrum.select("qk", 17)
    with qtbot.waitSignal(spectrum.clicked_again), qtbot.assertNotEmitted(spectrum.chosen):
        qtbot.mouseClick(spectrum, Qt.MouseButton.LeftButton, pos=places[1].toPoint())


@pytest.mark.parametrize(
    ("which", "place", "beside"),
    [("scatter", 2, (-60, -60)), ("plane", 2, (0, 40)), ("spectrum", 32, (4, 120))],
)
def test_a_click_far_from_every_point_asks_for_none(qtbot, request, which, place, beside):
    plot = request.getfixturevalue(which)
    assert asked(qtbot, plot, plot.place(place) + QPointF(*beside)) == []


@pytest.mark.parametrize(
    ("which", "keys", "wanted"),
    [
        ("scatter", "Right Right Right Left", [0, 2, 3, 2]),
        ("plane", "Right Right End Left", [0, 1, 3, 2]),
        ("offsets", "Left Right Right End Right", [0, 1, 2, 7, 7]),
        (
            "spectrum",
            "Right Right Down End Right Left",
            [("ov", 0), ("ov", 1), ("qk", 1), ("qk", 31), ("qk", 31), ("qk", 30)],
        ),
    ],
)
def test_arrow_keys_go_from_point_to_point_and_stop_at_the_ends(
    qtbot, request, which, keys, wanted
):
    plot = request.getfixturevalue(which)
    assert walked(qtbot, plot, *(KEY[f"Key_{key}"] for key in keys.split())) == wanted
    assert plot.accessibleDescription() == f"{plot.marked()}. {plot.keys}"


SAME_PLACE = ["L0H2: previous 0.50, induction −0.40", "L0H3: previous 0.50, induction −0.40"]
GROUP = "values 0 to 1 are within 1 %: one subspace"


@pytest.mark.parametrize(
    ("which", "place", "lines"),
    [
        ("scatter", 1, ["<b>L0H1</b>: previous 1.00, induction 0.20"]),
        ("scatter", 2, SAME_PLACE),
        ("plane", 1, ["eigenvalue 2 of 4: 30.00 − 40.00i, magnitude 50.00"]),
        ("offsets", 1, ["1 token back: this pair 4.00, all pairs: mean 2.00 ± 0.50"]),
        ("spectrum", 32, ["W_QK, value 0 of 0 to 31: 3.0000"]),
        ("spectrum", 1, ["W_OV, value 1 of 0 to 31: 5.9900", GROUP]),
    ],
)
def test_a_tool_tip_reads_what_is_under_the_mouse(qtbot, request, tip_label, which, place, lines):
    plot = request.getfixturevalue(which)
    qtbot.mouseMove(plot, plot.place(place).toPoint())
    assert tip_label(plot, plot.place(place)).splitlines() == lines


def test_a_mean_alone_is_told_alone(offsets):
    offsets.set_curves(MEAN)
    assert offsets.say(0) == "0 tokens back: all pairs: mean 0.00"


def test_the_axis_counts_from_0_as_files_do(spectrum):
    ticks = spectrum.canvas.getAxis("bottom")._tickLevels[0]
    assert ticks[0] == (0, "0")
    assert [str(round(place)) for place, _ in ticks] == [text for _, text in ticks]
    box = spectrum.canvas.getViewBox()
    for index in (0, 17):
        at = spectrum.canvas.mapToScene(spectrum.value_position("ov", index).toPoint())
        assert round(box.mapSceneToView(at).x()) == index


def test_near_equal_values_are_bracketed_and_lone_ones_are_not(spectrum):
    middle = (spectrum.value_position("ov", 0) + spectrum.value_position("ov", 1)) / 2
    above, colour = QPointF(middle.x(), middle.y() - 8), palette.theme().curve_ov
    assert colour in colours_near(spectrum, above, extent=1)
    spectrum.set_curves(OV, QK, None, None, 32, [(0, 0), (1, 1)], [])
    assert colour not in colours_near(spectrum, above, extent=1)


@pytest.mark.parametrize(
    "values",
    [[2.0, 2.0, 1.0], [1.0, 8e-3, 2e-4], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1e-30, 1e-31, 0.0]],
)
def test_zero_and_tiny_values_are_drawn_at_the_bottom_of_a_logarithmic_axis(spectrum, values):
    spectrum.set_curves(np.array(values), None, None, None, 3, [], [])
    places = [spectrum.value_position("ov", i) for i in range(3)]
    assert all(spectrum.rect().contains(place.toPoint()) for place in places)
    assert all(a.y() <= b.y() for a, b in pairwise(places))
    spectrum.grab()


def test_measured_values_beyond_d_head_are_drawn_beyond_the_cliff(spectrum):
    before = spectrum.value_position("ov", 31)
    dense = np.concatenate([OV, np.full(224, 1e-7)])
    spectrum.set_curves(OV, QK, dense, None, 32, [], [])
    assert spectrum.value_position("ov", 31).x() < before.x()
    at = spectrum.places(np.array([[34.0], [np.log10(spectrum._floor)]]))[:, 0]
    assert palette.theme().curve_ov in colours_near(spectrum, QPointF(*at))


def left_texts(plot):
    return [text for _, text in plot.canvas.getAxis("left")._tickLevels[0]]


def test_ticks_are_decades_written_plainly_from_just_below_the_least_value(spectrum):
    spectrum.set_curves(np.logspace(3, -6.0, 10) * 1e-6, None, None, None, 10, [], [])
    assert all("e" not in text for text in left_texts(spectrum))
    assert len(left_texts(spectrum)) <= 8
    spectrum.set_curves(np.geomspace(15, 0.8, 32), None, None, None, 32, [], [])
    assert left_texts(spectrum) == ["0.5", "1", "2", "5", "10"]


@pytest.mark.parametrize("width", [150, 192, 240, 360, 700])
def test_numbers_below_the_axis_keep_apart_and_those_at_its_ends_are_there(scatter, width):
    scatter.resize(width, 300)
    axis = scatter.canvas.getAxis("bottom")
    ticks, metrics = axis._tickLevels[0], QFontMetricsF(palette.ui_font(small=True))
    places = scatter.places(np.array([[at for at, _ in ticks], np.zeros(len(ticks))]))[0]
    widest = max(metrics.horizontalAdvance(text) for _, text in ticks)
    assert len(ticks) >= 2
    assert np.diff(places).min() > widest
    scatter.grab()
    picture = QPicture()
    painter = QPainter(picture)
    written = axis.generateDrawSpecs(painter)[2]
    painter.end()
    assert len(written) == len(ticks)


@pytest.mark.parametrize("height", [130, 150, 180, 220, 300])
def test_numbers_beside_the_axis_keep_apart(spectrum, height):
    spectrum.resize(420, height)
    spectrum.set_curves(np.array([1.0, 1.0]), np.array([2.3, 0.0]), None, None, 2, [], [])
    ticks = [at for at, _ in spectrum.canvas.getAxis("left")._tickLevels[0]]
    places = spectrum.places(np.array([np.zeros(len(ticks)), ticks]))[1]
    line = QFontMetricsF(palette.ui_font(small=True)).ascent()
    assert all(lower - upper > line for lower, upper in pairwise(places))


def test_nothing_stays_painted_where_the_axes_were(qtbot, spectrum):
    spectrum.set_curves(np.array([1.0, 1.0]), np.array([2.3, 0.0]), None, None, 2, [], [])
    qtbot.wait(50)
    kept = spectrum.screen().grabWindow(spectrum.winId()).toImage()
    assert kept == spectrum.grab().toImage()


def test_a_theme_and_a_size_of_text_are_followed(qapp, scatter, plane, offsets, spectrum):
    widths = [plot.canvas.box.width() for plot in (scatter, plane, offsets, spectrum)]
    palette.apply(qapp, "dark", 150)
    for plot, width in zip((scatter, plane, offsets, spectrum), widths, strict=True):
        assert plot.canvas.box.width() < width
        assert plot.grab().toImage().pixelColor(1, 1).name() == palette.theme().card
    palette.apply(qapp, "light", 100)


@pytest.mark.parametrize(
    ("value", "begins"),
    [(0.8, 0.5), (0.5, 0.5), (1.0, 0.5), (1.9, 1.0), (37.0, 20.0), (3e-7, 2e-7)],
)
def test_a_logarithmic_axis_begins_at_one_two_or_five_not_above_the_least_value(value, begins):
    assert log_start(value) == pytest.approx(begins)


@pytest.mark.parametrize(
    ("ends", "room", "texts"),
    [
        ((-1, 1), 7, ["0.1", "0.2", "0.5", "1", "2", "5", "10"]),
        ((-1, 1), 6, ["0.1", "1", "10"]),
        ((-12, 3), 20, ["10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1", "1000"]),
    ],
)
def test_ticks_are_thinned_where_they_would_crowd_and_far_ones_are_powers(ends, room, texts):
    assert [text for _, text in log_ticks(*ends, room)] == texts


def test_no_widget_imports_pyqtgraph_before_it_has_something_to_draw():
    code = (
        "import sys, pkgutil, importlib, gui.widgets as w\n"
        "for m in pkgutil.iter_modules(w.__path__):\n"
        "    if m.name != 'plot_canvas':\n"
        "        importlib.import_module('gui.widgets.' + m.name)\n"
        "assert 'pyqtgraph' not in sys.modules and 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
