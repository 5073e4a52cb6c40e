"""The list of checks: marks that are no colours alone, bars in powers of ten, lines that open."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from gui.style import palette
from gui.widgets.check_list import MARKS, Check, CheckList, bar_share
from gui.widgets.text import Paragraph

CHECKS = [
    Check(
        "failed", "<b>three</b> & four" * 4, "residual 1, tolerance 0.1", 10.0, (Paragraph("x"),)
    ),
    Check("passed", "rows sum to 1", "residual 0", 0.0, (Paragraph("what is compared " * 9),)),
    Check("undefined", "path check", "does not apply: no earlier head", None, ()),
]


@pytest.fixture(params=[240, 300, 700])
def shown(qtbot, request):
    checks = CheckList()
    qtbot.addWidget(checks)
    checks.resize(request.param, 400)
    checks.set_checks(CHECKS)
    checks.show()
    return checks


def test_marks_differ_without_colour():
    assert len(set(MARKS.values())) == len(MARKS)


def test_the_bar_counts_powers_of_ten_up_to_100_times_the_limit():
    assert bar_share(1.0) == 0.75
    assert bar_share(1e-3) == pytest.approx(0.375)
    assert [bar_share(0.0), bar_share(1e-9), bar_share(1e5)] == [0.0, 0.0, 1.0]
    assert bar_share(float("inf")) == 1.0


def test_lines_do_not_overlap_and_stay_inside(shown):
    shown.toggle(0)
    shown.toggle(1)
    boxes = [shown.line_rect(line) for line in range(len(CHECKS))]
    for above, below in pairwise(boxes):
        assert above.bottom() <= below.top()
    assert all(box.right() <= shown.viewport().width() for box in boxes)


def test_a_failed_line_stands_on_its_own_ground(qtbot, dressed):
    checks = CheckList()
    qtbot.addWidget(checks)
    checks.resize(500, 300)
    checks.set_checks(CHECKS)
    checks.show()
    at = checks.line_rect(0).bottomRight() - QPointF(12, 4)
    colour = checks.viewport().grab().toImage().pixelColor(at.toPoint())
    assert colour == QColor(palette.theme().bad_ground)


def test_a_line_stays_open_when_the_checks_come_again(qtbot, shown):
    place = shown.line_rect(1).center().toPoint()
    with qtbot.waitSignal(shown.toggled, check_params_cb=lambda line: line == 1):
        qtbot.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)
    shown.set_checks(CHECKS[1:])
    assert [shown.is_open(line) for line in (0, 1)] == [True, False]


def test_the_keyboard_walks_and_space_opens(qtbot, shown):
    shown.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Space):
        qtbot.keyClick(shown, key)
    assert [shown.is_open(line) for line in range(3)] == [True, False, False]
    assert shown.accessibleDescription().startswith("failed: <b>three</b> & four")


def test_the_tool_tip_explains_the_click_and_the_bar(shown):
    line = shown.line_rect(2)
    assert shown.tip_at(line.topLeft() + QPointF(4, 4)).startswith("Show what is compared")
    tips = {
        shown.tip_at(QPointF(x, y))
        for x in range(0, shown.viewport().width(), 4)
        for y in range(0, int(line.top()), 2)
    }
    assert any("the line is the tolerance" in tip for tip in tips)


def test_no_check_at_all_is_no_trouble(qtbot, shown):
    shown.set_checks([])
    qtbot.keyClick(shown, Qt.Key.Key_Down)
    shown.grab()
    assert shown.item_at(QPointF(5, 5)) is None


def test_a_line_that_the_edge_would_cut_is_not_drawn_until_it_is_scrolled_to(qtbot):
    checks = CheckList()
    qtbot.addWidget(checks)
    checks.resize(500, 400)
    checks.set_checks([Check("passed", f"claim {n}", "residual 0", 0.0, ()) for n in range(6)])
    last = checks.line_rect(3)
    checks.resize(500, round(last.center().y()))
    checks.show()
    image = checks.grab().toImage()
    ground = image.pixelColor(2, image.height() - 2)
    row = {
        image.pixelColor(x, y).name()
        for x in range(image.width() - 20)  # the scroll bar
        for y in range(round(last.top()) + 1, image.height())
    }
    assert row == {ground.name()}
    assert checks.item_at(QPointF(60, image.height() - 4)) is None
    checks.verticalScrollBar().setValue(checks.verticalScrollBar().maximum())
    place = checks.line_rect(5).center()
    assert checks.item_at(place) == 5
