"""Controls behind a word that says what they are for."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gui.theme import UNIT


class Named(QWidget):
    """A name in small print and a control, which stay on one line."""

    def __init__(self, name: str, control: QWidget) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(caption(name))
        row.addWidget(control)


def caption(text: str) -> QLabel:
    """Return small print."""
    label = QLabel(text)
    label.setProperty("role", "small")
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
