"""One box finds every action, card and head: Ctrl+K or Ctrl+Shift+P."""

import pytest
from pyqtgraph import GraphicsScene
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from engine.messages import Head
from gui.shell import command_palette
from gui.shell.command_palette import score
from gui.shell.guided_examples import GUIDES
from gui.shell.layouts import LAYOUTS
from gui.style import palette
from tests.waiting import activate

ONE_WINDOW = True

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def active(qtbot, window):
    activate(window)
    return window


def in_menus(menu):
    for action in menu.actions():
        inside = action.menu()
        if isinstance(inside, QMenu):
            yield from in_menus(inside)
        elif not action.isSeparator():
            yield action


def typed(window, text):
    """Type into the box, and return the names that it lists."""
    window.finder.field.clear()
    QTest.keyClicks(window.finder.field, text)
    return [command.name for command in window.finder.shown()]


def test_every_action_of_the_window_is_found(window):
    found = {command.action for command in window.commands()}
    docks = {dock.toggleViewAction() for dock in window.docks}
    expected = [
        action
        for action in window.findChildren(QAction)
        if action.text()
        and action.isEnabled()
        and not action.isSeparator()
        and not isinstance(action.menu(), QMenu)
        and action not in docks  # Qt's own, in no menu
        and not isinstance(action.parent(), QMenu | GraphicsScene)  # whose menu is switched off
    ]
    menus = [menu for menu in window.findChildren(QMenu) if menu.title()]
    expected += [action for menu in menus for action in in_menus(menu) if action.isEnabled()]
    assert len(expected) > 40
    assert [action.text() for action in expected if action not in found] == []


def test_layouts_themes_guides_cards_and_text_sizes_are_among_them(window):
    names = [command.name for command in window.commands()]
    for name in (
        *(layout.name for layout in LAYOUTS),
        *(guide.name for guide in GUIDES),
        *(dock.kind.title for dock in window.docks),
        *("Dark theme", "Light theme", "System theme", "Larger text", "Smaller text"),
        *("Open model …", "Save picture …", "Ask again", "Quit", "Reset layout"),
    ):
        assert any(found.endswith(f"› {name}") for found in names), name


def test_every_command_says_the_keys_that_its_action_has(window):
    for command in window.commands():
        if command.action is not None and not command.action.shortcut().isEmpty():
            assert command.keys


def test_ctrl_shift_p_opens_the_box_and_enter_does_what_is_first(qtbot, active):
    qtbot.keyClick(active, Qt.Key.Key_P, CONTROL | SHIFT)
    assert active.finder.isVisible()
    assert typed(active, "dark th")[0] == "View › Dark theme"
    QTest.keyClick(active.finder.field, Qt.Key.Key_Return)
    assert not active.finder.isVisible()
    assert palette.theme().name == "dark"
    active.set_theme("light")


def test_escape_closes_the_box_and_stops_nothing(qtbot, active):
    qtbot.keyClick(active, Qt.Key.Key_P, CONTROL | SHIFT)
    with qtbot.assertNotEmitted(active.client.progress):
        QTest.keyClick(active.finder.field, Qt.Key.Key_Escape)
    assert not active.finder.isVisible()


