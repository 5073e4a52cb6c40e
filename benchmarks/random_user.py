"""A random user of the real window: `python -m benchmarks.random_user --minutes 30 --seed 1`.

Clicks, keys, prompts, files and sizes at random, with a rest now and then. It ends with status 1
if there was an exception, a complaint of Qt, a warning, a connection or a file written astray; if
the window did not come to rest, or was late by seconds; or if memory grew by more than MOST_MB
beyond what the cache may hold. What was done is in the log, the last of it is printed.

Runs without a display; settings, sessions and files are in a folder that is removed at the end.
"""

import argparse
import faulthandler
import gc
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.fault_watch import Faults
from benchmarks.random_hands import MODELS, PROMPTS, Act, Hands
from engine.messages import Request
from gui.app import run
from gui.client.engine_client import EngineLike, Failure
from gui.export.dialog import ExportDialog
from gui.panels.prompt.prompt import PromptPanel
from gui.shell.layouts import LAYOUTS
from gui.state.preferences import Preferences
from gui.window import Window

MOST_MB = 50
"""Megabytes by which memory may grow after the warm-up, beyond what the cache may yet take."""
CACHE_BYTES = 32 * 2**20
"""Small, so that it is full early and what grows after that is a leak."""
REST_SECONDS = 60.0
"""Within so long of the last act the window has answered everything, where nothing else is said."""
IMPORT_SECONDS = 240.0
"""The same where torch or matplotlib is imported for the first time, on a busy machine."""
LATEST_SECONDS = 5.0
"""How long one turn of the event loop may take, where nothing else is said."""
DEAD_SECONDS = 120
"""A turn that takes so long never ends: the process is, with a trace of every thread."""
ACTS_TO_REST = 60
PAUSES_MS = (0, 0, 5, 15, 40, 150)
HEARD_SECONDS = 0.5
"""Within so long of the last key a prompt is asked."""
NESTED_SECONDS = 0.3
"""A step that takes longer runs an event loop of its own, such as a menu's."""
USUAL_SIZE = (1600, 1000)
TOLD = 12
"""Acts that are printed with a fault."""
MOST_FAULTS, MOST_DIALOGS = 12, 40
LAST_TEXT = "I like coffee in London, so I drink coffee"


