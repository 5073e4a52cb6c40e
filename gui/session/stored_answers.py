"""The answers of the last time, beside a session, so that its pictures stand at once."""

import contextlib
import hashlib
import io
import os
import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QTimer

from engine import bounded_file
from engine.messages import Request, Result, ThumbnailPatterns, pack, unpack
from gui.client.engine_client import EngineClient
from gui.platform import atomic_file
from gui.session.document import Autosave
from gui.state.question_table import rank
from gui.state.session_file import SUFFIX, is_session

BUDGET = 20 * 2**20
"""Bytes of all answers of a session together."""
THUMBNAILS = 4 * 2**20
"""Bytes of the thumbnails of all heads; larger ones are pooled once more."""
FOLDER = ".headscope.answers"
_FORMAT = b"2 "
_NAME = re.compile(r"[0-9a-f]{32}\.npz")


def folder_of(session: Path) -> Path:
    """Return where the answers of a session file lie."""
    name = session.name[: -len(SUFFIX)] if is_session(session) else session.name
    return session.with_name(name + FOLDER)


class StoredAnswers:
    """One NPZ file an answer, under the hash of its question.

    A file that is lost, damaged or no answer to its question counts as none: whatever is read
    here is computed again anyway.

    Parameters
    ----------
    folder
        Where they lie; made when the first is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[Request, Result | None] = {}
        self._kept: dict[str, Result] = {}

    def find(self, request: Request) -> Result | None:
        """Return the answer of the last time, if there is one."""
        if request not in self._found:
            self._found[request] = _read(self._folder / _name(request), request)
        return self._found[request]

    def keep(self, answers: Iterable[tuple[Request, Result]]) -> None:
        """Keep these and no others, the first ones where there is no room for all.

        Raises
        ------
        OSError
            If they cannot be written.
        """
        self._folder.mkdir(exist_ok=True)
        kept: dict[str, Result] = {}
        room = BUDGET
        for request, result in answers:
            name = _name(request)
            if name in kept:
                continue
            if self._kept.get(name) is result:
                size = os.stat(self._folder / name).st_size
            else:
                data = _encode(request, result)
                size = len(data)
                if size <= room:
                    atomic_file.write(self._folder / name, data)
            if size <= room:
                room -= size
                kept[name] = result
        self._kept = kept
        for path in self._folder.iterdir():
            if _NAME.fullmatch(path.name) and path.name not in kept:
                path.unlink(missing_ok=True)


def _words(request: Request) -> bytes:
    return repr(request).encode("utf-8", "backslashreplace")


def _name(request: Request) -> str:
    return hashlib.sha256(_FORMAT + _words(request)).hexdigest()[:32] + ".npz"


def _encode(request: Request, result: Result) -> bytes:
    if isinstance(result, ThumbnailPatterns):
        while result.values.nbytes > THUMBNAILS:
            result = _pooled(result)
    file = io.BytesIO()
    named = pack(result)
    np.savez(file, allow_pickle=False, question=np.frombuffer(_words(request), np.uint8), **named)
    return file.getvalue()


def _read(path: Path, request: Request) -> Result | None:
    # Whatever a file holds, from nothing to a bomb: it is no answer, or this very one. Readers of
    # archives, of what is packed in them and of arrays each raise errors of their own.
    with contextlib.suppress(Exception):
        data = io.BytesIO(bounded_file.read(path, BUDGET))
        with zipfile.ZipFile(data) as archive:
            if sum(member.file_size for member in archive.infolist()) > BUDGET:
                return None
        with np.load(data, allow_pickle=False) as file:
            named = {name: file[name] for name in file.files}
        if named.pop("question").tobytes() == _words(request):
            result: Result = unpack(named, Result)
            return result
    return None


def _pooled(thumbnails: ThumbnailPatterns) -> ThumbnailPatterns:
    """Return thumbnails [layer, head, row, column] of half the size, a cell the largest of four."""
    mask = _largest_of_four(thumbnails.mask)
    values = _largest_of_four(np.nan_to_num(thumbnails.values))
    values = np.where(mask[:, np.newaxis], values, np.float32(np.nan))
    return replace(thumbnails, values=values, mask=mask, block=2 * thumbnails.block)


def _largest_of_four(cells: np.ndarray) -> np.ndarray:
    rows, columns = cells.shape[-2:]
    edges = [(0, 0)] * (cells.ndim - 2) + [(0, rows % 2), (0, columns % 2)]
    even = np.pad(cells, edges)
    *before, rows, columns = even.shape
    pooled: np.ndarray = even.reshape(*before, rows // 2, 2, columns // 2, 2).max(axis=(-3, -1))
    return pooled


QUIET_MS = 500
"""How long nothing must have been asked before answers are kept."""

Answers = Iterable[tuple[Request, Result]]


class Recall(QObject):
    """Goes between the panels' answers and the folders beside session files.

    Parameters
    ----------
    answers
        Tells what the panels show, and nothing while some are not filled.
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
