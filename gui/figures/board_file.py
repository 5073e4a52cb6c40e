"""What the file of a figure board says it was made from, and boards read back from files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.messages import Refused, published
from gui.figures import provenance, stored
from gui.figures.provenance import Origin
from gui.state import figure_board as board_record
from gui.state import session_file
from gui.state.figure_board import Board
from gui.state.figure_options import FigureOptions


@dataclass(frozen=True)
class MadeBoard:
    """What a file holds of a board, and where its answers were from; a session does not tell."""

    board: Board
    origins: tuple[Origin, ...] = ()


def record(board: Board, answers: Sequence[tuple[Any, Origin]]) -> str:
    """Return a board and where each of its answers is from as JSON in ASCII."""
    usual = FigureOptions()
    about = [provenance.about(result, None, usual, origin) for result, origin in answers]
    kept = ("weights", "tokens", "ids", "base_tokens", "base_ids", "token", "versions")
    return json.dumps(
        {
            "board": board_record.to_json(board.with_models(published)),
            "answers": [{name: one[name] for name in kept if name in one} for one in about],
        }
    )


def is_board(path: Path) -> bool:
    """Return whether a file is a session, or a figure of several.

    Raises
    ------
    Refused
        If it is neither, nor another file of Headscope.
    OSError
        If it cannot be read.
    """
    if session_file.is_session(path):
        return True
    return path.suffix.lower() in stored.READABLE and "board" in stored.record(path)


def read(path: Path) -> MadeBoard:
    """Return the board that a session keeps, or that a figure was made from.

    Raises
    ------
    Refused
        If there is none, or it is damaged.
    OSError
        If a figure cannot be read.
    """
    if session_file.is_session(path):
        board = _named(path, session_file.read(path).board)
        if not board.items:
            raise Refused(
                f"there is no figure on the board of {path.name}: add some in the window, by the "
                "menu of a card, and save the session"
            )
        return MadeBoard(board)
    found = stored.record(path)
    board = _named(path, [found.get("board")])
    answers = found.get("answers", [])
    try:
        origins = tuple(provenance.origin_of(answer) for answer in answers)
    except (AttributeError, TypeError, ValueError) as error:
        raise Refused(f"{path.name} is damaged: {error}") from None
    return MadeBoard(board, origins)


def _named(path: Path, kept: Sequence[Any]) -> Board:
    try:
        return board_record.of_session(kept)
    except Refused as refused:
        raise Refused(f"{path.name}: {refused}") from None
