"""Named arrangements of the cards, and how the stage takes one on."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QTabBar

from gui.dock import CardDock
from gui.theme import UNIT

LOW = 760
"""A window of less height lays the last card of a column of three behind the one above it."""


class Column(NamedTuple):
    """A column of cards: its share of the width, its least width, and titles from the top.

    Titles in one tuple lie behind one another, the first of them in front.
    """

    share: float
    least: int
    cards: tuple[tuple[str, ...], ...]


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
            Column(0.21, 280, (("Prompt",), ("Heads",))),
            Column(0.46, 300, (("Attention",),)),
            Column(0.33, 304, (("OV",), ("QK",), ("Spectrum",))),
        ),
    ),
)
"""The first is what the window begins with."""


def arrange(stage: QMainWindow, docks: Sequence[CardDock], layout: Layout) -> None:
    """Put the cards of a layout in their places, and close the others.

    A closed card that is opened later lies behind the last one of its own column.

    Parameters
    ----------
    stage
        The window that holds the docks.
    docks
        All of them.
    layout
        One of LAYOUTS.
    """
    by_title = {dock.panel.title: dock for dock in docks}
    columns = _columns(by_title, layout, stage.window().height())
    for dock in docks:
        dock.setFloating(False)
        stage.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    placed = [dock for stacks in columns for stack in stacks for dock in stack]
    rest = [dock for dock in docks if dock not in placed]
    for dock in rest:
        stage.removeDockWidget(dock)
    for left, right in pairwise(stacks[0][0] for stacks in columns):
        stage.splitDockWidget(left, right, Qt.Orientation.Horizontal)
    for stacks in columns:
        for above, below in pairwise(stack[0] for stack in stacks):
            stage.splitDockWidget(above, below, Qt.Orientation.Vertical)
        for stack in stacks:
            for front, behind in pairwise(stack):
                stage.tabifyDockWidget(front, behind)
    for dock in rest:
        last = columns[min(dock.panel.column, len(columns) - 1)][-1][-1]
        stage.tabifyDockWidget(last, dock)
        dock.hide()
    for dock in placed:
        dock.show()
    for stacks in columns:
        for stack in stacks:
            stack[0].raise_()
    for tabs in stage.findChildren(QTabBar):
        tabs.setDrawBase(False)


def share_out(stage: QMainWindow, docks: Sequence[CardDock], layout: Layout) -> None:
    """Give columns their widths and cards their heights."""
    columns = _columns({dock.panel.title: dock for dock in docks}, layout, stage.window().height())
    heads = [stacks[0][0] for stacks in columns]
    room = stage.window().width() - 2 * UNIT - (len(heads) - 1) * UNIT
    widths = [max(column.least, int(column.share * room)) for column in layout.columns]
    widest = widths.index(max(widths))
    widths[widest] -= sum(widths) - room
    stage.resizeDocks(heads, widths, Qt.Orientation.Horizontal)
    for stacks in columns:
        fronts = [stack[0] for stack in stacks]
        whole = sum(dock.panel.share for dock in fronts)
        heights = [dock.panel.share * stage.window().height() // whole for dock in fronts]
        stage.resizeDocks(fronts, heights, Qt.Orientation.Vertical)


def _columns(
    by_title: dict[str, CardDock], layout: Layout, height: int
) -> list[list[list[CardDock]]]:
    columns = [
        [[by_title[title] for title in titles] for titles in column.cards]
        for column in layout.columns
    ]
    if height < LOW:
        for stacks in columns:
            while len(stacks) > 2:
                last = stacks.pop()
                stacks[-1].extend(last)
    return columns
