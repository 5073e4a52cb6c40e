"""A row of buttons of which one is chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from gui.widgets import tool_tip


class Segmented(QWidget):
    """Exclusive choices side by side; Tab reaches the chosen one, arrow keys move the choice."""

    changed = Signal(str)
    """Key of the option that somebody chose; not emitted by `set_value`."""
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
        """Choose an option without telling anybody.

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
        self._buttons[key].setToolTip(tool_tip.literal(tip))

    def set_option_tip(self, key: str, tip: str) -> None:
        """Say what an option means, in the tool tip that it has while it is allowed."""
        self._tips[key] = tip
        if self._buttons[key].isEnabled():
            self._buttons[key].setToolTip(tool_tip.literal(tip))

    def _tell(self, button: QAbstractButton) -> None:
        key = self.value()
        told, self._told = self._told, key
        (self.again if key == told else self.changed).emit(key)


def _part(place: int, count: int) -> str:
    if count == 1:
        return "only"
    return {0: "first", count - 1: "last"}.get(place, "middle")
