"""The answers that a figure or a board is drawn from, asked of one model after the other."""

from collections.abc import Callable, Sequence
from itertools import groupby

from engine.messages import LoadModel, Request, Result, model_of
from gui.client.background import Worker
from gui.client.engine_client import EngineClient, Failure
from gui.state.question import Answers


class Gathering:
    """Asks for all that something is drawn from; models that are not open are opened in turn.

    What is asked about one model is asked together, so that each is opened once; the model in
    use comes last and is open again when all is there.

    Parameters
    ----------
    client, worker
        Asks the engine, and finds what is to be asked.
    questions
        Returns what is to be asked, one model after the other; called in the worker's thread.
    in_use
        The model that the window shows; empty where no other is asked about.
    then, failed
        Called on the UI thread with the answers by question, or with why one is missing.
    stepped
        Called with how many answers are there, and how many there will be.
    """

    def __init__(
        self,
        client: EngineClient,
        worker: Worker,
        questions: Callable[[], Sequence[Request]],
        in_use: str,
        then: Callable[[Answers], object],
        failed: Callable[[Failure], object],
        stepped: Callable[[int, int], object] = lambda done, total: None,
    ) -> None:
        self._client, self._worker, self._in_use = client, worker, in_use
        self._then, self._failed, self._stepped = then, failed, stepped
        self._left: list[tuple[Request, ...]] = []
        self._asked: dict[str, Request] = {}
        self._found: dict[Request, Result] = {}
        self._total = 0
        self.over = False
        """Whether nothing more is wanted or to come."""
        self._work = worker.do(questions, self._begin, self._miss)

    def stop(self) -> None:
        """No longer want it."""
        self.over = True
        self._worker.forget(self._work)
        for slot in self._asked:
            self._client.withdraw(self, slot)
        self._asked = {}

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take an answer; one of an earlier time is none."""
        if self.over or self._client.waits_for(self, slot, request):
            return
        self._found[request] = result
        self._asked.pop(slot, None)
        self._stepped(len(self._found), self._total)
        if not self._asked:
            self._ask_next()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that there is none."""
        if slot != "back":
            self._asked.pop(slot, None)
            self._miss(failure)

    def _begin(self, requests: Sequence[Request]) -> None:
        if self.over:
            return
        groups = [tuple(group) for _, group in groupby(requests, key=model_of)]
        self._left = sorted(groups, key=lambda group: model_of(group[0]) == self._in_use)
        self._total = len(requests)
        self._ask_next()

    def _ask_next(self) -> None:
        if not self._left:
            self._finish()
            return
        group = self._left.pop(0)
        self._asked = {f"figure {place}": request for place, request in enumerate(group)}
        self._stepped(len(self._found), self._total)
        for slot, request in list(self._asked.items()):
            self._client.ask(self, slot, request)

    def _finish(self) -> None:
        self.over = True
        if self._in_use and not any(model_of(request) == self._in_use for request in self._found):
            self._client.ask(self, "back", LoadModel(self._in_use))
        self._then(self._found)

    def _miss(self, failure: Failure) -> None:
        if not self.over:
            self.stop()
            self._failed(failure)
