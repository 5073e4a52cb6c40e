"""A box over the window that says something, or asks."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from engine.messages import printable

_OK = QMessageBox.StandardButton.NoButton
"""Qt puts an OK into a box without buttons."""


def message_box(
    parent: QWidget | None, title: str, text: str, buttons: QMessageBox.StandardButton = _OK
) -> QMessageBox:
    """Return a box of plain text that is gone once it is closed; `open` shows it."""
    text = printable(text, keep="\n")
    box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, buttons, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box
