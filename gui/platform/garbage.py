"""Keeps Python's garbage collector in the UI thread while another thread computes.

The collector runs in whichever thread happens to allocate, and a Qt object that it finds there
is destroyed there, which Qt does not survive. Nor does it survive widgets that die while it walks
all of them to style them, so the collector runs between events.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500


class Collector(QObject):
    """Collects in the thread that made it, by a timer, instead of automatically."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(collect)
        self._was_automatic = False

    def start(self) -> None:
        """Take over from the automatic collector."""
        self._was_automatic = gc.isenabled()
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Leave the automatic collector as it was found."""
        self._timer.stop()
        if self._was_automatic:
            gc.enable()


@contextmanager
def waiting() -> Iterator[None]:
    """Let nothing be collected meanwhile: Qt walks all widgets."""
    automatic = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if automatic:
            gc.enable()


def collect() -> None:
    """Collect what is due, by Python's own thresholds."""
    due = [
        number
        for number, (count, threshold) in enumerate(
            zip(gc.get_count(), gc.get_threshold(), strict=True)
        )
        if count > threshold
    ]
    if due:
        gc.collect(max(due))
