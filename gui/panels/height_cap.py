"""Keeps a widget no higher than what it shows, so that the next one follows right below."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.palette import scaled

NO_LIMIT = 2**24 - 1
"""Qt's own greatest height of a widget, which PySide does not export."""


class HeightCap(QObject):
    """Caps the height of a widget whose wanted height follows from its width.

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
