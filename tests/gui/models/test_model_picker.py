"""The picker: what there is, what each would take, and opening one of them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from engine.messages import EstimateModel, ListModels, ModelEntry, Refused
from gui.models.model_box import DOWNLOAD, FILE, FOLDER
from gui.models.model_picker import ModelPicker
from gui.session.model_opener import ModelOpener
from gui.style import palette

TAB = Qt.FocusPolicy.TabFocus


@pytest.fixture
def opening(session, client):
    return ModelOpener(session, client, None)


@pytest.fixture
def made(qtbot, qapp, session, client, opening):
    """A picker without the window around it."""
    palette.apply(qapp, "light")
    parent = QWidget()
    parent.resize(1000, 700)
    qtbot.addWidget(parent)
    picker = ModelPicker(parent, session, client, opening)
    client.start()
    return picker


@pytest.fixture
def picker(qtbot, made, client):
    made.show_models()
    idle(qtbot, client)
    return made


def idle(qtbot, client):
    qtbot.waitUntil(lambda: not client.busy)


def names(picker):
    return [choice.model for choice in picker._shown]


def words(picker):
    return {line: value.text() for line, value in picker.estimate.values.items()}


def test_ctrl_m_opens_it_on_the_model_in_use(qtbot, window, client):
    (action,) = [a for a in window.actions() if a.text() == "Open model …"]
    assert action.shortcut().toString() == "Ctrl+M"
    used = [a.shortcut().toString() for a in window.actions() if not a.shortcut().isEmpty()]
    assert used.count("Ctrl+M") == 1
    action.trigger()
    idle(qtbot, client)
    assert window.picker.isVisible()
    assert names(window.picker) == ["attn-2l", "toy"]
    assert window.picker.table.current() == 0
    assert not window.picker.open_button.isEnabled()
    assert window.picker.reason.text() == "It is in use already."


def test_what_is_chosen_is_estimated_at_the_length_of_the_prompt(qtbot, picker, engine, client):
    picker.table.set_current(1)
    idle(qtbot, client)
    assert EstimateModel("toy", 9) in engine.asked
    assert words(picker) == {
        "Parameters": "134,217,728",
        "On disk": "256.0 MiB",
        "In memory": "512.0 MiB",
        "While it is read": "up to 768.0 MiB",
        "Patterns": "36.0 KiB for 9 tokens",
        "Free memory": "8.0 GiB",
    }
    assert picker.estimate.says.text == "It fits: opening it takes at most 768.0 MiB of 8.0 GiB."
    assert picker.open_button.isEnabled()


def test_the_parameters_of_what_was_looked_at_stand_in_the_list(qtbot, picker, client):
    picker.table.set_current(1)
    idle(qtbot, client)
    assert picker.table.copied(1) == ("toy", "toys", "one head", "134,217,728")


def test_what_does_not_fit_cannot_be_opened_and_says_why(qtbot, picker, engine, client, opening):
    engine.models.append(ModelEntry("large", "cache", "many layers"))
    picker.show_models("large")
    idle(qtbot, client)
    assert picker.estimate.notice.text() == "it takes 24.0 GiB, and 8.0 GiB are free"
    assert not picker.open_button.isEnabled()
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert picker.isVisible()
    assert opening.wanted == ""


def test_what_is_refused_says_why_and_another_choice_clears_it(qtbot, picker, engine, client):
    engine.missing.add("toy")
    picker.table.set_current(1)
    idle(qtbot, client)
    assert picker.estimate.notice.text() == "there is no folder or file 'toy'"
    assert not picker.open_button.isEnabled()
    picker.table.set_current(0)
    idle(qtbot, client)
    assert picker.estimate.notice.text() == ""


def test_patterns_that_do_not_fit_beside_the_model_are_a_caution(qtbot, picker, engine, client):
    engine.free = 2**29 + 4096
    picker.table.set_current(1)
    idle(qtbot, client)
    assert "take a shorter prompt" in picker.estimate.says.text
    assert picker.open_button.isEnabled()


def test_enter_in_the_search_opens_what_is_chosen(qtbot, picker, session, client):
    qtbot.keyClicks(picker.search, "one HEAD")
    assert names(picker) == ["toy"]
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert not picker.isVisible()
    idle(qtbot, client)
    assert session.selection.model == "toy"


def test_arrow_keys_walk_the_list_from_the_search(qtbot, picker, session, client):
    qtbot.keyClick(picker.search, Qt.Key.Key_Down)
    assert picker.table.current() == 1
    qtbot.keyClick(picker.table, Qt.Key.Key_Return)
    idle(qtbot, client)
    assert session.selection.model == "toy"


def test_words_that_no_model_has_leave_nothing_to_open(qtbot, picker):
    qtbot.keyClicks(picker.search, "zzz")
    assert names(picker) == []
    assert not picker.open_button.isEnabled()


@pytest.mark.parametrize(
    ("action", "function"), [(FOLDER, "getExistingDirectory"), (FILE, "getOpenFileName")]
)
def test_a_path_is_looked_over_before_it_is_opened(
    qtbot, monkeypatch, tmp_path, made, opening, session, client, action, function
):
    path = str(tmp_path / "model <i>x</i>.gguf")
    answer = path if action == FOLDER else (path, "")
    monkeypatch.setattr(QFileDialog, function, lambda *given: answer)
    made.do(action)
    idle(qtbot, client)
    assert made.isVisible()
    assert made.estimate.where.text == path
    assert session.selection.model == "attn-2l"
    qtbot.mouseClick(made.open_button, Qt.MouseButton.LeftButton)
    idle(qtbot, client)
    assert session.selection.model == path
    assert list(opening.recent) == [path]


def test_a_dialog_that_is_left_changes_nothing(monkeypatch, made):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *given: "")
    made.do(FOLDER)
    assert not made.isVisible()


def test_a_model_of_the_cache_is_looked_over_and_others_open_at_once(
    qtbot, window, session, client, engine
):
    engine.models.append(ModelEntry("owner/small", "cache", "downloaded"))
    window.top.list_again()
    idle(qtbot, client)
    window.top.models.picked.emit("owner/small")
    idle(qtbot, client)
    assert window.picker.isVisible()
    assert session.selection.model == "attn-2l"
    window.top.models.picked.emit("toy")
    idle(qtbot, client)
    assert session.selection.model == "toy"


def test_download_is_a_page_of_it_and_what_came_is_listed_and_opened(
    qtbot, made, session, client, engine
):
    made.do(DOWNLOAD)
    assert made.hub.isVisible()
    assert not made.table.isVisible()
    engine.fetched = sum(engine.sizes.values())
    made.hub.name.setText("gpt2")
    made.hub.look_up()
    idle(qtbot, client)
    with qtbot.waitSignal(made.models_changed):
        made.hub.start()
    idle(qtbot, client)
    assert "gpt2" in names(made)
    qtbot.mouseClick(made.hub.open_button, Qt.MouseButton.LeftButton)
    idle(qtbot, client)
    assert session.selection.model == "gpt2"


def test_without_a_list_there_is_still_the_model_in_use(qtbot, made, client, engine):
    engine.failing[ListModels] = Refused("the cache cannot be read")
    made.show_models()
    idle(qtbot, client)
    assert names(made) == ["attn-2l"]


def test_an_estimate_that_was_stopped_says_so(qtbot, picker, engine, client):
    engine.seconds = 5
    picker.table.set_current(1)
    client.cancel()
    idle(qtbot, client)
    assert "Stopped" in picker.estimate.notice.text()
    assert picker.open_button.isEnabled()


def test_tab_reaches_everything_in_the_order_it_is_read(qtbot, picker, client):
    picker.table.set_current(1)
    idle(qtbot, client)
    reached, widget = [], picker.nextInFocusChain()
    while widget is not picker:
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & TAB:
            reached.append(widget)
        widget = widget.nextInFocusChain()
    assert reached[2:] == [
        picker.search,
        picker.table,
        picker.folder,
        picker.file,
        picker.open_button,
        picker.close_button,
    ]


def test_texts_are_literal_and_controls_have_names(picker):
    for label in picker.findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText or "<" not in label.text()
    for widget in picker.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & TAB:
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget
