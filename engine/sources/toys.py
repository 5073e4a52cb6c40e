"""The five-token head of "Attention in tensor notation", sections 1 and 8.

The two-layer toys of its sections 7 and 8 are in `two_layer_toys`.

The notepad's four slots: is a name, which name, is another word, is `return`. The text writes each
matrix as TransformerLens's transpose; here they have TransformerLens's shapes.
"""

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from engine.messages import ModelEntry
from engine.sources import two_layer_toys
from engine.sources.checkpoint import Checkpoint

WORDS = ("result", "=", "0", "ans", "return")
SHARPNESS = {"toy": 1.0, "toy-sharp": 3.0}

X = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, -1, 0, 0], [0, 0, 0, 1]], np.float32)
W_Q = np.array([[0, 0], [0, 0], [0, 0], [2, 1]], np.float32)
W_K = np.array([[1, 0], [0, 1], [0, 0], [0, 0]], np.float32)
W_V = np.array([[0, 1], [1, 0], [0, 0], [0, 0]], np.float32)
W_O = np.array([[0, 1, 0, 0], [1, 0, 0, 0]], np.float32)
W_U = X.T  # the card's W_U reads what X writes


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
    d_model, d_head = W_Q.shape
    at = "blocks.0.attn."
    tensors = {
        "embed.W_E": X,
        f"{at}W_Q": SHARPNESS[name] * W_Q[None],
        f"{at}W_K": W_K[None],
        f"{at}W_V": W_V[None],
        f"{at}W_O": W_O[None],
        f"{at}b_Q": np.zeros((1, d_head), np.float32),
        f"{at}b_K": np.zeros((1, d_head), np.float32),
        f"{at}b_V": np.zeros((1, d_head), np.float32),
        f"{at}b_O": np.zeros(d_model, np.float32),
        "unembed.W_U": W_U,
        "unembed.b_U": np.zeros(len(WORDS), np.float32),
    }
    tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(WORDS)}))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return Checkpoint(
        name=name,
        n_layers=1,
        n_heads=1,
        d_model=d_model,
        d_head=d_head,
        d_vocab=len(WORDS),
        n_ctx=64,
        learned_positions=False,
        normalized=False,
        eps=0.0,
        prepend_bos=False,
        bos_token=None,
        example=" ".join(WORDS),
        tokenizer=tokenizer,
        tensors=tensors,
    )
