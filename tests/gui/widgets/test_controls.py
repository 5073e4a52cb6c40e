"""Segmented control, notice, token field, prompt field."""

import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.controls import Segmented
from gui.widgets.labels import Notice
from gui.widgets.prompt_edit import PromptEdit
from gui.widgets.token_field import TokenField, VocabularyIndex

Tip = Callable[[QWidget, QPointF], str]
KINDS = [("pattern", "pattern"), ("scores", "Q & K"), ("value", "<b>value</b>")]


def buttons(widget: QWidget) -> list[QPushButton]:
    return widget.findChildren(QPushButton)


class TestSegmented:
    @pytest.fixture
    def segmented(self, qtbot: QtBot) -> Segmented:
        widget = Segmented(KINDS, "Kind")
        qtbot.addWidget(widget)
        widget.show()
        return widget

    def test_a_click_chooses_and_tells_once(self, qtbot: QtBot, segmented: Segmented) -> None:
        told: list[str] = []
        segmented.changed.connect(told.append)
        assert segmented.value() == "pattern"
        for _ in range(2):
            qtbot.mouseClick(buttons(segmented)[1], Qt.MouseButton.LeftButton)
        assert segmented.value() == "scores"
        assert told == ["scores"]

    def test_setting_the_value_tells_nobody(self, qtbot: QtBot, segmented: Segmented) -> None:
        with qtbot.assertNotEmitted(segmented.changed):
            segmented.set_value("value")
        assert segmented.value() == "value"
        with pytest.raises(KeyError):
            segmented.set_value("nothing")

    def test_arrow_keys_move_the_choice(self, qtbot: QtBot, segmented: Segmented) -> None:
        buttons(segmented)[0].setFocus()
        with qtbot.waitSignal(segmented.changed) as signal:
            qtbot.keyClick(buttons(segmented)[0], Qt.Key.Key_Right)
        assert signal.args == ["scores"]

    def test_a_forbidden_option_says_why_and_cannot_be_clicked(
        self, qtbot: QtBot, segmented: Segmented, tip_label: Tip
    ) -> None:
        segmented.set_option_enabled("scores", False, "needs a <prompt> first")
        with qtbot.assertNotEmitted(segmented.changed):
            qtbot.mouseClick(buttons(segmented)[1], Qt.MouseButton.LeftButton)
        button = buttons(segmented)[1]
        assert tip_label(button, QPointF(button.rect().center())) == "needs a <prompt> first"
        segmented.set_option_enabled("scores", True, "")
        assert buttons(segmented)[1].toolTip() == ""

    def test_an_option_says_what_it_means_while_it_is_allowed(
        self, segmented: Segmented, tip_label: Tip
    ) -> None:
        button = buttons(segmented)[1]
        segmented.set_option_tip("scores", "before <softmax>")
        assert tip_label(button, QPointF(button.rect().center())) == "before <softmax>"
        segmented.set_option_enabled("scores", False, "not yet")
        assert tip_label(button, QPointF(button.rect().center())) == "not yet"
        segmented.set_option_enabled("scores", True)
        assert tip_label(button, QPointF(button.rect().center())) == "before <softmax>"

    def test_labels_are_shown_as_they_are(self, segmented: Segmented) -> None:
        shown = [button.text().replace("&&", "&") for button in buttons(segmented)]
        assert shown == [label for _, label in KINDS]
        assert all(button.shortcut().isEmpty() for button in buttons(segmented))
        assert buttons(segmented)[1].accessibleName() == "Kind: Q & K"


