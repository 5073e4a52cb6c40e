"""Named arrangements of the cards, how the area takes one on, and how a session keeps it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QMainWindow, QTabBar, QWidget

from gui.shell.dock import CardDock
from gui.state.session_file import WindowState
from gui.style.palette import scaled
from gui.style.theme import UNIT

LOW = 760
"""A window of less height lays the last card of a column of three behind the one above it."""

TIGHT = 0.8
"""Of its least width, to which a column may be pressed before its cards lie behind others."""


class Stack(NamedTuple):
    """Cards in one place: their share of the column's height, and titles from the front."""

    share: int
    titles: tuple[str, ...]


class Column(NamedTuple):
    """A column of cards: its share of the width, its least width, and stacks from the top."""

    share: float
    least: int
    stacks: tuple[Stack, ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of all its cards."""
        return tuple(title for stack in self.stacks for title in stack.titles)


class Layout(NamedTuple):
    """A named arrangement: what it is for, and its columns from the left."""

    name: str
    about: str
    columns: tuple[Column, ...]


LAYOUTS = (
    Layout(
        "Read a head",
        "one head: where it looks, what it brings, what it looks for",
        (
            Column(0.21, 280, (Stack(5, ("Prompt",)), Stack(6, ("Heads",)))),
            Column(0.46, 300, (Stack(1, ("Attention",)),)),
            Column(0.33, 304, (Stack(21, ("OV",)), Stack(21, ("QK",)), Stack(19, ("Spectrum",)))),
        ),
    ),
    Layout(
        "Find a head",
        "all heads: what each does on this prompt, and what it gives to the next token",
        (
            Column(0.22, 280, (Stack(5, ("Prompt",)), Stack(6, ("Heads",)))),
            Column(0.42, 300, (Stack(1, ("Finder",)), Stack(1, ("Poster", "Attribution")))),
            Column(0.36, 304, (Stack(4, ("Attention",)), Stack(3, ("OV", "QK")))),
        ),
    ),
    Layout(
        "Compose",
        "pairs of heads: which reads what another wrote, and what they move together",
        (
            Column(0.22, 280, (Stack(5, ("Prompt",)), Stack(6, ("Heads",)))),
            Column(0.36, 300, (Stack(1, ("Composition", "Attention")),)),
            Column(0.42, 304, (Stack(4, ("Virtual head",)), Stack(3, ("OV", "QK")))),
        ),
    ),
)
"""The first is what the window begins with."""


_Place = tuple[int, list[CardDock]]
"""The share of a stack, and its cards from the front."""


def arrange(area: QMainWindow, docks: Sequence[CardDock], layout: Layout) -> None:
    """Put the cards of a layout in their places, and close the others.

    A closed card that is opened later lies behind the last one of its own column.

    Parameters
    ----------
    area
        The window that holds the docks.
    docks
        All of them.
    layout
        One of LAYOUTS.
    """
    columns = _places(docks, layout, area)
    end_drags(docks)
    for dock in docks:
        area.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    placed = [dock for column in columns for _, cards in column for dock in cards]
    for dock in placed:
        dock.fill()  # its size is asked for below
    rest = [dock for dock in docks if dock not in placed]
    for dock in rest:
        area.removeDockWidget(dock)
    for left, right in pairwise(column[0][1][0] for column in columns):
        area.splitDockWidget(left, right, Qt.Orientation.Horizontal)
    for column in columns:
        for above, below in pairwise(cards[0] for _, cards in column):
            area.splitDockWidget(above, below, Qt.Orientation.Vertical)
        for _, cards in column:
            for front, behind in pairwise(cards):
                area.tabifyDockWidget(front, behind)
    for dock in rest:
        last = columns[min(dock.kind.column, len(columns) - 1)][-1][1][-1]
        area.tabifyDockWidget(last, dock)
        dock.hide()
    for dock in placed:
        dock.show()
    for column in columns:
        for _, cards in column:
            cards[0].raise_()


def end_drags(docks: Sequence[CardDock]) -> None:
    """Put back every card that floats or is being dragged, before others change their places.

    Qt ends a drag by laying everything out as it was when the drag began, and crashes on what
    no longer lies there.
    """
    for dock in docks:
        if dock.isFloating():
            dock.setFloating(False)


def share_out(area: QMainWindow, docks: Sequence[CardDock], layout: Layout) -> None:
    """Give columns their widths and cards their heights."""
    window = area.window()
    share_columns(area, docks, layout)
    for column in _places(docks, layout, area):
        whole = sum(share for share, _ in column)
        heights = [max(1, share * window.height() // whole) for share, _ in column]
        fronts = [cards[0] for _, cards in column]
        area.resizeDocks(fronts, heights, Qt.Orientation.Vertical)
    for tabs in area.findChildren(QTabBar):
        tabs.setDrawBase(False)
        tabs.setAccessibleName("Cards that lie behind one another")


def share_columns(area: QMainWindow, docks: Sequence[CardDock], layout: Layout) -> None:
    """Give columns their widths, if all of them are still there from left to right."""
    by_title = {dock.kind.title: dock for dock in docks}
    columns = _fitting(layout, area.window().width())
    heads = [by_title[column.titles[0]] for column in columns]
    for head in heads:
        behind = area.tabifiedDockWidgets(head)
        if head.isHidden() or head.isFloating() or any(other in behind for other in heads):
            return
    room = area.window().width() - 2 * UNIT - (len(heads) - 1) * UNIT
    least = [scaled(column.least) for column in columns]
    widths = [
        max(width, int(column.share * room)) for width, column in zip(least, columns, strict=True)
    ]
    widest = widths.index(max(widths))
    widths[widest] += room - sum(widths)
    if widths[widest] < least[widest]:
        # All are as narrow as they can be used, or narrower: none is starved for the others.
        widths = [width * room // sum(least) for width in least]
    # A window may ask for less than its columns need, and Qt takes no width below 1.
    widths = [max(1, width) for width in widths]
    area.resizeDocks(heads, widths, Qt.Orientation.Horizontal)


def folds(layout: Layout, window: QWidget) -> tuple[int, bool]:
    """Return what a layout has room for: how many columns, and whether three cards in one."""
    return len(_fitting(layout, window.width())), window.height() >= scaled(LOW)


def _fitting(layout: Layout, width: int) -> tuple[Column, ...]:
    """Return the columns that a window has room for; the cards of others lie behind the last."""
    columns = layout.columns
    while len(columns) > 1 and sum(_needed(column) for column in columns) > width - 2 * UNIT:
        *rest, one, last = columns
        front = one.stacks[-1]
        stack = Stack(front.share, (*front.titles, *last.titles))
        share, least = one.share + last.share, max(one.least, last.least)
        columns = (*rest, Column(share, least, (*one.stacks[:-1], stack)))
    return columns


def _needed(column: Column) -> int:
    """Return a width at which nothing is cut, and the edge beside it: margins do not grow."""
    return scaled(TIGHT * column.least) + 6 * UNIT


def _places(docks: Sequence[CardDock], layout: Layout, area: QMainWindow) -> list[list[_Place]]:
    window = area.window()
    by_title = {dock.kind.title: dock for dock in docks}
    columns = [
        [(stack.share, [by_title[title] for title in stack.titles]) for stack in column.stacks]
        for column in _fitting(layout, window.width())
    ]
    if not folds(layout, window)[1]:
        for column in columns:
            while len(column) > 2:
                _, behind = column.pop()
                share, cards = column[-1]
                column[-1] = share, [*cards, *behind]
    return columns


VERSION = 2
"""Of the docks: Qt's own record of another version is not restored."""


def capture(
    window: QWidget, area: QMainWindow, docks: Sequence[CardDock], layout: Layout
) -> WindowState:
    """Return how a window and its cards lie."""
    return WindowState(
        layout.name,
        open_cards(docks),
        _text(window.saveGeometry()),
        _text(area.saveState(VERSION)),
    )


def open_cards(docks: Sequence[CardDock]) -> tuple[str, ...]:
    """Return the titles of the cards that are open, those behind others too."""
    return tuple(dock.kind.title for dock in docks if not dock.isHidden())


def layout_named(name: str) -> Layout:
    """Return a layout by its name, the first if there is none of that name."""
    return next((layout for layout in LAYOUTS if layout.name == name), LAYOUTS[0])


def restore_geometry(window: QWidget, state: WindowState) -> None:
    """Give a window the place and size that it had."""
    window.restoreGeometry(_bytes(state.geometry))


def restore_docks(area: QMainWindow, docks: Sequence[CardDock], state: WindowState) -> bool:
    """Put the cards where Qt remembers them; return whether it did.

    Cards that the state does not know, because they are newer than it, are closed.
    """
    end_drags(docks)
    if not area.restoreState(_bytes(state.docks), VERSION):
        return False
    for dock in docks:
        if dock.kind.title not in state.cards:
            dock.hide()
    return True


def show_cards(docks: Sequence[CardDock], titles: Sequence[str]) -> None:
    """Open these cards where they are, and close all others."""
    for dock in docks:
        dock.setVisible(dock.kind.title in titles)


def _text(record: QByteArray) -> str:
    return bytes(record.toBase64().data()).decode("ascii")


def _bytes(text: str) -> QByteArray:
    return QByteArray.fromBase64(text.encode("utf-8", "replace"))
