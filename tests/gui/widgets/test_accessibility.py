"""What holds for every widget: a name, the keyboard, a visible focus, names that are read."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.widgets.check_list import CheckList
from gui.widgets.controls import Segmented
from gui.widgets.curve_plots import SpectrumPlot
from gui.widgets.fields import PromptEdit, TokenField
from gui.widgets.head_grid import HeadGrid
from gui.widgets.labels import Notice
from gui.widgets.matrix_list import MatrixList
from gui.widgets.matrix_view import CellMap, Heatmap
from gui.widgets.number_tables import RankedList, ScoreTable
from gui.widgets.point_plots import ComplexPlane
from gui.widgets.token_strip import TokenStrip
from tests.waiting import activate

ALL: list[Callable[[], QWidget]] = [
    CellMap,
    CheckList,
    ComplexPlane,
    Heatmap,
    HeadGrid,
    MatrixList,
    Notice,
    PromptEdit,
    RankedList,
    ScoreTable,
    lambda: Segmented([("a", "a"), ("b", "b")], "Choice"),
    SpectrumPlot,
    TokenField,
    TokenStrip,
]


def plane() -> ComplexPlane:
    """Return a plot with something on its canvas, which has to draw the ring too."""
    widget = ComplexPlane()
    widget.set_points(np.array([1.0, -0.5]), np.array([0.0, 0.5]), "ov")
    return widget


def spectrum() -> SpectrumPlot:
    widget = SpectrumPlot()
    widget.set_curves(np.array([2.0, 1.0]), None, None, None, 2)
    return widget


@pytest.mark.parametrize("make", ALL)
def test_every_widget_has_an_accessible_name(qtbot: QtBot, make: Callable[[], QWidget]) -> None:
    widget = make()
    qtbot.addWidget(widget)
    assert widget.accessibleName()


PAINTED = [CellMap, CheckList, HeadGrid, Heatmap, MatrixList, RankedList, ScoreTable, TokenStrip]


@pytest.mark.parametrize("make", [*PAINTED, spectrum, plane])
def test_focus_that_comes_by_key_is_seen_and_by_mouse_is_not(
    qtbot: QtBot, make: Callable[[], QWidget]
) -> None:
    widget = make()
    qtbot.addWidget(widget)
    widget.resize(300, 240)
    widget.show()
    activate(widget)

    def ringed() -> bool:
        image = widget.grab().toImage()
        return image.pixelColor(150, 0).name() == palette.theme().accent

    widget.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not ringed()
    widget.clearFocus()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    assert ringed()
    widget.clearFocus()
    assert not ringed()
