"""One line in a panel that says what state it is in."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engine.messages import printable
from gui import palette, versions
from gui.theme import UNIT
from gui.widgets.plain_label import plain_label


class Notice(QFrame):
    """Hidden while there is nothing to say; details, where there are any, behind a button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Notice")
        self._text = plain_label(wraps=True, selectable=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._button = QPushButton("Details")
        self._button.setProperty("quiet", True)
        self._button.clicked.connect(self._show_details)
        self._details = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(UNIT, UNIT // 2, UNIT // 2, UNIT // 2)
        row.setSpacing(UNIT)
        row.addWidget(self._text, 1)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.clear()

    def text(self) -> str:
        """Return what is said, empty for nothing."""
        return self._text.text()

    def show_info(self, text: str) -> None:
        """Say something that is no fault: what is waited for, that a result is old."""
        self._say("info", text, "")

    def show_failure(self, text: str, details: str = "") -> None:
        """Say what went wrong; details go behind a button."""
        self._say("failure", text, details)

    def clear(self) -> None:
        """Say nothing, and take no room."""
        self._say("info", "", "")

    def _say(self, kind: str, text: str, details: str) -> None:
        self._details = details
        text = printable(text, keep="\n")
        self._text.setText(text)
        self.setAccessibleDescription(text)
        self._button.setVisible(bool(details))
        palette.set_look(self, "notice", kind, self._text)
        self.setVisible(bool(text))

    def _show_details(self) -> None:
        dialog = QDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Details")
        said = f"{self._text.text()}\n\n{self._details.strip()}\n\n{versions.as_text()}\n"
        text = QPlainTextEdit(said)
        text.setReadOnly(True)
        text.setFont(palette.token_font())
        text.setAccessibleName("Details")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(dialog.reject)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QApplication.clipboard().setText(said))
        column = QVBoxLayout(dialog)
        column.addWidget(text)
        column.addWidget(buttons)
        dialog.resize(palette.units(80, 45))
        dialog.open()
