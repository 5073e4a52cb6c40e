"""The one door from the window to the engine thread."""

import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from engine.job import Cancelled, Job
from engine.messages import LoadModel, Placing, Refused, Request, Result, printable
from gui.garbage import Collector
from gui.question_order import makes_way, rank, words_for

REPORT_SECONDS = 0.05
CLOSE_SECONDS = 0.4
SWITCH_SECONDS = 0.001
"""How long the engine thread may keep the interpreter when the UI thread wants it."""
LOADING = "loading torch and TransformerLens"


class EngineLike(Protocol):
    """What the client needs of an engine."""

    def answer(self, request: Request, job: Job) -> Result:
        """Answer one question."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


@dataclass(frozen=True)
class Failure:
    """Why there is no answer: one sentence, and what a bug report needs."""

    sentence: str
    details: str = ""

    def __post_init__(self) -> None:
        """Make what a file may have put into the sentence visible."""
        object.__setattr__(self, "sentence", printable(self.sentence, keep="\n"))


STOPPED = Failure("Stopped. Press F5 to ask again.")
"""What every asker is told of work that the user stopped."""

Outcome = Result | Failure | Cancelled
"""What comes back from the engine thread."""


class Asker(Protocol):
    """Who can ask: the client calls one of these on the UI thread."""

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take the answer to what was asked last in this slot."""
        ...

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that what was asked last in this slot has no answer."""
        ...


class EngineClient(QObject):
    """Questions in, answers out on the UI thread, one at a time, the newest only.

    Nothing is started before `start`, so that the window can be painted before torch is
    imported; what is asked until then waits.

    Parameters
    ----------
    make_engine
        Called once in the engine thread; it may import torch.
    beside
        Answers what takes long and computes nothing, in a thread of its own; it starts and closes
        with this client.
    """

    progress = Signal(str, object, object)
    """(what, done, total); an empty text when nothing runs. Bytes do not fit into Qt's int."""
    answered = Signal(object, float)
    """(request, seconds it took)."""
    failed = Signal(object, str)
    """(request, the sentence of its failure)."""
    renewed = Signal()
    """Answers may be others from now on: whoever shows one asks again."""
    missed = Signal(object, object)
    """(request, failure), whether or not its answer is still wanted."""
    idle = Signal()
    """Nothing runs and nothing waits."""

    _finished = Signal(object, object, float, object)
    _stepped = Signal(object, str, object, object)

    def __init__(
        self, make_engine: Callable[[], EngineLike], beside: "EngineClient | None" = None
    ) -> None:
        super().__init__()
        self.beside = beside
        self._make_engine = make_engine
        self._engine: EngineLike | None = None
        self._made_by = make_engine
        self._executor: ThreadPoolExecutor | None = None
        self._thread: threading.Thread | None = None
        self._wanted: dict[tuple[Asker, str], Request] = {}
        self._running: Request | None = None
        self._job = Job()
        self._closed = False
        self.placing = Placing()
        """Where models run, as far as they can be moved."""
        self.recall: Callable[[Request], Result | None] | None = None
        """Finds the answer of an earlier time, given at once while the engine is waited for."""
        self._doing = LOADING
        self._collector = Collector(self)
        self._finished.connect(self._deliver)
        self._stepped.connect(self._show_step)

    @property
    def doing(self) -> str:
        """What is being waited for, in words; empty when nothing is."""
        return self._doing

    @property
    def running(self) -> Request | None:
        """What is being answered now."""
        return self._running

    @property
    def busy(self) -> bool:
        """Whether anything runs or waits."""
        return bool(self._wanted) or self._running is not None

    def start(self) -> None:
        """Start the engine thread and answer what has been asked so far."""
        if self._executor is not None or self._closed:
            return
        self._collector.start()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._executor = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="engine", initializer=self._remember_thread
        )
        if self.beside is not None:
            self.beside.start()
        self._next()

    def renew(self, make_engine: Callable[[], EngineLike]) -> None:
        """Have questions answered by another engine from now on; the one before lets go."""
        self._make_engine = make_engine
        self._job.cancel()
        self.renewed.emit()

    def ask(self, asker: Asker, slot: str, request: Request) -> None:
        """Ask in a slot; what the same asker asked there before is no longer wanted."""
        if self._closed:
            return
        self._wanted.pop((asker, slot), None)
        self._wanted[asker, slot] = request
        stored = self.recall(request) if self.recall else None
        if stored is not None:
            QTimer.singleShot(0, self, partial(self._remind, asker, slot, request, stored))
        self._make_way()
        self._next()

    def waits_for(self, asker: Asker, slot: str, request: Request) -> bool:
        """Return whether the engine has yet to answer; until then a stored answer is received."""
        return self._wanted.get((asker, slot)) == request

    def withdraw(self, asker: Asker, slot: str) -> None:
        """No longer want what was asked in a slot."""
        if self._wanted.pop((asker, slot), None) is not None:
            self._make_way()

    def cancel(self) -> None:
        """Stop what runs and forget what waits, or else what runs beside; every asker is told."""
        if not self.busy and self.beside is not None:
            self.beside.cancel()
            return
        wanted, self._wanted = self._wanted, {}
        self._job.cancel()
        for (asker, slot), request in wanted.items():
            _hand(asker, slot, request, STOPPED)
        self.progress.emit("stopping" if self._running else "", 0, 0)

    def close(self) -> bool:
        """Stop for good, waiting a moment for the thread, and for that of what is beside.

        Returns
        -------
        bool
            Whether they have ended; if not, one is inside a third-party load that cannot be
            interrupted, and only ending the process ends it.
        """
        self._closed = True
        self._wanted.clear()
        self._job.cancel()
        ended = self.beside is None or self.beside.close()
        if self._executor is None:
            return ended
        self._executor.shutdown(wait=False, cancel_futures=True)
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)
        self._collector.stop()
        return ended and (self._thread is None or not self._thread.is_alive())

    def _remember_thread(self) -> None:
        self._thread = threading.current_thread()

    def _remind(self, asker: Asker, slot: str, request: Request, stored: Result) -> None:
        if not self._closed and self.waits_for(asker, slot, request):
            asker.receive(slot, request, stored)

    def _make_way(self) -> None:
        """Cancel what runs if nobody wants it, or if something more urgent waits."""
        if self._running is None:
            return
        wanted = self._wanted.values()
        running = self._running
        if running not in wanted or any(makes_way(running, other) for other in wanted):
            self._job.cancel()

    def _next(self) -> None:
        if self._executor is None or self._closed or self._running is not None:
            return
        if not self._wanted:
            self._doing = ""
            self.progress.emit("", 0, 0)
            self.idle.emit()
            return
        request = min(self._wanted.values(), key=rank)
        self._running = request
        self._doing = LOADING if self._engine is None else words_for(request)
        self.progress.emit(self._doing, 0, 0)
        last = 0.0

        def report(done: int, total: int, what: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= REPORT_SECONDS and not self._closed:
                last = now
                self._stepped.emit(request, what, done, total)

        self._job = Job(report)
        self._executor.submit(self._work, request, self._job)

    def _work(self, request: Request, job: Job) -> None:
        """Answer in the engine thread; whatever happens comes back as a value."""
        began = time.perf_counter()
        outcome: Outcome
        made_by = self._make_engine
        try:
            if self._engine is not None and made_by is not self._made_by:
                self._engine.close()
                self._engine = None
            if self._engine is None:
                self._engine, self._made_by = made_by(), made_by
                began = time.perf_counter()
            outcome = self._engine.answer(request, job)
        except Cancelled as cancelled:
            # Its trace would hold what was being computed until garbage is collected.
            outcome = cancelled.with_traceback(None)
        except Refused as refused:
            outcome = Failure(str(refused))
        except MemoryError:
            outcome = Failure("There is not enough memory for this.", traceback.format_exc())
        except Exception as error:
            what = str(error).strip().partition("\n")[0] or type(error).__name__
            outcome = Failure(f"Headscope could not compute this: {what}", traceback.format_exc())
        if not self._closed:
            self._finished.emit(request, outcome, time.perf_counter() - began, made_by)

    def _deliver(self, request: Request, outcome: Outcome, seconds: float, made_by: object) -> None:
        self._running = None
        if self._closed:
            return
        if isinstance(outcome, Cancelled):
            self._next()
            return
        if made_by is not self._make_engine:
            self._next()  # of the engine before: it is asked once more
            return
        if isinstance(outcome, Failure):
            self.missed.emit(request, outcome)
        askers = [key for key, wanted in self._wanted.items() if wanted == request]
        for key in askers:
            del self._wanted[key]
        # The engine goes on with the next question while these are drawn; but what waits is
        # mostly about the model before, once another is open.
        if self._wanted and not isinstance(request, LoadModel):
            self._next()
        for asker, slot in askers:
            _hand(asker, slot, request, outcome)
        if askers and isinstance(outcome, Failure):
            self.failed.emit(request, outcome.sentence)
        elif askers:
            self.answered.emit(request, seconds)
        self._next()

    def _show_step(self, request: Request, what: str, done: int, total: int) -> None:
        if request == self._running and not self._closed:
            self._doing = what
            self.progress.emit(what, done, total)


def _hand(asker: Asker, slot: str, request: Request, outcome: Result | Failure) -> None:
    """Tell an asker what became of its question."""
    try:
        if isinstance(outcome, Failure):
            asker.fail(slot, request, outcome)
        else:
            asker.receive(slot, request, outcome)
    except Exception:
        # Told as any fault of the window is; the others still have their answer to get.
        sys.excepthook(*sys.exc_info())
