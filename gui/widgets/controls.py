"""Choices side by side, and boxes to choose in: a number is read as it is typed.

The wheel scrolls what a box lies on. Qt's own take the wheel, and the keyboard with it, wherever
the pointer happens to be; and drop the sign that the language of the computer does not have
between whole number and fraction.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QButtonGroup,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from gui.widgets import painting

if TYPE_CHECKING:
    _Box = QWidget
    _Spin = QAbstractSpinBox
else:
    # The class of Qt comes after these where they are mixed in: a class has one Qt base only.
    class _Box: ...

    class _Spin: ...


_GROUPED = re.compile(r"(?<=\d)[.,' \u00a0\u202f](?=\d{3}(?!\d))")
"""What parts thousands, in one language or another."""
_PARTED = re.compile(r"\d[.,' \u00a0\u202f]")


def _whole(text: str) -> str:
    """Return a whole number as it was typed without what parts its thousands.

    A comma that is left would be dropped by Qt, a point is none of a whole number.
    """
    return _GROUPED.sub("", text).replace(",", ".")


def _decimal(text: str) -> str:
    """Return a number with a point for its comma: the last of the two signs, if it is there once.

    `1,5` and `1.5` are one and a half, `1.234,5` and `1,234.5` more than a thousand.
    """
    last = max(text.rfind(","), text.rfind("."))
    if last < 0 or text.count(text[last]) > 1:
        return _whole(text)
    return re.sub("[.,]", "", text[:last]) + "." + text[last + 1 :]


class _KeepsWheel(_Box):
    """Leaves the wheel to whatever scrolls, unless the box has the keyboard."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step where it has the keyboard."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ComboBox(_KeepsWheel, QComboBox):
    """A list to choose from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # a wheel gives no focus


class _NumberBox(_KeepsWheel, _Spin):
    """Reads a number as it is typed."""

    @staticmethod
    def _read(text: str) -> str:
        """Return what Qt is to read."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        # Numbers are written with a point everywhere in the window and in its files.
        point = QLocale.c()
        point.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
        self.setLocale(point)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # a wheel gives no focus

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        """Judge what is read, and leave the text as it stands.

        What is no number by its points and commas is on its way to one: were a sign of it
        dropped, 7,5 would become 75. Left like that, it goes back to what was there.
        """
        state = super().validate(self._read(text), at)[0]
        number = text.removesuffix(str(self.property("suffix")))
        if state == QValidator.State.Invalid and _PARTED.search(number):
            state = QValidator.State.Intermediate
        return state, text, at

    def fixup(self, text: str) -> str:
        """Mend nothing: Qt would drop the comma."""
        return text


class SpinBox(_NumberBox, QSpinBox):
    """A whole number, with or without a sign between thousands."""

    _read = staticmethod(_whole)

    def valueFromText(self, text: str) -> int:
        """Read it."""
        return super().valueFromText(_whole(text))


class DoubleSpinBox(_NumberBox, QDoubleSpinBox):
    """A number, with a point or a comma."""

    _read = staticmethod(_decimal)

    def valueFromText(self, text: str) -> float:
        """Read it."""
        return super().valueFromText(_decimal(text))


class Segmented(QWidget):
    """Exclusive choices side by side; Tab reaches the chosen one, arrow keys move the choice."""

    changed = Signal(str)
    """Key of the option that was chosen by mouse or keyboard, not by `set_value`."""
    again = Signal(str)
    """Key of the option that was chosen already, and was clicked once more."""

    def __init__(
        self, options: Sequence[tuple[str, str]], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._name = name
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        self._tips: dict[str, str] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for place, (key, label) in enumerate(options):
            button = QPushButton()
            button.setCheckable(True)
            button.setProperty("segment", _part(place, len(options)))
            self._buttons[key] = button
            self.set_label(key, label)
            self._group.addButton(button)
            row.addWidget(button)
        next(iter(self._buttons.values())).setChecked(True)
        self._told = self.value()
        self._group.buttonClicked.connect(self._tell)

    def value(self) -> str:
        """Return the key of the chosen option, empty where none is."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def set_value(self, key: str) -> None:
        """Choose an option without emitting `changed`.

        Raises
        ------
        KeyError
            If there is no such option.
        """
        self._buttons[key].setChecked(True)
        self._told = key

    def choose_none(self) -> None:
        """Leave all options unchosen, where what is chosen stands elsewhere."""
        self._group.setExclusive(False)
        for button in self._buttons.values():
            button.setChecked(False)
        self._group.setExclusive(True)
        self._told = ""

    def set_label(self, key: str, label: str) -> None:
        """Call an option something else."""
        self._buttons[key].setText(label.replace("&", "&&"))
        self._buttons[key].setAccessibleName(f"{self._name}: {label}")

    def set_option_enabled(self, key: str, enabled: bool, reason: str = "") -> None:
        """Allow or forbid an option; the reason is its tool tip while it is forbidden."""
        self._buttons[key].setEnabled(enabled)
        tip = self._tips.get(key, "") if enabled else reason
        self._buttons[key].setToolTip(painting.literal(tip))

    def set_option_tip(self, key: str, tip: str) -> None:
        """Say what an option means, in the tool tip that it has while it is allowed."""
        self._tips[key] = tip
        if self._buttons[key].isEnabled():
            self._buttons[key].setToolTip(painting.literal(tip))

    def _tell(self, button: QAbstractButton) -> None:
        key = self.value()
        told, self._told = self._told, key
        (self.again if key == told else self.changed).emit(key)


def _part(place: int, count: int) -> str:
    if count == 1:
        return "only"
    return {0: "first", count - 1: "last"}.get(place, "middle")
