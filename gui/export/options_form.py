"""What was chosen for the last export, which the next one begins with."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Refused
from gui.export.exportable import Subject
from gui.session.settings import Settings
from gui.state.figure_options import (
    COARSEST,
    FINEST,
    LARGEST,
    LONGEST_TITLE,
    MM,
    NARROWEST,
    PICTURES,
    SMALLEST,
    WIDEST,
    WIDTHS,
    FigureOptions,
    parse_labels,
)
from gui.style.colour_scale import DIVERGING_MAPS, SEQUENTIAL_MAPS
from gui.style.palette import Held
from gui.style.theme import UNIT
from gui.widgets.controls import ComboBox, DoubleSpinBox, Segmented, SpinBox


class Chosen:
    """Options, kinds of file, and the folder, which outlives the window.

    Parameters
    ----------
    settings
        Where the folder is kept; none keeps it for this window only.
    """

    def __init__(self, settings: Settings | None) -> None:
        self._settings = settings
        self._folder = ""
        self.options = FigureOptions()
        self.picture, self.data = ".pdf", ".csv"

    @property
    def folder(self) -> Path:
        """The folder of the last file, or the user's own where that is not there any more."""
        kept = self._settings.export_folder() if self._settings else self._folder
        return Path(kept) if kept and Path(kept).is_dir() else Path.home()

    def keep_folder(self, folder: Path) -> None:
        """Begin there next time."""
        self._folder = str(folder)
        if self._settings is not None:
            self._settings.keep_export_folder(self._folder)

    def suffix(self, suffixes: tuple[str, ...]) -> str:
        """Return which of some kinds of file was chosen last."""
        return next(kind for kind in (self.picture, self.data) if kind in suffixes)

    def keep_suffix(self, suffix: str) -> None:
        """Begin with this kind next time."""
        if suffix in PICTURES:
            self.picture = suffix
        else:
            self.data = suffix


OWN = "own width"
LABELS_TIP = "all, none, every so many-th such as 2, or positions such as 0,4,9"
_UNITS = {"in": 1.0, "mm": MM}


