"""What happens to the cards when the window grows."""

from itertools import combinations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QScrollArea, QTabBar

from gui.shell.dock_area import SETTLED_MS
from gui.shell.layouts import LAYOUTS
from gui.widgets.table import Table
from tests.gui.conftest import filled
from tests.waiting import activate


def widths(window, layout):
    by_title = {dock.kind.title: dock for dock in window.docks}
    return [by_title[column.titles[0]].width() for column in layout.columns]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_a_window_that_grows_gives_its_columns_the_shares_of_its_layout(qtbot, window, layout):
    window.resize(1600, 1000)
    window.lay_out(layout)
    qtbot.wait(50)
    expected = widths(window, layout)
    window.resize(1000, 1000)
    window.lay_out(layout)
    qtbot.wait(50)
    for width in (1100, 1300, 1600):
        window.resize(width, 1000)
        qtbot.wait(30)
    qtbot.wait(SETTLED_MS)
    assert widths(window, layout) == pytest.approx(expected, abs=4)


def test_a_column_that_somebody_has_made_wider_is_left_alone(qtbot, window):
    window.resize(1200, 1000)
    window.lay_out(LAYOUTS[0])
    qtbot.wait(50)
    area = window.docks[0].parentWidget()
    edge = QPoint(window.docks[0].geometry().right() + 4, 100)
    qtbot.mousePress(area, Qt.MouseButton.LeftButton, pos=edge)
    qtbot.mouseMove(area, edge + QPoint(120, 0))
    qtbot.mouseRelease(area, Qt.MouseButton.LeftButton, pos=edge + QPoint(120, 0))
    qtbot.wait(30)
    own = widths(window, LAYOUTS[0])
    window.resize(1300, 1000)
    qtbot.wait(50)
    grown = widths(window, LAYOUTS[0])
    window.cards.reset()
    qtbot.wait(50)
    assert grown != pytest.approx(widths(window, LAYOUTS[0]), abs=4)
    assert grown[0] >= own[0] - 4


def test_closing_a_column_and_growing_says_nothing(qtbot, qtlog, window):
    window.resize(1000, 1000)
    window.lay_out(LAYOUTS[0])
    qtbot.wait(50)
    window.docks[2].close()
    window.resize(1600, 1000)
    qtbot.wait(50)
    assert [record.message for record in qtlog.records] == []


def scrolling_with_lists(window):
    """Return cards in sight that scroll although a list in them could."""
    found = set()
    for dock in window.docks:
        if dock.panel is None or dock.visibleRegion().isEmpty():
            continue
        outer = dock.panel.body.parentWidget().parentWidget()
        assert isinstance(outer, QScrollArea)
        lists = [w for w in dock.panel.body.findChildren(Table) if w.isVisible()]
        if outer.verticalScrollBar().maximum() and lists:
            found.add(dock.kind.title)
    return found


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_in_a_small_window_no_list_scrolls_inside_a_card_that_scrolls(
    qtbot, window, client, layout
):
    window.resize(1000, 700)
    window.lay_out(layout)
    qtbot.wait(50)
    filled(qtbot, client, *window.panels)
    # Two heads in a row are a picture, two lists and what both mean: one card cannot hold them.
    assert scrolling_with_lists(window) <= {"Virtual head"}


def front(window):
    return {dock.kind.title for dock in window.docks if not dock.visibleRegion().isEmpty()}


def test_a_window_made_narrow_lays_cards_behind_others_and_beside_them_when_it_grows(qtbot, window):
    before = front(window)
    window.resize(720, 900)
    qtbot.waitUntil(lambda: len(front(window)) < len(before))
    qtbot.wait(SETTLED_MS)
    docks = [dock for dock in window.docks if not dock.visibleRegion().isEmpty()]
    assert all(dock.parentWidget().rect().contains(dock.geometry()) for dock in docks)
    for one, other in combinations(docks, 2):
        assert not one.geometry().intersects(other.geometry())
    assert "Attention" in front(window)
    assert {dock.kind.title for dock in window.docks if not dock.isHidden()} == before
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: front(window) == before)


def test_a_card_that_somebody_let_float_is_left_alone_when_the_window_is_made_narrow(qtbot, window):
    card = next(dock for dock in window.docks if dock.kind.title == "Spectrum")
    card.setFloating(True)
    window.resize(720, 900)
    qtbot.wait(2 * SETTLED_MS)
    assert card.isFloating()


def test_of_cards_that_come_to_share_a_place_that_with_the_keyboard_is_in_front(qtbot, window):
    activate(window)
    qk = next(dock for dock in window.docks if dock.kind.title == "QK")
    qk.bring()
    window.resize(720, 900)
    qtbot.waitUntil(lambda: len(front(window)) < 6)
    qtbot.wait(SETTLED_MS)
    assert "QK" in front(window)
    assert qk.has_keyboard


def test_a_card_that_is_called_to_the_front_by_its_tab_has_the_keyboard(qtbot, window):
    activate(window)
    window.resize(720, 600)
    qtbot.waitUntil(lambda: any(t.isVisible() for t in window.findChildren(QTabBar)))
    qtbot.wait(2 * SETTLED_MS)
    tabs = next(t for t in window.findChildren(QTabBar) if t.isVisible() and t.count() > 1)
    for number in (1, 0):
        title = tabs.tabText(number)
        qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(number).center())
        dock = next(dock for dock in window.docks if dock.kind.title == title)
        qtbot.waitUntil(lambda dock=dock: dock.has_keyboard)
        assert title in front(window)


class Relayouts(QObject):
    """Counts how often what cards show changed its size."""

    def __init__(self, window):
        super().__init__(window)
        self.count = 0
        for panel in window.panels:
            panel.body.installEventFilter(self)

    def eventFilter(self, _, event):
        self.count += event.type() == QEvent.Type.Resize
        return False


@pytest.mark.parametrize("percent", [100, 150])
def test_at_no_size_of_the_window_are_cards_laid_out_without_end(qtbot, window, client, percent):
    window.text_sizes.set(percent)
    most = 0
    try:
        for layout in LAYOUTS:
            window.resize(1600, 1000)
            window.lay_out(layout)
            qtbot.wait(50)
            filled(qtbot, client, *window.panels)
            relayouts = Relayouts(window)
            # Heights that share no step with the widths.
            for width in (*range(1600, 700, -75), *range(700, 1601, 75)):
                relayouts.count = 0
                window.resize(width, 480 + width * 7 % 530)
                qtbot.wait(20)
                most = max(most, relayouts.count)
            for _ in range(10):  # a busy computer settles later
                relayouts.count = 0
                qtbot.wait(2 * SETTLED_MS)
                if not relayouts.count:
                    break
            assert relayouts.count == 0
    finally:
        window.text_sizes.reset()
    assert most < 20 * len(window.panels)
