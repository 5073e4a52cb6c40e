"""Query position minus key position, which the weights of rotary models and ALiBi know about."""

import math

from jaxtyping import Float
from torch import Tensor

from engine.messages import CircuitName, Refused
from engine.model import Model

ROUNDING = 1e-6
"""A spread below this share of the largest mean is rounding."""


def check_offset(model: Model, offset: int, adds: bool = False) -> None:
    """Refuse an offset where it means nothing.

    Parameters
    ----------
    offset : int
        Query position minus key position.
    adds : bool
        Whether the answer holds what a distance adds to a score, and not a matrix alone.
    """
    kind = model.position_kind
    if kind == "rotary" or (kind == "ALiBi" and adds):
        if not 0 <= offset < model.n_ctx:
            raise Refused(
                f"offset is query position minus key position, 0 to {model.n_ctx - 1:,}, not "
                f"{offset}"
            )
    elif offset != 0 and kind == "ALiBi":
        raise Refused(
            f"in {model.name} a distance takes the same number off every pair of tokens (ALiBi), "
            "and changes no matrix: leave offset at 0"
        )
    elif offset != 0:
        has = "no positions" if kind == "none" else f"{kind} positions"
        raise Refused(
            f"an offset changes scores in rotary models only, and {model.name} has {has}: "
            "leave offset at 0"
        )


def said_offset(model: Model, offset: int, circuit: CircuitName = "qk") -> int | None:
    """Return the offset that an answer says it is for; none where distance changes nothing."""
    return offset if circuit == "qk" and model.position_kind == "rotary" else None


def outstanding(mean: Float[Tensor, " offset"]) -> tuple[int, float]:
    """Return the offset with the largest mean score, and how far it stands out.

    Parameters
    ----------
    mean : Tensor
        Mean score at each offset from 0 on, [offset].

    Returns
    -------
    offset, z
        z in standard deviations (over the offsets, uncorrected) above the mean over the offsets;
        not a number where all means are alike.
    """
    best = int(mean.argmax())
    spread = float(mean.std(correction=0))
    if not spread > ROUNDING * float(mean.abs().max()):
        return best, math.nan
    return best, float(mean[best] - mean.mean()) / spread