def test_down_moves_to_the_next_row_and_a_click_does_it(qtbot, active):
    active.finder.find_command()
    assert typed(active, "0.")[0] == "L0H0"
    QTest.keyClick(active.finder.field, Qt.Key.Key_Down)
    assert active.finder.list.currentIndex().row() == 1
    QTest.keyClick(active.finder.field, Qt.Key.Key_Return)
    assert active.session.selection.head == Head(0, 1)
    active.finder.find_command()
    typed(active, "0.")
    row = active.finder.list.visualRect(active.finder.list.model().index(2, 0))
    qtbot.mouseClick(active.finder.list.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert active.session.selection.head == Head(0, 2)


def test_a_card_that_is_picked_is_shown_and_has_the_keyboard_however_often(qtbot, active):
    dock = next(dock for dock in active.docks if dock.kind.title == "Receipts")
    for _ in range(2):
        active.finder.find_command()
        assert typed(active, "receipts")[0] == "View › Receipts"
        QTest.keyClick(active.finder.field, Qt.Key.Key_Return)
        qtbot.wait(20)
        assert dock.isVisible()
        assert dock.has_keyboard


@pytest.mark.parametrize("text", ["1.3", "L1H3", "l1h3", "1 3", " L1.3 "])
def test_ctrl_k_opens_a_head_by_its_place(qtbot, active, text):
    qtbot.keyClick(active, Qt.Key.Key_K, CONTROL)
    assert active.finder.isVisible()
    assert typed(active, text)[0] == "L1H3"
    QTest.keyClick(active.finder.field, Qt.Key.Key_Return)
    assert active.session.selection.head == Head(1, 3)
    assert active.session.selection.head_chosen


def test_a_layer_lists_its_heads_and_a_head_that_is_not_there_none(active):
    active.finder.find_command()
    assert typed(active, "1.")[:4] == ["L1H0", "L1H1", "L1H2", "L1H3"]
    assert not any(command.head for command in active.finder.shown()[4:])
    assert typed(active, "7.0") == []
    said = "There is no such head: the model has L0H0 to L1H3."
    assert active.finder.nothing.text() == said
    assert typed(active, "zzqq") == []
    assert active.finder.nothing.text().startswith("Nothing fits")
    QTest.keyClick(active.finder.field, Qt.Key.Key_Return)
    assert active.finder.isVisible()
    active.finder.reject()


def test_heads_of_many_digits_are_ranked_by_the_whole_number():
    made = [
        command_palette.Command(
            Head(layer, number).name, "", "", lambda: None, head=Head(layer, number)
        )
        for layer in (1, 11, 17)
        for number in (0, 1, 12, 13)
    ]
    assert [c.name for c in command_palette.fitting(made, "1.1")] == ["L1H1", "L1H12", "L1H13"]
    assert [c.name for c in command_palette.fitting(made, "17.")] == [
        f"L17H{n}" for n in (0, 1, 12, 13)
    ]
    assert [c.head.layer for c in command_palette.fitting(made, "1")] == [1] * 4 + [11] * 4 + [
        17
    ] * 4


def test_before_a_model_is_open_the_box_says_why_it_lists_no_heads(qtbot, session, client):
    from gui.window import Window

    window = Window(session, client, None, "light")
    qtbot.addWidget(window)
    window.finder.find_command()
    assert window.finder.shown()
    assert window.finder.nothing.text() == ""
    assert typed(window, "L7H3") == []
    assert "not open yet" in window.finder.nothing.text()
    window.finder.reject()


def test_text_that_looks_like_html_or_a_mnemonic_is_listed_as_it_is(window):
    action = QAction("Say <b>&& more: that", window)
    window.addAction(action)
    names = [command.name for command in window.commands()]
    assert "Say <b>& more" in names


MENU = [
    "View › Reset layout",
    "View › Dark theme",
    "View › Larger text",
    "View › Attention how much each token reads of each",
    "View › Attribution what each part gives to a logit",
    "File › Save picture …",
    "Help › About Headscope",
]


def best(query):
    worth = {name: found for name in MENU if (found := score(query, name)) is not None}
    return max(worth, key=worth.__getitem__) if worth else None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("reset", "View › Reset layout"),
        ("layout", "View › Reset layout"),
        ("rl", "View › Reset layout"),
        ("DARK", "View › Dark theme"),
        ("theme dark", "View › Dark theme"),
        ("attn", "View › Attention how much each token reads of each"),
        ("attr", "View › Attribution what each part gives to a logit"),
        ("savpic", "File › Save picture …"),
        ("about", "Help › About Headscope"),
    ],
)
def test_letters_of_a_name_find_it(typed, meant):
    assert best(typed) == meant


def test_letters_that_are_not_there_in_this_order_find_nothing():
    assert score("zebra", "Reset layout") is None
    assert score("teser", "Reset layout") is None


def test_nothing_typed_fits_everything_alike():
    assert {score("  ", name) for name in MENU} == {0.0}


def test_letters_scattered_over_words_find_nothing():
    assert score("aeoa", "what each part gives to a logit") is None
