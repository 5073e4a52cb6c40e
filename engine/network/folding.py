"""Folded weights, one head at a time: what a head does once the norms before it only scale.

Folding follows "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Handling
Layer Normalization", and TransformerLens's `process_weights`, whose shapes it keeps. A model
without norms is left as it is.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """Folded weights of one head.

    The head adds A (X W_V + b_V) W_O to the stream, X being the streams after centring and
    scaling: what is gone when it is off. b_O is the layer's.
    """

    W_Q: Float[Tensor, "d_model d_head"]
    W_K: Float[Tensor, "d_model d_head"]
    W_V: Float[Tensor, "d_model d_head"]
    W_O: Float[Tensor, "d_head d_model"]
    b_Q: Float[Tensor, " d_head"]
    b_K: Float[Tensor, " d_head"]
    b_V: Float[Tensor, " d_head"]

    def values(self, read: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows d_head"]:
        """Return X W_V + b_V of what the head reads."""
        return read @ self.W_V + self.b_V


def centred(vectors: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows d_model"]:
    """Project vectors off the all-ones direction."""
    return vectors - vectors.mean(-1, keepdim=True)


class Norm(NamedTuple):
    """What a norm multiplies by and adds once it has scaled; none where it does not."""

    gain: Float[Tensor, " d_model"] | None = None
    bias: Float[Tensor, " d_model"] | None = None

    def applied(
        self, vectors: Float[Tensor, "*rows d_model"], eps: float
    ) -> Float[Tensor, "*rows d_model"]:
        """Return vectors through a layer norm with these weights."""
        return torch.nn.functional.layer_norm(
            vectors, vectors.shape[-1:], self.gain, self.bias, eps
        )


def normalised(
    vectors: Float[Tensor, "*rows d_model"], eps: float
) -> Float[Tensor, "*rows d_model"]:
    """Apply a layer norm without parameters: biased variance, `eps` under the root."""
    return torch.nn.functional.layer_norm(vectors, vectors.shape[-1:], eps=eps)


def root_mean_square(vectors: Float[Tensor, "*rows d_model"], eps: float) -> Float[Tensor, "*rows"]:
    """Return what an RMS norm divides by ("Root Mean Square Layer Normalization", Zhang, 2019)."""
    return (vectors.square().mean(-1) + eps).sqrt()


def fold(weights: HeadWeights, norm: Norm, centring: bool) -> HeadWeights:
    """Fold a norm into the weights of a head that reads through it.

    Parameters
    ----------
    weights : HeadWeights
        Raw weights of the head.
    norm : Norm
        The norm's own weights: its gain goes into the rows of W_Q, W_K and W_V, its bias into b_Q,
        b_K and b_V.
    centring : bool
        Whether the norm takes the mean off: it goes into what reads and what writes.
    """
    reads = [weights.W_Q, weights.W_K, weights.W_V]
    biases = [weights.b_Q, weights.b_K, weights.b_V]
    if norm.bias is not None:
        pairs = zip(biases, reads, strict=True)
        biases = [bias + norm.bias @ matrix for bias, matrix in pairs]
    if norm.gain is not None:
        reads = [norm.gain[:, None] * matrix for matrix in reads]
    if centring:
        reads = [centred(matrix.mT).mT for matrix in reads]
    (W_Q, W_K, W_V), (b_Q, b_K, b_V) = reads, biases
    W_O = centred(weights.W_O) if centring else weights.W_O
    return HeadWeights(W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, b_Q=b_Q, b_K=b_K, b_V=b_V)
