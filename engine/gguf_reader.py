"""What transformers asks of the package gguf again and again, answered once."""

import contextlib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from transformers import modeling_gguf_pytorch_utils

from engine.gguf_keys import FACTORS
from engine.job import Job
from engine.messages import Refused


@dataclass(frozen=True)
class Header:
    """What a file says of itself, and what became of its tensors.

    Attributes
    ----------
    keys
        Its keys and their values; none for lists of tokens and the like.
    tensors
        The names of its tensors, and the numbers of those that divide rotary frequencies.
    used
        Names of tensors that transformers found a module for, once it has read them.
    """

    keys: dict[str, Any]
    tensors: dict[str, list[float] | None]
    used: set[str] = field(default_factory=set)


@contextlib.contextmanager
def read_once(path: Path, job: Job) -> Iterator[Header]:
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

    class Reader(_originals()[0]):  # type: ignore[misc]
        # An array that is no memmap is sliced in a third of the time.
        @property
        def data(self) -> Any:
            return self._data

        @data.setter
        def data(self, mapped: Any) -> None:
            self._data = np.asarray(mapped)

    places = modeling_gguf_pytorch_utils
    original, name_map, bar, find_places = _originals()
    try:
        reader = Reader(path)
        end = max((tensor.data_offset + tensor.n_bytes for tensor in reader.tensors), default=0)
        header = Header(
            {key: _value(key, held) for key, held in reader.fields.items()},
            {
                it.name: gguf.dequantize(it.data, it.tensor_type).ravel().astype(float).tolist()
                if it.name in FACTORS
                else None
                for it in reader.tensors
            },
        )
    except MemoryError:
        raise
    except Exception as error:  # the package raises whatever a wrong offset leads to
        raise Refused(f"{path.name} is damaged or cut short: {error}") from error
    if end > path.stat().st_size:
        raise Refused(f"{path.name} is cut short: its tensors end at byte {end:,}")
    gguf.GGUFReader = lambda asked, *rest: reader
    gguf.get_tensor_name_map = functools.cache(name_map)
    places.tqdm = functools.partial(_stepping, job)

    def found_places(*asked: Any, **more: Any) -> dict[str, str]:
        found: dict[str, str] = find_places(*asked, **more)
        header.used.update(found)
        return found

    places.get_gguf_hf_weights_map = found_places
    try:
        yield header
    finally:
        gguf.GGUFReader, gguf.get_tensor_name_map = original, name_map
        places.tqdm, places.get_gguf_hf_weights_map = bar, find_places


@functools.cache
def _originals() -> tuple[Any, Any, Any, Any]:
    """Return what is put aside while a file is read, as it was before the first.

    A reading that never ends leaves its own in their place.
    """
    import gguf

    places = modeling_gguf_pytorch_utils
    return gguf.GGUFReader, gguf.get_tensor_name_map, places.tqdm, places.get_gguf_hf_weights_map


def _value(key: str, held: Any) -> Any:
    return None if key.startswith("tokenizer.") and len(held.data) > 1 else held.contents()


def _stepping(job: Job, tensors: Sequence[Any], desc: str = "") -> Iterator[Any]:
    for place, tensor in enumerate(tensors):
        job.step(place, len(tensors), "reading tensors")
        yield tensor
