"""The ticket of a running question: progress out, cancellation in."""

import threading
from collections.abc import Callable


class Cancelled(Exception):
    """Raised inside a computation whose asker no longer wants the answer."""


class Job:
    """Progress of one answer, and the switch that stops it.

    Parameters
    ----------
    report
        Called with (done, total, what) from the thread that computes.

    Notes
    -----
    A computation calls `step` between chunks of at most 0.1 s, so that a cancelled
    question is gone within 0.2 s.
    """

    def __init__(self, report: Callable[[int, int, str], None] | None = None) -> None:
        self._report = report
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask the computation to stop at its next step; safe from any thread."""
        self._cancelled.set()

    def step(self, done: int, total: int, what: str) -> None:
        """Report that `done` of `total` parts of `what` are finished.

        Raises
        ------
        Cancelled
            If `cancel` was called.
        """
        if self._cancelled.is_set():
            raise Cancelled
        if self._report is not None:
            self._report(done, total, what)
