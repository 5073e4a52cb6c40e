"""Every named layout puts its cards where it says, and leaves every other one closed."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gui.shell.layouts import LAYOUTS, restore_docks
from gui.window import Window


@pytest.mark.parametrize("size", [(1600, 1000), (1000, 700)])
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_a_layout_shows_its_cards_in_columns_and_no_others(qtbot, window, layout, size):
    window.resize(*size)
    window.lay_out(layout)
    qtbot.wait(50)
    by_title = {dock.kind.title: dock for dock in window.docks}
    placed = [title for column in layout.columns for title in column.titles]
    assert {t for t, dock in by_title.items() if not dock.isHidden()} == set(placed)
    left = [by_title[column.titles[0]].geometry() for column in layout.columns]
    for one, next_ in pairwise(left):
        assert one.right() < next_.left()
    for column in layout.columns:
        fronts = [by_title[stack.titles[0]] for stack in column.stacks]
        assert not fronts[0].visibleRegion().isEmpty()
        # Qt takes the handles between columns from them.
        assert fronts[0].width() >= column.least - 4


def test_a_window_asked_to_be_tiny_says_nothing(qtbot, qtlog, session, client):
    window = Window(session, client, None, "light", (100, 100))
    qtbot.addWidget(window)
    window.show()
    qtbot.wait(50)
    assert [record.message for record in qtlog.records if "Docks" in record.message] == []


def test_a_card_outside_the_layout_opens_in_front(qtbot, window):
    window.docks[2].close()
    qtbot.wait(30)
    window.docks[2].open_action.trigger()
    qtbot.wait(30)
    assert not window.docks[2].visibleRegion().isEmpty()


def test_reset_goes_back_to_the_layout_last_chosen(qtbot, window):
    window.lay_out(LAYOUTS[-1])
    window.docks[0].close()
    window.cards.reset()
    qtbot.wait(50)
    placed = {title for column in LAYOUTS[-1].columns for title in column.titles}
    assert {d.kind.title for d in window.docks if not d.isHidden()} == placed


@pytest.mark.parametrize("how", ["laid out", "put back"])
def test_cards_can_be_laid_out_while_one_is_being_dragged(qtbot, qtlog, window, how):
    window.resize(1600, 1000)
    qtbot.wait(50)
    handle, left, before = window.windowHandle(), Qt.MouseButton.LeftButton, window.state()
    for dock in [dock for dock in window.docks if not dock.visibleRegion().isEmpty()][:2]:
        at = dock.mapTo(window, QPoint(30, 12))
        QTest.mousePress(handle, left, Qt.KeyboardModifier.NoModifier, at)
        for step in (20, 60, 120):
            QTest.mouseMove(handle, at + QPoint(step, step))
        assert dock.isFloating()
        if how == "laid out":
            window.lay_out(LAYOUTS[1])
        else:
            assert restore_docks(window.docks[0].parentWidget(), window.docks, before)
        QTest.mouseMove(handle, at + QPoint(200, 200))
        QTest.mouseRelease(handle, left, Qt.KeyboardModifier.NoModifier, at + QPoint(200, 200))
        qtbot.wait(30)
        assert not any(each.isFloating() for each in window.docks)
    assert [record.message for record in qtlog.records if "Dock" in record.message] == []
