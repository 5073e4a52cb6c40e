"""Query position minus key position, which only rotary models' weights know about."""

from engine.messages import Refused
from engine.model import Model


def check_offset(model: Model, offset: int) -> None:
    """Refuse an offset where it means nothing.

    Raises
    ------
    Refused
        If it is negative, or not 0 where queries and keys are not turned by their distance.
    """
    if model.position_kind == "rotary":
        if not 0 <= offset < model.n_ctx:
            raise Refused(
                f"offset is query position minus key position, 0 to {model.n_ctx - 1:,}, not "
                f"{offset}"
            )
    elif offset != 0:
        kind = model.position_kind
        has = "no positions" if kind == "none" else f"{kind} positions"
        raise Refused(
            f"an offset changes scores in rotary models only, and {model.name} has {has}: "
            "leave offset at 0"
        )
