"""A thread for what needs matplotlib: typesetting takes most of a second, importing it another."""

import contextlib
import threading
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from engine.messages import Refused
from gui.client.engine_client import Failure


class Worker(QObject):
    """Does one piece of work after the other in a thread, and tells on the UI thread.

    The thread ends when there is nothing more to do. It never holds a Qt object but this one:
    what would be destroyed there is kept here.

    Parameters
    ----------
    parent
        What outlives all work: the window.
    """

    _done = Signal(int, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Callable[[], Any]]] = deque()
        self._running = False
        self._then: dict[int, tuple[Callable[[Any], object], Callable[[Failure], object]]] = {}
        self._number = 0
        self._done.connect(self._deliver)

    @property
    def busy(self) -> bool:
        """Whether something is under way whose outcome somebody waits for."""
        return bool(self._then)

    def do(
        self,
        work: Callable[[], Any],
        then: Callable[[Any], object],
        failed: Callable[[Failure], object],
    ) -> int:
        """Do something after what was asked for before.

        Parameters
        ----------
        work
            Called in the thread; it holds plain values only.
        then, failed
            Called on the UI thread with what it returned, or with why it did not.

        Returns
        -------
        int
            Names the piece of work, for `forget`.
        """
        self._number += 1
        self._then[self._number] = then, failed
        with self._lock:
            self._waiting.append((self._number, work))
            if self._running:
                return self._number
            self._running = True
        threading.Thread(target=self._work, name="figures", daemon=True).start()
        return self._number

    def forget(self, number: int) -> None:
        """No longer want a piece of work: it is left out, or its outcome dropped."""
        self._then.pop(number, None)
        with self._lock:
            self._waiting = deque(piece for piece in self._waiting if piece[0] != number)

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running = False
                    return
                number, work = self._waiting.popleft()
            outcome = _outcome(work)
            del work
            with contextlib.suppress(RuntimeError):  # the window is gone
                self._done.emit(number, outcome)

    def _deliver(self, number: int, outcome: Any) -> None:
        then, failed = self._then.pop(number, (None, None))
        if isinstance(outcome, Failure):
            if failed is not None:
                failed(outcome)
        elif then is not None:
            then(outcome)


def _outcome(work: Callable[[], Any]) -> Any:
    """Return what some work returns, or a Failure: whatever happens comes back as a value."""
    try:
        return work()
    except Refused as refused:
        return Failure(str(refused))
    except OSError as error:
        where = f"{error.filename} cannot be written" if error.filename else "It cannot be written"
        return Failure(f"{where}: {error.strerror or error}.")
    except MemoryError:
        return Failure("There is not enough memory for this.", traceback.format_exc())
    except Exception as error:
        what = str(error).strip().partition("\n")[0] or type(error).__name__
        return Failure(f"Headscope could not make this: {what}", traceback.format_exc())


def sentence(text: str) -> str:
    """Return a refusal or a warning as a sentence of its own."""
    ended = text if text.endswith((".", "!", "?")) else f"{text}."
    return f"{ended[:1].upper()}{ended[1:]}"
