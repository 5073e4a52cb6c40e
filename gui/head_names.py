"""How the window writes a head: L1H3, or 1.3 as the command line does."""

from typing import Literal, get_args

from engine.messages import Head

Notation = Literal["L1H3", "1.3"]
NOTATIONS: tuple[Notation, ...] = get_args(Notation)

_chosen: Notation = NOTATIONS[0]


def head_name(head: Head) -> str:
    """Return a head as the user prefers to read it."""
    return head.name if _chosen == "L1H3" else str(head)


def use_notation(notation: Notation) -> None:
    """Write heads in a notation from now on; what is on the screen has to be drawn again."""
    global _chosen
    _chosen = notation
