"""A picture and what is read beside it: side by side where there is room, else stacked."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from gui.palette import scaled
from gui.panels.height_cap import NO_LIMIT
from gui.theme import UNIT

_ACROSS, _DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_MOST_FOLDED = 52 * UNIT
"""A higher picture would push what stands below it out of sight."""


class Folding(QWidget):
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
