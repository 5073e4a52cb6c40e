"""Closed or killed at any moment, on a full disk too: nothing hangs and nothing is lost."""

import os
import signal
import subprocess
import threading
import time

import pytest

from gui.client.engine_client import EngineClient
from gui.session.session import Selection, Session
from gui.session.stored_answers import folder_of
from gui.state import session_file
from gui.state.session_file import Favourite
from gui.window import Window

# Every program below does something to its window a moment after the first paint.
WATCHING = """
import resource, sys, time
from PySide6.QtCore import QTimer
import gui.app, gui.window
from engine.messages import Head, LoadModel
from tests.gui.fake_engine import FakeEngine

shown, torch_at_first_paint = gui.window.Window.paintEvent, []

def after_paint(act, wait=300):
    def watched(self, event):
        shown(self, event)
        if not torch_at_first_paint:
            torch_at_first_paint.append("torch" in sys.modules)
            QTimer.singleShot(wait, lambda: act(self))
    gui.window.Window.paintEvent = watched
"""
# Closes the window and says how long the process then took.
CLOSING = """
def make(_):
    from engine import Engine
    return Engine()

after_paint(gui.window.Window.close, int(sys.argv[1]))
closing = gui.window.Window.closeEvent
def timed(self, event):
    print(torch_at_first_paint[0], time.time(), flush=True)
    closing(self, event)
gui.window.Window.closeEvent = timed
sys.exit(gui.app.run(make))
"""
# No file may grow from then on, which is how a full disk looks to a program.
FULL_DISK = """
def leave(window):
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    window.session.set_text("typed last")
    window.close()
after_paint(leave)
sys.exit(gui.app.run(lambda _: FakeEngine()))
"""
# The program on an engine that never comes to an end.
RUNNING = """
asked = sys.argv[1]
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
after_paint(act)
engine = FakeEngine()
engine.seconds = 60 if asked == "work" else 0
sys.exit(gui.app.run(lambda _: engine))
"""
# The program on an engine that never opens one model: it is killed there, or looked at.
HANGING = """
class Engine(FakeEngine):
    def answer(self, request, job=None):
        if request == LoadModel("/models/endless"):
            print("opening", flush=True)
            self.seconds = 60
        return super().answer(request, job)

def act(window):
    if sys.argv[1] == "hang":
        window.session.open_model("/models/endless")
        window.document.keep()
    else:
        bar = window.opening_bar
        print(window.session.selection.model, bar.heading.text(), bar.again.isVisible(), flush=True)
        window.close()
after_paint(act)
sys.exit(gui.app.run(lambda _: Engine()))
"""
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


@pytest.fixture
def started(python, repository, tmp_path):
    """Start a program whose settings, data and log lie in the test's folder."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    places = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    environment = keep | {"QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}
    return lambda code, *words: subprocess.Popen(
        [python, "-c", WATCHING + code, *words],
        cwd=repository,
        env=environment | dict.fromkeys(places, str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def ended(started):
    """Run such a program to its end: status, standard output, standard error."""

    def run(code, *words):
        with started(code, *words) as program:
            out, err = program.communicate()
        return program.returncode, out, err

    return run


@pytest.fixture
def copy(tmp_path):
    return tmp_path / "headscope" / "last-1.headscope.json"


@pytest.mark.parametrize("after_ms", [0, 300, 1500])
def test_a_process_closed_while_torch_is_imported_ends_quietly(ended, copy, after_ms):
    status, out, err = ended(CLOSING, str(after_ms))
    over = time.time()
    assert (status, err) == (0, "")
    torch_at_first_paint, closed = out.split()
    assert torch_at_first_paint == "False"
    print(f"ended {over - float(closed):.2f} s after it was closed")  # noqa: T201
    assert (copy.parent / "headscope.ini").exists()
    assert session_file.read(copy).window.docks


def test_closing_on_a_full_disk_says_what_was_not_saved(ended, copy, tmp_path):
    status, _, err = ended(FULL_DISK)
    assert status == 0
    (line,) = (line for line in err.splitlines() if "propagateSizeHints" not in line)
    assert line.startswith(f"headscope: cannot save {copy}: ")
    assert not list(tmp_path.rglob("*.part"))


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


def kill_once(program, line, kept):
    """Kill a program once it has written a line and its copy holds what it should."""
    with program:
        assert program.stdout.readline() == line
        changed = time.monotonic()
        while not kept():
            time.sleep(0.02)
        print(f"kept {time.monotonic() - changed:.1f} s after the change")  # noqa: T201
        program.send_signal(signal.SIGKILL)


def test_a_model_that_hung_is_offered_and_not_opened_at_the_next_start(started, ended, copy):
    def kept():
        return copy.exists() and session_file.read(copy).selection.model != "attn-2l"

    kill_once(started(HANGING, "hang"), "opening\n", kept)
    _, out, err = ended(HANGING, "look")
    assert (out, err) == ("attn-2l endless could not be opened True\n", "")
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


def test_killed_during_a_run_the_last_seconds_at_most_are_lost(started, ended, copy):
    def kept():
        return copy.exists() and session_file.read(copy).favourites

    kill_once(started(RUNNING, "work"), "working True\n", kept)
    saved = session_file.read(copy)
    assert saved.favourites == (Favourite("attn-2l", (1, 2), "seen before the crash"),)
    part = copy.with_name(f".headscope-{'0' * 16}.part")
    part.write_text("half of a sess")
    seen = "typed before the crash 1.2\n['seen before the crash']\n"
    assert ended(RUNNING, "look") == (0, seen, "")
    left = {path.name for path in copy.parent.iterdir()}
    assert left - {folder_of(copy).name, "headscope.log"} == {copy.name, "headscope.ini"}
