"""What went wrong stands where it happened, and its details can be copied whole."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.client.engine_client import Failure
from gui.widgets.labels import Notice


@pytest.fixture
def notice(qtbot):
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


def button(widget, text):
    return next(found for found in widget.findChildren(QPushButton) if found.text() == text)


def test_it_takes_no_room_until_there_is_something_to_say_as_it_is(notice):
    assert not notice.isVisible()
    notice.show_info("Working out <b>x</b> & more")
    assert notice.isVisible()
    assert notice.height() < 60
    label = notice.findChild(QLabel)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.text() == "Working out <b>x</b> & more"
    notice.clear()
    assert not notice.isVisible()


def test_what_a_file_put_into_a_sentence_is_seen_and_not_obeyed(notice):
    notice.show_failure("model_type \u202eevil\x1b[2J\r")
    assert notice.text() == r"model_type \u202eevil\u001b[2J\u000d"
    assert Failure("a\x00b").sentence == r"a\u0000b"


def test_details_are_copied_with_the_sentence_and_the_versions(qtbot, notice):
    notice.show_failure("It broke <b>here</b>", "Traceback\n  ValueError: <s>")
    qtbot.mouseClick(button(notice, "Details"), Qt.MouseButton.LeftButton)
    (dialog,) = notice.findChildren(QDialog)
    shown = dialog.findChild(QPlainTextEdit).toPlainText()
    QApplication.clipboard().setText("")
    qtbot.mouseClick(button(dialog, "Copy"), Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == shown
    assert shown.startswith("It broke <b>here</b>\n\nTraceback\n  ValueError: <s>\n\nHeadscope")
    assert "torch " in shown
    dialog.close()


def test_what_was_refused_in_a_sentence_has_no_details_of_an_earlier_one(notice):
    notice.show_failure("It went wrong.", "why")
    notice.show_failure("that means nothing")
    assert not button(notice, "Details").isVisible()


def test_a_failure_looks_unlike_an_information(notice):
    notice.show_info("so")
    calm = notice.grab().toImage().pixelColor(20, 4).name()
    notice.show_failure("no")
    assert notice.grab().toImage().pixelColor(20, 4).name() != calm
