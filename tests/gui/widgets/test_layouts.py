"""Widgets in rows as words in a paragraph, and two columns that fold into one."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QWidget

from gui.widgets.layouts import FlowLayout, ResponsiveColumns


class Box(QWidget):
    """A widget of one size."""

    def __init__(self, width=50, height=20):
        super().__init__()
        self._size = QSize(width, height)

    def sizeHint(self):
        return self._size


@pytest.mark.parametrize(
    ("boxes", "hidden", "width", "corners"),
    [
        ([Box, Box], 0, 108, [(0, 0), (58, 0)]),
        ([Box, Box], 0, 107, [(0, 0), (0, 24)]),
        ([Box, lambda: Box(50, 30), Box], 0, 120, [(0, 0), (58, 0), (0, 34)]),
        ([Box, Box, Box, Box], 2, 108, [(0, 0), (58, 0)]),
    ],
    ids=["fits", "a pixel too wide", "highest of a row", "hidden"],
)
def test_a_row_holds_what_fits_and_a_hidden_widget_leaves_no_gap(
    qtbot, boxes, hidden, width, corners
):
    host = QWidget()
    qtbot.addWidget(host)
    flow = FlowLayout(8, 4, host)
    made = [box() for box in boxes]
    for box in made:
        flow.addWidget(box)
    for box in made[:hidden]:
        box.hide()
    host.resize(width, 200)
    host.show()
    qtbot.wait(1)
    assert [(box.x(), box.y()) for box in made[hidden:]] == corners
    assert host.heightForWidth(width) == corners[-1][1] + 20


@pytest.fixture
def folding(qtbot):
    picture, below, tall = QWidget(), QLabel("below"), QWidget()
    tall.setMinimumHeight(50)
    made = ResponsiveColumns(picture, lambda width: width, 80, (picture, below), (tall,), tall, 400)
    made.picture, made.below, made.tall = picture, below, tall
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def test_columns_fold_where_it_is_narrow_and_unfold_again(qtbot, folding):
    def place(widget):
        return widget.mapTo(folding, widget.rect().topLeft())

    for _ in range(2):
        assert not folding.folded
        assert folding.picture.height() > 200
        assert place(folding.tall).x() > folding.picture.width()
        assert place(folding.tall).y() == place(folding.picture).y()
        folding.resize(200, 500)
        qtbot.wait(10)
        assert folding.folded
        assert folding.picture.height() == 200
        below = place(folding.below).y() + folding.below.height()
        assert 0 <= place(folding.tall).y() - below < 20
        assert folding.tall.height() > 200
        folding.resize(500, 400)
        qtbot.wait(10)
