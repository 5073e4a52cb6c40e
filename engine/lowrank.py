"""Products of two thin matrices, A [d_model, d_head] times B [d_head, d_model], never multiplied.

A and B are reduced by thin QR to a core of d_head x d_head, whose singular values are the
product's: "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021) calls W_OV and
W_QK low-rank for the same reason.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.messages import Group

GROUP_SHARE = 0.01
"""Singular values within this share of a group's first belong to it."""

RANK_SHARE = 1e-6
"""Singular values at or below this share of the largest count as zero."""


def svd(
    A: Float[Tensor, "*batch d_model d_head"], B: Float[Tensor, "*batch d_head d_model"]
) -> tuple[
    Float[Tensor, "*batch d_model d_head"],
    Float[Tensor, "*batch d_head"],
    Float[Tensor, "*batch d_head d_model"],
]:
    """Return the thin singular value decomposition of A B.

    Parameters
    ----------
    A, B : Tensor
        Factors [..., d_model, d_head] and [..., d_head, d_model]; the leading axes are heads.

    Returns
    -------
    U, S, Vh : Tensor
        A B = U diag(S) Vh, with U [..., d_model, d_head], S [..., d_head] largest first and Vh
        [..., d_head, d_model].
    """
    if A.ndim > 2:
        # One head after the other: LAPACK's threads help a head, and batches only cost memory.
        heads = [svd(a, b) for a, b in zip(A.flatten(0, -3), B.flatten(0, -3), strict=True)]
        lead = A.shape[:-2]
        U, S, Vh = (torch.stack(p).view(*lead, *p[0].shape) for p in zip(*heads, strict=True))
        return U, S, Vh
    Q_A, R_A = torch.linalg.qr(A)
    Q_B, R_B = torch.linalg.qr(B.mT)
    U, S, Vh = torch.linalg.svd(R_A @ R_B.mT)
    return Q_A @ U, S, Vh @ Q_B.mT


def singular_values(
    A: Float[Tensor, "*batch d_model d_head"], B: Float[Tensor, "*batch d_head d_model"]
) -> Float[Tensor, "*batch d_head"]:
    """Return the singular values of A B, largest first, without the vectors.

    Parameters
    ----------
    A, B : Tensor
        Factors [..., d_model, d_head] and [..., d_head, d_model]; the leading axes are heads.
    """
    R_A = torch.linalg.qr(A, mode="r").R
    R_B = torch.linalg.qr(B.mT, mode="r").R
    values: Tensor = torch.linalg.svdvals(R_A @ R_B.mT)
    return values


def rank(values: Float[Tensor, " d_head"]) -> int:
    """Return how many singular values, largest first, are not zero to rounding."""
    return int((values > RANK_SHARE * values[0]).sum())


def groups(values: Float[Tensor, " d_head"]) -> tuple[Group, ...]:
    """Split singular values, largest first, into runs whose subspace alone is defined.

    A run goes on while first - s_i <= 1 % of its first value, so it never drifts by chaining;
    values that are zero to rounding stay alone.

    Parameters
    ----------
    values : Tensor
        Singular values [d_head], largest first.
    """
    listed = values.tolist()
    found: list[Group] = []
    for index, value in enumerate(listed):
        if found and value > RANK_SHARE * listed[0]:
            first = listed[found[-1].first]
            if first - value <= GROUP_SHARE * first:
                found[-1] = found[-1]._replace(last=index)
                continue
        found.append(Group(index, index))
    return tuple(found)


def overlap(left: Float[Tensor, "d_model rank"], right: Float[Tensor, "d_model rank"]) -> float:
    """Return ||left^T right||_F^2 / rank: 1 for equal subspaces, 0 for orthogonal ones.

    Parameters
    ----------
    left, right : Tensor
        Orthonormal columns [d_model, rank].
    """
    return float((left.mT @ right).square().sum() / left.shape[1])
