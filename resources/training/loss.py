"""Cross-entropy over a batch, with the full vocabulary or with a sample of it.

Sampled softmax: the classes are the distinct targets of the batch, T, and each other token with
probability u. A target class counts once in the normaliser, a sampled one 1 / u times, so that
given the batch the normaliser of every row is right in expectation.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

CHUNK = 512


class _CrossEntropy(torch.autograd.Function):
    """Mean cross-entropy whose gradients are made in the forward pass, chunk by chunk."""

    @staticmethod
    def forward(ctx, hidden: Tensor, table: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss of `hidden @ table.T + bias` against `targets`."""
        count = len(targets)
        d_hidden, d_table = torch.empty_like(hidden), torch.zeros_like(table)
        d_bias, total = torch.zeros_like(bias), 0.0
        for start in range(0, count, CHUNK):
            rows = slice(start, start + CHUNK)
            goal = targets[rows, None]
            probs = torch.addmm(bias, hidden[rows], table.T)
            top = probs.amax(1, keepdim=True)
            right = probs.gather(1, goal)
            mass = probs.sub_(top).exp_().sum(1, keepdim=True)
            total += float((mass.log() + top - right).sum())
            probs.mul_(1 / (count * mass))
            probs.scatter_add_(1, goal, probs.new_full((1, 1), -1 / count).expand_as(goal))
            torch.mm(probs, table, out=d_hidden[rows])
            d_table.addmm_(probs.T, hidden[rows])
            d_bias += probs.sum(0)
        ctx.save_for_backward(d_hidden, d_table, d_bias)
        return hidden.new_tensor(total / count)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        """Scale the gradients made before."""
        d_hidden, d_table, d_bias = ctx.saved_tensors
        return d_hidden * grad, d_table * grad, d_bias * grad, None


def full_loss(hidden: Tensor, table: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross-entropy over the whole vocabulary.

    Parameters
    ----------
    hidden : Tensor
        Normalised final streams [row, d_model].
    table, bias : Tensor
        Unembedding [d_vocab, d_model] and its bias [d_vocab].
    targets : Tensor
        Right ids [row].
    """
    return _CrossEntropy.apply(hidden, table, bias, targets)


def sampled_loss(
    hidden: Tensor, table: Tensor, bias: Tensor, targets: Tensor, drawn: Tensor, share: float
) -> Tensor:
    """Return the mean cross-entropy over the batch's targets and a drawn share of the rest.

    Parameters
    ----------
    hidden, table, bias, targets : Tensor
        As for `full_loss`.
    drawn : Tensor
        Mask [d_vocab], true with probability `share`, independently for each token.
    share : float
        That probability.
    """
    present = torch.zeros(len(bias), dtype=torch.bool)
    present[targets] = True
    classes = (present | drawn).nonzero().squeeze(1)
    place = torch.zeros(len(bias), dtype=torch.long)
    place[classes] = torch.arange(len(classes))
    lifted = bias[classes] + torch.where(present[classes], 0.0, -math.log(share))
    return _CrossEntropy.apply(hidden, table[classes], lifted, place[targets])
