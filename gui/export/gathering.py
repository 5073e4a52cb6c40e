"""From a subject to all that its export is made from, asked of the engine."""

from collections.abc import Callable, Sequence

from engine.messages import Request, Result
from gui.engine_client import EngineClient, Failure
from gui.export.material import Material, questions
from gui.export.subjects import Subject
from gui.export.worker import Worker


class Gathering:
    """Asks for the answer to a subject, and for what says where it is from.

    Parameters
    ----------
    client, worker
        Who is asked, and who knows what is to be asked.
    subject
        What is to be exported.
    version
        Headscope's own.
    then, failed
        Called on the UI thread with the Material, or with why there is none.
    """

    def __init__(
        self,
        client: EngineClient,
        worker: Worker,
        subject: Subject,
        version: str,
        then: Callable[[Material], object],
        failed: Callable[[Failure], object],
    ) -> None:
        self._client, self._worker = client, worker
        self._subject, self._version = subject, version
        self._then, self._failed = then, failed
        self._asked: dict[str, Request] = {}
        self._found: dict[str, Result] = {}
        self._over = False
        self._work = worker.do(lambda: questions(subject.request), self._ask, self._miss)

    def stop(self) -> None:
        """No longer want it."""
        self._over = True
        self._worker.forget(self._work)
        for slot in self._asked:
            self._client.withdraw(self, slot)

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take an answer; one of an earlier time is none."""
        if self._over or self._client.waits_for(self, slot, request):
            return
        self._found[slot] = result
        if len(self._found) == len(self._asked):
            self._over = True
            first, *beside = (self._found[slot] for slot in self._asked)
            self._then(Material(self._subject, first, tuple(beside), self._version))

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that there is none."""
        self._miss(failure)

    def _ask(self, requests: Sequence[Request]) -> None:
        if self._over:
            return
        self._asked = {f"export {place}": request for place, request in enumerate(requests)}
        for slot, request in self._asked.items():
            self._client.ask(self, slot, request)

    def _miss(self, failure: Failure) -> None:
        if not self._over:
            self.stop()
            self._failed(failure)
