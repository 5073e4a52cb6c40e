"""Controls and lists with a word in small print that says what they are."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from gui.theme import UNIT
from gui.widgets.plain_label import plain_label


class Named(QWidget):
    """A name in small print and a control, which stay on one line."""

    def __init__(self, name: str, control: QWidget) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(caption(name))
        row.addWidget(control)


def caption(text: str) -> QLabel:
    """Return small print."""
    return plain_label(text, "small")


def side_by_side(captions: Sequence[QLabel], contents: Sequence[QWidget]) -> QGridLayout:
    """Return columns of equal width, each a caption over what it names, which takes the height."""
    columns = QGridLayout()
    columns.setContentsMargins(0, 0, 0, 0)
    columns.setHorizontalSpacing(UNIT * 3 // 2)
    columns.setVerticalSpacing(2)
    for column, (above, content) in enumerate(zip(captions, contents, strict=True)):
        columns.addWidget(above, 0, column)
        columns.addWidget(content, 1, column)
        columns.setColumnStretch(column, 1)
    columns.setRowStretch(1, 1)
    return columns