def isolate(folder: Path) -> None:
    """Give this process a home, settings and caches in a folder, and no way to the network."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR"):
        os.environ[name] = str(folder / "home")
    os.environ["HF_HOME"] = os.environ["TMPDIR"] = str(folder / "home")
    # Torch makes this folder while it is imported; whoever starts us may have imported it too,
    # which leaves them the place of it in the environment.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "home")
    os.environ["HF_HUB_OFFLINE"] = "1"
    # The process that downloads finds nobody there.
    for name in ("HF_ENDPOINT", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        os.environ[name] = "http://127.0.0.1:9"
    (folder / "home").mkdir()
    tempfile.tempdir = None
    os.chdir(folder / "home")


def lay_out_files(folder: Path) -> None:
    """Write what can be dropped on the window or chosen in its dialogs."""
    (folder / "tea.txt").write_text("I like green tea,\nso I drink green\n", encoding="utf-8")
    (folder / "long.txt").write_text("green tea " * 9000, encoding="utf-8")
    (folder / "bytes.txt").write_bytes(bytes(range(256)))
    (folder / "empty").mkdir()
    (folder / "half").mkdir()
    (folder / "half" / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    (folder / "broken.gguf").write_bytes(b"GGUF" + bytes(40))
    (folder / "broken.headscope.json").write_text('{"version": 1,', encoding="utf-8")


class Limits(NamedTuple):
    """What is too much.

    Attributes
    ----------
    rest, late
        Seconds until everything is answered, and of one turn of the event loop.
    grown
        Megabytes of memory after the warm-up beyond what the cache may hold; none is not measured.
    """

    rest: float
    late: float
    grown: float | None


class RandomUser:
    """Uses the window until its time is over, then looks at what is left.

    It lives in the window's event loop, so that it goes on inside a menu or a dialog.

    Parameters
    ----------
    window
        The window, which stands.
    hands
        Draws what is done.
    faults
        What has gone wrong by itself; what is found here is added.
    free
        Tells how many bytes of its budget the engine's cache has left.
    seconds
        How long to go on after the warm-up.
    limits
        Beyond which there is a fault.
    log
        Takes a line an act.
    """

    def __init__(
        self,
        window: Window,
        hands: Hands,
        faults: Faults,
        free: Callable[[], int],
        seconds: float,
        limits: Limits,
        log: TextIO,
    ) -> None:
        self.over: Callable[[], object] = lambda: None
        self.facts: list[str] = []
        self._window, self._hands, self._faults, self._free = window, hands, faults, free
        self._seconds, self._limits, self._log = seconds, limits, log
        self._scenario = self._use()
        self._steps: list[Callable[[], object]] = []
        self._since: float | None = None
        self._due = time.monotonic()
        self._done: list[str] = []
        self._told = 0
        self._latest = (0.0, "")
        self._ended = False

    def tick(self) -> None:
        """Do one step, and come again."""
        if self._ended:
            return
        now = time.monotonic()
        self._note_lateness(now)
        pause = self._hands.chance.choice(PAUSES_MS)
        self._due = now + pause / 1000
        QTimer.singleShot(pause, self.tick)
        faulthandler.dump_traceback_later(DEAD_SECONDS, exit=True)
        if self._since is not None and now - self._since < NESTED_SECONDS:
            return
        self._tell()
        if not self._steps:
            act = next(self._scenario, None)
            if act is None:
                self._end()
                return
            name, self._steps = act
            if name:
                self._done.append(name)
                self._log.write(f"{len(self._done)} {name}\n")
                self._log.flush()
        outer, self._since = self._since, now
        if self._steps:
            self._steps.pop(0)()
        self._since = None if outer is None else time.monotonic()

    def _use(self) -> Iterator[Act]:
        yield from self._warm_up()
        if self._faults.found:
            # Without an engine, say, the memory it takes later would look like a leak.
            return
        yield from self._go_home()
        begin = resident()
        self._latest = (0.0, "")
        free = self._free() / 2**20
        ends = time.monotonic() + self._seconds
        while time.monotonic() < ends and len(self._faults.found) < MOST_FAULTS:
            for _ in range(ACTS_TO_REST):
                yield self._hands.act()
            yield from self._rest()
            self._log.write(
                f"{time.monotonic() - ends + self._seconds:.0f} s {resident():.0f} MB\n"
            )
        yield from self._go_home()
        grown = resident() - begin
        self.facts.append(
            f"memory {begin:.0f} MB, then {grown:+.0f} MB, of which the cache may have {free:.0f}"
        )
        if self._limits.grown is not None and grown > self._limits.grown + free:
            self._faults.add(self.facts[-1])
        yield from self._last_prompt()
        self.facts.append(
            f"{len(self._done)} acts, latest turn {self._latest[0]:.2f} s: {self._latest[1]}"
        )

    def _warm_up(self) -> Iterator[Act]:
        """Open every card and every model and typeset once: what that takes is no leak."""
        yield from self._rest(IMPORT_SECONDS)
        window = self._window
        for model in (*MODELS, MODELS[0]):
            yield f"model {model}", [partial(window.opening.open, model)]
            yield from self._rest()
        for path in self._hands.models():
            yield path.name, [partial(window.opening.open, str(path))]
            yield from self._rest()
        for dock in window.docks:
            yield dock.kind.title, [partial(window.open_cards, [dock.kind.title])]
            yield from self._rest()
        yield self._hands.prompt(" green tea" * 60)
        yield from self._rest()
        yield "export", [window.exports.export_last]
        yield from self._wait(self._typeset, IMPORT_SECONDS)
        yield from self._rest()
        for theme in ("dark", "light"):
            yield theme, [partial(window.set_theme, theme)]
            yield from self._rest()

    def _go_home(self) -> Iterator[Act]:
        """Look at the same things before and after: larger text or another model is no leak."""
        window = self._window
        for name, step in (
            ("normal text", window.text_sizes.reset),
            ("usual size", partial(window.resize, *USUAL_SIZE)),
            ("no guide", window.guide.finish),
            ("layout", partial(window.lay_out, LAYOUTS[0])),
            ("light", partial(window.set_theme, "light")),
            ("model", partial(window.opening.open, MODELS[0])),
        ):
            yield name, [step]
            yield from self._rest()
        yield self._hands.prompt(PROMPTS[0])
        yield from self._rest()

    def _rest(self, seconds: float = 0.0) -> Iterator[Act]:
        """Leave whatever is open, and wait until everything is answered."""
        for _ in range(MOST_DIALOGS):
            act = self._hands.leave()
            if act is None:
                break
            yield act
        else:
            self._faults.add("a dialog or menu cannot be left with Esc")
        yield from self._wait(self._rests, max(seconds, self._limits.rest))

    def _wait(self, over: Callable[[], bool], seconds: float) -> Iterator[Act]:
        """Wait for something; that it does not come is a fault."""
        deadline = time.monotonic() + seconds
        while not over():
            if time.monotonic() > deadline:
                self._faults.add(f"no rest: {self._state()}")
                break
            yield "", [lambda: None]

    def _last_prompt(self) -> Iterator[Act]:
        """See that the window still answers."""
        yield "model", [partial(self._window.opening.open, MODELS[0])]
        yield from self._rest()
        yield self._hands.prompt(LAST_TEXT)
        heard = time.monotonic() + HEARD_SECONDS
        yield from self._wait(lambda: time.monotonic() > heard, self._limits.rest)
        yield from self._rest()
        panel = next(p for p in self._window.panels if isinstance(p, PromptPanel))
        typed = self._window.session.selection.text
        if panel.common.run is None or typed != LAST_TEXT:
            self._faults.add(f"the last prompt was not answered: {typed!r}, {self._state()}")

    def _rests(self) -> bool:
        client, status = self._window.client, self._window.status
        filled = all(panel.filled for panel in self._window.panels)
        return not client.busy and filled and not client.doing and not status.bar.isVisible()

    def _typeset(self) -> bool:
        dialogs = (w for w in QApplication.topLevelWidgets() if isinstance(w, ExportDialog))
        return any(dialog.ready for dialog in dialogs)

    def _state(self) -> str:
        waiting = [panel.title for panel in self._window.panels if not panel.filled]
        client = self._window.client
        return f"{client.doing or 'nothing'} runs ({client.running}), waiting: {waiting}"

    def _note_lateness(self, now: float) -> None:
        late = now - self._due
        if late > self._latest[0]:
            self._latest = (late, self._done[-1] if self._done else "")
        if late > self._limits.late:
            self._faults.add(f"a turn of the event loop took {late:.1f} s")

    def _tell(self) -> None:
        """Say what was done before each new fault."""
        for fault in self._faults.found[self._told :]:
            print(f"after {len(self._done)} acts, the last of them:")
            print(*self._done[-TOLD:], sep="\n")
            print(fault, flush=True)
        self._told = len(self._faults.found)

    def _end(self) -> None:
        self._tell()
        self._ended = True
        faulthandler.cancel_dump_traceback_later()
        self.over()


class StaysOpen(QObject):
    """Keeps the window from being closed before the end."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Swallow what closes."""
        if event.type() == QEvent.Type.Close:
            event.ignore()
            return True
        return False


