"""What was built from a checkpoint: a bridge that runs, and what a bridge does not say of it."""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from engine.folding import HeadWeights, Norm
from engine.rotation import Rotation

NormKind = Literal["none", "LayerNorm without parameters", "LayerNorm", "RMSNorm"]
Positions = Literal["none", "learned", "rotary", "ALiBi"]


@dataclass(frozen=True, eq=False)
class Network:
    """A TransformerBridge and what is known of its parts.

    Attributes
    ----------
    norm, eps
        What each layer and the unembedding read through.
    layer_norms, final_norm
        Its own weights before each layer's heads, and before the unembedding.
    embed_scale
        What embeddings are multiplied by as they enter the stream.
    W_pos
        [n_ctx, d_model]; zeros where positions are not learned.
    divisor
        What q . k is divided by.
    unlike_weights
        Why scores do not follow from folded weights and an offset; empty where they do.
    own_scores
        Whether the bridge's scores are what its softmax takes (where an adapter hands on
        patterns instead, attention is transformers' own, and they cannot be changed).
    """

    bridge: Any
    tokenizer: Tokenizer
    bos_token: str | None
    prepend_bos: bool
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_model: int
    d_head: int
    d_vocab: int
    d_mlp: int
    n_ctx: int
    parameters: int
    divisor: float
    norm: NormKind
    eps: float
    layer_norms: tuple[Norm, ...]
    final_norm: Norm
    positions: Positions
    W_pos: Float[Tensor, "n_ctx d_model"]
    embed_scale: float = 1.0
    rotation: Rotation | None = None
    unlike_weights: str = ""
    own_scores: bool = False

    def raw(self, layer: int, number: int) -> HeadWeights:
        """Return the weights of one head as they are stored."""
        attention = self.bridge.blocks[layer].attn
        kv = number * self.n_kv_heads // self.n_heads
        return HeadWeights(
            W_Q=attention.W_Q[number],
            W_K=attention.W_K[kv],
            W_V=attention.W_V[kv],
            W_O=attention.W_O[number],
            b_Q=self.biases(layer, "Q")[number],
            b_K=self.biases(layer, "K")[kv],
        )

    def biases(self, layer: int, name: Literal["Q", "K", "V"]) -> Float[Tensor, "head d_head"]:
        """Return b_Q of each head, or b_K or b_V of each key/value head; zeros without biases."""
        bias: Tensor | None = getattr(self.bridge.blocks[layer].attn, f"b_{name}")
        heads = self.n_heads if name == "Q" else self.n_kv_heads
        return torch.zeros(heads, self.d_head) if bias is None else bias

    def output_bias(self, layer: int) -> Float[Tensor, " d_model"]:
        """Return a layer's b_O; zeros without one."""
        bias: Tensor | None = self.bridge.blocks[layer].attn.b_O
        return torch.zeros(self.d_model) if bias is None else bias
