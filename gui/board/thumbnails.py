"""Small pictures of the figures on the board, drawn where no time is lost by it."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from engine.messages import Request, Result, model_of
from gui.board import making
from gui.board.record import Item
from gui.engine_client import EngineClient, Failure
from gui.export.worker import Worker

SLOT = "thumbnail"
DPI = 144


class Thumbnails(QObject):
    """Pictures of figures whose answers are at hand: those of the model in use, or given.

    No other model is opened for a thumbnail.

    Parameters
    ----------
    client, worker
        Who answers, and who draws.
    parent
        The panel.
    """

    changed = Signal()

    def __init__(self, client: EngineClient, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._client, self._worker = client, worker
        self._images: dict[Item, QImage] = {}
        self._failed: dict[Item, str] = {}
        self._items: tuple[Item, ...] = ()
        self._model = ""
        self._asked: Item | None = None
        self._drawn: dict[Item, int] = {}

    def image(self, item: Item) -> QImage | None:
        """Return the picture of a figure, if there is one."""
        return self._images.get(item)

    def failure(self, item: Item) -> str:
        """Return why there is none and will be none, empty where that is not known."""
        return self._failed.get(item, "")

    def want(self, items: Sequence[Item], model: str) -> None:
        """Draw some figures, and forget others; `model` is the one in use."""
        self._items, self._model = tuple(items), model
        for kept in (self._images, self._failed):
            for item in [item for item in kept if item not in items]:
                del kept[item]
        for item in [item for item in self._drawn if item not in items]:
            self._worker.forget(self._drawn.pop(item))
        if self._asked is not None and (
            self._asked not in items or model_of(self._asked.request) != model
        ):
            self.stop()
        self._ask()

    def take(self, answers: Mapping[Request, Result]) -> None:
        """Draw what somebody else has asked for."""
        for item in self._items:
            if self._lacks(item) and item.request in answers:
                self._draw(item, answers[item.request])

    def stop(self) -> None:
        """Ask nothing more until something is wanted again."""
        if self._asked is not None:
            self._asked = None
            self._client.withdraw(self, SLOT)

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Draw an answer, and ask for the next one; those of an earlier time will do."""
        item, self._asked = self._asked, None
        self._client.withdraw(self, SLOT)
        if item is not None and item.request == request:
            self._draw(item, result)
        self._ask()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that there is no answer."""
        item, self._asked = self._asked, None
        if item is not None:
            self._miss(item, failure)
        self._ask()

    def _lacks(self, item: Item) -> bool:
        return not any(item in known for known in (self._images, self._failed, self._drawn))

    def _ask(self) -> None:
        if self._asked is not None:
            return
        for item in self._items:
            if self._lacks(item) and model_of(item.request) == self._model:
                self._asked = item
                self._client.ask(self, SLOT, item.request)
                return

    def _draw(self, item: Item, result: Result) -> None:
        self._drawn[item] = self._worker.do(
            partial(making.thumbnail, item, result, DPI),
            partial(self._show, item),
            partial(self._miss, item),
        )

    def _show(self, item: Item, content: bytes) -> None:
        self._drawn.pop(item, None)
        self._images[item] = QImage.fromData(content)
        self.changed.emit()

    def _miss(self, item: Item, failure: Failure) -> None:
        self._drawn.pop(item, None)
        self._failed[item] = failure.sentence
        self.changed.emit()
