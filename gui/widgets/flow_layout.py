"""Widgets beside one another, in as many rows as the width needs."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


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
        """Return an item, none where there is none."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out and return it, none where there is none."""
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
