"""The one door from the window to the engine thread."""

import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from engine.job import Cancelled, Job
from engine.messages import (
    DownloadModel,
    EstimateModel,
    FindDownload,
    LoadModel,
    Placing,
    Refused,
    Request,
    Result,
    model_of,
    printable,
)
from gui.platform.garbage import Collector
from gui.state.question_table import makes_way, rank, status_text

REPORT_SECONDS = 0.05
CLOSE_SECONDS = 0.4
GRACE_SECONDS = 5.0
"""How long after it was stopped a question may still hold the engine thread."""
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
"""What every subscriber is told of work that the user stopped."""

NOT_OPEN = Failure("No model is open.")
"""What is told of questions about a model that was not opened; why stands in one place."""

APART = (LoadModel, EstimateModel, FindDownload, DownloadModel)
"""Questions that name a model and need none open."""

Outcome = Result | Failure | Cancelled
"""What comes back from the engine thread."""


class Subscriber(Protocol):
    """Receives answers and failures, on the UI thread."""

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take the answer to what was asked last in this slot."""
        ...

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that what was asked last in this slot has no answer."""
        ...


class _Worker:
    """An engine, and the thread that it is made and answers in.

    The thread does not keep the process alive: one that never comes back is left behind.
    """

    def __init__(self) -> None:
        self.engine: EngineLike | None = None
        self.made_by: Callable[[], EngineLike] | None = None
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self.thread.start()

    def do(self, task: Callable[[], None]) -> None:
        """Have something done after all that was asked for before."""
        self._tasks.put(task)

    def leave(self) -> None:
        """Have the thread end, and let the engine go, as soon as it can."""
        self._tasks.put(None)

    def make(self, made_by: Callable[[], EngineLike]) -> bool:
        """Have an engine of a make, in the engine thread; return whether it was not there yet."""
        if self.engine is not None and made_by is self.made_by:
            return False
        self.drop()
        self.made_by = made_by
        self.engine = made_by()
        return True

    def drop(self) -> None:
        """Let the engine go, in the engine thread."""
        engine, self.engine = self.engine, None
        if engine is not None:
            with suppress(Exception):  # it is let go either way
                engine.close()

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()
        self.drop()


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
    left_behind = Signal(object)
    """A question that was stopped and does not end: its thread was left, another one goes on."""
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
        self._worker: _Worker | None = None
        self._loaded = False
        self._not_open = ""
        self._wanted: dict[tuple[Subscriber, str], Request] = {}
        self._running: Request | None = None
        self._job = Job()
        self._closed = False
        self.placing = Placing()
        """Where models run, as far as they can be moved."""
        self.recall: Callable[[Request], Result | None] | None = None
        """Finds the answer of an earlier time, given at once while the engine is waited for."""
        self._doing = LOADING
        self._collector = Collector(self)
        self._grace = QTimer(self, interval=int(GRACE_SECONDS * 1000), singleShot=True)
        self._grace.timeout.connect(self._leave_behind)
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
        if self._worker is not None or self._closed:
            return
        self._collector.start()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._worker = _Worker()
        if self.beside is not None:
            self.beside.start()
        self._next()

    def renew(self, make_engine: Callable[[], EngineLike]) -> None:
        """Have questions answered by another engine from now on; the one before lets go."""
        self._make_engine, self._not_open = make_engine, ""
        self._stop_running(patient=False)
        self.renewed.emit()

    def ask(self, subscriber: Subscriber, slot: str, request: Request) -> None:
        """Ask in a slot; what the same subscriber asked there before is no longer wanted."""
        if self._closed:
            return
        self._wanted.pop((subscriber, slot), None)
        self._wanted[subscriber, slot] = request
        if request == LoadModel(self._not_open):
            self._not_open = ""
        stored = self.recall(request) if self.recall else None
        if stored is not None:
            QTimer.singleShot(0, self, partial(self._remind, subscriber, slot, request, stored))
        self._make_way()
        self._next()

    def waits_for(self, subscriber: Subscriber, slot: str, request: Request) -> bool:
        """Return whether the engine has yet to answer; until then a stored answer is received."""
        return self._wanted.get((subscriber, slot)) == request

    def withdraw(self, subscriber: Subscriber, slot: str) -> None:
        """Cancel the request in a slot."""
        if self._wanted.pop((subscriber, slot), None) is not None:
            self._make_way()

    def cancel(self) -> None:
        """Stop what runs and forget what waits, or what runs beside, and say so to subscribers."""
        if not self.busy and self.beside is not None:
            self.beside.cancel()
            return
        wanted, self._wanted = self._wanted, {}
        self._stop_running(patient=False)
        for (subscriber, slot), request in wanted.items():
            _hand(subscriber, slot, request, STOPPED)
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
        self._grace.stop()
        if self._worker is None:
            return ended
        self._worker.leave()
        self._worker.thread.join(CLOSE_SECONDS)
        self._collector.stop()
        return ended and not self._worker.thread.is_alive()

    def _stop_running(self, *, patient: bool) -> None:
        """Stop what runs at its next step; unless one is patient, that has to be soon."""
        self._job.cancel()
        if self._running is not None and not patient and not self._grace.isActive():
            self._grace.start()

    def _leave_behind(self) -> None:
        """Go on in another thread with another engine, where what was stopped does not end.

        A read or a library may hold the thread for ever; what it holds is lost to this process.
        The first engine is waited for: another one would wait for the same imports.
        """
        worker, running = self._worker, self._running
        if worker is None or running is None or self._closed:
            return
        if worker.engine is None:
            self._grace.start()
            return
        worker.leave()
        self._worker, self._running = _Worker(), None
        self.left_behind.emit(running)
        self._next()

    def _remind(self, subscriber: Subscriber, slot: str, request: Request, stored: Result) -> None:
        if not self._closed and self.waits_for(subscriber, slot, request):
            subscriber.receive(slot, request, stored)

    def _make_way(self) -> None:
        """Cancel what runs if nobody wants it, or if something more urgent waits."""
        if self._running is None:
            return
        wanted = self._wanted.values()
        running = self._running
        if running not in wanted or any(makes_way(running, other) for other in wanted):
            # A long step of a large model is worth waiting for, if nobody wants another model.
            opens = any(isinstance(request, LoadModel) for request in (running, *wanted))
            self._stop_running(patient=not opens)

    def _refuse_what_is_not_open(self) -> None:
        """Fail questions about a model that was not opened; each would try to open it again."""
        if not self._not_open:
            return
        about = [
            (key, request)
            for key, request in self._wanted.items()
            if self._not_open == model_of(request) and not isinstance(request, APART)
        ]
        for key, _ in about:
            del self._wanted[key]
        for (subscriber, slot), request in about:
            _hand(subscriber, slot, request, NOT_OPEN)

    def _next(self) -> None:
        worker = self._worker
        if worker is None or self._closed or self._running is not None:
            return
        self._refuse_what_is_not_open()
        if self._running is not None:  # whoever was refused has asked something else
            return
        if not self._wanted:
            self._doing = ""
            self.progress.emit("", 0, 0)
            self.idle.emit()
            return
        request = min(self._wanted.values(), key=rank)
        self._running = request
        self._doing = status_text(request) if self._loaded else LOADING
        self.progress.emit(self._doing, 0, 0)
        last = 0.0

        def report(done: int, total: int, what: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= REPORT_SECONDS and not self._closed:
                last = now
                self._stepped.emit(request, what, done, total)

        self._job = Job(report)
        worker.do(partial(self._work, worker, self._make_engine, request, self._job))

    def _work(
        self, worker: _Worker, made_by: Callable[[], EngineLike], request: Request, job: Job
    ) -> None:
        """Answer in the engine thread; whatever happens comes back as a value."""
        began = time.perf_counter()
        outcome: Outcome
        try:
            if worker.make(made_by):
                began = time.perf_counter()
            assert worker.engine is not None
            outcome = worker.engine.answer(request, job)
        except Cancelled as cancelled:
            # Its trace would hold what was being computed until garbage is collected.
            outcome = cancelled.with_traceback(None)
        except Refused as refused:
            outcome = Failure(str(refused))
        except MemoryError:
            outcome = Failure("There is not enough memory for this.", traceback.format_exc())
        except BaseException as error:  # a panic of Rust's, or a library that wants to exit
            what = str(error).strip().partition("\n")[0] or type(error).__name__
            outcome = Failure(f"Headscope could not compute this: {what}", traceback.format_exc())
        if not self._closed:
            self._finished.emit(request, outcome, time.perf_counter() - began, worker)

    def _deliver(self, request: Request, outcome: Outcome, seconds: float, worker: _Worker) -> None:
        if self._closed or worker is not self._worker:
            return
        self._running = None
        self._grace.stop()
        if isinstance(outcome, Cancelled):
            self._next()
            return
        self._loaded = worker.engine is not None
        if worker.made_by is not self._make_engine:
            self._next()  # of the engine before: it is asked once more
            return
        if isinstance(outcome, Failure):
            self.missed.emit(request, outcome)
            if isinstance(request, LoadModel):
                self._not_open = request.model
        subscribers = [key for key, wanted in self._wanted.items() if wanted == request]
        for key in subscribers:
            del self._wanted[key]
        # The engine goes on with the next question while these are drawn; but what waits is
        # mostly about the model before, once another is open.
        if self._wanted and not isinstance(request, LoadModel):
            self._next()
        for subscriber, slot in subscribers:
            _hand(subscriber, slot, request, outcome)
        if subscribers and isinstance(outcome, Failure):
            self.failed.emit(request, outcome.sentence)
        elif subscribers:
            self.answered.emit(request, seconds)
        self._next()

    def _show_step(self, request: Request, what: str, done: int, total: int) -> None:
        if request == self._running and not self._closed:
            self._doing = what
            self.progress.emit(what, done, total)


def _hand(subscriber: Subscriber, slot: str, request: Request, outcome: Result | Failure) -> None:
    """Tell a subscriber what became of its question."""
    try:
        if isinstance(outcome, Failure):
            subscriber.fail(slot, request, outcome)
        else:
            subscriber.receive(slot, request, outcome)
    except Exception:
        # Told as any fault of the window is; the others still have their answer to get.
        sys.excepthook(*sys.exc_info())
