"""The window: its cards, its bars, its layout, and how it closes."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from engine.messages import Head, RunPrompt
from gui.export import screenshot
from gui.panels import PANELS
from gui.session.document import Autosave, data_folder
from gui.session.session import Selection, Session
from gui.session.settings import Settings
from gui.shell.about import AboutDialog, TextDialog
from gui.shell.layouts import LAYOUTS
from gui.shell.picture_dialog import PictureDialog
from gui.style import palette
from gui.window import Window


def cards(layout):
    """Return the titles of a layout's cards."""
    return {title for column in layout.columns for title in column.titles}


def test_every_panel_has_a_card_and_a_menu_entry(window):
    assert len(window.docks) == len(PANELS)
    at_first = cards(LAYOUTS[0])
    for dock in window.docks:
        shown = dock.kind.title in at_first
        assert dock.isVisible() == shown
        assert not shown or dock.panel.state == "fresh"
        action = dock.open_action
        assert action.isChecked() == shown
        window.setFocus()
        action.trigger()
        assert dock.isVisible()
        assert action.isChecked()
        action.trigger()
        assert not dock.isVisible()
        assert not action.isChecked()


def test_a_card_that_lies_behind_another_is_brought_to_the_front_and_then_closed(qtbot, window):
    window.lay_out(LAYOUTS[2])
    qtbot.wait(30)
    dock = next(dock for dock in window.docks if dock.kind.title == "Attention")
    action = dock.open_action
    assert dock.visibleRegion().isEmpty()
    assert action.isChecked()
    action.trigger()
    qtbot.wait(10)
    assert not dock.visibleRegion().isEmpty()
    assert action.isChecked()
    action.trigger()
    assert not dock.isVisible()
    assert not action.isChecked()


def test_a_right_click_closes_a_card_or_floats_it(qtbot, window):
    dock = window.docks[3]
    for words, holds in (
        ("Float OV", dock.isFloating),
        ("Put OV back", lambda: not dock.isFloating()),
        ("Close OV", lambda: not dock.isVisible()),
    ):
        at = dock.panel.header.rect().center()
        event = QContextMenuEvent(
            QContextMenuEvent.Reason.Mouse, at, dock.panel.header.mapToGlobal(at)
        )
        QApplication.sendEvent(dock, event)
        menu = dock.findChild(QMenu)
        next(action for action in menu.actions() if action.text() == words).trigger()
        menu.close()
        qtbot.waitUntil(lambda: dock.findChild(QMenu) is None)
        assert holds()


def test_the_default_layout_has_prompt_over_heads_attention_and_three_cards_on_the_right(window):
    place = {dock.kind.title: dock.geometry() for dock in window.docks}
    assert place["Prompt"].bottom() < place["Heads"].top()
    assert place["Heads"].right() < place["Attention"].left()
    assert place["Attention"].right() < place["OV"].left()
    assert place["OV"].bottom() < place["QK"].top()
    assert place["QK"].bottom() < place["Spectrum"].top()
    assert place["Attention"].width() > place["OV"].width() > place["Prompt"].width()


@pytest.mark.parametrize("size", [(1600, 1000), (1000, 700), (1280, 800)])
def test_no_cards_overlap_and_none_leaves_the_window(qtbot, window, size):
    window.resize(*size)
    window.cards.reset()
    qtbot.wait(30)
    shown = [dock for dock in window.docks if not dock.visibleRegion().isEmpty()]
    for dock in shown:
        assert dock.parentWidget().rect().contains(dock.geometry())
        for other in shown:
            assert dock is other or not dock.geometry().intersects(other.geometry())
    assert window.width() == size[0]
    assert window.height() == size[1]


def test_in_a_low_window_the_last_card_lies_behind_the_one_above(qtbot, window):
    window.resize(1000, 700)
    window.cards.reset()
    qtbot.wait(30)
    seen = {dock.kind.title for dock in window.docks if not dock.visibleRegion().isEmpty()}
    assert cards(LAYOUTS[0]) - seen == {"Spectrum"}


def test_reset_layout_brings_back_a_closed_and_a_floating_card(qtbot, window):
    window.docks[0].close()
    window.docks[3].setFloating(True)
    window.cards.reset()
    qtbot.wait(30)
    assert {dock.kind.title for dock in window.docks if dock.isVisible()} == cards(LAYOUTS[0])
    assert not any(dock.isFloating() for dock in window.docks)


