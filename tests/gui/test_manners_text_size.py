"""Text from 80 to 200 %: everything grows with it and nothing is cut."""

from functools import partial
from itertools import combinations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QPushButton, QWidget

from gui.panels.frame import Subtitle
from gui.session.settings import Settings
from gui.shell.layouts import LAYOUTS
from gui.style import palette
from gui.style.theme import BASE_POINT_SIZE, NORMAL_TEXT, SMALL_POINT_SIZE, TEXT_SIZES
from tests.gui.conftest import filled
from tests.waiting import activate

SIZES = (80, 100, 150, 200)


@pytest.fixture
def sized(qtbot, qapp, window, client):
    """Show the window at a size of text, and go back to the usual one afterwards."""

    def made(percent, layout=LAYOUTS[0], size=(1600, 1000)):
        window.resize(*size)
        window.text_sizes.set(percent)
        window.lay_out(layout)
        qtbot.wait(50)
        filled(qtbot, client, *window.panels)
        return window

    yield made
    window.deleteLater()  # nobody looks at it again, so nobody need lay it out again
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    palette.apply(qapp, "light", NORMAL_TEXT)


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


def words_cut(*parts):
    """Return the labels, buttons and boxes in some widgets that are cut."""
    kinds = (QLabel, QAbstractButton, QComboBox)
    return [told(w) for part in parts for kind in kinds for w in seen(part, kind) if cut(w)]


def at_rest(qtbot, found):
    """Return what is found once the cards have moved their controls to where there is room."""
    for _ in range(40):
        if not found():
            break
        qtbot.wait(50)
    return "; ".join(found())


def overlapping(window):
    """Return pairs of labels, buttons and boxes of one parent that lie over each other."""
    found = []
    for parent in (window, *seen(window, QWidget)):
        inside = [
            child
            for child in parent.children()
            if isinstance(child, QLabel | QAbstractButton | QComboBox) and child.isVisible()
        ]
        for one, other in combinations(inside, 2):
            # Buttons of a segmented control share the line between them.
            if one.geometry().intersected(other.geometry()).width() > 1:
                found.append(f"{told(one)} and {told(other)}")
    return found


@pytest.mark.parametrize("percent", SIZES)
def test_in_every_layout_words_fit_and_nothing_overlaps_or_leaves_the_window(qtbot, sized, percent):
    for layout in LAYOUTS:
        window = sized(percent, layout)
        assert len(seen(window, QAbstractButton)) > 20
        assert at_rest(qtbot, partial(words_cut, window)) == ""
        assert at_rest(qtbot, partial(overlapping, window)) == ""
        assert window.size().toTuple() == (1600, 1000)
        shown = [dock for dock in window.docks if not dock.visibleRegion().isEmpty()]
        assert all(dock.parentWidget().rect().contains(dock.geometry()) for dock in shown)
        for one, other in combinations(shown, 2):
            assert not one.geometry().intersects(other.geometry())


@pytest.mark.parametrize("percent", [125, 200])
def test_in_a_small_window_cards_lie_behind_others_before_words_are_cut(qtbot, sized, percent):
    for layout in LAYOUTS:
        window = sized(percent, layout, (1000, 700))
        assert at_rest(qtbot, partial(words_cut, window)) == ""
        shown = [dock for dock in window.docks if not dock.visibleRegion().isEmpty()]
        assert len(shown) >= 2
        assert all(dock.parentWidget().rect().contains(dock.geometry()) for dock in shown)
        for one, other in combinations(shown, 2):
            assert not one.geometry().intersects(other.geometry())


@pytest.mark.parametrize("percent", [NORMAL_TEXT, 200])
def test_every_card_has_words_that_fit_when_it_is_opened(qtbot, client, sized, percent):
    window = sized(percent)
    for dock in window.docks:
        dock.bring()
        qtbot.wait(10)
        filled(qtbot, client, dock.panel)
        assert at_rest(qtbot, partial(words_cut, dock.panel, dock.panel.header)) == ""


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
    activate(window)
    qtbot.keyClick(window, Qt.Key.Key_Plus, control)
    qtbot.waitUntil(lambda: palette.text_percent() == 110)
    assert "110 %" in window.text_sizes.normal.text()
    qtbot.keyClick(window, Qt.Key.Key_0, control)
    assert palette.text_percent() == NORMAL_TEXT
    window.text_sizes.set(TEXT_SIZES[1])
    for _ in range(2):
        window.text_sizes.reduce()
    qtbot.waitUntil(lambda: palette.text_percent() == TEXT_SIZES[0])
    assert not window.text_sizes.smaller.isEnabled()
    window.text_sizes.set(TEXT_SIZES[-2])
    for _ in range(2):
        window.text_sizes.enlarge()
    qtbot.waitUntil(lambda: palette.text_percent() == TEXT_SIZES[-1])
    assert not window.text_sizes.larger.isEnabled()
    window.text_sizes.reset()


def test_sizes_that_are_asked_for_at_once_are_taken_as_one(qtbot, window):
    taken = []
    window.text_sizes.changed.connect(lambda: taken.append(palette.text_percent()))
    for _ in range(3):
        window.text_sizes.enlarge()
    window.text_sizes.reduce()
    qtbot.waitUntil(lambda: bool(taken))
    assert taken == [125]
    window.text_sizes.reset()


def test_a_floating_card_floats_on_where_larger_text_has_room_for_the_same_layout(qtbot, window):
    window.resize(1600, 1000)
    card = next(dock for dock in window.docks if dock.kind.title == "Spectrum")
    card.setFloating(True)
    window.text_sizes.set(110)
    qtbot.wait(50)
    assert card.isFloating()
    window.text_sizes.reset()


def test_a_hidden_card_is_not_drawn_for_another_size(qtbot, window, monkeypatch):
    drawn = []
    for panel in window.panels:
        monkeypatch.setattr(panel, "draw", partial(drawn.append, panel.title))
    hidden = next(dock for dock in window.docks if dock.kind.title == "Spectrum")
    hidden.close()
    window.text_sizes.set(110)
    qtbot.waitUntil(lambda: "OV" in drawn)
    qtbot.wait(50)
    assert "Spectrum" not in drawn
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
