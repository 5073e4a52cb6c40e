"""What was chosen for the last export, and the form of FigureOptions."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QScrollArea, QWidget

from engine.messages import Refused
from gui.session.settings import Settings
from gui.state.figure_options import (
    CONTROLS,
    LABELS_TIP,
    LONGEST_TITLE,
    MM,
    NARROWEST,
    PICTURES,
    RANGES,
    VALUES,
    WIDEST,
    WIDTHS,
    FigureOptions,
    labels_text,
    parse_labels,
)
from gui.style.theme import UNIT
from gui.widgets.controls import DoubleSpinBox, Segmented
from gui.widgets.forms import changed, combo, field, row, set_value, spin, value_of


class LastExport:
    """Options, kinds of file, and the folder, which outlives the window."""

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
_UNITS = {"in": 1.0, "mm": MM}
_PLAIN = ("font_size", "ground", "sequential", "diverging", "caption", "dpi")
"""Options whose control holds the value itself."""


class FigureForm(QWidget):
    """Controls for everything in FigureOptions."""

    changed = Signal()

    def __init__(self, options: FigureOptions) -> None:
        super().__init__()
        self.width_name = combo(CONTROLS["width"].name, [*(w.name for w in WIDTHS), OWN])
        self.own_width = DoubleSpinBox()
        self.own_width.setAccessibleName("Own width")
        self.own_width.setDecimals(2)
        self.unit = combo("Unit of the own width", _UNITS)
        self.font_size = _number("font_size", decimals=1)
        self.ground = Segmented([(name, name) for name in VALUES["ground"].names], "Ground")
        self.ground.set_option_tip("paper", "White")
        self.sequential, self.diverging = (
            combo(CONTROLS[name].name, VALUES[name].names) for name in ("sequential", "diverging")
        )
        self.labels = field(CONTROLS["labels"].name)
        self.labels.setToolTip(LABELS_TIP)
        self.title_kind = Segmented([("own", "own"), ("none", "none"), ("other", "other")], "Title")
        self.title_kind.set_option_tip("own", "What the figure shows, and the model")
        self.title = field(CONTROLS["title"].name, placeholder="another title")
        self.title.setMaxLength(LONGEST_TITLE)
        self.caption = QCheckBox("say what it was made from")
        self.caption.setAccessibleName(CONTROLS["caption"].name)
        self.dpi = _number("dpi")
        self._own = QWidget()
        self._own.setLayout(row((self.own_width, 1), self.unit, spacing=UNIT))
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(UNIT)
        above = {"width": self.width_name, "title": self.title_kind}
        below: dict[str, QWidget] = {"width": self._own, "title": self.title}
        for name, control in CONTROLS.items():
            self._form.addRow(control.label, above.get(name) or getattr(self, name))
            if name in below:
                self._form.addRow("", below[name])
        self._show(options)
        self.width_name.currentIndexChanged.connect(self._on_width_name)
        self.unit.currentIndexChanged.connect(self._on_unit)
        for each in (
            *(getattr(self, name) for name in _PLAIN),
            self.own_width,
            self.labels,
            self.title_kind,
            self.title,
        ):
            changed(each).connect(self._on_changed)

    def options(self) -> FigureOptions:
        """Return what is chosen.

        Raises
        ------
        Refused
            If a field holds what cannot be; the sentence names it.
        """
        plain: Any = {name: value_of(getattr(self, name)) for name in _PLAIN}
        title = {"own": None, "none": ""}.get(
            self.title_kind.value(), self.title.text().strip() or None
        )
        title = "" if title == "none" else title  # as the command line has it
        try:
            labels = parse_labels(self.labels.text() or "all")
        except Refused:
            raise Refused(f"labels are {LABELS_TIP}, not {self.labels.text()!r}") from None
        return FigureOptions(width=self._width(), labels=labels, title=title, **plain)

    def show_for(self, suffix: str) -> None:
        """Show what belongs to a kind of figure: resolution is a PNG's alone."""
        self._form.setRowVisible(self.dpi, suffix == ".png")

    def _width(self) -> float:
        place = self.width_name.currentIndex()
        if place < len(WIDTHS):
            return WIDTHS[place].inches
        inches = self.own_width.value() * _UNITS[self.unit.currentText()]
        return min(max(inches, NARROWEST), WIDEST)  # rounding in mm may lie just outside

    def _show(self, options: FigureOptions) -> None:
        inches = [width.inches for width in WIDTHS]
        named = options.width in inches
        self.width_name.setCurrentIndex(inches.index(options.width) if named else len(WIDTHS))
        self._set_unit(options.width)
        for name in _PLAIN:
            set_value(getattr(self, name), getattr(options, name))
        self.labels.setText(labels_text(options.labels))
        title = options.title
        self.title_kind.set_value("own" if title is None else "other" if title else "none")
        self.title.setText(title or "")
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
        self._on_changed()

    def _on_width_name(self, place: int) -> None:
        if place < len(WIDTHS):
            # A change to an own width begins with the one that was seen.
            unit = WIDTHS[place].name.rpartition(" ")[2]
            with QSignalBlocker(self.unit), QSignalBlocker(self.own_width):
                self.unit.setCurrentText(unit)
                self._set_unit(WIDTHS[place].inches)
        self._on_changed()

    def _on_changed(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        self._form.setRowVisible(self._own, self.width_name.currentText() == OWN)
        self._form.setRowVisible(self.title, self.title_kind.value() == "other")


def _number(name: str, decimals: int | None = None) -> Any:
    """Return the spin box of an option."""
    (_, low, high, _), control = RANGES[name], CONTROLS[name]
    return spin(control.name, low, high, control.suffix, control.step, decimals)


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
