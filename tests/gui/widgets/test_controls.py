"""Segmented controls; boxes that leave the wheel alone and read a comma or a point."""

import ast
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.export.options_form import FigureForm
from gui.state.figure_options import FigureOptions
from gui.widgets.controls import ComboBox, DoubleSpinBox, Segmented, SpinBox
from gui.widgets.fields import PromptEdit
from tests.waiting import activate, pause

KINDS = [("pattern", "pattern"), ("scores", "Q & K"), ("value", "<b>value</b>")]


def buttons(widget):
    return widget.findChildren(QPushButton)


@pytest.fixture
def segmented(qtbot):
    widget = Segmented(KINDS, "Kind")
    qtbot.addWidget(widget)
    widget.show()
    return widget


def test_a_click_chooses_and_tells_once_and_arrow_keys_move_the_choice(qtbot, segmented):
    told = []
    segmented.changed.connect(told.append)
    assert segmented.value() == "pattern"
    for _ in range(2):
        qtbot.mouseClick(buttons(segmented)[1], Qt.MouseButton.LeftButton)
    assert (segmented.value(), told) == ("scores", ["scores"])
    buttons(segmented)[1].setFocus()
    qtbot.keyClick(buttons(segmented)[1], Qt.Key.Key_Right)
    assert told == ["scores", "value"]


def test_setting_the_value_tells_nobody(qtbot, segmented):
    with qtbot.assertNotEmitted(segmented.changed):
        segmented.set_value("value")
    assert segmented.value() == "value"
    with pytest.raises(KeyError):
        segmented.set_value("nothing")


def test_no_option_is_chosen_until_one_is_clicked_again(qtbot, segmented):
    segmented.choose_none()
    assert segmented.value() == ""
    with qtbot.waitSignal(segmented.changed) as told:
        qtbot.mouseClick(buttons(segmented)[0], Qt.MouseButton.LeftButton)
    assert told.args == [segmented.value()] == ["pattern"]
    assert not buttons(segmented)[1].isChecked()


def test_an_option_says_what_it_means_or_why_it_is_forbidden(qtbot, segmented, tip_label):
    button = buttons(segmented)[1]

    def tip():
        return tip_label(button, QPointF(button.rect().center()))

    segmented.set_option_enabled("scores", False, "needs a <prompt> first")
    with qtbot.assertNotEmitted(segmented.changed):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert tip() == "needs a <prompt> first"
    segmented.set_option_enabled("scores", True)
    assert button.toolTip() == ""
    segmented.set_option_tip("scores", "before <softmax>")
    assert tip() == "before <softmax>"
    segmented.set_option_enabled("scores", False, "not yet")
    assert tip() == "not yet"
    segmented.set_option_enabled("scores", True)
    assert tip() == "before <softmax>"


def test_labels_are_shown_as_they_are(segmented):
    shown = [button.text().replace("&&", "&") for button in buttons(segmented)]
    assert shown == [label for _, label in KINDS]
    assert all(button.shortcut().isEmpty() for button in buttons(segmented))
    assert buttons(segmented)[1].accessibleName() == "Kind: Q & K"


def test_ten_thousand_signals_keep_the_reference_counts(qtbot):
    """PySide6 6.12 on Python 3.11 loses one reference to True or None at each."""
    widget = Segmented(KINDS, "Kind")
    qtbot.addWidget(widget)
    strip = PromptEdit()
    qtbot.addWidget(strip)
    button = buttons(widget)[0]
    button.toggled.connect(lambda on: None)
    constants = (None, True, False)
    before = [sys.getrefcount(constant) for constant in constants]
    for turn in range(10_000):
        button.toggled.emit(turn % 2 == 0)
        widget.changed.emit("pattern")
        strip.setReadOnly(False)
    after = [sys.getrefcount(constant) for constant in constants]
    assert all(abs(new - old) < 500 for new, old in zip(after, before, strict=True))


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
