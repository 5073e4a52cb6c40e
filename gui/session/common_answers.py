"""What several cards read of the model and the prompt in use, asked once for all of them."""

from collections.abc import Collection, Iterable
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from engine.messages import (
    Attention,
    LoadModel,
    MeasuredHeads,
    ModelFacts,
    Patterns,
    Request,
    Result,
    Run,
    Vocabulary,
    VocabularyTokens,
)
from gui.charts.focus import Focus, head_exists, resolve
from gui.client.answers import RequestSlots
from gui.client.engine_client import NOT_OPEN, STOPPED, EngineClient, Failure
from gui.session.session import Session

COMMON = ("facts", "vocabulary", "scores", "run", "other", "patterns")
"""Slots: the model's facts and tokens, every head on random tokens, the prompt's run, that of the
second prompt, and the patterns of the open head's layer."""


class CommonAnswers(QObject):
    """Ask for the slots that some card needs, and keep the answers.

    Parameters
    ----------
    session
        What is selected; it owns this object, which all cards of a session share.
    client
        Asks the engine.
    """

    changed = Signal(str)
    """A slot was answered, or its question failed."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session)
        self._session = session
        self.slots = RequestSlots(self, client)
        self._needs: WeakKeyDictionary[QObject, frozenset[str]] = WeakKeyDictionary()
        self._focus: tuple[tuple[object, ...], Focus] | None = None
        session.changed.connect(self.refresh)
        client.renewed.connect(self._on_renewed)

    @classmethod
    def of(cls, session: Session, client: EngineClient) -> "CommonAnswers":
        """Return those of a session, made when they are first needed."""
        there = (child for child in session.children() if isinstance(child, cls))
        return next(there, None) or cls(session, client)

    @property
    def facts(self) -> ModelFacts | None:
        """What is known of the model in use."""
        found = self._current("facts")
        return found if isinstance(found, ModelFacts) else None

    @property
    def vocabulary(self) -> VocabularyTokens | None:
        """Its tokens."""
        found = self._current("vocabulary")
        return found if isinstance(found, VocabularyTokens) else None

    @property
    def scores(self) -> MeasuredHeads | None:
        """What its heads do on random tokens."""
        found = self._current("scores")
        return found if isinstance(found, MeasuredHeads) else None

    @property
    def run(self) -> Run | None:
        """The run of the prompt in use, if the model could read it."""
        found = self._current("run")
        return found if isinstance(found, Run) else None

    @property
    def patterns(self) -> Patterns | None:
        """The patterns of the open head's layer on that prompt, if the head is among them."""
        found = self._current("patterns")
        now = self._session.selection
        return found if isinstance(found, Patterns) and head_exists(now, found) else None

    @property
    def focus(self) -> Focus | None:
        """The pinned query and what it reads, as far as the answers say."""
        run, patterns, now = self.run, self.patterns, self._session.selection
        if run is None:
            return None
        key = (now, run, patterns)
        if self._focus is None or self._focus[0] != key:
            self._focus = key, resolve(now, run, patterns)
        return self._focus[1]

    def requests(self, slots: Collection[str]) -> dict[str, Request]:
        """Return the questions of some slots; there are no patterns of a prompt that is not run."""
        wanted = {slot: self._request(slot) for slot in COMMON if slot in slots}
        return {slot: request for slot, request in wanted.items() if request is not None}

    def need(self, reader: QObject, slots: Iterable[str]) -> None:
        """Ask for these slots until the reader needs others, or none."""
        needs = frozenset(slots)
        if needs != self._needs.get(reader, frozenset()):
            self._needs[reader] = needs
            self.refresh()

    def refresh(self) -> None:
        """Ask what is not known yet."""
        self.slots.ask(self.requests(frozenset().union(*self._needs.values())))

    def ask_again(self) -> None:
        """Ask once more for what failed or was stopped."""
        self.slots.clear_failures()
        self.refresh()

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Keep an answer."""
        self.slots.set_answer(slot, request, result)
        self.refresh()
        self.changed.emit(slot)

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Keep why there is none; why a model was not opened stands under the top bar, once."""
        if isinstance(request, LoadModel) and failure != STOPPED:
            failure = NOT_OPEN
        self.slots.set_failure(slot, request, failure)
        self.refresh()
        self.changed.emit(slot)

    def _request(self, slot: str) -> Request | None:
        session, now = self._session, self._session.selection
        match slot:
            case "facts":
                return LoadModel(now.model)
            case "vocabulary":
                return Vocabulary(now.model)
            case "scores":
                return session.scores
            case "run":
                return session.run
            case "other":
                return session.other_run
        return None if self.run is None else Attention(session.run, now.head.layer, "pattern")

    def _current(self, slot: str) -> Result | None:
        request = self._request(slot)
        return None if request is None else self.slots.current(slot, request)

    def _on_renewed(self) -> None:
        self.slots.mark_stale()
        self.refresh()
