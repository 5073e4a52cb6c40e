"""Boxes to choose in: the wheel scrolls what they lie on, and a number is read as it is typed.

Qt's own take the wheel, and the keyboard with it, wherever the pointer happens to be; and drop
the sign that the language of the computer does not have between whole number and fraction.
"""

import re

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QSpinBox, QWidget

_GROUPED = re.compile(r"(?<=\d)[.,' \u00a0\u202f](?=\d{3}(?!\d))")
"""What parts thousands, in one language or another."""
_PARTED = re.compile(r"\d[.,' \u00a0\u202f]")

Judgement = tuple[QValidator.State, str, int]


def _scrolls(box: QComboBox | QAbstractSpinBox, event: QWheelEvent) -> bool:
    """Leave the wheel to whatever scrolls, unless the box has the keyboard."""
    if not box.hasFocus():
        event.ignore()
    return not box.hasFocus()


def _prepare(box: QAbstractSpinBox) -> None:
    # Numbers are written with a point everywhere in the window and in its files.
    point = QLocale.c()
    point.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    box.setLocale(point)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # a wheel gives no focus


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


class ComboBox(QComboBox):
    """A list to choose from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # a wheel gives no focus

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step through the list where it has the keyboard."""
        if not _scrolls(self, event):
            super().wheelEvent(event)


class SpinBox(QSpinBox):
    """A whole number."""

    def __init__(self) -> None:
        super().__init__()
        _prepare(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step where it has the keyboard."""
        if not _scrolls(self, event):
            super().wheelEvent(event)

    def validate(self, text: str, at: int) -> Judgement:
        """Take thousands that are parted."""
        return _judged(self, super().validate(_whole(text), at), text, at)

    def fixup(self, text: str) -> str:
        """Mend nothing: Qt would drop the comma."""
        return text

    def valueFromText(self, text: str) -> int:
        """Read it."""
        return super().valueFromText(_whole(text))


class DoubleSpinBox(QDoubleSpinBox):
    """A number, with a point or a comma."""

    def __init__(self) -> None:
        super().__init__()
        _prepare(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step where it has the keyboard."""
        if not _scrolls(self, event):
            super().wheelEvent(event)

    def validate(self, text: str, at: int) -> Judgement:
        """Take either."""
        return _judged(self, super().validate(_decimal(text), at), text, at)

    def fixup(self, text: str) -> str:
        """Mend nothing: Qt would drop the comma."""
        return text

    def valueFromText(self, text: str) -> float:
        """Read it."""
        return super().valueFromText(_decimal(text))


def _judged(box: QSpinBox | QDoubleSpinBox, told: Judgement, text: str, at: int) -> Judgement:
    """Return Qt's judgement, with the text as it stands.

    What is no number by its points and commas is on its way to one: were a sign of it dropped, 7,5
    would become 75. Left like that, it goes back to what was there.
    """
    state, number = told[0], text.removesuffix(box.suffix())
    if state == QValidator.State.Invalid and _PARTED.search(number):
        state = QValidator.State.Intermediate
    return state, text, at
