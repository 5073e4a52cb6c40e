from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.widgets.complex_plane import ComplexPlane

Tip = Callable[[QWidget, QPointF], str]
Pixel = Callable[[QWidget, QPointF], QColor]
VALUES = np.array([30 + 40j, 30 - 40j, -20.0, 5.0])


@pytest.fixture
def plane(qtbot: QtBot) -> ComplexPlane:
    widget = ComplexPlane()
    qtbot.addWidget(widget)
    widget.resize(420, 300)
    widget.set_points(VALUES.real, VALUES.imag, "ov")
    widget.show()
    return widget


def test_both_axes_have_one_scale_whatever_the_shape_of_the_widget(plane: ComplexPlane) -> None:
    for size in ((420, 300), (240, 500)):
        plane.resize(*size)
        apart = plane.place(0) - plane.place(2)
        assert apart.x() / 50 == pytest.approx(-apart.y() / 40, abs=0.05)
        assert all(plane.rect().contains(plane.place(i).toPoint()) for i in range(4))


def test_only_proportions_are_drawn(plane: ComplexPlane) -> None:
    before = plane.place(2)
    plane.set_points(1000 * VALUES.real, 1000 * VALUES.imag, "ov")
    assert plane.place(2) == before


@pytest.mark.parametrize("circuit", ["ov", "qk"])
def test_points_have_the_colour_of_their_circuit(
    dressed: str, plane: ComplexPlane, pixel: Pixel, circuit: str
) -> None:
    plane.set_points(VALUES.real, VALUES.imag, circuit)  # type: ignore[arg-type]
    ground = pixel(plane, plane.place(0) + QPointF(0, 12))
    inside = pixel(plane, plane.place(0))
    theme = palette.theme()
    wanted = QColor(theme.curve_ov if circuit == "ov" else theme.curve_qk)
    assert inside != ground
    assert inside.hslHue() == pytest.approx(wanted.hslHue(), abs=12)


def test_the_real_axis_is_the_heavy_one(dressed: str, plane: ComplexPlane, pixel: Pixel) -> None:
    centre = (plane.place(0) + plane.place(1)) / 2
    centre.setX(plane.place(2).x() - 12)
    assert pixel(plane, centre) == QColor(palette.theme().muted)


def test_a_click_chooses_the_nearest_point_and_far_away_none(
    qtbot: QtBot, plane: ComplexPlane
) -> None:
    with qtbot.waitSignal(plane.chosen) as signal:
        at = (plane.place(2) + QPointF(4, 3)).toPoint()
        qtbot.mouseClick(plane, Qt.MouseButton.LeftButton, pos=at)
    assert signal.args == [2]
    with qtbot.assertNotEmitted(plane.chosen):
        at = (plane.place(2) + QPointF(0, 40)).toPoint()
        qtbot.mouseClick(plane, Qt.MouseButton.LeftButton, pos=at)


def test_arrow_keys_walk_by_magnitude(qtbot: QtBot, plane: ComplexPlane) -> None:
    asked: list[int] = []
    plane.chosen.connect(asked.append)
    plane.chosen.connect(plane.set_selected)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Left):
        qtbot.keyClick(plane, key)
    assert asked == [0, 1, 3, 2]
    assert plane.accessibleDescription() == "eigenvalue 3 of 4: −20.00. Arrow keys move."


def test_the_tool_tip_reads_a_point(plane: ComplexPlane, tip_label: Tip, qtbot: QtBot) -> None:
    qtbot.mouseMove(plane, plane.place(1).toPoint())
    assert tip_label(plane, plane.place(1)) == (
        "eigenvalue 2 of 4: 30.00 − 40.00i, magnitude 50.00"
    )


def test_nothing_but_zeros_is_said_not_drawn(qtbot: QtBot, plane: ComplexPlane) -> None:
    plane.set_points(np.zeros(3), np.zeros(3), "ov")
    plane.grab()
    with qtbot.assertNotEmitted(plane.chosen):
        qtbot.keyClick(plane, Qt.Key.Key_Right)
