"""What must never happen while somebody uses the window, noticed wherever it happens."""

import os
import sys
import threading
import traceback
import warnings
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

NO_FAULT = "This plugin does not support"
"""How Qt says that there is no display; all else that it says is a fault of ours."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree")
_STREAMS = ("/dev/", "/proc/")


class Faults:
    """Collects exceptions, what Qt complains of, warnings, connections, and files written astray.

    Connections and writes outside the folder do not happen: they are stopped.

    Parameters
    ----------
    folder
        Where files may be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder.resolve())
        self.found: list[str] = []

    def add(self, what: str) -> None:
        """Remember a fault, once."""
        if what not in self.found:
            self.found.append(what)

    def install(self) -> None:
        """Begin to watch this process; there is no end to it."""
        sys.excepthook = self._on_exception
        sys.unraisablehook = lambda args: self._on_exception(
            type(args.exc_value), args.exc_value, args.exc_traceback
        )
        threading.excepthook = lambda args: self._on_exception(
            args.exc_type, args.exc_value, args.exc_traceback
        )
        qInstallMessageHandler(self._on_message)
        warnings.showwarning = self._on_warning  # type: ignore[assignment]
        sys.addaudithook(self._on_audit)

    def _on_exception(
        self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.add("".join(traceback.format_exception(kind, error, trace)))

    def _on_message(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and NO_FAULT not in text:
            self.add(f"Qt: {text}\n{''.join(traceback.format_stack(limit=12))}")

    def _on_warning(
        self, message: Warning, category: type[Warning], file: str, line: int, *_: object
    ) -> None:
        self.add(f"{file}:{line}: {category.__name__}: {message}")

    def _on_audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "socket.connect" and not isinstance(arguments[1], str | bytes):
            self._stop(f"a connection to {arguments[1]}")
        elif event == "open":
            path, mode, flags = arguments
            if (mode and set("wax+") & set(str(mode))) or int(flags) & _WRITES:  # type: ignore
                self._check(event, path)
        elif event in _CHANGES:
            self._check(event, arguments[1] if event == "os.rename" else arguments[0])

    def _check(self, event: str, path: object) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return  # a descriptor: what it was opened for has been looked at
        where = os.path.realpath(os.fsdecode(path))
        if not where.startswith((self.folder, *_STREAMS)) and "__pycache__" not in where:
            self._stop(f"{event} of {where}")

    def _stop(self, what: str) -> None:
        self.add(f"{what}\n{''.join(traceback.format_stack(limit=12))}")
        raise PermissionError(what)
