"""The real engine, with its cache in view; importing this imports torch."""

from engine import Engine
from gui.state.preferences import Preferences


class WatchedEngine(Engine):
    """The real engine with a cache of a given size, whatever the user prefers."""

    def __init__(self, preferred: Preferences, cache_bytes: int) -> None:
        super().__init__(cache_bytes, preferred.placing, preferred.threads)
        self._budget = cache_bytes

    @property
    def free(self) -> int:
        """Bytes of the budget that no answer takes yet."""
        return self._budget - self._cache.bytes
