"""Two columns that fold into one where a card is narrow."""

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from gui.widgets.layouts import Folding


@pytest.fixture
def folding(qtbot):
    picture, below, tall = QWidget(), QLabel("below"), QWidget()
    tall.setMinimumHeight(50)
    made = Folding(picture, lambda width: width, 80, (picture, below), (tall,), tall, 400)
    made.picture, made.below, made.tall = picture, below, tall
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def place(folding, widget):
    return widget.mapTo(folding, widget.rect().topLeft())


def test_a_wide_one_stands_side_by_side(qtbot, folding):
    assert not folding.folded
    assert place(folding, folding.tall).x() > folding.picture.width()
    assert place(folding, folding.tall).y() == place(folding, folding.picture).y()


def test_a_narrow_one_is_stacked_with_the_picture_as_high_as_it_fills(qtbot, folding):
    folding.resize(200, 500)
    qtbot.wait(10)
    assert folding.folded
    assert folding.picture.height() == 200
    below = place(folding, folding.below).y() + folding.below.height()
    assert 0 <= place(folding, folding.tall).y() - below < 20
    assert folding.tall.height() > 200


def test_it_unfolds_again(qtbot, folding):
    folding.resize(200, 500)
    qtbot.wait(10)
    folding.resize(500, 400)
    qtbot.wait(10)
    assert not folding.folded
    assert folding.picture.height() > 200
