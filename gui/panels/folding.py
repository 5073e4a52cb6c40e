"""Two parts of a panel: side by side where there is room, else one below the other."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from gui.theme import UNIT

_ACROSS, _DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom


class Folding(QWidget):
    """Folds by its own width.

    Parameters
    ----------
    first, second
        The parts.
    wide
        Width from which they stand side by side; more than both need at least.
    shares
        How they share the room.
    """

    def __init__(
        self, first: QWidget, second: QWidget, wide: int, shares: tuple[int, int] = (1, 1)
    ) -> None:
        super().__init__()
        self._wide = wide
        self._box = QBoxLayout(_DOWN, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(UNIT)
        self._box.addWidget(first, shares[0])
        self._box.addWidget(second, shares[1])

    @property
    def folded(self) -> bool:
        """Whether the second part stands below the first."""
        return self._box.direction() == _DOWN

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold or unfold."""
        super().resizeEvent(event)
        wanted = _ACROSS if self.width() >= self._wide else _DOWN
        if wanted != self._box.direction():
            self._box.setDirection(wanted)
            self._box.setSpacing(UNIT if wanted == _DOWN else 2 * UNIT)
