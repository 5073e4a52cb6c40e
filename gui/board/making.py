"""What is made from a board and its answers, in the thread of a Worker; holds no Qt object."""

from dataclasses import replace
from pathlib import Path

from engine.messages import Request
from gui.board.record import Board
from gui.export.material import Preview, on_screen
from gui.questions import Answers


def questions(board: Board) -> tuple[Request, ...]:
    """Return all that is to be asked for a board.

    Raises
    ------
    Refused
        If the board cannot be drawn whatever the answers are.
    """
    from gui.figures import board as boards

    boards.check(board)
    return boards.questions(board)


def write(board: Board, answers: Answers, version: str, path: Path) -> tuple[str, ...]:
    """Write a board; return what it lacks, a sentence each.

    Raises
    ------
    Refused, OSError
        As `gui.figures.board.write`.
    """
    from gui.figures import board as boards

    return boards.write(board, boards.drawn(board, answers, version), path)


def preview(board: Board, answers: Answers, version: str, dpi: int) -> Preview:
    """Return a board as it will be, at the resolution of the screen.

    Raises
    ------
    Refused
        As `gui.figures.board.picture`.
    """
    from gui.figures import board as boards

    small = replace(board, options=replace(board.options, dpi=dpi))
    return on_screen(*boards.picture(small, boards.drawn(small, answers, version), ".png"), dpi)
