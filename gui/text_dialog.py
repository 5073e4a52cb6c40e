"""A longer text over the window, which scrolls where it has no room."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from gui.theme import UNIT
from gui.widgets.plain_label import plain_label
from gui.widgets.text_scroll import TextScroll, fill_dialog

WIDTH = 76 * UNIT


class TextDialog(QDialog):
    """Paragraphs of plain text.

    Parameters
    ----------
    parent
        The window.
    title
        Of the dialog.
    text
        Paragraphs, with an empty line between them.
    """

    def __init__(self, parent: QWidget, title: str, text: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        scroll = TextScroll(UNIT * 2, UNIT)
        scroll.setAccessibleName(title)
        for paragraph in text.split("\n\n"):
            scroll.column.addWidget(plain_label(paragraph, wraps=True, selectable=True))
        scroll.column.addStretch(1)
        fill_dialog(self, scroll, WIDTH)
