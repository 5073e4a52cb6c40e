"""Wrapped text and what stands between it, scrolled only where it has no room."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QScrollArea, QVBoxLayout, QWidget

from gui.palette import scaled
from gui.theme import UNIT


class TextScroll(QScrollArea):
    """A column as wide as the area and as high as its wrapped text.

    Parameters
    ----------
    margin, spacing
        Pixels around the column, and between what stands in it.
    """

    def __init__(self, margin: int, spacing: int) -> None:
        super().__init__()
        self.body = QWidget()
        # Otherwise labels ask for the height that they have at their narrowest.
        self.body.setMinimumHeight(1)
        self.column = QVBoxLayout(self.body)
        self.column.setContentsMargins(margin, margin, margin, margin)
        self.column.setSpacing(spacing)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self.body)
        self.viewport().setAutoFillBackground(False)
        self.body.setAutoFillBackground(False)

    def height_for(self, width: int) -> int:
        """Return the height at which nothing scrolls, for a width."""
        self.body.ensurePolished()
        return self.column.totalHeightForWidth(width)


def fill_dialog(dialog: QDialog, scroll: TextScroll, width: float) -> None:
    """Put a text and Close into a dialog, of a size at which it scrolls only if the screen ends.

    Parameters
    ----------
    dialog, scroll
        What it is put into, and the text.
    width
        Pixels at the usual size of text.
    """
    close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    close.rejected.connect(dialog.reject)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(0, 0, UNIT * 2, UNIT * 2)
    column.addWidget(scroll)
    column.addWidget(close)
    room = dialog.screen().availableGeometry().size()
    across = min(scaled(width), room.width() - 8 * UNIT)
    wanted = scroll.height_for(across - 2 * UNIT) + close.sizeHint().height() + 4 * UNIT
    dialog.resize(across, min(wanted, room.height() - 8 * UNIT))
