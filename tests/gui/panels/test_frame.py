"""Controls stand beside a panel's title where there is room, and under it elsewhere."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.panels.frame import Frame

CONTROL = 120


class Control(QWidget):
    """As wide as it asks to be."""

    def sizeHint(self):
        return QSize(CONTROL, 20)


@pytest.fixture
def card(qtbot):
    """Return a card without help: its host, its frame, and three controls."""
    return made(qtbot, "Title")


def made(qtbot, title):
    """Return a card's host, its frame, and three controls."""
    host, panel = QWidget(), QWidget()
    qtbot.addWidget(host)
    frame = Frame(panel, title)
    controls = [Control() for _ in range(3)]
    frame.add_controls(controls)
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(frame.header)
    column.addWidget(panel, 1)
    host.resize(900, 400)
    host.show()
    qtbot.wait(1)
    return host, frame, controls


def in_the_head(frame, controls):
    return [control.parentWidget() is frame.header for control in controls]


def resize(card, width):
    """Give a card a width; as in a new layout, it is placed more than once in one turn."""
    host, frame, _ = card
    host.resize(width, 400)
    host.layout().activate()
    for _ in range(3):
        frame.place_controls()


@pytest.mark.parametrize(("width", "beside"), [(900, 3), (350, 2), (230, 1), (150, 0)])
def test_as_many_controls_stand_beside_the_title_as_have_room(qtbot, card, width, beside):
    _, frame, controls = card
    for before in (900, 150):
        resize(card, before)
        resize(card, width)
        qtbot.wait(1)
        assert in_the_head(frame, controls) == [n < beside for n in range(3)]
        assert all(control.isVisible() for control in controls)
        assert all(control.width() >= CONTROL for control in controls)


def test_a_control_that_the_panel_hides_takes_no_room(qtbot, card):
    _, frame, controls = card
    controls[0].hide()
    resize(card, 350)
    qtbot.wait(1)
    assert in_the_head(frame, controls) == [True, True, True]
    assert [control.isVisible() for control in controls] == [False, True, True]


def test_at_no_width_do_controls_lie_under_the_help_or_lose_their_own(qtbot):
    card = made(qtbot, "OV")
    _, frame, controls = card
    for width in range(160, 900, 20):
        resize(card, width)
        qtbot.wait(1)
        assert frame.help.geometry().right() < width
        for control in controls:
            assert control.width() >= CONTROL
            if control.parentWidget() is frame.header:
                assert control.geometry().right() < frame.help.geometry().left()


class Square(QWidget):
    """At least as high as it is wide: a picture."""

    def resizeEvent(self, event):
        self.setMinimumHeight(event.size().width())


def test_a_picture_that_just_fits_is_as_wide_as_one_that_is_scrolled(qtbot, card):
    host, frame, _ = card
    column = QVBoxLayout(frame.body)
    column.setContentsMargins(0, 0, 0, 0)
    picture = Square()
    column.addWidget(picture)
    frame.show_picture(True)
    widths, scrolled = set(), set()
    # Far from where it just fits first: a card that lays itself out without end ends the program.
    for height in (200, 800, *range(330, 430, 4), *range(430, 330, -4)):
        host.resize(350, height)
        qtbot.wait(1)
        widths.add(picture.width())
        outer = frame.body.parentWidget().parentWidget()
        scrolled.add(outer.verticalScrollBar().maximum() > 0)
        assert len(widths) == 1
    assert scrolled == {False, True}
