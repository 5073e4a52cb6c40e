"""The command palette: commands, their ranking by what was typed, the dialog, and its button."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QListView,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from engine.messages import Head, ModelFacts
from gui.shell.dock import CardDock
from gui.style import palette
from gui.style.palette import scaled
from gui.style.theme import UNIT
from gui.widgets.forms import column, field
from gui.widgets.labels import Index, plain_label

WORD_START, NEXT, PREFIX, LATE = 8, 5, 12, 0.1
"""What a letter is worth at the start of a word, right after the last one found, and what a name
that begins with the word is; and what each letter before the first one costs."""


def score(query: str, text: str) -> float | None:
    """Return how well a text fits, higher is better, none where it does not.

    Parameters
    ----------
    query
        Words between spaces; the letters of each must occur in this order in the text.
    text
        What is looked through; case does not matter.
    """
    text = text.casefold()
    worth = 0.0
    for word in query.casefold().split():
        found = _word(word, text)
        if found is None:
            return None
        worth += found
    return worth


def _word(word: str, text: str) -> float | None:
    whole = text.find(word)
    if whole >= 0:
        # As it was typed beats any scattered letters; at the start of a word, all the more.
        at_start = not text[whole - 1 : whole].isalnum()
        return len(word) * (NEXT + 1) + (PREFIX if at_start else 0) - LATE * whole
    worth, at = 0.0, -1
    for letter in word:
        next_ = _best(letter, text, at)
        if next_ < 0:
            return None
        start = not text[next_ - 1 : next_].isalnum()
        worth += 1 + (WORD_START if start else NEXT if next_ == at + 1 else -1)
        at = next_
    # Letters found here and there spell no word.
    return worth if worth >= len(word) * 2 else None


def _best(letter: str, text: str, after: int) -> int:
    """Return where a letter goes on: right here, else at the start of a word, else anywhere."""
    first = text.find(letter, after + 1)
    at = first
    while at >= 0 and at != after + 1:
        if not text[at - 1].isalnum():
            return at
        at = text.find(letter, at + 1)
    return at if at >= 0 else first


BETWEEN = " › "
_HEADS_FIRST = 10_000.0
_HEAD = re.compile(r"\s*[lL]?\s*(\d+)\s*(?:[.hH,\s]\s*(\d*))?\s*")


class Command(NamedTuple):
    """One thing that can be done: its name, small print, keys, and the action that it is."""

    name: str
    about: str
    keys: str
    do: Callable[[], object]
    action: QAction | None = None
    head: Head | None = None


def actions(window: QWidget, menus: Sequence[QMenu], docks: Sequence[CardDock]) -> list[Command]:
    """Return what the menus have, and what cards that are open have besides.

    Parameters
    ----------
    menus
        The menus of the window, which come first.
    docks
        The cards; to open one is to see it, never to close it.
    """
    cards = {dock.open_action: dock for dock in docks}
    found: dict[QAction, Command] = {}
    for menu in menus:
        for path, action in _in_menu(menu, menu.title()):
            found.setdefault(action, _command(action, path, cards.get(action)))
    for dock in docks:
        if dock.panel is not None and not dock.isHidden():
            for action in (*_of(dock), *_of(dock.panel.header), *_of(dock.panel)):
                found.setdefault(action, _command(action, dock.kind.title, None))
    for action in window.actions():
        if _offered(action):
            found.setdefault(action, _command(action, "", cards.get(action)))
    return list(found.values())


def heads(facts: ModelFacts | None, choose: Callable[[Head], object]) -> list[Command]:
    """Return a command for each head of a model, layer by layer; none without a model."""
    if facts is None:
        return []
    places = (Head(n, h) for n in range(facts.n_layers) for h in range(facts.n_heads))
    return [
        Command(
            head.name, f"open head {head.layer}.{head.number}", "", partial(choose, head), head=head
        )
        for head in places
    ]


def fitting(commands: Iterable[Command], query: str) -> list[Command]:
    """Return the commands that fit what was typed, best first.

    Heads are found by `1.3`, `L1H3` or `17.`, everything else by letters of its name.
    """
    place = _HEAD.fullmatch(query)
    ranked: list[tuple[float, int, Command]] = []
    for order, command in enumerate(commands):
        if command.head is not None and query.strip():
            worth = None if place is None else _head_score(place, command.head)
        else:
            worth = score(query, f"{command.name} {command.about}")
        if worth is not None:
            ranked.append((-worth, order, command))
    return [command for _, _, command in sorted(ranked, key=lambda one: one[:2])]


def names_head(query: str) -> bool:
    """Return whether what was typed can be a head, or a layer of heads."""
    return _HEAD.fullmatch(query) is not None


def _head_score(place: re.Match[str], head: Head) -> float | None:
    """Rank a head: its own number first, then numbers that go on with these digits.

    All of them before actions that have such a digit in their names.
    """
    layer, number = place[1], place[2]
    if number is None:
        return None if not str(head.layer).startswith(layer) else _HEADS_FIRST - head.layer
    if str(head.layer) != layer or not str(head.number).startswith(number):
        return None
    return _HEADS_FIRST + (str(head.number) == number)


def _in_menu(menu: QMenu, path: str) -> Iterator[tuple[str, QAction]]:
    # A menu may be filled only when it is about to be seen.
    menu.aboutToShow.emit()
    for action in menu.actions():
        inside = action.menu()
        if isinstance(inside, QMenu):
            yield from _in_menu(inside, f"{path}{BETWEEN}{_plain(action.text())}")
        elif _offered(action):
            yield path, action


def _of(widget: QWidget) -> Iterator[QAction]:
    for menu in widget.findChildren(QMenu):
        yield from (action for _, action in _in_menu(menu, ""))
    for inside in (widget, *widget.findChildren(QWidget)):
        if not isinstance(inside, QMenu):
            yield from (action for action in inside.actions() if _offered(action))


def _offered(action: QAction) -> bool:
    there = action.isEnabled() and action.isVisible() and bool(action.text())
    return there and not action.isSeparator() and not isinstance(action.menu(), QMenu)


def _command(action: QAction, path: str, card: CardDock | None) -> Command:
    name, _, about = _plain(action.text()).partition(": ")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    does = action.trigger if card is None else card.bring
    return Command(f"{path}{BETWEEN}{name}" if path else name, about, keys, does, action)


def _plain(text: str) -> str:
    """Return the text of an action without the mark of its mnemonic."""
    return re.sub(r"&(.)", r"\1", text)


ABOUT = Qt.ItemDataRole.UserRole + 1
"""Role of the small print."""
KEYS = Qt.ItemDataRole.UserRole + 2
"""Role of the keys that do it, as the platform writes them."""

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CommandRow(QStyledItemDelegate):
    """Paints such rows literally."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row; the small print gives way first, then the name."""
        colours = palette.theme()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(colours.accent_ground))
        room = option.rect.adjusted(UNIT, 0, -UNIT, 0)
        small = palette.ui_font(small=True)
        keys = str(index.data(KEYS) or "")
        if keys:
            width = _write(painter, room, keys, small, colours.muted, _RIGHT)
            room.setRight(room.right() - width - 2 * UNIT)
        name = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        width = _write(painter, room, name, palette.ui_font(), colours.text, _LEFT)
        room.setLeft(room.left() + width + 2 * UNIT)
        if (about := str(index.data(ABOUT) or "")) and room.width() > 4 * UNIT:
            _write(painter, room, about, small, colours.muted, _LEFT)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; its width is the list's."""
        return QSize(UNIT, QFontMetrics(palette.ui_font()).height() + UNIT)


def _write(
    painter: QPainter, room: QRect, text: str, font: QFont, ink: str, flags: Qt.AlignmentFlag
) -> int:
    """Write one line, cut where there is no room, and return its width."""
    metrics = QFontMetrics(font)
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.setFont(font)
    painter.setPen(QColor(ink))
    painter.drawText(room, flags | Qt.TextFlag.TextSingleLine, text)
    return metrics.horizontalAdvance(text)


MOST = 200
"""Rows that are shown; another letter brings the next ones."""
NAME = "Go to a head, a card or an action"
"""What the box is called, and what leads to it."""
_SIZE = (76 * UNIT, 48 * UNIT)
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(QDialog):
    """A field and the commands that fit what stands in it; Enter does one, Esc closes.

    Parameters
    ----------
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
        self.field = field(NAME, "", "Type 1.3 or L1H3, a card or an action")
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
        column(self.field, (self.list, 1), self.nothing, of=self, margin=UNIT)

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
