"""A GGUF file's header read once, for the three times that transformers asks for it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.messages import Refused


@contextlib.contextmanager
def read_once(path: Path) -> Iterator[None]:
    """Let transformers share one reading of a file: each takes seconds for a real vocabulary.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    Refused
        If the file is damaged or cut short, or the package that reads it is missing.
    """
    try:
        import gguf
    except ImportError as error:
        raise Refused("to open a GGUF file, install the package gguf: pip install gguf") from error

    class Reader(gguf.GGUFReader):  # type: ignore[misc]
        # An array that is no memmap is sliced in a third of the time.
        @property
        def data(self) -> Any:
            return self._data

        @data.setter
        def data(self, mapped: Any) -> None:
            self._data = np.asarray(mapped)

    original = gguf.GGUFReader
    try:
        reader = Reader(path)
        end = max((tensor.data_offset + tensor.n_bytes for tensor in reader.tensors), default=0)
    except Exception as error:  # the package raises whatever a wrong offset leads to
        raise Refused(f"{path.name} is damaged or cut short: {error}") from error
    if end > path.stat().st_size:
        raise Refused(f"{path.name} is cut short: its tensors end at byte {end:,}")
    gguf.GGUFReader = lambda asked, *rest: reader
    try:
        yield
    finally:
        gguf.GGUFReader = original
