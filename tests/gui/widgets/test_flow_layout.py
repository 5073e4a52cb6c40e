"""Widgets in rows: how many a width holds, and what a hidden one leaves."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.layouts import FlowLayout

ACROSS, DOWN = 8, 4


class Box(QWidget):
    """A widget of one size."""

    def __init__(self, width: int, height: int = 20) -> None:
        super().__init__()
        self._size = QSize(width, height)

    def sizeHint(self) -> QSize:
        return self._size


def flowing(qtbot: QtBot, *boxes: Box) -> QWidget:
    host = QWidget()
    qtbot.addWidget(host)
    flow = FlowLayout(ACROSS, DOWN, host)
    for box in boxes:
        flow.addWidget(box)
    host.show()
    return host


def corners(qtbot: QtBot, host: QWidget, width: int) -> list[tuple[int, int]]:
    """Return where the visible widgets lie at a width."""
    host.resize(width, 200)
    qtbot.wait(1)
    parts = [part for part in host.findChildren(Box) if part.isVisible()]
    return [(part.x(), part.y()) for part in parts]


@pytest.mark.parametrize(("width", "second"), [(108, (58, 0)), (107, (0, 24))])
def test_a_row_holds_what_fits_to_the_pixel(
    qtbot: QtBot, width: int, second: tuple[int, int]
) -> None:
    host = flowing(qtbot, Box(50), Box(50))
    assert corners(qtbot, host, width) == [(0, 0), second]
    assert host.heightForWidth(width) == second[1] + 20


def test_a_row_is_as_high_as_its_highest_widget(qtbot: QtBot) -> None:
    host = flowing(qtbot, Box(50), Box(50, 30), Box(50))
    assert corners(qtbot, host, 120) == [(0, 0), (58, 0), (0, 34)]


def test_a_hidden_widget_has_no_place_and_leaves_no_gap(qtbot: QtBot) -> None:
    boxes = [Box(50) for _ in range(4)]
    host = flowing(qtbot, *boxes)
    for box in boxes[:2]:
        box.hide()
    assert corners(qtbot, host, 108) == [(0, 0), (58, 0)]
    assert host.heightForWidth(108) == 20