def resident() -> float:
    """Return the megabytes that this process holds of its own, free memory given back."""
    import psutil

    from engine.forward.memory import give_back

    gc.collect()
    give_back()
    held = psutil.Process().memory_info()
    # Pages of libraries come and go as the system likes; only Linux tells them apart.
    return (held.rss - getattr(held, "shared", 0)) / 1e6


def use(minutes: float, seed: int, limits: Limits, folder: Path, log: TextIO) -> int:
    """Start the program as its command does, use it, and return 1 if anything went wrong."""
    faulthandler.enable()
    faults = Faults(folder)
    faults.install()
    engines: list[Any] = []

    def make_engine(preferred: Preferences) -> EngineLike:
        from benchmarks.watched_engine import WatchedEngine

        engines[:] = [WatchedEngine(preferred, CACHE_BYTES)]
        return engines[0]

    def on_missed(request: Request, failure: Failure) -> None:
        # A refusal has no details; all else that has no answer is a fault.
        if failure.details:
            faults.add(f"{request}\n{failure.details}")

    app = QApplication([])
    app.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    app.setQuitOnLastWindowClosed(False)
    stays = StaysOpen()
    users = []

    def begin() -> None:
        window = next(w for w in app.topLevelWidgets() if isinstance(w, Window))
        window.installEventFilter(stays)
        window.client.missed.connect(on_missed)
        hands = Hands(window, random.Random(seed), folder / "files")
        user = RandomUser(window, hands, faults, lambda: engines[0].free, minutes * 60, limits, log)
        user.over = over
        users.append(user)
        user.tick()

    def over() -> None:
        status = int(bool(faults.found))
        print(f"seed {seed}: {len(faults.found)} faults; {'; '.join(users[0].facts)}", flush=True)
        app.exit(status)

    QTimer.singleShot(0, begin)
    try:
        return run(make_engine)
    except Exception:
        # Whoever collects what goes wrong in the window cannot tell it any more.
        traceback.print_exc()
        return 1


def main() -> int:
    """Use the window, in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="where to write what is done")
    parser.add_argument("--rest", type=float, default=REST_SECONDS, help="seconds at most")
    parser.add_argument("--late", type=float, default=LATEST_SECONDS, help="seconds at most")
    parser.add_argument("--any-memory", action="store_true", help="do not judge what it takes")
    given = parser.parse_args()
    limits = Limits(given.rest, given.late, None if given.any_memory else MOST_MB)
    place = (given.log or Path(os.devnull)).absolute()
    with place.open("w", encoding="utf-8") as log, tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        isolate(folder)
        (folder / "files").mkdir()
        lay_out_files(folder / "files")
        status = use(given.minutes, given.seed, limits, folder, log)
        os.chdir("/")
        return status


if __name__ == "__main__":
    sys.exit(main())
