"""A button that looks like a field: it opens the box in which everything is found by typing."""

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton

from gui.command_palette import NAME

LONG, SHORT = "Go to head, card, action …", "Find …"


class FindButton(QPushButton):
    """Says what is found and by which keys, in more words where there is room."""

    def __init__(self, keys: str) -> None:
        super().__init__()
        self._keys = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        self.setProperty("tone", "muted")
        self.setAccessibleName(NAME)
        self.setToolTip(f"Find a head, a card or an action by typing ({self._keys})")
        self.set_long(True)

    def set_long(self, on: bool) -> None:
        """Say it in more words, or in fewer."""
        self.setText(f"{LONG if on else SHORT}\u2003{self._keys}")
