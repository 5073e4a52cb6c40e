"""Answers as arrays alone, as an NPZ file holds them without pickles."""

import json
import typing
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.messages.plain import from_plain, to_plain
from engine.messages.terms import Refused

_RECORD = "record"


def pack(result: Any) -> dict[str, np.ndarray]:
    """Return an answer as named arrays.

    Returns
    -------
    dict
        `record` [byte], the answer's type and all that is no array, as JSON in UTF-8; and its
        arrays, of whatever shape, under their place in it.
    """
    arrays: list[np.ndarray] = []
    record = {"type": type(result).__name__, "fields": to_plain(result, arrays)}
    data = json.dumps(record).encode("ascii")
    named = {str(place): array for place, array in enumerate(arrays)}
    return {_RECORD: np.frombuffer(data, np.uint8), **named}


def unpack(named: Mapping[str, np.ndarray], types: Any) -> Any:
    """Read what `pack` made; arrays are read-only.

    Parameters
    ----------
    named
        The arrays.
    types
        A union of what the answer can be.

    Raises
    ------
    Refused
        If they are no such answer.
    """
    kinds = {kind.__name__: kind for kind in typing.get_args(types)}
    try:
        record = json.loads(named[_RECORD].tobytes())
        kind, given = kinds[record["type"]], record["fields"]
        arrays = [named[str(place)] for place in range(len(named) - 1)]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise Refused("these arrays are no answer") from None
    for array in arrays:
        array.setflags(write=False)
    return from_plain(kind, given, record["type"], arrays)
