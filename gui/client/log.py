"""The log file: when the program ran, in which versions, on which models, and what failed.

Prompts stand in it only where something failed that should not have. Nothing of it is sent
anywhere.
"""

import contextlib
import errno
import logging
import logging.handlers
import os
import queue
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Final

from PySide6.QtCore import QStandardPaths

from engine.messages import LoadModel, Request
from gui.client.engine_client import EngineClient, Failure
from gui.platform import versions

LARGEST: Final = 1_000_000
"""Bytes of the file before it becomes the old one, of which there is one."""
_FORMAT = "%(asctime)s %(levelname)s %(message)s"


def path() -> Path:
    """Return where the log lies: the folder that the platform has for a program's state."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.StateLocation)
    return Path(place) / "headscope.log"


class _File(logging.handlers.RotatingFileHandler):
    """A file that is not written where it cannot be: a log is not worth a complaint."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: a full disk or a file in use elsewhere is no matter of the user's."""

    def close(self) -> None:
        """Close the file; what a full disk keeps from being written is lost."""
        with contextlib.suppress(OSError, ValueError):
            super().close()


class _Lazily(logging.handlers.QueueHandler):
    """Leaves it to the writing thread to put a line together."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record as it is: what it holds never changes."""
        return record


class _Versions:
    """All versions; looking them up takes longer than a first paint may wait."""

    def __str__(self) -> str:
        return versions.as_text()


class Log:
    """Writes the file in a thread of its own, so that a slow disk holds nobody up.

    Parameters
    ----------
    where
        The file; its folder is made.

    Raises
    ------
    OSError
        If it cannot be written.
    """

    def __init__(self, where: Path) -> None:
        where.parent.mkdir(parents=True, exist_ok=True)
        if where.exists() and not where.is_file():
            # To open a pipe would wait for somebody who reads it.
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(where))
        file = _File(where, maxBytes=LARGEST, backupCount=1, encoding="utf-8", errors="replace")
        file.setFormatter(logging.Formatter(_FORMAT))
        records: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
        self._file = file
        self._logger = logging.Logger("headscope")  # not of the tree that libraries log to
        self._logger.addHandler(_Lazily(records))
        self._listener = logging.handlers.QueueListener(records, file)
        self._listener.start()
        self._hook = sys.excepthook
        sys.excepthook = self._on_exception
        self._logger.info("started\n%s", _Versions())

    def watch(self, client: EngineClient) -> None:
        """Write down which models are opened and what fails."""
        client.answered.connect(self._on_answered)
        client.missed.connect(self._on_missed)

    def close(self) -> None:
        """Write what is left, and stop."""
        sys.excepthook = self._hook
        self._logger.info("ended")
        self._listener.stop()
        with contextlib.suppress(OSError):  # a full disk: what was not written stays unwritten
            self._file.close()

    def _on_answered(self, request: Request, seconds: float) -> None:
        if isinstance(request, LoadModel):
            self._logger.info("opened %s in %.1f s", request.model, seconds)

    def _on_missed(self, request: Request, failure: Failure) -> None:
        name = type(request).__name__
        if failure.details:
            self._logger.error(
                "%s failed: %s\n%r\n%s", name, failure.sentence, request, failure.details
            )
        else:
            # What is refused in a sentence is no fault, and the sentence may quote the prompt.
            self._logger.info("%s was refused", name)

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self._logger.error("".join(traceback.format_exception(kind, error, trace)))
        self._hook(kind, error, trace)


def opened() -> Log | None:
    """Return the log, or none where it cannot be written: the window does without."""
    try:
        return Log(path())
    except OSError:
        return None
