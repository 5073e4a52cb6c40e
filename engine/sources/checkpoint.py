"""What a source hands over: raw weights, sizes and a tokenizer, before torch is involved."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """An attention-only model as it was stored.

    Attributes
    ----------
    tensors
        Weights under TransformerLens's names and shapes: `embed.W_E` [d_vocab, d_model],
        `pos_embed.W_pos` [n_ctx, d_model] where positions are learned, `blocks.L.attn.W_Q`,
        `W_K`, `W_V` [head, d_model, d_head], `W_O` [head, d_head, d_model], `b_Q`, `b_K`, `b_V`
        [head, d_head], `b_O` [d_model], `unembed.W_U` [d_model, d_vocab], `unembed.b_U` [d_vocab].
    normalized
        Whether each layer and the unembedding read through a layer norm without parameters.
    """

    name: str
    n_layers: int
    n_heads: int
    d_model: int
    d_head: int
    d_vocab: int
    n_ctx: int
    learned_positions: bool
    normalized: bool
    eps: float
    prepend_bos: bool
    bos_token: str | None
    example: str
    tokenizer: Tokenizer
    tensors: Mapping[str, npt.NDArray[np.floating]]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of every tensor that such a model has."""
        qkv = (self.n_heads, self.d_model, self.d_head)
        shapes: dict[str, tuple[int, ...]] = {"embed.W_E": (self.d_vocab, self.d_model)}
        if self.learned_positions:
            shapes["pos_embed.W_pos"] = (self.n_ctx, self.d_model)
        for layer in range(self.n_layers):
            at = f"blocks.{layer}.attn."
            shapes |= {f"{at}W_{name}": qkv for name in "QKV"}
            shapes |= {f"{at}b_{name}": (self.n_heads, self.d_head) for name in "QKV"}
            shapes[f"{at}W_O"] = (self.n_heads, self.d_head, self.d_model)
            shapes[f"{at}b_O"] = (self.d_model,)
        shapes["unembed.W_U"] = (self.d_model, self.d_vocab)
        shapes["unembed.b_U"] = (self.d_vocab,)
        return shapes
