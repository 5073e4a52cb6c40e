"""The program as `gui.app` runs it for somebody: the first page once, and a log of it all."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import gui.app
from gui.client import log
from gui.window import Window
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def run(qapp, after_run, tmp_path, monkeypatch):
    """Run the program, look at its window once that stands, and close it."""
    path = tmp_path / "state" / "headscope.log"
    monkeypatch.setattr(log, "path", lambda: path)
    seen = []

    def look():
        shown = [window for window in QApplication.topLevelWidgets() if window.isVisible()]
        (window,) = (window for window in shown if isinstance(window, Window))
        if window.client.busy:
            QTimer.singleShot(50, look)
            return
        seen.append(window.welcome.isVisible())
        window.activateWindow()
        QTest.keyClick(window, Qt.Key.Key_Escape)
        seen.append(window.welcome.isVisible())
        window.close()

    def started():
        seen.clear()
        QTimer.singleShot(400, look)
        assert gui.app.run(lambda _: FakeEngine(), size=(1000, 700), version="1.2.3") == 0
        return tuple(seen), path.read_text(encoding="utf-8")

    yield started
    qapp.setApplicationVersion("")


def test_the_first_page_comes_once_and_escape_closes_it(run):
    assert run()[0] == (True, False)
    assert run()[0] == (False, False)


def test_the_log_says_what_was_started_and_opened_and_no_prompt(run):
    _, text = run()
    assert "Headscope 1.2.3" in text
    assert "opened attn-2l" in text
    assert text.rstrip().endswith("ended")
    assert "green tea" not in text


def test_the_window_and_the_program_carry_the_icon_and_the_desktop_name(run):
    run()
    assert not QApplication.windowIcon().isNull()
    sizes = {size.width() for size in QApplication.windowIcon().availableSizes()}
    assert {16, 32, 256} <= sizes
    assert QApplication.desktopFileName() == "headscope"
