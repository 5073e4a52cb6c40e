"""A list of every measure of heads, by where it was taken."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QStandardItem, QStandardItemModel

from gui.measures import GROUPS, full_name, meaning
from gui.palette import Held, scaled
from gui.widgets import tool_tip
from gui.widgets.boxes import ComboBox

_CHARACTERS = 12
"""What a narrow card has room for; what is chosen may be elided there, not in the list."""


class MeasureChoice(ComboBox):
    """Measures under the headings of their groups.

    Parameters
    ----------
    name
        Accessible name.
    unchosen
        What it says where none of its measures is chosen.
    """

    chosen = Signal(str)
    """A key of MEASURES that somebody picked; not emitted by `set_value`."""

    def __init__(self, name: str, unchosen: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(unchosen)
        self.setMaxVisibleItems(24)
        self.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_CHARACTERS)
        made = QStandardItemModel(self)
        bold = QFont()  # no size of its own: it follows the list's
        bold.setBold(True)
        for group in GROUPS:
            heading = QStandardItem(group.where)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            heading.setFont(bold)
            made.appendRow(heading)
            for field in group.fields:
                item = QStandardItem(full_name(field))
                item.setData(field, Qt.ItemDataRole.UserRole)
                item.setToolTip(tool_tip.literal(meaning(field)))
                made.appendRow(item)
        self.setModel(made)
        view = self.view()
        view.setAccessibleName(name)
        Held(view, lambda: view.setMinimumWidth(view.sizeHintForColumn(0) + scaled(32)))
        self.setCurrentIndex(-1)
        self.activated.connect(self._tell)

    def value(self) -> str | None:
        """Return the measure that is chosen, or none."""
        found = self.currentData(Qt.ItemDataRole.UserRole)
        return found if isinstance(found, str) else None

    def set_value(self, field: str | None) -> None:
        """Choose a measure, or none, without telling anybody."""
        self.setCurrentIndex(-1 if field is None else self.findData(field))
        self._say()

    def _tell(self, _: int) -> None:
        field = self.value()
        self._say()
        if field is not None:
            self.chosen.emit(field)

    def _say(self) -> None:
        field = self.value()
        self.setToolTip(tool_tip.literal(meaning(field) if field else "Every measure of heads"))
