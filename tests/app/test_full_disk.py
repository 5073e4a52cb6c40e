"""A disk without room left when the window closes: said in a sentence, and no traceback."""

import os
import subprocess

# No file may grow from then on, which is how a full disk looks to a program.
CLOSING = """
import resource, sys
from PySide6.QtCore import QTimer
import gui.app, gui.window
from tests.gui.fake_engine import FakeEngine

shown = gui.window.Window.paintEvent
def watched(self, event):
    first = not self._was_painted
    shown(self, event)
    if first:
        QTimer.singleShot(300, lambda: leave(self))
def leave(window):
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    window.session.set_text("typed last")
    window.close()
gui.window.Window.paintEvent = watched
sys.exit(gui.app.run(lambda _: FakeEngine()))
"""


def test_closing_on_a_full_disk_says_what_was_not_saved(python, repository, tmp_path):
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    places = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    environment = keep | {"QT_QPA_PLATFORM": "offscreen"} | dict.fromkeys(places, str(tmp_path))
    done = subprocess.run(
        [python, "-c", CLOSING], cwd=repository, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0
    saying = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    (line,) = saying
    assert line.startswith(f"headscope: cannot save {tmp_path}/headscope/last-1.headscope.json: ")
    assert not list(tmp_path.rglob("*.part"))
