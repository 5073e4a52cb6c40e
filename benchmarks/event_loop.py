"""How late the window's event loop is while the engine works; run as a process of its own.

Prints one number a run: the longest time, in milliseconds, by which a 5 ms timer of the UI
thread was late between the change of the prompt and the last panel's answer.
"""

import sys
import time

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from gui.client.engine_client import EngineClient, EngineLike
from gui.session.session import Session
from gui.style import palette
from gui.window import Window

RUNS = 5
TOKENS = 256
TICK_MS = 5
SETTLE_MS = 300
WORDS = (" green", " tea", " coffee", " cat", " of", " the", " in", " like")
"""Single tokens of attn-2l."""


def make_engine() -> EngineLike:
    """Return the real engine."""
    from engine import Engine

    return Engine()


def prompt(run: int) -> str:
    """Return a text of TOKENS - 1 tokens, BOS being the first; another one for each run."""
    picked = [WORDS[(run + 3 * place + place // 5) % len(WORDS)] for place in range(TOKENS - 1)]
    return "".join(picked)


class Lateness(QObject):
    """A timer of the UI thread that remembers its worst tick, and changes the prompt."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__()
        self._session, self._client = session, client
        self._run = -1
        self._worst, self._last = 0.0, time.perf_counter()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._measure)
        self._settled = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settled.timeout.connect(self._next)
        client.idle.connect(self._settled.start)

    def _measure(self) -> None:
        now = time.perf_counter()
        self._worst = max(self._worst, (now - self._last) * 1000 - TICK_MS)
        self._last = now

    def _next(self) -> None:
        if self._client.busy:
            return
        if self._run >= 0:
            sys.stdout.write(f"{self._worst:.1f}\n")
        self._run += 1
        if self._run == RUNS:
            self._tick.stop()
            QApplication.quit()
            return
        self._worst, self._last = 0.0, time.perf_counter()
        self._tick.start()
        self._session.set_text(prompt(self._run))


def main() -> int:
    """Open the real window with the real engine, run the prompts, print the worst ticks."""
    app = QApplication([])
    palette.apply(app, "light")
    session = Session()
    client = EngineClient(make_engine)
    window = Window(session, client, None, "light")
    window.resize(1600, 1000)
    lateness = Lateness(session, client)
    window.painted.connect(client.start)
    window.show()
    code = app.exec()
    client.close()
    del lateness
    return code


if __name__ == "__main__":
    sys.exit(main())
