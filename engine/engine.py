"""The one door to the numbers: a question in, an answer out."""

import time
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from engine import sources
from engine.cache import PLAIN, Cache
from engine.circuits import COMPUTATIONS
from engine.forward.memory import give_back
from engine.job import Cancelled, Job
from engine.messages import Head, LoadModel, Placing, Refused, Request, Result, model_of
from engine.messages.printing import in_a_line
from engine.messages.records import checked
from engine.model import Model
from engine.network.device import OUT_OF_MEMORY
from engine.sources.questions import WITHOUT_MODEL, answer

CACHE_BYTES = 384 * 2**20
"""What is kept to save time takes this much at most: answers, and patterns of the last run."""

SHARE_OF_PATTERNS = 1 / 3
"""Of that, so that all patterns of 256 tokens with some hundred heads are held."""


LONG = 0.5
"""Seconds of work after which what it took is given back to the system: some 10 milliseconds."""


OUR_OWN = (NameError, AssertionError, ImportError)
"""Errors that no file leads to."""

MOST_THREADS = 512
THREADS = torch.get_num_threads()
"""As torch chooses, or OMP_NUM_THREADS says."""


class Engine:
    """Answers questions one at a time, from one thread.

    Parameters
    ----------
    cache_bytes : int, optional
        What is kept to save time takes so many bytes at most: answers, the least recently asked
        leaving first, and patterns of the last run.
    placing : Placing, optional
        Where pretrained models run and in which precision; single precision on the CPU by default.
        A device that is not there is refused when such a model is opened.
    threads : int, optional
        Threads of torch's own work, for the whole process; 0: as many as torch chose at first,
        none: as they are.

    Raises
    ------
    Refused
        If there cannot be so many threads.

    Notes
    -----
    An answer never depends on what was asked before: the cache and the open model only save time.
    """

    def __init__(
        self,
        cache_bytes: int | None = None,
        placing: Placing | None = None,
        threads: int | None = None,
    ) -> None:
        self._placing = placing or Placing()
        if threads is not None:
            if not 0 <= threads <= MOST_THREADS:
                # Of many more, OpenMP runs out of memory and ends the process.
                raise Refused(f"threads are 1 to {MOST_THREADS}, or 0 for as many as torch chooses")
            torch.set_num_threads(threads or THREADS)
        budget = CACHE_BYTES if cache_bytes is None else cache_bytes
        self._pattern_bytes = int(budget * SHARE_OF_PATTERNS)
        self._cache = Cache(budget - self._pattern_bytes)
        self._model: Model | None = None

    def answer(self, request: Request, job: Job | None = None) -> Result:
        """Answer a question.

        Parameters
        ----------
        request : Request
            Any request of `engine.messages`.
        job : Job, optional
            Takes progress, and can cancel.

        Returns
        -------
        Result
            The request's result, its arrays read-only.

        Raises
        ------
        Refused
            If the question cannot be answered, or a field is not of its type; the message is one
            sentence for the user.
        Cancelled
            If the job was cancelled.
        """
        request = checked(request)
        try:
            return self._answer(request, job or Job())
        except MemoryError as error:
            raise Refused("there is not enough memory for this: close other programs") from error
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            # A panic of a library in Rust, or one that wants to end the process.
            raise Refused(
                f"a library that Headscope uses gave up on this: {in_a_line(error, kind=True)}"
            ) from error

    def _answer(self, request: Request, job: Job) -> Result:
        if type(request) in WITHOUT_MODEL:
            # Never kept: what there is on this computer and on the hub changes.
            told: Result = frozen(answer(request, job, self._placing))
            return told
        if request in self._cache:
            kept: Result = self._cache[request]
            return kept
        began = time.perf_counter()
        try:
            with torch.inference_mode():
                model = self._open(model_of(request), job)
                result: Result = frozen(COMPUTATIONS[type(request)](model, request, job))
        except torch.OutOfMemoryError as error:
            raise Refused(
                f"there is not enough memory on {self._placing.device} for this: shorten the "
                "prompt, or choose the device cpu"
            ) from error
        except Cancelled:
            pass  # its traceback would keep alive all that was being computed
        else:
            if not isinstance(request, LoadModel):  # which asks for an open model each time
                self._cache[request] = result
            return result
        finally:
            if time.perf_counter() - began > LONG:
                give_back()
        raise Cancelled

    def check_head(self, request: Request, head: Head) -> None:
        """Refuse a head that the model of a question does not have, before anything is run.

        Parameters
        ----------
        request : Request
            Any request about a model.
        head : Head
            The head.

        Raises
        ------
        Refused
            If the model has no such head.
        """
        with torch.inference_mode():
            self._open(model_of(request), Job()).check_head(head)

    def placed(self, request: Request) -> Placing | None:
        """Return where the model of a question runs; none where no model is opened for it."""
        if type(request) in WITHOUT_MODEL:
            return None
        with torch.inference_mode():
            return self._open(model_of(request), Job()).placing

    def close(self) -> None:
        """Let the open model's memory go; the next question opens it again."""
        if self._model is not None:
            self._model.close()
        self._model = None

    def _open(self, name: str, job: Job) -> Model:
        job.step(0, 1, f"opening {PurePath(name).name or name}")
        if self._model is None or self._model.name != name:
            opened = self._opened(name, job)
            self.close()
            self._model = opened
        return self._model

    def _opened(self, name: str, job: Job) -> Model:
        try:
            return Model(sources.load(name), job, self._pattern_bytes, self._placing)
        except (Refused, Cancelled, *OUT_OF_MEMORY, *OUR_OWN):
            raise
        except OSError as error:
            where = PurePath(error.filename or name).name
            raise Refused(f"{where} cannot be read: {error.strerror}") from error
        except Exception as error:
            # Files from outside lead to errors that nobody can foresee, in three libraries.
            raise Refused(
                f"{PurePath(name).name} could not be opened: a file of it is damaged, or it is of "
                f"a kind that Headscope has not met ({in_a_line(error, kind=True)})"
            ) from error


def frozen(value: Any) -> Any:
    """Return an answer, or a part of it, whose arrays are its own and read-only, however deep."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.ndarray):
        return _own(value)
    if isinstance(value, tuple):
        parts = [frozen(part) for part in value]
        if all(new is old for new, old in zip(parts, value, strict=True)):
            return value
        return value._make(parts) if hasattr(value, "_make") else tuple(parts)
    if isinstance(value, Mapping):
        return MappingProxyType({name: frozen(part) for name, part in value.items()})
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return replace(value, **{name: frozen(getattr(value, name)) for name in names})
    return value


def _own(array: np.ndarray) -> np.ndarray:
    # A view would keep a whole run's tensors alive, and let them be written to.
    array = np.array(array, order="C")
    array.setflags(write=False)
    return array