def test_the_status_bar_names_model_heads_and_the_last_run(window):
    assert window.status.model.text() == "attn-2l · 2 × 4 heads · cpu, float32"
    assert window.status.last.text().startswith("last run")
    assert window.status.work.text() == "ready"
    assert not window.status.stop.isVisible()


def test_an_answer_that_was_remembered_is_not_the_last_run(window, session, client):
    client.answered.emit(session.run, 0.04)
    client.answered.emit(session.run, 1e-5)
    assert window.status.last.text() == "last run 40 ms"


def test_long_work_can_be_stopped_and_asked_again(qtbot, window, session, engine, client):
    engine.seconds = 30
    session.set_text("w1 w2")
    qtbot.waitUntil(lambda: window.status.stop.isVisible())
    assert "counting" in window.status.work.text()
    qtbot.mouseClick(window.status.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not client.busy)
    assert "Stopped" in window.panels[0].notice.text()
    assert not window.status.stop.isVisible()
    engine.seconds = 0
    window.ask_again()
    shown = [panel for panel in window.panels if panel.title in cards(LAYOUTS[0])]
    qtbot.waitUntil(lambda: not client.busy and all(p.state == "fresh" for p in shown))


def test_the_picker_lists_models_and_opens_one(qtbot, window, session, engine, client):
    names = [window.top.models.itemData(i) for i in range(window.top.models.count())]
    assert [name for name in names if name] == ["attn-2l", "toy"]
    window.top.models.setFocus()
    qtbot.keyClick(window.top.models, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: session.selection.model == "toy")
    qtbot.waitUntil(lambda: not client.busy)
    assert RunPrompt("toy", session.selection.text) in engine.asked
    assert not window.top.bos.isEnabled()
    assert "no beginning-of-sequence" in window.top.bos.toolTip()


def test_bos_stands_as_the_model_has_it_and_can_be_switched(qtbot, window, session):
    assert window.top.bos.isChecked()
    qtbot.mouseClick(window.top.bos, Qt.MouseButton.LeftButton)
    assert session.selection.prepend_bos is False
    assert not window.top.bos.isChecked()


@pytest.mark.parametrize("scale", screenshot.SCALES)
def test_a_picture_has_size_times_scale_pixels(window, tmp_path, scale):
    path = tmp_path / "window.png"
    screenshot.save(screenshot.picture(window, scale), path)
    image = QImage(str(path))
    assert image.size() == window.size() * scale


def test_a_picture_of_a_panel_is_saved_by_the_dialog(qtbot, window, tmp_path):
    window.save_picture()
    dialog = window.findChild(PictureDialog)
    dialog.subject.setCurrentText("Attention")
    dialog.scale.set_value("3")
    dialog.save(tmp_path / "attention")
    image = QImage(str(tmp_path / "attention.png"))
    assert image.size() == window.docks[2].size() * 3
    assert len({image.pixel(x, 200) for x in range(image.width())}) > 3


def test_a_picture_that_cannot_be_written_is_said_and_the_dialog_stays(window, tmp_path):
    window.save_picture()
    dialog = window.findChild(PictureDialog)
    dialog.save(tmp_path / "missing" / "picture.png")
    assert "cannot write" in dialog.notice.text()
    assert dialog.isVisible()
    dialog.reject()
    assert list(tmp_path.iterdir()) == []


def test_a_picture_can_be_copied(qtbot, qapp, window):
    window.save_picture()
    dialog = window.findChild(PictureDialog)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert qapp.clipboard().image().size() == window.size() * 2


def test_the_theme_switches_and_data_keeps_its_colours(qtbot, window):
    heatmap = window.panels[2].heatmap
    place = heatmap.cell_rect(0, 0).center().toPoint()
    light = screenshot.picture(window)
    before = screenshot.picture(heatmap).pixelColor(place.x() - 20, place.y() - 20)
    qtbot.mouseClick(window.top.theme, Qt.MouseButton.LeftButton)
    qtbot.wait(20)
    assert palette.theme().name == "dark"
    assert screenshot.picture(heatmap).pixelColor(place.x() - 20, place.y() - 20) == before
    corner = (window.width() - 3, 60)
    assert screenshot.picture(window).pixelColor(*corner) != light.pixelColor(*corner)
    window.set_theme("light")


