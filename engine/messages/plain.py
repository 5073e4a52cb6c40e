"""Messages as plain values, as JSON holds them."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from engine.messages.terms import Head


def to_plain(value: Any) -> Any:
    """Return a message with all its fields, or a part of one, as JSON can hold it.

    Parameters
    ----------
    value
        A request, a result or the value of a field.

    Returns
    -------
    object
        Arrays as nested lists, heads as `0.3`, numbers that are not finite as None.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            objects = value.astype(object)
            objects[~np.isfinite(value)] = None
            return objects.tolist()
        return value.tolist()
    if isinstance(value, np.generic):  # such as a position from argmax
        return value.item()
    if isinstance(value, Head):
        return str(value)
    if isinstance(value, tuple):
        if hasattr(value, "_asdict"):
            return {name: to_plain(part) for name, part in value._asdict().items()}
        return [to_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: to_plain(part) for name, part in value.items()}
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
