"""What went wrong stands where it happened, and its details can be copied whole."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QPlainTextEdit, QPushButton

from gui.client.engine_client import Failure
from gui.style import palette
from gui.widgets.labels import Notice


@pytest.fixture
def notice(qtbot, qapp):
    palette.apply(qapp, "light")
    notice = Notice()
    qtbot.addWidget(notice)
    notice.show()
    return notice


def test_what_a_file_put_into_a_sentence_is_seen_and_not_obeyed(notice):
    notice.show_failure("model_type \u202eevil\x1b[2J\r")
    assert notice.text() == r"model_type \u202eevil\u001b[2J\u000d"
    assert Failure("a\x00b").sentence == r"a\u0000b"


def button(widget, text):
    return next(found for found in widget.findChildren(QPushButton) if found.text() == text)


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


def test_what_was_refused_in_a_sentence_has_no_details(notice):
    notice.show_failure("that means nothing")
    assert not button(notice, "Details").isVisible()
