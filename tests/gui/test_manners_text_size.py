"""Text from 80 to 200 %: everything grows with it and nothing is cut."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QPushButton, QWidget

from gui import palette
from gui.layouts import LAYOUTS
from gui.panels.subtitle import Subtitle
from gui.settings import Settings
from gui.theme import BASE_POINT_SIZE, NORMAL_TEXT, SMALL_POINT_SIZE, TEXT_SIZES
from tests.gui.conftest import filled

SIZES = (80, 100, 150, 200)


@pytest.fixture
def sized(qtbot, window, client):
    """Show the window at a size of text, and go back to the usual one afterwards."""

    def made(percent, layout=LAYOUTS[0], size=(1600, 1000)):
        window.resize(*size)
        window.text_sizes.set(percent)
        window.lay_out(layout)
        qtbot.wait(50)
        filled(qtbot, client, *window.panels)
        return window

    yield made
    window.text_sizes.reset()


def seen(window, kind):
    """Return the widgets of a kind that are in sight, whole or in part."""
    return [
        widget
        for widget in window.findChildren(kind)
        if widget.isVisible() and not widget.visibleRegion().isEmpty()
    ]


def told(widget):
    return f"{type(widget).__name__} {widget.accessibleName()} {getattr(widget, 'text', str)()!r}"


def cut(widget):
    """Return whether a widget is smaller than its words need."""
    if isinstance(widget, Subtitle):
        return widget.height() < QFontMetrics(widget.font()).height()
    if isinstance(widget, QLabel):
        if widget.wordWrap():
            return widget.height() < widget.heightForWidth(widget.width())
        needed = widget.sizeHint()
        return widget.width() < needed.width() or widget.height() < needed.height()
    needed = widget.sizeHint()
    if isinstance(widget, QComboBox):
        needed = needed.boundedTo(widget.minimumSizeHint())  # a long choice loses its end
    # Qt lays tool buttons and boxes out lower than their hint: by what has nothing in it.
    low = widget.height() < QFontMetrics(widget.font()).height() + 4
    plain = isinstance(widget, QPushButton) and widget.height() < needed.height()
    return widget.width() < needed.width() or low or plain


@pytest.mark.parametrize("percent", SIZES)
def test_no_label_button_or_box_is_smaller_than_its_words(sized, percent):
    for layout in LAYOUTS:
        window = sized(percent, layout)
        found = [w for kind in (QLabel, QAbstractButton, QComboBox) for w in seen(window, kind)]
        assert len(found) > 30
        assert "; ".join(f"{layout.name}: {told(w)}" for w in found if cut(w)) == ""


@pytest.mark.parametrize("percent", SIZES)
def test_every_card_has_words_that_fit_when_it_is_opened(qtbot, client, sized, percent):
    window = sized(percent)
    for dock in window.docks:
        dock.bring()
        qtbot.wait(10)
        filled(qtbot, client, dock.panel)
        parts = (dock.panel, dock.panel.header)
        found = [
            w
            for part in parts
            for kind in (QLabel, QAbstractButton, QComboBox)
            for w in seen(part, kind)
        ]
        assert "; ".join(f"{dock.kind.title}: {told(w)}" for w in found if cut(w)) == ""


@pytest.mark.parametrize("percent", SIZES)
def test_controls_side_by_side_do_not_overlap(sized, percent):
    for layout in LAYOUTS:
        window = sized(percent, layout)
        for parent in (window, *seen(window, QWidget)):
            inside = [
                child
                for child in parent.findChildren(
                    QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly
                )
                if child.isVisible() and isinstance(child, QLabel | QAbstractButton | QComboBox)
            ]
            for number, one in enumerate(inside):
                for other in inside[number + 1 :]:
                    shared = one.geometry().intersected(other.geometry())
                    # Buttons of a segmented control share the line between them.
                    assert shared.isEmpty() or shared.width() <= 1, (told(one), told(other))


@pytest.mark.parametrize("percent", SIZES)
def test_no_card_overlaps_another_or_leaves_the_window(sized, percent):
    for layout in LAYOUTS:
        window = sized(percent, layout)
        assert window.size().toTuple() == (1600, 1000)
        shown = [dock for dock in window.docks if not dock.visibleRegion().isEmpty()]
        for dock in shown:
            assert dock.parentWidget().rect().contains(dock.geometry())
            for other in shown:
                assert dock is other or not dock.geometry().intersects(other.geometry())


def test_fonts_and_fixed_sizes_grow_by_one_factor(sized):
    window = sized(NORMAL_TEXT)
    ov = next(panel for panel in window.panels if panel.title == "OV")
    usual = ov.token.width(), ov.table.minimumHeight()
    sized(200)
    assert palette.ui_font().pointSizeF() == 2 * BASE_POINT_SIZE
    assert palette.token_font(small=True).pointSizeF() == 2 * SMALL_POINT_SIZE
    assert ov.token.font().pointSizeF() == 2 * BASE_POINT_SIZE
    assert (ov.token.width(), ov.table.minimumHeight()) == (2 * usual[0], 2 * usual[1])
    window.set_theme("dark")
    assert ov.token.font().pointSizeF() == 2 * BASE_POINT_SIZE
    window.set_theme("light")


def test_keys_step_through_the_sizes_and_go_back(qtbot, window):
    control = Qt.KeyboardModifier.ControlModifier
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_Plus, control)
    assert palette.text_percent() == 110
    assert "110 %" in window.text_sizes.normal.text()
    qtbot.keyClick(window, Qt.Key.Key_0, control)
    assert palette.text_percent() == NORMAL_TEXT
    window.text_sizes.set(TEXT_SIZES[1])
    for _ in range(2):
        window.text_sizes.reduce()
    assert palette.text_percent() == TEXT_SIZES[0]
    assert not window.text_sizes.smaller.isEnabled()
    window.text_sizes.set(TEXT_SIZES[-2])
    for _ in range(2):
        window.text_sizes.enlarge()
    assert palette.text_percent() == TEXT_SIZES[-1]
    assert not window.text_sizes.larger.isEnabled()
    window.text_sizes.reset()


def test_the_size_is_kept_and_a_damaged_one_is_the_usual(qtbot, session, client):
    from gui.window import Window

    settings = Settings()
    window = Window(session, client, settings, "light")
    qtbot.addWidget(window)
    window.text_sizes.set(150)
    settings.write()
    assert Settings().text_size() == 150
    window.text_sizes.reset()
    settings._store.setValue("window/text_size", "a lot")
    assert settings.text_size() == NORMAL_TEXT
