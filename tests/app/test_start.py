"""The program as `gui.app` runs it: its first page, its log, and a picture without a user."""

import errno

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import gui.app
from gui.client import log
from gui.platform import atomic_file
from gui.state import session_file
from gui.state.session_file import SavedSession
from gui.style import palette
from gui.style.theme import SEQUENTIAL, lut
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


pytestmark = pytest.mark.usefixtures("after_run")


@pytest.mark.parametrize(
    ("size", "scale", "theme"), [((1000, 700), 1, "dark"), ((1600, 1000), 2, None)]
)
def test_the_picture_is_whole_exact_and_filled(qapp, engine, tmp_path, size, scale, theme):
    path = tmp_path / "headscope.png"
    code = gui.app.run(lambda _: engine, screenshot=path, size=size, scale=scale, theme=theme)
    assert code == 0
    image = QImage(str(path))
    assert (image.width(), image.height()) == (size[0] * scale, size[1] * scale)
    ground = palette.THEMES[theme or "light"].window
    assert image.pixelColor(3 * scale, image.height() // 2).name() == ground
    # A band through the attention picture: its map from white to the darkest blue, beside text.
    band = range(160 * scale, 240 * scale)
    seen = {image.pixel(x, y) & 0xFFFFFF for y in band for x in range(image.width())}
    shades = [int.from_bytes(bytes(shade)) for shade in lut(SEQUENTIAL)]
    assert shades[0] in seen
    assert seen & set(shades[224:])
    assert len(seen & set(shades)) > 5


def test_a_model_of_the_command_line_is_the_one_that_is_opened(qapp, engine, tmp_path, capsys):
    made = {"screenshot": tmp_path / "headscope.png", "size": (1000, 700)}
    assert gui.app.run(lambda _: engine, model="attn-1l", **made) == 0
    assert gui.app.run(lambda _: engine, model=str(tmp_path / "absent"), **made) == 1
    assert "nothing is downloaded" in capsys.readouterr().err


def test_a_session_that_is_pictured_with_another_model_asks_nobody_to_save_it(
    qapp, engine, tmp_path
):
    session = tmp_path / "a.headscope.json"
    session_file.write(session, SavedSession())
    never = QTimer(qapp, interval=60_000, singleShot=True)
    never.timeout.connect(lambda: qapp.exit(99))
    never.start()
    path = tmp_path / "headscope.png"
    code = gui.app.run(lambda _: engine, model="attn-1l", session_path=session, screenshot=path)
    never.stop()
    assert code == 0
    assert path.exists()


def test_a_picture_that_cannot_be_written_is_said_and_exits_2(qapp, engine, tmp_path, capsys):
    code = gui.app.run(lambda _: engine, screenshot=tmp_path / "missing" / "picture.png")
    assert code == 2
    assert capsys.readouterr().err == (
        f"headscope: cannot write {tmp_path / 'missing' / 'picture.png'}: "
        "No such file or directory\n"
    )


def test_a_disk_that_is_full_is_named_and_leaves_the_picture_before(
    qapp, engine, tmp_path, capsys, monkeypatch
):
    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "picture.png"
    path.write_bytes(b"before")
    monkeypatch.setattr(atomic_file.os, "fsync", full)
    assert gui.app.run(lambda _: engine, screenshot=path) == 2
    assert f"cannot write {path}: No space left on device" in capsys.readouterr().err
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_engine_that_cannot_start_is_said_and_exits_1(qapp, tmp_path, capsys):
    def broken(_):
        raise ImportError("no module named torch")

    code = gui.app.run(broken, screenshot=tmp_path / "picture.png")
    assert code == 1
    assert "no module named torch" in capsys.readouterr().err
