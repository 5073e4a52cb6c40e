"""The figures of the board as small pictures: put in order by mouse or keys, opened, taken off."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDropEvent,
    QIcon,
    QImage,
    QKeyEvent,
    QPainter,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from engine.messages import model_of
from gui.client.background import Worker
from gui.client.engine_client import EngineClient, Failure
from gui.client.gather import Gathering
from gui.state import question
from gui.state.figure_board import USUAL, Board, Item
from gui.state.question import Answers
from gui.style import palette
from gui.style.theme import LIGHT, UNIT
from gui.widgets import painting

PICTURE = QSize(136, 100)
_PAPER, _INK = LIGHT.card, LIGHT.muted
"""A figure is on white paper in every theme, and so is what stands for one."""
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}
_MOVE = Qt.KeyboardModifier.ControlModifier


class Shown(NamedTuple):
    """A figure as the grid shows it: two lines of text, and a picture or words instead."""

    text: str
    tip: str
    image: QImage | None
    instead: str = ""


class ItemGrid(QListWidget):
    """Figures in their order, row by row."""

    moved = Signal(int, int)
    """A figure is to go from one place to another."""
    removed = Signal(int)
    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Figures on the board")
        self.setAccessibleDescription(
            "Enter shows a figure's view, Ctrl and an arrow moves it, Delete takes it off"
        )
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setIconSize(PICTURE)
        self.setSpacing(UNIT // 2)
        self.setItemDelegate(_Below(self))
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumHeight(PICTURE.height() + 6 * UNIT)
        self.itemActivated.connect(lambda item: self.opened.emit(self.row(item)))

    def show_figures(self, figures: list[Shown]) -> None:
        """Show figures in this order; the one that was chosen by its place stays so."""
        for row, shown in enumerate(figures):
            if row == self.count():
                self.addItem(QListWidgetItem())
            item = self.item(row)
            item.setText(shown.text)
            item.setToolTip(painting.literal(shown.tip))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, shown.text.replace("\n", ", "))
            item.setIcon(_icon(shown, self.devicePixelRatioF()))
        while self.count() > len(figures):
            self.takeItem(self.count() - 1)
        if self.currentRow() < 0 and figures:
            self.setCurrentRow(0)

    def show_columns(self, count: int) -> None:
        """Let at most so many figures stand side by side, as on the page."""
        margins = self.contentsMargins()
        beside = margins.left() + margins.right() + self.verticalScrollBar().sizeHint().width()
        pitch = PICTURE.width() + 2 * UNIT + 2 * self.spacing()
        self.setMaximumWidth(count * pitch + beside + self.spacing())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the chosen figure with Ctrl and an arrow; take it off with Delete."""
        row, step = self.currentRow(), _STEPS.get(Qt.Key(event.key()), 0)
        if row >= 0 and step and event.modifiers() & _MOVE:
            self.move_chosen(step)
        elif row >= 0 and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(row)
        else:
            super().keyPressEvent(event)

    def move_chosen(self, step: int) -> None:
        """Move the chosen figure some places on, if there are as many."""
        row = self.currentRow()
        if row >= 0 and 0 <= row + step < self.count():
            self._move(row, row + step)

    def dropEvent(self, event: QDropEvent) -> None:
        """Move the figure that was dragged here."""
        row, to = self.currentRow(), self.place_at(event.position().toPoint())
        # Qt would take the row out once more.
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        if row >= 0:
            self._move(row, to - 1 if to > row else to)

    def place_at(self, point: QPoint) -> int:
        """Return before which figure something is put that is dropped at a point."""
        for row in range(self.count()):
            area = self.visualItemRect(self.item(row))
            below = point.y() > area.bottom()
            if not below and point.x() <= area.center().x():
                return row
            # The end of a row of figures is the beginning of the next one.
            last = row + 1 == self.count()
            if not below and (last or self.visualItemRect(self.item(row + 1)).top() > area.top()):
                return row + 1
        return self.count()

    def _move(self, row: int, to: int) -> None:
        if row != to:
            self.moved.emit(row, to)
            self.setCurrentRow(to)


class _Below(QStyledItemDelegate):
    """Writes the text of an item under its picture."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Put the picture above the text."""
        super().initStyleOption(option, index)
        option.decorationPosition = QStyleOptionViewItem.Position.Top
        option.displayAlignment = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        option.textElideMode = Qt.TextElideMode.ElideRight

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the same size for all figures."""
        lines = 2 * option.fontMetrics.lineSpacing()
        return PICTURE + QSize(2 * UNIT, lines + 2 * UNIT)


def _icon(shown: Shown, ratio: float) -> QIcon:
    page = QPixmap(PICTURE * ratio)
    page.setDevicePixelRatio(ratio)
    page.fill(QColor(_PAPER))
    painter = QPainter(page)
    if shown.image is not None:
        scaled = shown.image.scaled(
            (PICTURE - QSize(4, 4)) * ratio,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        scaled.setDevicePixelRatio(ratio)
        size = scaled.deviceIndependentSize()
        left = (PICTURE.width() - size.width()) / 2
        painter.drawImage(round(left), round((PICTURE.height() - size.height()) / 2), scaled)
    else:
        painter.setFont(palette.ui_font(small=True))
        painter.setPen(QColor(_INK))
        room = page.rect().size() / ratio
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(
            UNIT, UNIT, room.width() - 2 * UNIT, room.height() - 2 * UNIT, int(flags), shown.instead
        )
    painter.setPen(QPen(QColor(LIGHT.line)))
    painter.drawRect(0, 0, PICTURE.width() - 1, PICTURE.height() - 1)
    painter.end()
    icon = QIcon(page)
    icon.addPixmap(page, QIcon.Mode.Selected)  # data keep their colours when they are chosen
    return icon


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
            if self._lacks(item) and all(one in answers for one in question.asked(item.request)):
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
                    self._client, self._worker, partial(question.asked, item.request), "",
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
    result = question.answer(item.request, answers.__getitem__)
    return boards.picture(alone, [boards.Drawn(result)], ".png")[0]
