"""What somebody without a mouse, or without sight, has of the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTableView,
    QWidget,
)

from gui.shell.layouts import LAYOUTS
from gui.style import palette
from gui.widgets.curve_plots import SpectrumPlot
from gui.widgets.number_tables import FrozenNames
from gui.widgets.painting import Pointing
from tests.gui.conftest import filled
from tests.waiting import activate, pause

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    Pointing,
    SpectrumPlot,
)
DATA = (Pointing, SpectrumPlot, QTableView)


@pytest.fixture
def full(qtbot, window, client):
    """Open every card, one after the other, so that each has drawn once."""
    for dock in window.docks:
        dock.show()
        dock.raise_()
        qtbot.wait(5)
        filled(qtbot, client, dock.panel)
    return window


def inner(widget):
    """Return whether Qt made a widget as a part of another, or it only repeats another."""
    parent = widget.parentWidget()
    return (
        widget.objectName().startswith("qt_")
        or isinstance(widget, QHeaderView | FrozenNames)
        or isinstance(parent, QLineEdit | QAbstractSpinBox)
        or (isinstance(parent, QTabBar) and isinstance(widget, QAbstractButton))
    )


def controls(window):
    """Return everything that takes clicks or keys."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if not inner(widget)
        and (
            isinstance(widget, CONTROLS)
            or (widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None)
        )
    ]


def name(widget):
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or text


def told(widgets):
    return [f"{type(widget).__name__} {name(widget)}" for widget in widgets]


def test_every_control_has_a_name_and_every_picture_a_description(full, qtbot, client):
    for layout in LAYOUTS:
        full.lay_out(layout)
        qtbot.wait(30)
        found = [w for w in controls(full) if not w.isHidden()]
        assert len(found) > 100
        assert "; ".join(told(w for w in found if not name(w))) == ""
        pictures = [widget for widget in found if isinstance(widget, DATA)]
        assert len(pictures) > 25
        assert "; ".join(told(w for w in pictures if not w.accessibleDescription())) == ""


def test_every_picture_takes_the_keyboard_by_tab(full):
    pictures = [w for w in controls(full) if isinstance(w, DATA)]
    assert told(w for w in pictures if not w.focusPolicy() & Qt.FocusPolicy.TabFocus) == []


def test_tab_reaches_every_control_of_a_card_and_none_out_of_sight(full, qtbot):
    for layout in LAYOUTS:
        full.lay_out(layout)
        qtbot.wait(30)
        reached = set()
        widget = full.nextInFocusChain()
        while widget is not full:
            reached.add(widget)
            widget = widget.nextInFocusChain()
        missing = [w for w in controls(full) if w.isVisible() and w not in reached]
        assert told(missing) == []


def changed(widget, before):
    after = widget.grab().toImage()
    accent = palette.theme().accent
    return before != after and any(
        after.pixelColor(x, y).name() == accent and before.pixelColor(x, y).name() != accent
        for x in range(after.width())
        for y in {0, 1, 2, after.height() // 2, after.height() - 2, after.height() - 1}
        if y < after.height()
    )


def seen(widget):
    """Return whether keyboard focus shows: something turns to the accent colour."""
    widget.clearFocus()
    pause(1)
    before = widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    pause(1)
    return changed(widget, before)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_focus_by_key_is_seen_on_every_control(qtbot, window, client, layout):
    window.lay_out(layout)
    qtbot.wait(30)
    filled(qtbot, client, *window.panels)
    activate(window)
    found = [
        w
        for w in controls(window)
        if w.isVisible()
        and w.isEnabled()
        and w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not w.visibleRegion().isEmpty()
    ]
    assert len(found) > 25
    assert "; ".join(told(w for w in found if not seen(w))) == ""


def test_a_picture_describes_what_is_marked_once_it_has_the_keyboard(qtbot, window):
    heads = next(panel for panel in window.panels if panel.title == "Heads").grid
    activate(window)
    heads.setFocus(Qt.FocusReason.TabFocusReason)
    before = heads.accessibleDescription()
    assert window.session.selection.head.name in before
    assert "X switches one off" in before
    qtbot.keyClick(heads, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: heads.accessibleDescription() != before)
    assert window.session.selection.head.name in heads.accessibleDescription()


def test_the_key_of_a_card_brings_it_gives_it_the_keyboard_and_only_then_closes_it(qtbot, window):
    activate(window)
    dock = next(dock for dock in window.docks if dock.kind.title == "Attention")
    assert dock.isVisible()
    assert not dock.has_keyboard
    dock.open_action.trigger()
    assert dock.isVisible()
    assert window.focusWidget() is dock.panel.heatmap
    dock.open_action.trigger()
    assert not dock.isVisible()
    assert not dock.open_action.isChecked()
    dock.open_action.trigger()
    assert dock.isVisible()
    assert dock.has_keyboard
    assert dock.open_action.isChecked()


def test_ctrl_w_closes_the_card_that_has_the_keyboard_and_no_other(qtbot, window):
    activate(window)
    before = {dock.kind.title for dock in window.docks if dock.isVisible()}
    window.top.bos.setFocus()
    window.cards.close_current()
    assert {dock.kind.title for dock in window.docks if dock.isVisible()} == before
    next(dock for dock in window.docks if dock.kind.title == "QK").bring()
    qtbot.keyClick(window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert before - {dock.kind.title for dock in window.docks if dock.isVisible()} == {"QK"}


def test_f6_goes_from_card_to_card_and_round(qtbot, window):
    activate(window)

    def holder():
        return next((dock.kind.title for dock in window.docks if dock.has_keyboard), "")

    window.top.bos.setFocus()
    assert holder() == ""
    visited = []
    for _ in range(7):
        qtbot.keyClick(window, Qt.Key.Key_F6)
        visited.append(holder())
    assert visited == ["Prompt", "Heads", "Attention", "OV", "QK", "Spectrum", "Prompt"]
    qtbot.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert holder() == "Spectrum"


def test_no_two_actions_have_the_same_keys(window):
    keys = [key.toString() for action in window.actions() for key in action.shortcuts()]
    assert sorted(keys) == sorted(set(keys))
