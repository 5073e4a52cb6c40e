"""Killed at any moment: a session file is the old one or the new one, and nothing is left over."""

import os
import signal
import subprocess
import time

from gui.session.stored_answers import folder_of
from gui.state import session_file
from gui.state.session_file import Favourite

# Forks a child that saves without end, kills it at a random moment, and looks at what is there.
SAVING = """
import os, random, signal, sys, time
from dataclasses import replace
from pathlib import Path
from gui.state import session_file
from gui.state.session_file import SavedSession
from gui.state.selection import Selection

path, stray, chance = Path(sys.argv[1]), 0, random.Random(0)
number = 0
session_file.write(path, SavedSession(Selection(text="0", query=0)))
for _ in range(30):
    child = os.fork()
    if child == 0:
        while True:
            number += 1
            text = f"{number} " * chance.randint(1, 60_000)
            session_file.write(path, SavedSession(Selection(text=text, query=number)))
    time.sleep(chance.uniform(0.005, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    saved = session_file.read(path).selection
    assert saved.query >= number, "what had been saved is lost"
    assert set(saved.text.split()) == {str(saved.query)}, "half of one and half of another"
    number = saved.query
    stray += len(list(path.parent.iterdir())) - 1
    session_file.write(path, SavedSession(saved))
    assert list(path.parent.iterdir()) == [path]
print(number, stray)
"""

# The program on an engine that never comes to an end.
RUNNING = """
import sys
from PySide6.QtCore import QTimer
import gui.app, gui.window
from engine.messages import Head
from gui.panels.panel import Panel
from tests.gui.fake_engine import FakeEngine

asked = sys.argv[1]
shown = gui.window.Window.paintEvent
def watched(self, event):
    first = not self._was_painted
    shown(self, event)
    if first:
        QTimer.singleShot(300, lambda: act(self))
def act(window):
    session = window.session
    if asked == "work":
        session.set_text("typed before the crash")
        session.choose_head(Head(1, 2))
        session.favourites.write("attn-2l", Head(1, 2), "seen before the crash")
        print("working", window.client.busy, flush=True)
    else:
        print(session.selection.text, session.selection.head, flush=True)
        print([favourite.note for favourite in session.favourites.all], flush=True)
        window.close()
gui.window.Window.paintEvent = watched
engine = FakeEngine()
engine.seconds = 60 if asked == "work" else 0
sys.exit(gui.app.run(lambda _: engine))
"""


# The program on an engine that never opens one model: it is killed there, or looked at.
HANGING = """
import sys
from PySide6.QtCore import QTimer
import gui.app, gui.window
from gui.client.engine_client import LoadModel
from tests.gui.fake_engine import FakeEngine

class Engine(FakeEngine):
    def answer(self, request, job=None):
        if request == LoadModel("/models/endless"):
            print("opening", flush=True)
            self.seconds = 60
        return super().answer(request, job)

shown = gui.window.Window.paintEvent
def watched(self, event):
    first = not self._was_painted
    shown(self, event)
    if first:
        QTimer.singleShot(300, lambda: act(self))
def act(window):
    if sys.argv[1] == "hang":
        window.session.open_model("/models/endless")
        window.document.keep()
    else:
        bar = window.opening_bar
        print(window.session.selection.model, bar.heading.text(), bar.again.isVisible(), flush=True)
        window.close()
gui.window.Window.paintEvent = watched
sys.exit(gui.app.run(lambda _: Engine(), model=sys.argv[2] if sys.argv[2:] else None))
"""


def test_a_model_that_hung_is_offered_and_not_opened_at_the_next_start(
    python, repository, tmp_path
):
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = keep | {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }
    copy = tmp_path / "headscope" / "last-1.headscope.json"
    with subprocess.Popen(
        [python, "-c", HANGING, "hang"],
        cwd=repository,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout.readline() == "opening\n"
        while not (copy.exists() and session_file.read(copy).selection.model != "attn-2l"):
            time.sleep(0.02)
        program.send_signal(signal.SIGKILL)
    looked = subprocess.run(
        [python, "-c", HANGING, "look"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert looked.stderr == ""
    assert looked.stdout == "attn-2l endless could not be opened True\n"
    assert not copy.with_name(f"{copy.name}.opening").exists()


def test_thirty_kills_during_a_save_leave_a_whole_file_and_nothing_beside_it(
    python, repository, tmp_path
):
    folder = tmp_path / "here"
    folder.mkdir()
    path = folder / "tea.headscope.json"
    done = subprocess.run(
        [python, "-c", SAVING, str(path)], cwd=repository, capture_output=True, text=True
    )
    assert done.stderr == ""
    saves, stray = map(int, done.stdout.split())
    print(f"{saves} saves, {stray} of 30 kills left a part of a file, removed")  # noqa: T201
    assert saves > 30
    assert stray > 0, "no kill came during a save: this test looks at nothing"


def test_killed_during_a_run_the_last_seconds_at_most_are_lost(python, repository, tmp_path):
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = keep | {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }
    copy = tmp_path / "headscope" / "last-1.headscope.json"
    with subprocess.Popen(
        [python, "-c", RUNNING, "work"],
        cwd=repository,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout.readline() == "working True\n"
        changed = time.monotonic()
        while not (copy.exists() and session_file.read(copy).favourites):
            time.sleep(0.02)
        print(f"kept {time.monotonic() - changed:.1f} s after the change")  # noqa: T201
        program.send_signal(signal.SIGKILL)
    saved = session_file.read(copy)
    assert saved.favourites == (Favourite("attn-2l", (1, 2), "seen before the crash"),)
    part = copy.with_name(f".headscope-{'0' * 16}.part")
    part.write_text("half of a sess")
    done = subprocess.run(
        [python, "-c", RUNNING, "look"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "typed before the crash 1.2\n['seen before the crash']\n"
    assert not part.exists()
    assert {path.name for path in copy.parent.iterdir()} == {
        copy.name,
        folder_of(copy).name,
        "headscope.ini",
    } - ({folder_of(copy).name} if not folder_of(copy).exists() else set())
