"""How tests wait, and whoever takes pictures of the window: other threads run meanwhile.

`QTest.qWait` and its kin hold the interpreter's lock for as long as they wait, so that the engine
and the threads of figures stand still just then; an event loop of our own lets go of it.
"""

import time
from collections.abc import Callable

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QWidget

PATIENCE_MS = 240_000
"""How long anything may take that comes by itself: what comes early is not waited for longer."""
_LOOK_MS = 20


def pause(milliseconds: int) -> None:
    """Let the event loop and the other threads run for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def until(over: Callable[[], bool], what: str) -> None:
    """Let them run until something is so.

    Parameters
    ----------
    over
        Says whether it is.
    what
        What is waited for, for the error.

    Raises
    ------
    TimeoutError
        If it is not within PATIENCE_MS.
    """
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not over():
        if time.monotonic() > deadline:
            raise TimeoutError(f"still waiting for {what}")
        pause(_LOOK_MS)


def activate(widget: QWidget) -> None:
    """Give a window the keyboard, as a desktop does, which is not there in a test."""

    def active() -> bool:
        if not widget.isActiveWindow():
            widget.activateWindow()  # once more: what a closing dialog had goes to nobody
        return widget.isActiveWindow()

    until(active, "the window to be active")
