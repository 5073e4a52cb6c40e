"""Layouts that follow the width: heights from widths, columns that fold, rows that wrap."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLayout, QLayoutItem, QSizePolicy, QVBoxLayout, QWidget

from gui.style.palette import scaled
from gui.style.theme import UNIT

NO_LIMIT = 2**24 - 1
"""Qt's own greatest height of a widget, which PySide does not export."""


class HeightForWidth(QObject):
    """Keeps a widget no higher than it wants to be at its width: the next follows right below.

    Parameters
    ----------
    widget
        The widget; it may still be made lower.
    height_at
        The height it fills at a width.
    least
        The height below which it is of no use.
    """

    def __init__(self, widget: QWidget, height_at: Callable[[int], int], least: int) -> None:
        super().__init__(widget)
        self._widget, self._height_at, self._least = widget, height_at, least
        across = widget.sizePolicy().horizontalPolicy()
        widget.setSizePolicy(across, QSizePolicy.Policy.Ignored)
        widget.setMinimumHeight(scaled(least))
        widget.installEventFilter(self)

    def update(self) -> None:
        """Measure again: what is shown has changed."""
        wanted = max(1, self._height_at(self._widget.width()))
        self._widget.setMinimumHeight(min(scaled(self._least), wanted))
        self._widget.setMaximumHeight(wanted)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Measure again when the width changes."""
        if event.type() == QEvent.Type.Resize:
            self.update()
        return False


_ACROSS, _DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_MOST_FOLDED = 52 * UNIT
"""A higher picture would push what stands below it out of sight."""


class ResponsiveColumns(QWidget):
    """Two columns of widgets that fold into one.

    Parameters
    ----------
    picture
        The widget of the first column whose wanted height follows from its width.
    height_at
        The height it fills at a width.
    least
        The height below which it is of no use.
    first
        All of the first column, the picture among it.
    second
        All of the second column.
    tall
        The widget of the second column that takes what height is left.
    wide
        Width from which the columns stand side by side; more than both need at least.
    shares
        How they share the width.
    """

    def __init__(
        self,
        picture: QWidget,
        height_at: Callable[[int], int],
        least: int,
        first: Sequence[QWidget],
        second: Sequence[QWidget],
        tall: QWidget,
        wide: int,
        shares: tuple[int, int] = (1, 1),
    ) -> None:
        super().__init__()
        self._picture, self._height_at, self._least = picture, height_at, least
        self._wide = wide
        self._box = QBoxLayout(_DOWN, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._columns = (QWidget(), QWidget())
        self._first = tuple(first)
        for column, widgets, share in zip(self._columns, (first, second), shares, strict=True):
            stack = QVBoxLayout(column)
            stack.setContentsMargins(0, 0, 0, 0)
            stack.setSpacing(UNIT // 2)
            for widget in widgets:
                stack.addWidget(widget, 100 if widget in (picture, tall) else 0)
            stack.addStretch(1)
            self._box.addWidget(column, share)

    @property
    def folded(self) -> bool:
        """Whether the second column stands below the first."""
        return self._box.direction() == _DOWN

    def fit(self) -> None:
        """Fold or unfold, and give the picture the height that it fills."""
        wanted = _ACROSS if self.width() >= scaled(self._wide) else _DOWN
        if wanted != self._box.direction():
            self._box.setDirection(wanted)
        self._box.setSpacing(UNIT if self.folded else 2 * UNIT)
        width = self.width() if self.folded else self._columns[0].width()
        height = max(1, self._height_at(width))
        if self.folded:
            height = min(height, scaled(_MOST_FOLDED))
        self._picture.setMaximumHeight(height)
        # Folded, what does not fit is scrolled to: a picture that is squeezed cannot be read.
        self._picture.setMinimumHeight(height if self.folded else min(height, scaled(self._least)))
        self._columns[0].setMaximumHeight(self._needed(width) if self.folded else NO_LIMIT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold or unfold."""
        super().resizeEvent(event)
        self.fit()

    def _needed(self, width: int) -> int:
        shown = [widget for widget in self._first if not widget.isHidden()]
        heights = [
            self._picture.maximumHeight()
            if widget is self._picture
            else widget.heightForWidth(width)
            if widget.hasHeightForWidth()
            else widget.sizeHint().height()
            for widget in shown
        ]
        return sum(heights) + UNIT // 2 * len(shown)


class FlowLayout(QLayout):
    """Lays widgets out as words lie in a paragraph, each as large as it would like to be.

    A hidden widget has neither a place nor a gap beside it.

    Parameters
    ----------
    across, down
        Pixels between two widgets of a row, and between two rows.
    parent
        The widget that is laid out.
    """

    def __init__(self, across: int, down: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self._across, self._down = across, down
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Put an item behind the others."""
        self._items.append(item)

    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, `None` past the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out and return it, `None` past the last."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Take whatever width there is."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Need more height where there is less width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the rows at a width."""
        return self._flow(QRect(0, 0, width, 0), moves=False)

    def sizeHint(self) -> QSize:
        """Ask for no more than the widest widget needs."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Return the size of the widest and of the highest widget."""
        least = QSize()
        for item in self._items:
            least = least.expandedTo(item.minimumSize())
        return least

    def setGeometry(self, rect: QRect) -> None:
        """Put every widget in its place."""
        super().setGeometry(rect)
        self._flow(rect, moves=True)

    def _flow(self, room: QRect, moves: bool) -> int:
        at, height = room.topLeft(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if height and at.x() + size.width() > room.x() + room.width():
                at, height = QPoint(room.x(), at.y() + height + self._down), 0
            if moves:
                item.setGeometry(QRect(at, size))
            at = at + QPoint(size.width() + self._across, 0)
            height = max(height, size.height())
        return at.y() + height - room.y()
