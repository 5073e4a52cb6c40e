"""Messages as plain values, as JSON holds them."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from engine.messages.terms import Head


def plain_fields(message: Any) -> dict[str, Any]:
    """Return the fields of a message as plain values.

    Parameters
    ----------
    message
        A request or a result.

    Returns
    -------
    dict
        Arrays as nested lists, heads as `0.3`, non-finite numbers as None.
    """
    return {field.name: plain(getattr(message, field.name)) for field in fields(message)}


def plain(value: Any) -> Any:
    """Return one value of a message as `plain_fields` does."""
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
            return {name: plain(part) for name, part in value._asdict().items()}
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
