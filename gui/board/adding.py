"""Putting what a card shows on the board, from the card's menu."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu

from engine.messages import Refused
from gui.board.record import Item
from gui.board.state import BoardState
from gui.export.subjects import Subject
from gui.export.worker import sentence

TEXT = "Add to board"


def fill(
    menu: QMenu,
    subjects: list[Subject],
    board: BoardState,
    tell: Callable[[str], object],
    why_not: str,
) -> None:
    """Put the entry into a card's menu: one, or one for each answer that the card shows.

    Parameters
    ----------
    menu
        Takes the entry.
    subjects
        What the card shows.
    board
        Takes the figure.
    tell
        Is told what was done, in a sentence.
    why_not
        Why nothing can be added, empty where something can.
    """
    if len(subjects) > 1:
        several = menu.addMenu(TEXT)
        for subject in subjects:
            several.addAction(subject.name, partial(add, subject, board, tell))
        return
    action = menu.addAction(TEXT)
    action.setEnabled(bool(subjects))
    action.setToolTip(why_not)
    for subject in subjects:
        action.triggered.connect(partial(add, subject, board, tell))


def add(subject: Subject, board: BoardState, tell: Callable[[str], object], *_: object) -> None:
    """Put one answer on the board."""
    try:
        letter = board.add(Item(subject.request, subject.head))
    except Refused as refused:
        tell(sentence(str(refused)))
    else:
        tell(f"{subject.name} is figure {letter} of the board")
