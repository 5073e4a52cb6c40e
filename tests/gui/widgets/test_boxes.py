"""The wheel turns no value that has not the keyboard; numbers are typed with comma or point."""

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.export.options_form import FigureForm
from gui.state.figure_options import FigureOptions
from gui.widgets.controls import ComboBox, DoubleSpinBox, SpinBox
from tests.waiting import activate, pause

OWN = ("QComboBox", "QSpinBox", "QDoubleSpinBox", "QSlider", "QDial", "QDateTimeEdit")
GUI = Path(__file__).parents[3] / "gui"


@pytest.fixture(params=[QLocale.Language.German, QLocale.Language.English, QLocale.Language.French])
def language(request):
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield request.param
    QLocale.setDefault(before)


def turn(widget):
    """Turn the wheel over a widget, as the window system does."""
    at = widget.mapTo(widget.window(), widget.rect().center())
    QTest.wheelEvent(widget.window().windowHandle(), QPointF(at), QPoint(0, -120))
    pause(1)


def value(box):
    return box.currentIndex() if isinstance(box, QComboBox) else box.value()


@pytest.mark.parametrize("kind", [ComboBox, SpinBox, DoubleSpinBox])
def test_the_wheel_scrolls_the_page_unless_the_box_has_the_keyboard(qtbot, kind):
    page, scroll = QWidget(), QScrollArea()
    column = QVBoxLayout(page)
    boxes = [kind() for _ in range(2)]
    for box in boxes:
        if isinstance(box, QComboBox):
            box.addItems(["a", "b", "c"])
            box.setCurrentIndex(1)
        else:
            box.setValue(5)
        column.addWidget(box)
    column.addSpacing(2000)
    scroll.setWidget(page)
    qtbot.addWidget(scroll)
    scroll.resize(300, 200)
    scroll.show()
    activate(scroll)
    boxes[1].setFocus()
    before = value(boxes[0])
    turn(boxes[0])
    assert value(boxes[0]) == before
    assert boxes[1].hasFocus()
    assert scroll.verticalScrollBar().value() > 0
    scroll.verticalScrollBar().setValue(0)
    turn(boxes[1])
    assert value(boxes[1]) != before


def test_no_control_of_the_export_form_is_turned_by_the_wheel(qtbot):
    form = FigureForm(FigureOptions())
    qtbot.addWidget(form)
    form.show()
    activate(form)
    form.labels.setFocus()
    pause(1)
    before = form.options()
    for kind in (QComboBox, QAbstractSpinBox, QAbstractSlider):
        for box in form.findChildren(kind):
            if box.isVisible():
                turn(box)
    assert form.options() == before


def typed(qtbot, box, text):
    """Type over what is in a box, and leave it."""
    qtbot.addWidget(box)
    box.show()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)
    return box.value()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("7.5", 7.5), ("7,5", 7.5), ("0,25", 0.25), (",5", 0.5), ("12", 12.0), ("1,234", 1.23)),
        *(("1.234,5", 1234.5), ("1,234.5", 1234.5), ("1.234.567", 1234567.0)),
    ],
)
def test_a_number_is_read_with_a_comma_or_a_point_and_shown_with_a_point(
    qtbot, language, text, number
):
    box = DoubleSpinBox()
    box.setRange(0, 1e7)
    box.setDecimals(2)
    box.setSuffix(" pt")
    assert typed(qtbot, box, text) == number
    assert box.text() == f"{number:.2f} pt"


@pytest.mark.parametrize(
    ("text", "number"),
    [("600", 600), ("1.200", 1200), ("1,200", 1200), ("1 200", 1200), ("7,5", 7), ("7.5", 7)],
)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_whole_number_is_read_with_its_thousands_parted_and_no_fraction_is_made_one(
    qtbot, language, text, number, grouped
):
    box = SpinBox()
    box.setRange(1, 10_000)
    box.setValue(300)
    box.setGroupSeparatorShown(grouped)
    box.setSuffix(" dpi")
    assert typed(qtbot, box, text) == number
    assert box.text() == (f"{number:,} dpi" if grouped else f"{number} dpi")


def test_the_window_has_no_other_boxes():
    for path in GUI.rglob("*.py"):
        if path.name != "controls.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
            assert not names & set(OWN), f"{path.name}: take those of gui.widgets.controls"
