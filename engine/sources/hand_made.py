"""What the toys share: the words and slots of their notepad, and a checkpoint of given matrices."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from engine.sources.checkpoint import Checkpoint

Matrix = npt.NDArray[np.float32]

LONGEST = 64
"""Tokens of the longest prompt of a toy."""

WORDS = ("result", "=", "0", "ans", "return")
SLOTS = np.array(
    [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, -1, 0, 0], [0, 0, 0, 1]], np.float32
)
"""The notepad of each word, [word, slot]: is a name, which name, is another word, is `return`."""


def zeros(*shape: int) -> Matrix:
    """Return a matrix of zeros."""
    return np.zeros(shape, np.float32)


def checkpoint(
    name: str,
    words: Sequence[str],
    embed: Matrix,
    unembed: Matrix,
    layers: Sequence[Mapping[str, Matrix]],
    *,
    positions: Matrix | None = None,
    bos: str | None = None,
    example: str,
) -> Checkpoint:
    """Return a model without norms and biases whose layers have one head each.

    Parameters
    ----------
    name : str
        Its name.
    words : sequence of str
        Its tokens.
    embed, unembed : ndarray
        W_E [d_vocab, d_model] and W_U [d_model, d_vocab].
    layers : sequence of mapping
        `W_Q`, `W_K` and `W_V` [d_model, d_head] and `W_O` [d_head, d_model] of each layer.
    positions : ndarray, optional
        W_pos [LONGEST, d_model]; without, positions mean nothing to it.
    bos : str, optional
        The word that every prompt begins with.
    example : str
        A prompt that shows something.
    """
    d_vocab, d_model = embed.shape
    d_head = layers[0]["W_Q"].shape[1]
    tensors = {"embed.W_E": embed, "unembed.W_U": unembed, "unembed.b_U": zeros(d_vocab)}
    if positions is not None:
        tensors["pos_embed.W_pos"] = positions
    for layer, weights in enumerate(layers):
        at = f"blocks.{layer}.attn."
        tensors |= {f"{at}{matrix}": value[None] for matrix, value in weights.items()}
        tensors |= {f"{at}b_{x}": zeros(1, d_head) for x in "QKV"}
        tensors[f"{at}b_O"] = zeros(d_model)
    tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(words)}))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    if bos is not None:
        tokenizer.add_special_tokens([bos])
    return Checkpoint(
        name=name,
        n_layers=len(layers),
        n_heads=1,
        d_model=d_model,
        d_head=d_head,
        d_vocab=d_vocab,
        n_ctx=LONGEST,
        learned_positions=positions is not None,
        normalized=False,
        eps=0.0,
        prepend_bos=bos is not None,
        bos_token=bos,
        example=example,
        tokenizer=tokenizer,
        tensors=tensors,
    )
