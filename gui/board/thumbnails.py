"""Small pictures of the figures on the board, drawn where no time is lost by it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from engine.messages import model_of
from gui import questions
from gui.board.record import USUAL, Board, Item
from gui.engine_client import EngineClient, Failure
from gui.export.gathering import Gathering
from gui.export.worker import Worker
from gui.questions import Answers

DPI = 144
_INCHES = 2.4


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
        self._asked: tuple[Item, Gathering] | None = None
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
        if self._asked is not None:
            item, _ = self._asked
            if item not in items or model_of(item.request) != model:
                self.stop()
        self._ask()

    def take(self, answers: Answers) -> None:
        """Draw what somebody else has asked for."""
        for item in self._items:
            if self._lacks(item) and all(one in answers for one in questions.asked(item.request)):
                self._draw(item, answers)

    def stop(self) -> None:
        """Ask nothing more until something is wanted again."""
        if self._asked is not None:
            _, gathering = self._asked
            gathering.stop()
            self._asked = None

    def _lacks(self, item: Item) -> bool:
        return not any(item in known for known in (self._images, self._failed, self._drawn))

    def _ask(self) -> None:
        if self._asked is not None:
            return
        for item in self._items:
            if self._lacks(item) and model_of(item.request) == self._model:
                self._asked = item, Gathering(
                    self._client, self._worker, partial(questions.asked, item.request), "",
                    partial(self._on_gathered, item), partial(self._on_missed, item),
                )  # fmt: skip
                return

    def _on_gathered(self, item: Item, answers: Answers) -> None:
        self._asked = None
        self._draw(item, answers)
        self._ask()

    def _on_missed(self, item: Item, failure: Failure) -> None:
        self._asked = None
        self._miss(item, failure)
        self._ask()

    def _draw(self, item: Item, answers: Answers) -> None:
        self._drawn[item] = self._worker.do(
            partial(_thumbnail, item, answers, DPI),
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


def _thumbnail(item: Item, answers: Answers, dpi: int) -> bytes:
    """Return one figure of a board as a small PNG.

    Raises
    ------
    Refused
        As `gui.figures.board.picture`.
    """
    from gui.figures import board as boards

    options = replace(USUAL, width=_INCHES, dpi=dpi)
    alone = Board((item,), columns=1, letters=False, shared=False, options=options)
    result = questions.answer(item.request, answers.__getitem__)
    return boards.picture(alone, [boards.Drawn(result)], ".png")[0]
