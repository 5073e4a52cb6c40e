"""The real engine, whose failures are faults; importing this imports torch."""

import traceback

from benchmarks.fault_watch import Faults
from engine import Engine
from engine.job import Cancelled, Job
from engine.messages import Refused, Request, Result


class WatchedEngine(Engine):
    """The real engine; what it could not answer and did not refuse is a fault."""

    def __init__(self, faults: Faults, cache_bytes: int) -> None:
        super().__init__(cache_bytes)
        self._faults, self._budget = faults, cache_bytes

    @property
    def free(self) -> int:
        """Bytes of the budget that no answer takes yet."""
        return self._budget - self._cache.bytes

    def answer(self, request: Request, job: Job | None = None) -> Result:
        """Answer a question, as the engine does."""
        try:
            return super().answer(request, job)
        except (Cancelled, Refused):
            raise
        except Exception:
            self._faults.add(f"{request}\n{traceback.format_exc()}")
            raise
