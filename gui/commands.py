"""Everything that can be done in a window, by name: its actions, its cards, the model's heads."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from engine.messages import Head, ModelFacts
from gui.dock import CardDock
from gui.fuzzy import score

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
    window
        Where everything is looked for that no menu has.
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
