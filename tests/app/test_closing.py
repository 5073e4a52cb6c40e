"""Closing: at any moment, at once, without a word."""

import os
import subprocess
import threading
import time

import pytest

from gui.client.engine_client import EngineClient
from gui.session.session import Selection, Session
from gui.state import session_file
from gui.window import Window

# Closes the window a moment after its first paint and says how long the process then took.
SCRIPT = """
import sys, time
from PySide6.QtCore import QTimer
import gui.app, gui.window

def make(_):
    from engine import Engine
    return Engine()

torch_at_first_paint = []
shown = gui.window.Window.paintEvent
def watched(self, event):
    shown(self, event)
    if not torch_at_first_paint:
        torch_at_first_paint.append("torch" in sys.modules)
        QTimer.singleShot(int(sys.argv[1]), self.close)
gui.window.Window.paintEvent = watched
closing = gui.window.Window.closeEvent
def timed(self, event):
    print(torch_at_first_paint[0], time.time(), flush=True)
    closing(self, event)
gui.window.Window.closeEvent = timed
sys.exit(gui.app.run(make))
"""


@pytest.mark.parametrize("after_ms", [0, 300, 1500])
def test_a_process_closed_while_torch_is_imported_ends_quietly(
    python, repository, tmp_path, after_ms
):
    done = subprocess.run(
        [python, "-c", SCRIPT, str(after_ms)],
        cwd=repository,
        capture_output=True,
        text=True,
        env={
            **_environment(),
            "XDG_CONFIG_HOME": str(tmp_path),
            "XDG_DATA_HOME": str(tmp_path),
            "XDG_STATE_HOME": str(tmp_path),
        },
    )
    ended = time.time()
    assert done.returncode == 0
    assert done.stderr == ""
    torch_at_first_paint, closed = done.stdout.split()
    assert torch_at_first_paint == "False"
    print(f"ended {ended - float(closed):.2f} s after it was closed")  # noqa: T201
    assert (tmp_path / "headscope" / "headscope.ini").exists()
    assert session_file.read(tmp_path / "headscope" / "last-1.headscope.json").window.docks


def test_twenty_windows_closed_in_the_middle_of_a_run_leave_no_thread(qtbot, qapp, engine):
    before = set(threading.enumerate())
    for number in range(20):
        client = EngineClient(lambda: engine)
        text = " ".join(f"tea{number} green{i}" for i in range(40))
        window = Window(Session(Selection(text=text)), client, None, "light")
        qtbot.addWidget(window)
        window.painted.connect(client.start)
        window.show()
        qtbot.waitUntil(lambda c=client: c.doing not in ("", "loading torch and TransformerLens"))
        qtbot.wait(3 * number)
        window.close()
        assert client.close()
        assert not window.isVisible()
    assert {
        thread for thread in threading.enumerate() if thread.name.startswith("engine")
    } <= before


def _environment():
    keep = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH")
    found = {name: os.environ[name] for name in keep if name in os.environ}
    return {**found, "QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}
