"""Query position minus key position, which only rotary models' weights know about."""

from engine.messages import Refused
from engine.model import Model


def check_offset(model: Model, offset: int) -> None:
    """Refuse an offset where it means nothing.

    Raises
    ------
    Refused
        If it is not 0, since no model here turns queries and keys by their distance.
    """
    if offset != 0:
        has = "learned positions" if model.learned_positions else "no positions"
        raise Refused(
            f"an offset changes scores in rotary models only, and {model.name} has {has}: "
            "leave offset at 0"
        )
