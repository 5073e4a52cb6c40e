"""The state of a subscriber's slots: what was asked, answered, and failed."""

from dataclasses import dataclass

from engine.messages import Request, Result
from gui.client.engine_client import EngineClient, Failure, Subscriber


@dataclass(frozen=True)
class Answer:
    """A question of a slot and what came back."""

    request: Request
    result: Result


class RequestSlots:
    """Keep the questions of one subscriber, by slot.

    Good answers are kept until better ones replace them, so that a question that fails leaves
    the last picture.

    Parameters
    ----------
    subscriber
        Receives answers and failures.
    client
        Asks the engine.
    """

    def __init__(self, subscriber: Subscriber, client: EngineClient) -> None:
        self._subscriber, self._client = subscriber, client
        self._asked: dict[str, Request] = {}
        self._answers: dict[str, Answer] = {}
        self._stored: set[str] = set()
        self._failures: dict[str, tuple[Request, Failure]] = {}

    def answer(self, slot: str) -> Answer | None:
        """Return the last good answer of a slot, old or new."""
        return self._answers.get(slot)

    def current(self, slot: str, request: Request) -> Result | None:
        """Return the answer to exactly this question, if it is there."""
        answer = self._answers.get(slot)
        return answer.result if answer and answer.request == request else None

    def failures(self, wanted: dict[str, Request]) -> dict[str, Failure]:
        """Return why some of what is wanted has no answer, by slot."""
        return {
            slot: failure
            for slot, (request, failure) in self._failures.items()
            if wanted.get(slot) == request
        }

    def stored(self, slot: str) -> bool:
        """Return whether the answer in a slot is one of an earlier time."""
        return slot in self._stored

    def ask(self, wanted: dict[str, Request]) -> None:
        """Ask what is wanted and not known yet; take back what is no longer wanted."""
        failed = self.failures(wanted)
        open_ = {
            slot: request
            for slot, request in wanted.items()
            if slot not in failed and (self.current(slot, request) is None or slot in self._stored)
        }
        for slot in [slot for slot in self._asked if slot not in open_]:
            del self._asked[slot]
            self._client.withdraw(self._subscriber, slot)
        for slot, request in open_.items():
            if self._asked.get(slot) != request:
                self._asked[slot] = request
                self._client.ask(self._subscriber, slot, request)

    def set_answer(self, slot: str, request: Request, result: Result) -> None:
        """Keep an answer; one that the engine has yet to give is still waited for."""
        if self._client.waits_for(self._subscriber, slot, request):
            self._stored.add(slot)
        else:
            self._stored.discard(slot)
            self._asked.pop(slot, None)
        self._failures.pop(slot, None)
        self._answers[slot] = Answer(request, result)

    def set_failure(self, slot: str, request: Request, failure: Failure) -> None:
        """Keep why a question has no answer."""
        self._asked.pop(slot, None)
        self._failures[slot] = (request, failure)

    def clear_failures(self) -> None:
        """Forget what failed, so that it is asked again."""
        self._failures.clear()

    def mark_stale(self) -> None:
        """Ask for everything again; until then it is shown as what was known before."""
        self._stored.update(self._answers)
        self._asked.clear()
        self._failures.clear()

    def withdraw(self) -> None:
        """Cancel everything that is under way."""
        for slot in self._asked:
            self._client.withdraw(self._subscriber, slot)
        self._asked.clear()
