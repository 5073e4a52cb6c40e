"""A file that says which models are being opened: what is left of it after a crash or a hang."""

import contextlib
import json
from pathlib import Path

from engine import bounded_file
from engine.messages import Refused
from gui import whole_file

LONGEST = 2**16
"""Bytes of the file: the paths of two or three models."""


class OpeningMarker:
    """Keeps the names of models between the question that opens them and its answer.

    Parameters
    ----------
    copy
        The copy of the session that the window keeps by itself; the file lies beside it.
    """

    def __init__(self, copy: Path) -> None:
        self._path = _beside(copy)
        self._models: list[str] = []
        self._keep()

    def begin(self, model: str) -> None:
        """Note that a model is being opened."""
        if model not in self._models:
            self._models.append(model)
            self._keep()

    def end(self, model: str) -> None:
        """Note that a model is open, or was refused."""
        if model in self._models:
            self._models.remove(model)
            self._keep()

    def _keep(self) -> None:
        with contextlib.suppress(OSError):  # a disk that is full is told of by the copy itself
            if self._models:
                whole_file.write(self._path, json.dumps(self._models).encode())
            else:
                self._path.unlink(missing_ok=True)


def left(copy: Path) -> list[str]:
    """Return the models that were being opened when the last window with this copy ended."""
    try:
        found = json.loads(bounded_file.read(_beside(copy), LONGEST))
    except (OSError, ValueError, RecursionError, Refused):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def clear(copy: Path) -> None:
    """Forget what was being opened: a window that ends in good order was not held by it."""
    with contextlib.suppress(OSError):
        _beside(copy).unlink(missing_ok=True)


def _beside(copy: Path) -> Path:
    return copy.with_name(f"{copy.name}.opening")
