"""Two-layer toys: the pair of "Attention in tensor notation", section 7, and section 8's induction.

Each layer has one head. The first looks one position back by a clock of 64 hours: each position is
a point of the unit circle, a query is that point turned back by one hour, and the position before
is nearer to it than any other by `CLIFF` nats. Matrices have TransformerLens's shapes.
"""

import math
from collections.abc import Sequence

import numpy as np

from engine.messages import ModelEntry
from engine.sources.checkpoint import Checkpoint
from engine.sources.hand_made import LONGEST, SLOTS, WORDS, Matrix, checkpoint, zeros

HOURS = LONGEST
"""Positions on the clock."""

CLIFF = 30.0
"""Nats between the position before and its neighbours: e^-30 is nothing in single precision."""

INDUCTION_WORDS = ("<|BOS|>", *"ABCDEFGH")
MATCH, COPY = 30.0, 12.0
"""Score of a matching tag in nats, and the logit that a copied token gets."""


def entries() -> list[ModelEntry]:
    """List the two-layer toys."""
    return [
        ModelEntry("toy-2l", "toy", "the five-token head over a previous-token head (section 7)"),
        ModelEntry("toy-induction", "toy", "induction by hand, every weight readable (section 8)"),
    ]


def load(name: str) -> Checkpoint:
    """Make a two-layer toy.

    Parameters
    ----------
    name : str
        `toy-2l` or `toy-induction`.
    """
    return _pair() if name == "toy-2l" else _induction()


def _pair() -> Checkpoint:
    """Make section 7's pair.

    Slots 0 to 3 are section 1's (is a name, which name, another word, `return`), 4 and 5 hold the
    name bits of the token before, 6 and 7 the clock. The second head's W_V reads the name bits from
    both places, so that its own OV circuit and the product with the first head's are both section
    1's copy matrix; its W_Q and W_K are section 1's.
    """
    embed = zeros(5, 8)
    embed[:, :4] = SLOTS
    names = [0, 1]
    first = _one_back(8, 2, 6) | {"W_V": _reads(8, 2, names), "W_O": _reads(8, 2, [4, 5]).T}
    W_Q, W_V = zeros(8, 2), zeros(8, 2)
    W_Q[3] = 2, 1
    W_V[[1, 5], 0] = 1
    W_V[[0, 4], 1] = 1
    second = {"W_Q": W_Q, "W_K": _reads(8, 2, names), "W_V": W_V, "W_O": _reads(8, 2, [1, 0]).T}
    return checkpoint(
        "toy-2l", WORDS, embed, embed.T, [first, second],
        positions=_clock(8, 6), example=" ".join(WORDS),
    )  # fmt: skip


def _induction() -> Checkpoint:
    """Make section 8's induction head.

    Each token has one slot in each of three blocks: `is` (the token here), `before` (the tag that
    the first head writes: the token one back) and `next` (what the second head copies, and W_U
    reads). The clock follows. The second head's query reads `is` and its key reads `before`: a
    score only where the tag is the token at the query.
    """
    n = len(INDUCTION_WORDS)
    width = 3 * n + 2
    here, before, following = (list(range(block * n, (block + 1) * n)) for block in range(3))
    embed, unembed = zeros(n, width), zeros(width, n)
    embed[range(n), here] = 1
    unembed[following, range(n)] = 1
    first = _one_back(width, n, 3 * n) | {
        "W_V": _reads(width, n, here),
        "W_O": _reads(width, n, before).T,
    }
    second = {
        "W_Q": MATCH * math.sqrt(n) * _reads(width, n, here),
        "W_K": _reads(width, n, before),
        "W_V": _reads(width, n, here),
        "W_O": COPY * _reads(width, n, following).T,
    }
    return checkpoint(
        "toy-induction", INDUCTION_WORDS, embed, unembed, [first, second],
        positions=_clock(width, 3 * n), bos=INDUCTION_WORDS[0], example="A B C D A",
    )  # fmt: skip


def _reads(d_model: int, d_head: int, slots: Sequence[int]) -> Matrix:
    """Return a matrix [d_model, d_head] whose column i reads slot i of the list."""
    matrix = zeros(d_model, d_head)
    matrix[slots, range(len(slots))] = 1
    return matrix


def _one_back(d_model: int, d_head: int, clock: int) -> dict[str, Matrix]:
    """Return W_Q and W_K of a head that looks one position back by the clock's two slots."""
    hour = 2 * math.pi / HOURS
    # q . k is strength * cos(distance from one back), divided by sqrt(d_head).
    strength = CLIFF * math.sqrt(d_head) / (1 - math.cos(hour))
    W_Q = zeros(d_model, d_head)
    W_Q[clock, :2] = math.cos(hour), -math.sin(hour)
    W_Q[clock + 1, :2] = math.sin(hour), math.cos(hour)
    return {"W_Q": strength * W_Q, "W_K": _reads(d_model, d_head, [clock, clock + 1])}


def _clock(d_model: int, first: int) -> Matrix:
    """Return W_pos [position, d_model]: the hand of the clock in two slots."""
    angles = 2 * np.pi * np.arange(HOURS) / HOURS
    positions = zeros(HOURS, d_model)
    positions[:, first], positions[:, first + 1] = np.cos(angles), np.sin(angles)
    return positions
