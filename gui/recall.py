"""Shows the answers of the last time while the engine loads, and keeps those of this time."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from engine.messages import Request, Result
from gui.autosave import Autosave
from gui.engine_client import EngineClient
from gui.question_order import rank
from gui.stored_answers import StoredAnswers, folder_of

QUIET_MS = 500
"""How long nothing must have been asked before answers are kept."""

Answers = Iterable[tuple[Request, Result]]


class Recall(QObject):
    """Goes between the panels' answers and the folders beside session files.

    Parameters
    ----------
    client
        Gives stored answers while the engine has not given its own.
    answers
        Tells what the panels show, and nothing while some are not filled.
    autosave
        Beside its file answers are kept by themselves; it writes them.
    parent
        The window.
    """

    def __init__(
        self,
        client: EngineClient,
        answers: Callable[[], Answers],
        autosave: Autosave,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._client, self._answers, self._autosave = client, answers, autosave
        self._own = StoredAnswers(folder_of(autosave.path))
        self._quiet = QTimer(self, interval=QUIET_MS, singleShot=True)
        self._quiet.timeout.connect(self.keep)
        client.idle.connect(self._on_idle)

    def begin(self, session: Path) -> None:
        """Give the answers beside a session file until the engine has given all of its own."""
        self._client.recall = StoredAnswers(folder_of(session)).find

    def keep(self) -> None:
        """Keep what is shown for the next start, unless something has yet to come."""
        self._quiet.stop()
        self._write(self._own)

    def keep_beside(self, session: Path) -> None:
        """Keep what is shown beside a session file that was saved just now."""
        self._write(StoredAnswers(folder_of(session)))

    def close(self) -> None:
        """Keep what is shown, for the last time."""
        self._client.idle.disconnect(self._on_idle)
        self.keep()

    def _write(self, store: StoredAnswers) -> None:
        shown = sorted(self._answers(), key=lambda answer: rank(answer[0]))
        if shown:
            self._autosave.later(partial(store.keep, shown))

    def _on_idle(self) -> None:
        self._client.recall = None
        self._quiet.start()
