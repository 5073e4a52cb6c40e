"""Opening models, and the file that says which were being opened at a crash."""

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from engine import bounded_file
from engine.messages import LoadModel, ModelFacts, Refused, Request, Result
from gui.client.background import sentence
from gui.client.engine_client import STOPPED, EngineClient, Failure
from gui.platform import atomic_file
from gui.session.session import Session
from gui.session.settings import RECENT_MODELS, Settings
from gui.state.selection import DEFAULT_MODEL, Selection

LONGEST = 2**16
"""Bytes of the file: the paths of two or three models."""


class OpeningMarker:
    """Keeps the names of models between the question that opens them and its answer.

    Parameters
    ----------
    copy
        The copy of the session that the window keeps by itself; the file lies beside it.
    """

    def __init__(self, copy: Path) -> None:
        self._path = _beside(copy)
        self._models: list[str] = []
        self._keep()

    def begin(self, model: str) -> None:
        """Note that a model is being opened."""
        if model not in self._models:
            self._models.append(model)
            self._keep()

    def end(self, model: str) -> None:
        """Note that a model is open, or was refused."""
        if model in self._models:
            self._models.remove(model)
            self._keep()

    def _keep(self) -> None:
        with contextlib.suppress(OSError):  # a disk that is full is told of by the copy itself
            if self._models:
                atomic_file.write(self._path, json.dumps(self._models).encode())
            else:
                self._path.unlink(missing_ok=True)


def left(copy: Path) -> list[str]:
    """Return the models that were being opened when the last window with this copy ended."""
    try:
        found = json.loads(bounded_file.read(_beside(copy), LONGEST))
    except (OSError, ValueError, RecursionError, Refused):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def clear(copy: Path) -> None:
    """Forget what was being opened: a window that ends in good order was not held by it."""
    with contextlib.suppress(OSError):
        _beside(copy).unlink(missing_ok=True)


def _beside(copy: Path) -> Path:
    return copy.with_name(f"{copy.name}.opening")


def short_name(model: str) -> str:
    """Return what a model is called where its whole path would have no room."""
    return PurePath(model).name or model


def is_path(model: str) -> bool:
    """Return whether a model is opened by its path; other names are listed by the engine."""
    return os.path.isabs(model)


ENDED = Failure(
    "Headscope ended the last time while this model was being opened, and did not try again unasked"
)
"""Why a model is offered that the last session was about."""


class NotOpened(NamedTuple):
    """A model that could not be opened, and why."""

    model: str
    failure: Failure


class ModelOpener(QObject):
    """Opens models, and learns of each model in use whether it could be opened.

    What the user picks is asked for first and selected once it is open. What was selected in
    another way (a session, the command line) may turn out not to open: then `before` is what
    was selected while a model was last open.

    Parameters
    ----------
    marker
        Notes what is being opened, for a start after a crash; none notes nothing.
    """

    changed = Signal()
    """Something else is being opened, or was not opened, or the recent models are others."""
    noticed = Signal(str, str)
    """(heading, sentences): a model is open, and something of its files is not used."""

    def __init__(
        self,
        session: Session,
        client: EngineClient,
        settings: Settings | None,
        marker: OpeningMarker | None = None,
    ) -> None:
        super().__init__()
        self._session, self._client, self._settings = session, client, settings
        self._marker = marker
        self.wanted = ""
        """The model that is being opened, empty when none is."""
        self.not_opened: NotOpened | None = None
        self.before: Selection | None = None
        self.recent: Sequence[str] = settings.recent_models() if settings else []
        self._open = ""
        self._asked: dict[str, str] = {}
        """The model asked for last, by slot."""
        self._facts: ModelFacts | None = None
        client.renewed.connect(self._on_renewed)
        session.changed.connect(self._on_changed)
        self.ask_again()

    @property
    def in_use(self) -> str:
        """The model that everything shows, empty where the one selected is not open."""
        model = self._session.selection.model
        return model if model == self._open else ""

    @property
    def facts(self) -> ModelFacts | None:
        """The facts of the model that everything shows, once it is open."""
        return self._facts if self.in_use else None

    @property
    def stuck(self) -> bool:
        """Whether it is the model in use that could not be opened."""
        return (
            self.not_opened is not None and self.not_opened.model == self._session.selection.model
        )

    def open(self, model: str) -> None:
        """Open a model, and then use it; until then the one in use stays."""
        self._withdraw()
        self.not_opened = None
        if model == self._session.selection.model:
            self.ask_again()
        else:
            self.wanted = model
            self._ask("opening", model)
        self.changed.emit()

    def cancel(self) -> None:
        """Leave it at the model in use."""
        self._withdraw()
        self.changed.emit()

    def go_back(self) -> None:
        """Select again what was selected while a model was last open."""
        if self.before is not None:
            self._session.show(self.before)

    def dismiss(self) -> None:
        """Forget what could not be opened."""
        self.not_opened = None
        self.changed.emit()

    def ask_again(self) -> None:
        """Ask whether the model in use can be opened, where that is not known."""
        if not self.in_use:
            self._ask("in use", self._session.selection.model)

    def offer(self, model: str) -> None:
        """Offer a model that was being opened when the window last ended: it may do so again."""
        self.not_opened = NotOpened(model, ENDED)
        self.changed.emit()

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Use the model that is open now."""
        assert isinstance(result, ModelFacts)
        assert isinstance(request, LoadModel)
        self._open, self._facts = request.model, result
        if slot == "opening" or self.stuck:
            self.not_opened = None
        self._note_end(request.model)
        self._remember(request.model)
        if slot == "opening":
            self.wanted = ""
            self._session.open_model(request.model)
        self._keep_selection()
        self.changed.emit()
        if result.notices:
            said = " ".join(map(sentence, result.notices))
            self.noticed.emit(f"{short_name(request.model)} is open", said)

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that a model could not be opened."""
        assert isinstance(request, LoadModel)
        if slot == "opening":
            self.wanted = ""
        if failure != STOPPED:  # what was stopped may have been stuck
            self._note_end(request.model)
            self.not_opened = NotOpened(request.model, failure)
        self.changed.emit()

    def _ask(self, slot: str, model: str) -> None:
        replaced, self._asked[slot] = self._asked.get(slot, model), model
        if replaced not in self._asked.values():
            self._note_end(replaced)
        if self._marker is not None and model != DEFAULT_MODEL:
            self._marker.begin(model)
        self._client.ask(self, slot, LoadModel(model))

    def _note_end(self, model: str) -> None:
        if self._marker is not None:
            self._marker.end(model)

    def _withdraw(self) -> None:
        if self.wanted:
            self._note_end(self.wanted)
        self.wanted = ""
        self._client.withdraw(self, "opening")

    def _on_renewed(self) -> None:
        # What was open before was opened by another engine: it is no way back.
        self._open, self.not_opened, self.before = "", None, None
        self.ask_again()
        self.changed.emit()

    def _on_changed(self, what: str) -> None:
        if what == "model":
            self.not_opened = None
            if self.wanted == self._session.selection.model:
                self._withdraw()
            self.ask_again()
            self.changed.emit()
        self._keep_selection()

    def _keep_selection(self) -> None:
        if self.in_use:
            self.before = self._session.selection

    def _remember(self, model: str) -> None:
        if is_path(model):
            others = [path for path in self.recent if path != model]
            self.recent = [model, *others][:RECENT_MODELS]
            if self._settings:
                self._settings.keep_recent_models(list(self.recent))
