"""What transformers asks of the package gguf again and again, answered once."""

import contextlib
import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from transformers import modeling_gguf_pytorch_utils

from engine.job import Job
from engine.messages import Refused


@contextlib.contextmanager
def read_once(path: Path, job: Job) -> Iterator[None]:
    """Let transformers share one reading of a file, and one table of names for all its modules.

    It reads the header three times, seconds each for a real vocabulary, and makes the table once
    for every module: together two thirds of the time that opening took.

    Parameters
    ----------
    path : Path
        The file.
    job : Job
        Steps between tensors, in the place of a bar in the terminal.

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

    bar = modeling_gguf_pytorch_utils.tqdm
    original, name_map = gguf.GGUFReader, gguf.get_tensor_name_map
    try:
        reader = Reader(path)
        end = max((tensor.data_offset + tensor.n_bytes for tensor in reader.tensors), default=0)
    except Exception as error:  # the package raises whatever a wrong offset leads to
        raise Refused(f"{path.name} is damaged or cut short: {error}") from error
    if end > path.stat().st_size:
        raise Refused(f"{path.name} is cut short: its tensors end at byte {end:,}")
    gguf.GGUFReader = lambda asked, *rest: reader
    gguf.get_tensor_name_map = functools.cache(name_map)
    modeling_gguf_pytorch_utils.tqdm = functools.partial(_stepping, job)
    try:
        yield
    finally:
        gguf.GGUFReader, gguf.get_tensor_name_map = original, name_map
        modeling_gguf_pytorch_utils.tqdm = bar


def _stepping(job: Job, tensors: Sequence[Any], desc: str = "") -> Iterator[Any]:
    for place, tensor in enumerate(tensors):
        job.step(place, len(tensors), "reading tensors")
        yield tensor
