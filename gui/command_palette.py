"""The box in which everything is found by typing: heads, cards and actions."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from gui.commands import Command, fitting, names_head
from gui.palette import scaled
from gui.theme import UNIT
from gui.widgets.command_row import ABOUT, KEYS, CommandRow
from gui.widgets.plain_label import plain_label

MOST = 200
"""Rows that are shown; who needs the next one types another letter."""
NAME = "Go to a head, a card or an action"
"""What the box is called, and what leads to it."""
_SIZE = (76 * UNIT, 48 * UNIT)
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(QDialog):
    """A field and the commands that fit what stands in it; Enter does one, Esc closes.

    Parameters
    ----------
    window
        The window over which it opens.
    commands
        Called when it opens: everything that can be done then.
    """

    def __init__(self, window: QWidget, commands: Callable[[], Sequence[Command]]) -> None:
        super().__init__(window, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self._window, self._all = window, commands
        self._commands: Sequence[Command] = ()
        self._shown: list[Command] = []
        self.setAccessibleName(NAME)
        self.setWindowTitle(NAME)
        self.setModal(True)
        self.setProperty("floating", True)
        self.field = QLineEdit()
        self.field.setAccessibleName(NAME)
        self.field.setPlaceholderText("Type 1.3 or L1H3, a card or an action")
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self._rows = QStandardItemModel(self)
        self.list = QListView()
        self.list.setModel(self._rows)
        self.list.setItemDelegate(CommandRow(self))
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("What was found")
        self.list.clicked.connect(self.do)
        self.nothing = plain_label(role="small")
        column = QVBoxLayout(self)
        column.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
        column.setSpacing(UNIT)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addWidget(self.nothing)

    def find_command(self) -> None:
        """Open on everything."""
        self._commands = self._all()
        self.field.clear()
        self._filter("")
        width = min(scaled(_SIZE[0]), self._window.width() - 4 * UNIT)
        height = min(scaled(_SIZE[1]), self._window.height() - 10 * UNIT)
        self.resize(width, height)
        corner = self._window.mapToGlobal(self._window.rect().topLeft())
        self.move(corner.x() + (self._window.width() - width) // 2, corner.y() + 5 * UNIT)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.open()

    def shown(self) -> list[Command]:
        """Return what is listed, best first."""
        return self._shown

    def do(self) -> None:
        """Close, and do what is marked."""
        row = self.list.currentIndex().row()
        if 0 <= row < len(self._shown):
            self.accept()
            self._shown[row].do()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move through the list, and do what is marked, from the field."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _MOVES:
                QApplication.sendEvent(self.list, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.do()
                return True
        return super().eventFilter(watched, event)

    def _filter(self, query: str) -> None:
        found = fitting(self._commands, query)
        self._shown = found[:MOST]
        self._rows.clear()
        for command in self._shown:
            item = QStandardItem(command.name)
            item.setData(command.about, ABOUT)
            item.setData(command.keys, KEYS)
            said = " ".join(part for part in (command.name, command.about, command.keys) if part)
            item.setData(said, Qt.ItemDataRole.AccessibleTextRole)
            self._rows.appendRow(item)
        self.list.setCurrentIndex(self._rows.index(0, 0))
        self.nothing.setText(self._told(query, len(found)))
        self.nothing.setVisible(bool(self.nothing.text()))

    def _told(self, query: str, count: int) -> str:
        heads = [command.head for command in self._commands if command.head is not None]
        if names_head(query) and not heads:
            return "The model is not open yet, so there are no heads to go to."
        if names_head(query) and not count:
            return f"There is no such head: the model has {heads[0].name} to {heads[-1].name}."
        if not count:
            return "Nothing fits. Leave letters out, or type fewer."
        return f"{count - MOST} more: type another letter" if count > MOST else ""
