"""Save picture: of what, how large, into a file or onto the clipboard; or of every open card."""

from functools import partial
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QFileDialog, QFormLayout, QMessageBox, QWidget

from engine.messages import Refused
from gui.export import screenshot
from gui.shell.file_menu import message_box
from gui.style.theme import UNIT
from gui.widgets.controls import Segmented
from gui.widgets.forms import button, column, combo, row
from gui.widgets.labels import Notice, plain_label

ALL = "All open cards, a file each"


class PictureDialog(QDialog):
    """Asks what to take a picture of.

    Parameters
    ----------
    subjects
        What can be pictured: name and widget; the first is the window, the others its cards.
    """

    def __init__(self, parent: QWidget, subjects: list[tuple[str, QWidget]]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save picture")
        self._subjects = subjects
        names = [name for name, _ in subjects]
        self.subject = combo("What to take a picture of", names)
        if len(names) > 2:
            self.subject.addItem(ALL)
        self.subject.currentIndexChanged.connect(self._show_size)
        scales = [(str(scale), f"{scale}x") for scale in screenshot.SCALES]
        self.scale = Segmented(scales, "Pixels per unit")
        self.scale.set_value("2")
        self.scale.changed.connect(self._show_size)
        self.size_label = plain_label(role="small")
        self.notice = Notice()
        self.copy_button = button("Copy", self._copy)
        self.save_button = button("Save …", self._ask_where, default=True)
        self.cancel_button = button("Cancel", self.reject)
        form = QFormLayout()
        form.setSpacing(UNIT)
        form.addRow("Picture of", self.subject)
        form.addRow("Scale", self.scale)
        form.addRow("", self.size_label)
        buttons = row(1, self.cancel_button, self.copy_button, self.save_button)
        column(form, self.notice, buttons, of=self, margin=UNIT * 2)
        self._show_size()

    def picture(self) -> QImage:
        """Take the picture that is asked for."""
        return screenshot.picture(self._widget(), int(self.scale.value()))

    def save(self, path: Path) -> None:
        """Write the picture and close, or say why it cannot be written."""
        self._write([path if path.suffix else path.with_suffix(".png")], [self._widget()])

    def save_all(self, folder: Path) -> None:
        """Write a picture of every card into a folder, once those that are there may go."""
        paths = [folder / _file_name(name) for name, _ in self._subjects[1:]]
        write = partial(self._write, paths, [widget for _, widget in self._subjects[1:]])
        there = [path.name for path in paths if path.exists()]
        if not there:
            write()
            return
        yes = QMessageBox.StandardButton.Yes
        box = message_box(
            self,
            "Replace pictures",
            f"{folder} already has {', '.join(there)}. Replace what is there?",
            yes | QMessageBox.StandardButton.Cancel,
        )
        box.button(yes).setText("Replace")
        box.finished.connect(lambda chosen: write() if chosen == yes else None)
        box.open()

    def _write(self, paths: list[Path], widgets: list[QWidget]) -> None:
        try:
            for path, widget in zip(paths, widgets, strict=True):
                screenshot.save(screenshot.picture(widget, int(self.scale.value())), path)
        except Refused as refused:
            self.notice.show_failure(str(refused))
            return
        self.accept()

    def _is_all(self) -> bool:
        return self.subject.currentText() == ALL

    def _copy(self) -> None:
        screenshot.copy(self.picture())
        self.accept()

    def _ask_where(self) -> None:
        if self._is_all():
            folder = QFileDialog.getExistingDirectory(self, "Folder for the pictures")
            if folder:
                self.save_all(Path(folder))
            return
        chosen, _ = QFileDialog.getSaveFileName(
            self, "Save picture", _file_name(self.subject.currentText()), "PNG (*.png)"
        )
        if chosen:
            self.save(Path(chosen))

    def _widget(self) -> QWidget:
        return self._subjects[self.subject.currentIndex()][1]

    def _show_size(self) -> None:
        self.copy_button.setEnabled(not self._is_all())
        if self._is_all():
            self.size_label.setText(f"{len(self._subjects) - 1} pictures, as large as the cards")
            return
        size = self._widget().size() * int(self.scale.value())
        self.size_label.setText(f"{size.width()} × {size.height()} pixels")


def _file_name(subject: str) -> str:
    return f"headscope-{subject.lower().replace(' ', '-')}.png"