def test_help_and_about_are_plain_text(qtbot, window):
    for action in window.actions():
        if action.text() in ("How to read a head", "About Headscope"):
            action.trigger()
    for kind in (TextDialog, AboutDialog):
        (dialog,) = window.findChildren(kind)
        assert {label.textFormat() for label in dialog.findChildren(QLabel) if label.text()} == {
            Qt.TextFormat.PlainText
        }
        dialog.close()


def test_no_label_reads_html(window):
    for label in window.findChildren(QLabel):
        if label.text():
            assert label.textFormat() == Qt.TextFormat.PlainText or not label.text().count("<"), (
                label.text()
            )


def test_every_control_has_a_name_for_those_who_cannot_see_it(window):
    reached, widget = [], window.nextInFocusChain()
    while widget is not window:
        by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
        if by_tab and widget.isVisible() and widget.isEnabled():
            reached.append(widget)
        widget = widget.nextInFocusChain()
    assert len(reached) > 20
    nameless = [w for w in reached if not (w.accessibleName() or getattr(w, "text", str)())]
    assert nameless == []


def test_prompt_model_and_layout_come_back(qtbot, qapp, client):
    palette.apply(qapp, "light")
    first = Window(Session(), client, Settings(), "light", autosave=Autosave(data_folder()))
    qtbot.addWidget(first)
    first.show()
    first.session.set_text("kept, “exactly”")
    first.session.choose_head(Head(1, 1))
    first.docks[5].close()
    first.docks[8].show()
    expected = [dock.isVisible() for dock in first.docks]
    first.close()
    autosave = Autosave(data_folder())
    saved = autosave.read()
    again = Window(Session(saved.selection), client, Settings(), "light", autosave=autosave)
    qtbot.addWidget(again)
    again.begin(saved)
    again.show()
    qtbot.wait(30)
    assert again.session.selection.text == "kept, “exactly”"
    assert again.session.selection.head == Head(1, 1)
    assert [dock.isVisible() for dock in again.docks] == expected
    assert expected.count(True) == 6
    assert again.windowTitle() == "Headscope"


def test_the_window_is_painted_before_an_engine_is_asked_for(qtbot, qapp, session):
    from gui.client.engine_client import EngineClient
    from tests.gui.fake_engine import FakeEngine

    order = []
    client = EngineClient(lambda: order.append("engine") or FakeEngine())
    window = Window(session, client, None, "light")
    qtbot.addWidget(window)
    window.painted.connect(lambda: order.append("painted"))
    window.painted.connect(client.start)
    window.show()
    qtbot.waitUntil(lambda: "engine" in order)
    assert order[0] == "painted"
    assert client.close()


def test_what_was_cancelled_before_the_engine_stood_is_there_after_f5(qtbot, qapp, session, client):
    palette.apply(qapp, "light")
    window = Window(session, client, None, "light")
    qtbot.addWidget(window)
    window.show()
    client.cancel()
    client.start()
    window.ask_again()
    qtbot.waitUntil(lambda: not client.busy and all(p.filled for p in window.panels))
    assert window.top.models.findData("toy") > 0
    assert window.top.bos.isEnabled()
    assert window.status.model.text().startswith("attn-2l · ")


def test_escape_in_a_token_field_gives_the_token_back_and_stops_nothing(qtbot, window):
    field = next(panel for panel in window.panels if panel.title == "OV").token
    before = field.text()
    field.setFocus()
    QTest.keyClicks(field, "zzz")
    assert field.text() != before
    with qtbot.assertNotEmitted(window.client.progress):
        QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == before


def test_the_menu_marks_the_theme_in_use(window):
    window.set_theme("dark")
    assert [name for name, action in window.themes.actions.items() if action.isChecked()] == [
        "dark"
    ]


def test_a_model_opened_by_its_path_is_called_by_its_name(qtbot, qapp, client):
    palette.apply(qapp, "light")
    window = Window(Session(Selection(model="/models/long/way/tiny.gguf")), client, None, "light")
    qtbot.addWidget(window)
    assert window.top.models.currentText() == "tiny.gguf"
    assert window.top.models.currentData() == "/models/long/way/tiny.gguf"
    assert window.status.model.text() == "tiny.gguf"
