"""Folded weights, one head at a time: what a head does once the norms before it only scale.

Folding follows "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Handling
Layer Normalization", and TransformerLens's `process_weights`, whose shapes it keeps. A model
without norms is left as it is.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """Folded weights of one head.

    With b_V moved into b_O, the head adds A X W_V W_O to the stream, X being the streams after
    centring and scaling.
    """

    W_Q: Float[Tensor, "d_model d_head"]
    W_K: Float[Tensor, "d_model d_head"]
    W_V: Float[Tensor, "d_model d_head"]
    W_O: Float[Tensor, "d_head d_model"]
    b_Q: Float[Tensor, " d_head"]
    b_K: Float[Tensor, " d_head"]


def centred(vectors: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows d_model"]:
    """Project vectors off the all-ones direction."""
    return vectors - vectors.mean(-1, keepdim=True)


def normalised(
    vectors: Float[Tensor, "*rows d_model"], eps: float
) -> Float[Tensor, "*rows d_model"]:
    """Apply a layer norm without parameters: biased variance, `eps` under the root."""
    return torch.nn.functional.layer_norm(vectors, vectors.shape[-1:], eps=eps)


def fold(weights: HeadWeights) -> HeadWeights:
    """Fold a layer norm's centring into the weights that read and write.

    Parameters
    ----------
    weights : HeadWeights
        Raw weights of a head that reads through a layer norm without parameters.
    """
    return HeadWeights(
        W_Q=centred(weights.W_Q.mT).mT,
        W_K=centred(weights.W_K.mT).mT,
        W_V=centred(weights.W_V.mT).mT,
        W_O=centred(weights.W_O),
        b_Q=weights.b_Q,
        b_K=weights.b_K,
    )
