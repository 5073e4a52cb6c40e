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


ABOUT = (
    "A microscope for attention heads: where a head looks (its pattern and its "
    "QK circuit), what it brings (its OV circuit), how many directions it uses (its spectrum), "
    "which heads work together, and what each gives to the next token, read from the model's own "
    "weights. Everything is computed on this machine; nothing is sent anywhere."
)
LICENCE = (
    "Headscope is free software under the MIT licence, © 2026 the Headscope authors. It comes "
    "without any warranty."
)
MODEL_LICENCES = (
    "The models that come with it are under the same licence. attn-1l and attn-2l were trained on "
    "Python's documentation and library (PSF License 2), WordNet (WordNet 3.0 licence), and on "
    "Jane Austen's novels, the King James Bible and the Jargon File (public domain); their model "
    "cards say how much of each. The toys hold no text: every weight is written by hand."
)
CITATION = """\
@software{{headscope,
  title   = {{Headscope: a desktop microscope for attention heads}},
  author  = {{{{The Headscope authors}}}},
  version = {{{version}}},
  year    = {{2026}},
  license = {{MIT}}
}}"""
"""BibTeX, with a place for the version; CITATION.cff says the same."""
HOW_TO = (
    "Type a prompt. Heads shows every head's pattern on it; click one to open it. X switches it "
    "off, and every card then shows the model without it.\n\n"
    "An induction head looks at what followed the same token last time, and so can repeat it. "
    "A previous-token head looks one token back. "
    "A first-token head rests on the first token. "
    "Each head's score is its mean attention of that kind on repeated random tokens.\n\n"
    "Attention: each row is a token looking back. Click a cell or a token to pin it.\n\n"
    "OV: what the head raises and lowers when it reads the pinned source. "
    "QK: what it looks for when it stands on the pinned token. Click a token in a list to ask "
    "about it, or type another.\n\n"
    "Spectrum: how many directions the head uses. Click a value for the tokens at its two ends.\n\n"
    "Ctrl+M opens other models: it says first what each would take. A model folder, a GGUF file, "
    "a session, a figure or a text can also be dragged onto the window.\n\n"
    "View has more cards, in groups. Layouts, in the top bar, open some together: “Find a head” "
    "to compare all heads, “Compose” for two heads in a row. “?” in a card says what it shows, its "
    "formula and where that is from; “Export figure” makes one of any card. Help leads through "
    "three examples.\n\n"
    "File saves all of it as a session, and the last one comes back at the next start. Alt+Left "
    "goes back to what was selected before, Ctrl+D marks a head, and Notes lists the marked ones."
    "\n\n"
    "Cards: drag one by its title; double-click the title to float it, right-click it to close "
    "it. Ctrl+Alt+0 puts them back.\n\n"
    "Keyboard: Ctrl+K finds everything by name, and a head by 1.3 or L1H3. Ctrl+1 to "
    "Ctrl+9 go to a card, and close one that has the keyboard; Ctrl+W closes any, F6 goes to the "
    "next. Tab moves on, arrow keys move inside a picture, Ctrl++ and Ctrl+- change the size of "
    "text."
)


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
