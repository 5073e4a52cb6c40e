"""The line at the top: the layout in use, what is found by typing, and the main button."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QToolButton

from gui.export.dialog import ExportDialog
from gui.shell.command_palette import LONG, SHORT
from gui.shell.layouts import LAYOUTS
from gui.shell.picture_dialog import PictureDialog
from tests.waiting import activate

ONE_WINDOW = True

LEFT = Qt.MouseButton.LeftButton


def segment(window, layout):
    buttons = window.top.layouts.findChildren(QPushButton)
    return next(button for button in buttons if button.text() == layout.name)


def opened(window):
    return {dock.kind.title for dock in window.docks if not dock.isHidden()}


def cards(layout):
    return {title for column in layout.columns for title in column.titles}


def popped_up(window):
    """Return the menu of the main button, and its entries by their text."""
    menu = window.top.export.findChild(QMenu)
    return menu, {action.text(): action for action in menu.actions() if action.text()}


def test_a_click_lays_the_cards_out_and_undo_takes_switch_and_cards_back(qtbot, window):
    assert window.top.layouts.value() == LAYOUTS[0].name
    qtbot.mouseClick(segment(window, LAYOUTS[2]), LEFT)
    qtbot.wait(50)
    assert opened(window) == cards(LAYOUTS[2])
    window.undo.undo()
    qtbot.wait(50)
    assert opened(window) == cards(LAYOUTS[0])
    assert window.top.layouts.value() == LAYOUTS[0].name


def test_a_click_on_the_layout_in_use_puts_its_cards_back(qtbot, window):
    window.docks[3].close()
    assert opened(window) != cards(LAYOUTS[0])
    qtbot.mouseClick(segment(window, LAYOUTS[0]), LEFT)
    qtbot.wait(50)
    assert opened(window) == cards(LAYOUTS[0])


def test_the_switch_follows_keys_and_sessions(qtbot, window):
    first = window.document.current()
    activate(window)
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(window, Qt.Key.Key_2, modifiers)
    assert window.top.layouts.value() == LAYOUTS[1].name
    second = window.document.current()
    window.begin(first)
    assert window.top.layouts.value() == LAYOUTS[0].name
    window.begin(second)
    assert window.top.layouts.value() == LAYOUTS[1].name
    qtbot.wait(50)


def test_the_field_opens_the_box_that_finds_heads_cards_and_actions(qtbot, window):
    qtbot.mouseClick(window.top.search, LEFT)
    assert window.finder.isVisible()
    heads = [command for command in window.finder.shown() if command.head is not None]
    assert 0 < len(heads) < len(window.finder.shown())
    window.finder.reject()


def test_the_main_button_offers_every_card_in_view_that_in_use_first(qtbot, window):
    activate(window)
    next(dock for dock in window.docks if dock.kind.title == "QK").bring()
    qtbot.mouseClick(window.top.export, LEFT)
    menu, entries = popped_up(window)
    titles = ["QK", "Prompt", "Heads", "Attention", "OV", "Spectrum"]
    assert list(entries) == [*(f"{title} …" for title in titles), "Picture of window or cards …"]
    entries["Attention …"].trigger()
    menu.close()
    dialog = window.findChild(ExportDialog)
    assert dialog.isVisible()
    dialog.reject()


def test_the_main_button_lists_cards_as_they_lie_in_every_layout(qtbot, window):
    for layout in (*LAYOUTS[1:], LAYOUTS[0]):
        qtbot.mouseClick(segment(window, layout), LEFT)
        qtbot.wait(50)
        for dock in reversed(window.docks):
            if not dock.visibleRegion().isEmpty():
                dock.raise_()
        rest = window.top.export.cards()[1:]
        places = [panel.mapTo(window, QPoint(0, 0)).toTuple() for panel in rest]
        assert len(rest) > 2
        assert places == sorted(places)


def test_the_main_button_leads_to_a_picture_as_well(qtbot, window):
    qtbot.mouseClick(window.top.export, LEFT)
    menu, entries = popped_up(window)
    entries["Picture of window or cards …"].trigger()
    menu.close()
    dialog = window.findChild(PictureDialog)
    assert dialog.isVisible()
    dialog.reject()


@pytest.fixture
def sized(window):
    yield window.text_sizes.set
    window.text_sizes.reset()


@pytest.mark.parametrize("percent", [100, 200])
def test_in_a_narrow_window_what_menus_have_gives_way_and_nothing_is_cut(
    qtbot, window, sized, percent
):
    top = window.top
    sized(percent)
    shown = {}
    for width in (1600, 1000, 720):
        window.resize(width, 700)
        qtbot.wait(150)
        parts = [*top.findChildren(QPushButton), *top.findChildren(QToolButton)]
        parts += [*top.findChildren(QLabel), top.models]
        seen = [part for part in parts if part.isVisible()]
        for part in seen:
            left = part.mapTo(top, QPoint(0, 0)).x()
            assert 0 <= left < left + part.width() <= width, part
            assert part is top.models or part.width() >= part.sizeHint().width(), part
        assert top.models in seen
        assert top.bos in seen
        assert len([part for part in seen if isinstance(part, QToolButton)]) == 4
        shown[width] = {part for part in (top.search, top.layouts, top.export) if part.isVisible()}
    assert shown[720] <= shown[1000] <= shown[1600]
    assert {top.search, top.layouts} <= shown[1600]
    assert top.search in shown[1000]
    if percent == 100:
        assert len(shown[1000]) == 3


def test_what_has_room_in_a_narrow_window_has_room_in_every_wider_one(qtbot, window):
    top, before = window.top, set()
    for width in range(720, 1240, 40):
        window.resize(width, 700)
        qtbot.wait(20)
        shown = {part for part in top._spare if part.isVisible()}
        assert before <= shown, width
        before = shown
    assert before == set(top._spare)


def test_the_field_says_more_where_there_is_room(qtbot, window):
    assert window.top.search.text().startswith(LONG)
    assert "K" in window.top.search.text()[len(LONG) :]
    window.resize(1000, 700)
    qtbot.wait(150)
    assert window.top.search.text().startswith(SHORT)


def test_a_click_on_the_main_button_leaves_the_keyboard_where_it_was(qtbot, window):
    activate(window)
    ov = next(dock for dock in window.docks if dock.kind.title == "OV")
    ov.bring()
    held = QApplication.focusWidget()
    qtbot.mouseClick(window.top.export, LEFT)
    menu, _ = popped_up(window)
    menu.close()
    assert QApplication.focusWidget() is held
    assert ov.has_keyboard


def test_why_a_prompt_begins_with_bos_is_said_at_its_switch(qtbot, window, client):
    qtbot.waitUntil(lambda: not client.busy)
    assert "On by default: the files say so" in window.top.bos.toolTip()
