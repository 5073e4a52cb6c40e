"""The left side of the export dialog: which answer, which kind of file, and how it is set."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from gui.export.chosen import Chosen
from gui.export.form import FigureForm, scrolled
from gui.export.subjects import Subject
from gui.figures.options import PICTURES
from gui.palette import Held
from gui.theme import UNIT
from gui.widgets.boxes import ComboBox
from gui.widgets.segmented import Segmented

_WIDTH = 320
_ABOUT = {
    ".pdf": "Vector; text stays text, fonts embedded",
    ".svg": "Vector, to be edited; text stays text",
    ".png": "Pixels, at the resolution below",
    ".csv": "Rows for programs, texts as they are",
    ".xlsx": "Rows for spreadsheets: numbers are numbers, texts never formulas",
    ".json": "Question and answer as `ask` prints them",
    ".npz": "Arrays for NumPy",
}


class Choices(QWidget):
    """What is to be exported and how.

    Parameters
    ----------
    chosen
        What it begins with.
    subjects
        What there is to be exported.
    suffixes
        The kinds of file that are offered.
    """

    subject_changed = Signal()
    changed = Signal()
    """Kind of file, or how it is set."""

    def __init__(
        self,
        chosen: Chosen,
        subjects: Sequence[Subject],
        suffixes: tuple[str, ...],
    ) -> None:
        super().__init__()
        self._subjects = list(subjects)
        self.what = ComboBox()
        self.what.setAccessibleName("What to export")
        self.what.addItems([subject.name for subject in self._subjects])
        self.what.currentIndexChanged.connect(self.subject_changed)
        self.kind = Segmented([(suffix, suffix[1:].upper()) for suffix in suffixes], "Kind of file")
        for suffix in suffixes:
            self.kind.set_option_tip(suffix, _ABOUT[suffix])
        self.kind.set_value(chosen.suffix(suffixes))
        self.kind.changed.connect(self._on_kind)
        self.form = FigureForm(chosen.options)
        self.form.changed.connect(self.changed)
        top = QFormLayout()
        top.setSpacing(UNIT)
        top.addRow("What", self.what)
        top.setRowVisible(self.what, len(self._subjects) > 1)
        top.addRow("File", self.kind)
        self._scroll = scrolled(self.form)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addLayout(top)
        column.addWidget(self._scroll, 1)
        column.addStretch(0)
        Held(self, self.setFixedWidth, _WIDTH)
        self._fit()

    @property
    def subject(self) -> Subject:
        """What is to be exported."""
        return self._subjects[self.what.currentIndex()]

    @property
    def suffix(self) -> str:
        """The kind of file."""
        return self.kind.value()

    def _on_kind(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        """Show what has a meaning for the kind of file."""
        self._scroll.setVisible(self.suffix in PICTURES)
        self.form.show_for(self.suffix)
