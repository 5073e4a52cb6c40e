"""Rows, columns, buttons and controls that dialogs and bars are built from."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.style.theme import UNIT
from gui.widgets.controls import ComboBox, DoubleSpinBox, Segmented, SpinBox

B = TypeVar("B", bound=QBoxLayout)
Part = QWidget | QLayout | int
Parts = Iterable[Part | tuple[QWidget | QLayout, int]]
"""Widgets and layouts, each alone or with its stretch; a number is a stretch between them."""
Edit = QLineEdit | QCheckBox | ComboBox | Segmented | SpinBox | DoubleSpinBox


def row(*parts: Part | tuple[QWidget | QLayout, int], spacing: int | None = None) -> QHBoxLayout:
    """Return parts side by side; without a spacing, that of the layout around them."""
    return _filled(QHBoxLayout(), parts, 0, spacing)


def column(
    *parts: Part | tuple[QWidget | QLayout, int],
    of: QWidget | None = None,
    margin: int = 0,
    spacing: int | None = UNIT,
) -> QVBoxLayout:
    """Return parts below each other, as the layout `of` a widget."""
    return _filled(QVBoxLayout(of) if of is not None else QVBoxLayout(), parts, margin, spacing)


def _filled(box: B, parts: Parts, margin: int, spacing: int | None) -> B:
    box.setContentsMargins(margin, margin, margin, margin)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        inside, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(inside, QLayout):
            box.addLayout(inside, stretch)
        else:
            box.addWidget(inside, stretch)
    return box


def button(
    text: str,
    does: Callable[[], Any],
    tip: str = "",
    *,
    name: str = "",
    default: bool | None = None,
) -> QPushButton:
    """Return a button.

    Parameters
    ----------
    text, tip, name
        Text, tool tip, and accessible name where that is another than the text.
    does
        Called on a click.
    default
        Whether Enter presses it from elsewhere in a dialog; `None` is as Qt has it, `False`
        never.
    """
    made = QPushButton(text)
    made.setToolTip(tip)
    if name:
        made.setAccessibleName(name)
    if default is False:
        made.setAutoDefault(False)
    elif default:
        made.setDefault(True)
    made.clicked.connect(lambda _=False: does())
    return made


def spin(
    name: str,
    low: float,
    high: float,
    suffix: str = "",
    step: float = 1,
    decimals: int | None = None,
) -> Any:
    """Return a spin box, of whole numbers without `decimals`."""
    box: SpinBox | DoubleSpinBox
    if decimals is None:
        box = SpinBox()
        box.setRange(int(low), int(high))
        box.setSingleStep(int(step))
    else:
        box = DoubleSpinBox()
        box.setDecimals(decimals)
        box.setRange(low, high)
        box.setSingleStep(step)
    box.setAccessibleName(name)
    box.setSuffix(suffix)
    return box


def combo(name: str, texts: Iterable[str]) -> ComboBox:
    """Return a box of texts to choose from."""
    box = ComboBox()
    box.setAccessibleName(name)
    box.addItems(list(texts))
    return box


def field(name: str, text: str = "", placeholder: str = "") -> QLineEdit:
    """Return a line to type in."""
    line = QLineEdit(text)
    line.setAccessibleName(name)
    line.setPlaceholderText(placeholder)
    return line


def progress_bar(name: str) -> QProgressBar:
    """Return a progress bar without a text."""
    bar = QProgressBar()
    bar.setTextVisible(False)
    bar.setAccessibleName(name)
    return bar


def ask_for_file(
    parent: QWidget,
    title: str,
    folder: Path,
    kinds: str,
    then: Callable[[Path], Any],
    save_as: str = "",
    suffix: str = "",
) -> None:
    """Open a file dialog, and hand the chosen file on.

    Parameters
    ----------
    parent, title, folder
        The window below it, its title, and where it begins.
    kinds
        The filter, such as `PNG (*.png)`.
    then
        Called with the path.
    save_as, suffix
        The name suggested for a file that is to be written, and the suffix of a name without one;
        without them an existing file is asked for.
    """
    dialog = QFileDialog(parent, title, str(folder), kinds)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if save_as:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(save_as)
    else:
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
    dialog.open()


def value_of(control: Edit) -> Any:
    """Return what a control holds."""
    if isinstance(control, QCheckBox):
        return control.isChecked()
    if isinstance(control, QLineEdit):
        return control.text()
    return control.currentText() if isinstance(control, ComboBox) else control.value()


def set_value(control: Edit, value: Any) -> None:
    """Let a control hold a value."""
    if isinstance(control, QCheckBox):
        control.setChecked(value)
    elif isinstance(control, QLineEdit):
        control.setText(value)
    elif isinstance(control, ComboBox):
        control.setCurrentText(value)
    elif isinstance(control, Segmented):
        control.set_value(value)
    else:
        control.setValue(value)


def changed(control: Edit) -> SignalInstance:
    """Return the signal of a control that holds another value."""
    if isinstance(control, QCheckBox):
        return control.toggled
    if isinstance(control, QLineEdit):
        return control.textChanged
    if isinstance(control, ComboBox):
        return control.currentIndexChanged
    return control.changed if isinstance(control, Segmented) else control.valueChanged
