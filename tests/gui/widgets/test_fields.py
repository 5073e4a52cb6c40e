"""Fields for a token and for a prompt: what is found, offered, entered, told and shown."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.widgets.fields import PromptEdit, TokenField, VocabularyIndex

TEXTS = ["tea", " tea", "Tea", "", "<s>", " team", "a\nb", "·tea"]
LABELS = ["tea", "·tea", "Tea", "E6", "<s>", "·team", "a↵b", "·tea"]


def test_a_token_is_found_by_text_then_label_then_number():
    index = VocabularyIndex(TEXTS, LABELS)
    found = [index.find(typed) for typed in ("tea", " tea", "·team", "E6", "a\nb", "#3", "#9")]
    assert found == [0, 1, 5, 3, 6, 3, None]
    assert index.find("·tea") == 7
    assert index.find("") is None
    assert index.find("teapot") is None


def test_completions_are_the_token_then_prefixes_then_what_holds_it():
    labels = ["steam", "·team", "tea", "·tea", "team", "Tea"]
    index = VocabularyIndex(labels, labels)
    names = [labels[token] for token in index.complete("tea", 10)]
    assert names == ["tea", "Tea", "·tea", "team", "·team", "steam"]
    assert [labels[token] for token in index.complete(" te", 10)] == ["·team", "·tea"]
    assert len(index.complete("tea", 2)) == 2
    assert index.complete("zebra", 10) == []


@pytest.mark.parametrize("typed", ["", "t", "ea", "·", "1"])
def test_completions_are_those_of_a_plain_search(typed):
    labels = [f"{'·' * (i % 2)}t{i}" for i in range(300)]
    index = VocabularyIndex(labels, labels)
    expected = {token for token, label in enumerate(labels) if typed in label}
    assert set(index.complete(typed, 1000)) == expected


def test_an_empty_vocabulary_has_no_completions():
    assert VocabularyIndex((), ()).complete("a", 10) == []


@pytest.fixture
def field(qtbot):
    widget = TokenField()
    qtbot.addWidget(widget)
    widget.set_vocabulary(TEXTS, LABELS)
    widget.show()
    return widget


@pytest.mark.parametrize(
    ("typed", "token"), [("tea", 0), (" tea", 1), ("<s>", 4), ("#6", 6), ("E6", 3)]
)
def test_entering_a_token_chooses_it_and_shows_its_label(qtbot, field, typed, token):
    field.setText(typed)
    with qtbot.waitSignal(field.chosen) as signal:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert signal.args == [token]
    assert field.text() == LABELS[token]


def test_what_is_no_token_is_refused_and_kept(qtbot, field):
    qtbot.keyClicks(field, "teapot")
    with qtbot.waitSignal(field.refused) as signal, qtbot.assertNotEmitted(field.chosen):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert "'teapot' is no single token" in signal.args[0]
    assert field.text() == "teapot"
    assert field.property("refused")
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert not field.property("refused")


def test_a_completion_is_picked_from_the_list(qtbot, field):
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


def test_escape_goes_back_to_the_token(qtbot, field):
    field.set_token(1)
    field.setText("")
    field.setModified(True)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "·tea"


@pytest.fixture
def prompt(qtbot):
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


def test_it_grows_with_its_text_and_then_scrolls(qtbot, prompt):
    heights = []
    for lines in (1, 3, 5, 6, 20):
        prompt.set_text("\n".join("line" for _ in range(lines)))
        qtbot.wait(1)
        heights.append(prompt.height())
        assert prompt.verticalScrollBar().isVisible() == (lines > 6)
    assert heights[0] < heights[1] < heights[2] < heights[3] == heights[4]


def test_a_text_that_scrolls_shows_whole_lines_only(qtbot, prompt):
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


def test_enter_submits_and_shift_enter_begins_a_line(qtbot, prompt):
    qtbot.keyClicks(prompt, "a")
    qtbot.keyClick(prompt, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(prompt, "b")
    with qtbot.waitSignal(prompt.submitted):
        qtbot.keyClick(prompt, Qt.Key.Key_Return)
    assert prompt.toPlainText() == "a\nb"


def test_edits_are_told_once_after_a_pause(qtbot, prompt):
    told = []
    prompt.edited.connect(lambda: told.append(prompt.toPlainText()))
    qtbot.keyClicks(prompt, "tea")
    assert told == []
    qtbot.waitUntil(lambda: told == ["tea"])
    qtbot.wait(300)
    assert told == ["tea"]


def test_who_types_without_a_pause_is_told_of_on_the_way(qtbot, prompt):
    told = []
    prompt.edited.connect(lambda: told.append(prompt.toPlainText()))
    for _ in range(12):
        qtbot.keyClicks(prompt, "a")
        qtbot.wait(100)  # under the pause that tells of an edit
    assert 1 <= len(told) <= 3
    qtbot.waitUntil(lambda: told[-1] == "a" * 12)


@pytest.mark.parametrize("width", range(280, 330, 7))
def test_a_text_kept_from_last_time_is_wrapped_and_not_scrolled_sideways(qtbot, width):
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


def test_text_set_from_outside_is_no_edit(qtbot, prompt):
    with qtbot.assertNotEmitted(prompt.edited, wait=400):
        prompt.set_text("I like green tea")


@pytest.mark.parametrize(
    "text",
    ["", "a\u00a0b", "tab\there\nand there", "<b>x</b> &amp;", "קריירה (123)", "💩💩", "a\n\n"],
)
def test_text_comes_back_exactly(prompt, text):
    prompt.set_text(text)
    assert prompt.toPlainText() == text


def test_up_and_down_walk_the_history_and_keep_the_draft(qtbot, prompt):
    prompt.set_history(["first", "second"])
    qtbot.keyClicks(prompt, "draft")
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(prompt, key)
        seen.append(prompt.toPlainText())
    assert seen == ["second", "first", "first", "second", "draft"]
    qtbot.waitSignal(prompt.edited).wait()


def test_up_inside_a_text_moves_the_cursor_first(qtbot, prompt):
    prompt.set_history(["earlier"])
    prompt.set_text("one\ntwo")
    qtbot.keyClick(prompt, Qt.Key.Key_Up)
    assert prompt.toPlainText() == "one\ntwo"
    with qtbot.waitSignal(prompt.edited):
        qtbot.keyClick(prompt, Qt.Key.Key_Up)
    assert prompt.toPlainText() == "earlier"
