"""The five-token head of "Attention in tensor notation", section 1, as it is and sharpened.

The two-layer toys of its sections 7 and 8 are in `two_layer_toys`. The text writes each matrix as
TransformerLens's transpose; here they have TransformerLens's shapes.
"""

import numpy as np

from engine.messages import ModelEntry
from engine.sources import two_layer_toys
from engine.sources.checkpoint import Checkpoint
from engine.sources.hand_made import SLOTS, WORDS, checkpoint

SHARPNESS = {"toy": 1.0, "toy-sharp": 3.0}
"""What W_Q is multiplied by."""

W_Q = np.array([[0, 0], [0, 0], [0, 0], [2, 1]], np.float32)
W_K = np.array([[1, 0], [0, 1], [0, 0], [0, 0]], np.float32)
W_V = np.array([[0, 1], [1, 0], [0, 0], [0, 0]], np.float32)
W_O = np.array([[0, 1, 0, 0], [1, 0, 0, 0]], np.float32)


def entries() -> list[ModelEntry]:
    """List the toys."""
    return [
        ModelEntry("toy", "toy", 'the five-token head of "Attention in tensor notation"'),
        ModelEntry("toy-sharp", "toy", "the same with W_Q tripled, as an induction head's"),
        *two_layer_toys.entries(),
    ]


def load(name: str) -> Checkpoint:
    """Make a toy.

    Parameters
    ----------
    name : str
        One of the names that `entries` lists.
    """
    if name not in SHARPNESS:
        return two_layer_toys.load(name)
    layer = {"W_Q": SHARPNESS[name] * W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    # The card's W_U reads what the embedding writes.
    return checkpoint(name, WORDS, SLOTS, SLOTS.T, [layer], example=" ".join(WORDS))