class FigureForm(QWidget):
    """Controls for everything in FigureOptions."""

    changed = Signal()

    def __init__(self, options: FigureOptions) -> None:
        super().__init__()

        self.width_name = _combo("Width of the figure", [*(w.name for w in WIDTHS), OWN])
        self.width_name.currentIndexChanged.connect(self._on_width_name)
        self.own_width = DoubleSpinBox()
        self.own_width.setAccessibleName("Own width")
        self.own_width.setDecimals(2)
        self.unit = _combo("Unit of the own width", list(_UNITS))
        self.unit.currentIndexChanged.connect(self._on_unit)
        self.font_size = DoubleSpinBox()
        self.font_size.setAccessibleName("Font size in points")
        self.font_size.setRange(SMALLEST, LARGEST)
        self.font_size.setDecimals(1)
        self.font_size.setSingleStep(0.5)
        self.font_size.setSuffix(" pt")
        self.ground = Segmented([("paper", "paper"), ("transparent", "transparent")], "Ground")
        self.ground.set_option_tip("paper", "White")
        self.sequential = _combo("Colour map of amounts", list(SEQUENTIAL_MAPS))
        self.diverging = _combo("Colour map of signed values", list(DIVERGING_MAPS))
        self.labels = QLineEdit()
        self.labels.setAccessibleName("Tokens that are labelled")
        self.labels.setToolTip(LABELS_TIP)
        self.title_kind = Segmented([("own", "own"), ("none", "none"), ("other", "other")], "Title")
        self.title_kind.set_option_tip("own", "What the figure shows, and the model")
        self.title = QLineEdit()
        self.title.setAccessibleName("Other title")
        self.title.setPlaceholderText("another title")
        self.title.setMaxLength(LONGEST_TITLE)
        self.caption = QCheckBox("say what it was made from")
        self.caption.setAccessibleName("Caption: say under the figure what it was made from")
        self.dpi = SpinBox()
        self.dpi.setAccessibleName("Resolution in dots per inch")
        self.dpi.setRange(COARSEST, FINEST)
        self.dpi.setSingleStep(100)
        self.dpi.setSuffix(" dpi")
        self._lay_out()
        self._show(options)
        for spin in (self.own_width, self.font_size, self.dpi):
            spin.valueChanged.connect(self._tell)
        for combo in (self.sequential, self.diverging):
            combo.currentIndexChanged.connect(self._tell)
        for segments in (self.ground, self.title_kind):
            segments.changed.connect(self._tell)
        for line in (self.labels, self.title):
            line.textChanged.connect(self._tell)
        self.caption.toggled.connect(self._tell)

    def options(self) -> FigureOptions:
        """Return what is chosen.

        Raises
        ------
        Refused
            If a field holds what cannot be; the sentence names it.
        """
        kind = self.title_kind.value()
        title = {"own": None, "none": ""}.get(kind, self.title.text().strip() or None)
        title = "" if title == "none" else title  # as the command line has it
        return FigureOptions(
            self._width(),
            self.font_size.value(),
            "paper" if self.ground.value() == "paper" else "transparent",
            self.sequential.currentText(),
            self.diverging.currentText(),
            self._labels(),
            title,
            self.caption.isChecked(),
            self.dpi.value(),
        )

    def show_for(self, suffix: str) -> None:
        """Show what belongs to a kind of figure: resolution is a PNG's alone."""
        self._form.setRowVisible(self.dpi, suffix == ".png")

    def _width(self) -> float:
        place = self.width_name.currentIndex()
        if place < len(WIDTHS):
            return WIDTHS[place].inches
        inches = self.own_width.value() * _UNITS[self.unit.currentText()]
        return min(max(inches, NARROWEST), WIDEST)  # rounding in mm may lie just outside

    def _labels(self) -> int | tuple[int, ...]:
        try:
            return parse_labels(self.labels.text() or "all")
        except Refused:
            raise Refused(f"labels are {LABELS_TIP}, not {self.labels.text()!r}") from None

    def _lay_out(self) -> None:
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(UNIT)
        own = QWidget()
        row = QHBoxLayout(own)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.own_width, 1)
        row.addWidget(self.unit)
        self._own = own
        self._form.addRow("Width", self.width_name)
        self._form.addRow("", own)
        self._form.addRow("Font size", self.font_size)
        self._form.addRow("Ground", self.ground)
        self._form.addRow("Amounts", self.sequential)
        self._form.addRow("Signed values", self.diverging)
        self._form.addRow("Label tokens", self.labels)
        self._form.addRow("Title", self.title_kind)
        self._form.addRow("", self.title)
        self._form.addRow("Caption", self.caption)
        self._form.addRow("Resolution", self.dpi)

    def _show(self, options: FigureOptions) -> None:
        inches = [width.inches for width in WIDTHS]
        named = options.width in inches
        with QSignalBlocker(self.width_name), QSignalBlocker(self.own_width):
            self.width_name.setCurrentIndex(inches.index(options.width) if named else len(WIDTHS))
            self._set_unit(options.width)
        self.font_size.setValue(options.font_size)
        self.ground.set_value(options.ground)
        self.sequential.setCurrentText(options.sequential)
        self.diverging.setCurrentText(options.diverging)
        labels = options.labels
        several = ",".join(map(str, labels)) + "," if isinstance(labels, tuple) else str(labels)
        self.labels.setText({"1": "all", "0": "none"}.get(several, several))
        self.title_kind.set_value(
            "own" if options.title is None else "other" if options.title else "none"
        )
        self.title.setText(options.title or "")
        self.caption.setChecked(options.caption)
        self.dpi.setValue(options.dpi)
        self._fit()

    def _set_unit(self, inches: float) -> None:
        """Let the own width be a number of inches in the chosen unit."""
        scale = _UNITS[self.unit.currentText()]
        self.own_width.setRange(NARROWEST / scale, WIDEST / scale)
        self.own_width.setSingleStep(0.25 if scale == 1.0 else 1.0)
        self.own_width.setValue(inches / scale)

    def _on_unit(self) -> None:
        before = _UNITS["mm" if self.unit.currentText() == "in" else "in"]
        with QSignalBlocker(self.own_width):
            self._set_unit(self.own_width.value() * before)
        self._tell()

    def _on_width_name(self, place: int) -> None:
        if place < len(WIDTHS):
            # Whoever changes to a width of their own begins with the one they saw.
            unit = WIDTHS[place].name.rpartition(" ")[2]
            with QSignalBlocker(self.unit), QSignalBlocker(self.own_width):
                self.unit.setCurrentText(unit)
                self._set_unit(WIDTHS[place].inches)
        self._tell()

    def _tell(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        self._form.setRowVisible(self._own, self.width_name.currentText() == OWN)
        self._form.setRowVisible(self.title, self.title_kind.value() == "other")


def scrolled(form: FigureForm) -> QScrollArea:
    """Return a form on the ground of what it lies on, to be scrolled where there is little room."""
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setWidget(form)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.viewport().setAutoFillBackground(False)
    form.setAutoFillBackground(False)
    return scroll


def _combo(name: str, words: list[str]) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(name)
    box.addItems(words)
    return box


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
