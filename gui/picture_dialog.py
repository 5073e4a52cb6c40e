"""Save picture: of what, how large, into a file or onto the clipboard."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Refused
from gui import screenshot
from gui.theme import UNIT
from gui.widgets.notice import Notice
from gui.widgets.segmented import Segmented


class PictureDialog(QDialog):
    """Asks what to take a picture of.

    Parameters
    ----------
    parent
        The window.
    subjects
        What can be pictured: name and widget.
    """

    def __init__(self, parent: QWidget, subjects: list[tuple[str, QWidget]]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save picture")
        self._subjects = subjects
        self.subject = QComboBox()
        self.subject.addItems([name for name, _ in subjects])
        self.subject.setAccessibleName("What to take a picture of")
        self.subject.currentIndexChanged.connect(self._show_size)
        scales = [(str(scale), f"{scale}x") for scale in screenshot.SCALES]
        self.scale = Segmented(scales, "Pixels per unit")
        self.scale.set_value("2")
        self.scale.changed.connect(self._show_size)
        self.size_label = QLabel()
        self.size_label.setProperty("role", "small")
        self.notice = Notice()
        self.copy_button = QPushButton("Copy")
        self.copy_button.clicked.connect(self._copy)
        self.save_button = QPushButton("Save …")
        self.save_button.setDefault(True)
        self.save_button.clicked.connect(self._ask_where)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.clicked.connect(self.reject)

        form = QFormLayout()
        form.setSpacing(UNIT)
        form.addRow("Picture of", self.subject)
        form.addRow("Scale", self.scale)
        form.addRow("", self.size_label)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.cancel_button, self.copy_button, self.save_button):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT * 2, UNIT * 2, UNIT * 2, UNIT * 2)
        layout.setSpacing(UNIT)
        layout.addLayout(form)
        layout.addWidget(self.notice)
        layout.addLayout(buttons)
        self._show_size()

    def picture(self) -> QImage:
        """Take the picture that is asked for."""
        return screenshot.picture(self._widget(), int(self.scale.value()))

    def save(self, path: Path) -> None:
        """Write the picture and close, or say why it cannot be written."""
        path = path if path.suffix else path.with_suffix(".png")
        try:
            screenshot.save(self.picture(), path)
        except Refused as refused:
            self.notice.show_failure(str(refused))
            return
        self.accept()

    def _copy(self) -> None:
        screenshot.copy(self.picture())
        self.accept()

    def _ask_where(self) -> None:
        name = self.subject.currentText().lower()
        chosen, _ = QFileDialog.getSaveFileName(
            self, "Save picture", f"headscope-{name}.png", "PNG (*.png)"
        )
        if chosen:
            self.save(Path(chosen))

    def _widget(self) -> QWidget:
        return self._subjects[self.subject.currentIndex()][1]

    def _show_size(self) -> None:
        size = self._widget().size() * int(self.scale.value())
        self.size_label.setTextFormat(Qt.TextFormat.PlainText)
        self.size_label.setText(f"{size.width()} × {size.height()} pixels")