class TestNotice:
    @pytest.fixture
    def notice(self, qtbot: QtBot) -> Notice:
        host = QWidget()
        column = QVBoxLayout(host)
        notice = Notice()
        column.addWidget(notice)
        column.addWidget(QPlainTextEdit())
        qtbot.addWidget(host)
        host.resize(400, 300)
        host.show()
        notice.host = host  # keeps the host as long as the notice
        return notice

    def test_it_takes_no_room_until_there_is_something_to_say(self, notice: Notice) -> None:
        assert not notice.isVisible()
        notice.show_info("Working out <b>x</b> & more")
        assert notice.isVisible()
        assert notice.height() < 60
        label = notice.findChild(QLabel)
        assert label.textFormat() == Qt.TextFormat.PlainText
        assert label.text() == "Working out <b>x</b> & more"
        notice.clear()
        assert not notice.isVisible()

    def test_details_are_behind_a_button(self, qtbot: QtBot, notice: Notice) -> None:
        notice.show_failure("It went wrong.", "Traceback <module>")
        qtbot.mouseClick(buttons(notice)[0], Qt.MouseButton.LeftButton)
        dialog = notice.findChild(QDialog)
        text = dialog.findChild(QPlainTextEdit).toPlainText()
        assert text.startswith("It went wrong.\n\nTraceback <module>\n\nHeadscope")
        dialog.reject()

    def test_without_details_there_is_no_button(self, notice: Notice) -> None:
        notice.show_failure("It went wrong.", "why")
        notice.show_failure("It went wrong again.")
        assert not buttons(notice)[0].isVisible()

    def test_a_failure_looks_unlike_an_information(self, notice: Notice) -> None:
        notice.show_info("so")
        calm = notice.grab().toImage().pixelColor(20, 4).name()
        notice.show_failure("no")
        assert notice.grab().toImage().pixelColor(20, 4).name() != calm


TEXTS = ["tea", " tea", "Tea", "", "<s>", " team", "a\nb", "·tea"]
LABELS = ["tea", "·tea", "Tea", "E6", "<s>", "·team", "a↵b", "·tea"]


class TestVocabularyIndex:
    def test_a_token_is_found_by_text_then_label_then_number(self) -> None:
        index = VocabularyIndex(TEXTS, LABELS)
        found = [index.find(typed) for typed in ("tea", " tea", "·team", "E6", "a\nb", "#3", "#9")]
        assert found == [0, 1, 5, 3, 6, 3, None]
        assert index.find("·tea") == 7
        assert index.find("") is None
        assert index.find("teapot") is None

    def test_completions_are_the_token_then_prefixes_then_what_holds_it(self) -> None:
        labels = ["steam", "·team", "tea", "·tea", "team", "Tea"]
        index = VocabularyIndex(labels, labels)
        names = [labels[token] for token in index.complete("tea", 10)]
        assert names == ["tea", "Tea", "·tea", "team", "·team", "steam"]
        assert [labels[token] for token in index.complete(" te", 10)] == ["·team", "·tea"]
        assert len(index.complete("tea", 2)) == 2
        assert index.complete("zebra", 10) == []

    @pytest.mark.parametrize("typed", ["", "t", "ea", "·", "1"])
    def test_completions_are_those_of_a_plain_search(self, typed: str) -> None:
        labels = [f"{'·' * (i % 2)}t{i}" for i in range(300)]
        index = VocabularyIndex(labels, labels)
        expected = {token for token, label in enumerate(labels) if typed in label}
        assert set(index.complete(typed, 1000)) == expected

    def test_an_empty_vocabulary_has_no_completions(self) -> None:
        assert VocabularyIndex((), ()).complete("a", 10) == []


