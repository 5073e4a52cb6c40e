"""What is kept because making it again takes time, up to a size in bytes."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from sys import getsizeof
from typing import Any

import numpy as np

PLAIN = frozenset({int, float, str, bool, type(None)})
"""Types that an answer holds by the hundred thousand, and that hold nothing."""


class Cache:
    """Values by key, the least recently used leaving first.

    What is larger than the whole budget is not held at all.

    Parameters
    ----------
    budget : int
        Bytes at most.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._held: OrderedDict[Hashable, Any] = OrderedDict()
        self.bytes = 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._held

    def __getitem__(self, key: Hashable) -> Any:
        self._held.move_to_end(key)
        return self._held[key]

    def __setitem__(self, key: Hashable, value: Any) -> None:
        if key in self._held:
            self.bytes -= size_of(self._held.pop(key))
        self._held[key] = value
        self.bytes += size_of(value)
        while self.bytes > self._budget:
            _, oldest = self._held.popitem(last=False)
            self.bytes -= size_of(oldest)

    def clear(self) -> None:
        """Let everything go."""
        self._held.clear()
        self.bytes = 0


def size_of(value: object) -> int:
    """Return about how many bytes an answer, or a part of it, takes."""
    if type(value) in PLAIN:
        return getsizeof(value)
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return getsizeof(value) + sum(size_of(part) for part in value)
    if isinstance(value, Mapping):
        return getsizeof(value) + sum(size_of(part) for part in value.values())
    if is_dataclass(value):
        return sum(size_of(getattr(value, field.name)) for field in fields(value))
    return getsizeof(value)
