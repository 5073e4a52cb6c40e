"""Dialogs of longer texts: how to read a head, and About."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from gui.client import log
from gui.platform import versions
from gui.shell.help_texts import ABOUT, CITATION, LICENCE, MODEL_LICENCES
from gui.style.palette import token_font
from gui.style.theme import UNIT
from gui.widgets.forms import button, column, row
from gui.widgets.labels import TextScroll, fill_dialog, plain_label

WIDTH = 76 * UNIT


class TextDialog(QDialog):
    """Paragraphs of plain text.

    Parameters
    ----------
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


ICON_SIZE = 64
ABOUT_WIDTH = 78 * UNIT

_words = partial(plain_label, wraps=True, selectable=True)


class AboutDialog(QDialog):
    """Everything that a bug report or a paper needs to say about the program."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("About Headscope")
        scroll = TextScroll(UNIT * 2, UNIT)
        rows = scroll.column
        rows.addLayout(self._heading())
        rows.addWidget(plain_label("Versions", "title"))
        rows.addLayout(_table())
        self.copy_versions = self._button("Copy versions", versions.as_text)
        rows.addWidget(self.copy_versions, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(plain_label("Citation", "title"))
        citation = _words(CITATION.format(version=versions.headscope()))
        citation.setFont(token_font(small=True))
        rows.addWidget(citation)
        self.copy_citation = self._button("Copy citation", citation.text)
        rows.addWidget(self.copy_citation, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(plain_label("Licence", "title"))
        rows.addWidget(_words(LICENCE))
        rows.addWidget(_words(MODEL_LICENCES))
        rows.addWidget(plain_label("Log file", "title"))
        rows.addWidget(_words(_about_log(log.path())))
        folder = log.path().parent
        self.open_folder = button(
            "Open folder", lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
        )
        self.open_folder.setEnabled(folder.is_dir())
        rows.addWidget(self.open_folder, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addStretch(1)
        fill_dialog(self, scroll, ABOUT_WIDTH)

    def _heading(self) -> QHBoxLayout:
        picture = QLabel()
        picture.setPixmap(QApplication.windowIcon().pixmap(ICON_SIZE, ICON_SIZE))
        picture.setAlignment(Qt.AlignmentFlag.AlignTop)
        title = plain_label(f"Headscope {versions.headscope()}".strip(), "title")
        texts = column(title, _words(ABOUT), 1, spacing=UNIT // 2)
        return row(picture, (texts, 1), spacing=UNIT * 2)

    def _button(self, name: str, text: Callable[[], str]) -> QPushButton:
        return button(name, lambda: QApplication.clipboard().setText(text()))


def _about_log(path: Path) -> str:
    return (
        f"{path}\n\nStarts, versions, models opened and failures, at most two files of 1 MB. "
        "Prompts stand in it only where something failed that should not have; it is sent nowhere."
    )


def _table() -> QGridLayout:
    table = QGridLayout()
    table.setHorizontalSpacing(UNIT * 2)
    table.setVerticalSpacing(2)
    table.setColumnStretch(3, 1)
    parts = versions.parts()
    half = (len(parts) + 1) // 2
    for place, (name, number) in enumerate(parts):
        down, across = place % half, 2 * (place // half)
        table.addWidget(_words(name), down, across)
        table.addWidget(_words(number), down, across + 1)
    return table