class TestTokenField:
    @pytest.fixture
    def field(self, qtbot: QtBot) -> TokenField:
        widget = TokenField()
        qtbot.addWidget(widget)
        widget.set_vocabulary(TEXTS, LABELS)
        widget.show()
        return widget

    @pytest.mark.parametrize(
        ("typed", "token"), [("tea", 0), (" tea", 1), ("<s>", 4), ("#6", 6), ("E6", 3)]
    )
    def test_entering_a_token_chooses_it_and_shows_its_label(
        self, qtbot: QtBot, field: TokenField, typed: str, token: int
    ) -> None:
        field.setText(typed)
        with qtbot.waitSignal(field.chosen) as signal:
            qtbot.keyClick(field, Qt.Key.Key_Return)
        assert signal.args == [token]
        assert field.text() == LABELS[token]

    def test_what_is_no_token_is_refused_and_kept(self, qtbot: QtBot, field: TokenField) -> None:
        qtbot.keyClicks(field, "teapot")
        with qtbot.waitSignal(field.refused) as signal, qtbot.assertNotEmitted(field.chosen):
            qtbot.keyClick(field, Qt.Key.Key_Return)
        assert "'teapot' is no single token" in signal.args[0]
        assert field.text() == "teapot"
        assert field.property("refused")
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
        assert not field.property("refused")

    def test_a_completion_is_picked_from_the_list(self, qtbot: QtBot, field: TokenField) -> None:
        field.setFocus()
        qtbot.keyClicks(field, "te")
        popup = field.findChild(type(field._completer)).popup()
        assert popup.isVisible()
        offered = [popup.model().index(i, 0).data() for i in range(popup.model().rowCount())]
        assert offered[:3] == ["tea", "Tea", "·tea"]
        with qtbot.waitSignal(field.chosen) as signal:
            qtbot.keyClick(popup, Qt.Key.Key_Down)
            qtbot.keyClick(popup, Qt.Key.Key_Return)
        assert signal.args == [0]
        assert not popup.isVisible()

    def test_escape_goes_back_to_the_token(self, qtbot: QtBot, field: TokenField) -> None:
        field.set_token(1)
        field.setText("")
        field.setModified(True)
        qtbot.keyClick(field, Qt.Key.Key_Escape)
        assert field.text() == "·tea"


