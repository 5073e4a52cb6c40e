"""Wrapped text and what stands between it, scrolled only where it has no room."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget


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