class TestPromptEdit:
    @pytest.fixture
    def prompt(self, qtbot: QtBot) -> PromptEdit:
        host = QWidget()
        column = QVBoxLayout(host)
        prompt = PromptEdit(max_lines=6)
        column.addWidget(prompt)
        column.addStretch()
        qtbot.addWidget(host)
        host.resize(300, 400)
        host.show()
        prompt.host = host  # keeps the host as long as the field
        return prompt

    def test_it_grows_with_its_text_and_then_scrolls(
        self, qtbot: QtBot, prompt: PromptEdit
    ) -> None:
        heights = []
        for lines in (1, 3, 5, 6, 20):
            prompt.set_text("\n".join("line" for _ in range(lines)))
            qtbot.wait(1)
            heights.append(prompt.height())
            assert prompt.verticalScrollBar().isVisible() == (lines > 6)
        assert heights[0] < heights[1] < heights[2] < heights[3] == heights[4]

    def test_a_text_that_scrolls_shows_whole_lines_only(
        self, qtbot: QtBot, prompt: PromptEdit
    ) -> None:
        prompt.set_text("█ " * 400)
        qtbot.wait(1)
        view, bar = prompt.viewport(), prompt.verticalScrollBar()
        line = round(QFontMetricsF(prompt.font()).lineSpacing())
        assert view.height() // line == 6
        for value in (0, 1, 7, bar.maximum()):
            bar.setValue(value)
            image = view.grab().toImage()
            rows = [
                len({image.pixelColor(x, y).name() for x in range(0, 100)}) > 1
                for y in range(image.height())
            ]
            first = rows.index(True)
            assert sum(rows[first:][:line]) == sum(rows[first + line :][:line])
            assert sum(rows) == pytest.approx(6 * sum(rows[first:][:line]), abs=1)

    def test_enter_submits_and_shift_enter_begins_a_line(
        self, qtbot: QtBot, prompt: PromptEdit
    ) -> None:
        qtbot.keyClicks(prompt, "a")
        qtbot.keyClick(prompt, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        qtbot.keyClicks(prompt, "b")
        with qtbot.waitSignal(prompt.submitted):
            qtbot.keyClick(prompt, Qt.Key.Key_Return)
        assert prompt.toPlainText() == "a\nb"

    def test_edits_are_told_once_after_a_pause(self, qtbot: QtBot, prompt: PromptEdit) -> None:
        told: list[str] = []
        prompt.edited.connect(lambda: told.append(prompt.toPlainText()))
        qtbot.keyClicks(prompt, "tea")
        assert told == []
        qtbot.waitUntil(lambda: told == ["tea"])
        qtbot.wait(300)
        assert told == ["tea"]

    def test_who_types_without_a_pause_is_told_of_on_the_way(
        self, qtbot: QtBot, prompt: PromptEdit
    ) -> None:
        told: list[str] = []
        prompt.edited.connect(lambda: told.append(prompt.toPlainText()))
        for _ in range(12):
            qtbot.keyClicks(prompt, "a")
            qtbot.wait(100)  # under the pause that tells of an edit
        assert 1 <= len(told) <= 3
        qtbot.waitUntil(lambda: told[-1] == "a" * 12)

    @pytest.mark.parametrize("width", range(280, 330, 7))
    def test_a_text_kept_from_last_time_is_wrapped_and_not_scrolled_sideways(
        self, qtbot: QtBot, width: int
    ) -> None:
        host = QWidget()
        qtbot.addWidget(host)
        prompt = PromptEdit(max_lines=4)
        QVBoxLayout(host).addWidget(prompt)
        prompt.set_text("The old harbour master said that the harbour was closed, and then " * 6)
        host.resize(width, 300)
        host.show()
        qtbot.wait(1)
        assert prompt.verticalScrollBar().isVisible()
        assert prompt.horizontalScrollBar().value() == 0
        block = prompt.document().firstBlock().layout()
        lines = [block.lineAt(i) for i in range(block.lineCount())]
        assert max(line.naturalTextWidth() for line in lines) <= prompt.viewport().width()
        for other in (width, 600, 200):
            host.resize(other, 300)
            qtbot.wait(1)
            assert 0 <= prompt.cursorRect().center().y() < prompt.viewport().height()

    def test_text_set_from_outside_is_no_edit(self, qtbot: QtBot, prompt: PromptEdit) -> None:
        with qtbot.assertNotEmitted(prompt.edited, wait=400):
            prompt.set_text("I like green tea")

    @pytest.mark.parametrize(
        "text",
        ["", "a\u00a0b", "tab\there\nand there", "<b>x</b> &amp;", "קריירה (123)", "💩💩", "a\n\n"],
    )
    def test_text_comes_back_exactly(self, prompt: PromptEdit, text: str) -> None:
        prompt.set_text(text)
        assert prompt.toPlainText() == text

    def test_up_and_down_walk_the_history_and_keep_the_draft(
        self, qtbot: QtBot, prompt: PromptEdit
    ) -> None:
        prompt.set_history(["first", "second"])
        qtbot.keyClicks(prompt, "draft")
        seen = []
        for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
            qtbot.keyClick(prompt, key)
            seen.append(prompt.toPlainText())
        assert seen == ["second", "first", "first", "second", "draft"]
        qtbot.waitSignal(prompt.edited).wait()

    def test_up_inside_a_text_moves_the_cursor_first(
        self, qtbot: QtBot, prompt: PromptEdit
    ) -> None:
        prompt.set_history(["earlier"])
        prompt.set_text("one\ntwo")
        qtbot.keyClick(prompt, Qt.Key.Key_Up)
        assert prompt.toPlainText() == "one\ntwo"
        with qtbot.waitSignal(prompt.edited):
            qtbot.keyClick(prompt, Qt.Key.Key_Up)
        assert prompt.toPlainText() == "earlier"


def test_ten_thousand_signals_keep_the_reference_counts(qtbot: QtBot) -> None:
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


def test_no_option_is_chosen_until_one_is_clicked_again(qtbot):
    switch = Segmented([("a", "A"), ("b", "B")], "letters")
    qtbot.addWidget(switch)
    switch.show()
    switch.choose_none()
    assert switch.value() == ""
    with qtbot.waitSignal(switch.changed) as told:
        qtbot.mouseClick(switch._buttons["a"], Qt.MouseButton.LeftButton)
    assert told.args == ["a"]
    assert switch.value() == "a"
    assert not switch._buttons["b"].isChecked()
