"""Products of two thin matrices, A [d_model, d_head] times B [d_head, d_model], never multiplied.

A and B are each an orthonormal basis times a core of d_head x d_head, and the singular values of
the two cores' product are those of A B: "A Mathematical Framework for Transformer Circuits"
(Elhage et al., 2021) calls W_OV and W_QK low-rank for the same reason.
"""

from collections.abc import Callable
from itertools import product

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from engine.messages import Group, Refused

GROUP_SHARE = 0.01
"""Singular values within this share of a group's first belong to it."""

WELL_CONDITIONED = 1e-3
"""Least share of the smallest pivot in the largest at which squaring the condition is harmless."""

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
    if A.ndim == 2:
        return _svd(A, B)
    # Head by head into one block: a head's intermediates stay in the processor's cache.
    U, S, Vh = torch.empty_like(A), A.new_empty(A.shape[:-2] + A.shape[-1:]), torch.empty_like(B)
    for head in product(*map(range, A.shape[:-2])):
        U[head], S[head], Vh[head] = _svd(A[head], B[head])
    return U, S, Vh


def _svd(
    A: Float[Tensor, "d_model d_head"], B: Float[Tensor, "d_head d_model"]
) -> tuple[
    Float[Tensor, "d_model d_head"], Float[Tensor, " d_head"], Float[Tensor, "d_head d_model"]
]:
    core_A, spread_A = _split(A)
    core_B, spread_B = _split(B.mT)
    U, S, Vh = torch.linalg.svd(_checked(core_A @ core_B.mT))
    return spread_A(U), S, spread_B(Vh.mT).mT


def _split(
    A: Float[Tensor, "d_model d_head"],
) -> tuple[Float[Tensor, "d_head d_head"], Callable[[Tensor], Tensor]]:
    """Return the core of A and what multiplies by its basis: A = basis core."""
    quick = _quick_core(A)
    if quick is not None:
        return quick, lambda U: A @ torch.linalg.solve_triangular(quick, U, upper=True)
    Q, R = torch.linalg.qr(A)
    return R, lambda U: Q @ U


def _quick_core(A: Float[Tensor, "d_model d_head"]) -> Float[Tensor, "d_head d_head"] | None:
    # Cholesky's QR in float64 is quicker than Householder's, but it squares the condition
    # of A: where that could be felt, or A lacks columns, Householder's it is.
    wide = A.double()
    lower, failed = torch.linalg.cholesky_ex(wide.mT @ wide)
    pivots = lower.diagonal().tolist()
    if failed.item() or min(pivots) <= WELL_CONDITIONED * max(pivots):
        return None
    quick: Tensor = lower.mT.to(A.dtype)
    return quick


def core(A: Float[Tensor, "d_model d_head"]) -> Float[Tensor, "rank d_head"]:
    """Return the upper triangular R of A = Q R, without Q; its rows are as many as Q's columns.

    Parameters
    ----------
    A : Tensor
        Columns [d_model, d_head].
    """
    quick = _quick_core(A)
    return torch.linalg.qr(A, mode="r").R if quick is None else quick


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
    return all_singular_values(R_A @ R_B.mT)


def all_singular_values(matrix: Float[Tensor, "*batch row column"]) -> Float[Tensor, "*batch rank"]:
    """Return the singular values of a matrix, largest first."""
    found: Tensor = torch.linalg.svdvals(_checked(matrix))
    return found


def eigenvalues(matrix: Float[Tensor, "n n"]) -> Complex[Tensor, " n"]:
    """Return the eigenvalues of a matrix, in no order."""
    found: Tensor = torch.linalg.eigvals(_checked(matrix))
    return found


def symmetric_eigenvalues(matrix: Float[Tensor, "n n"]) -> Float[Tensor, " n"]:
    """Return the eigenvalues of a symmetric matrix with none below 0, largest first."""
    found: Tensor = torch.linalg.eigvalsh(_checked(matrix)).flip(0).clamp(min=0)
    return found


def _checked(matrix: Float[Tensor, "*batch row column"]) -> Float[Tensor, "*batch row column"]:
    """Return a matrix that may be decomposed.

    Raises
    ------
    Refused
        If a number is not finite: LAPACK then fails, goes on for ever or takes the process along.
    """
    if not bool(matrix.isfinite().all()):
        raise Refused(
            "the circuit cannot be decomposed, because its numbers are not finite: the model's "
            "weights are too large"
        )
    return matrix


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
    """Return ||left^T right||_F^2 / rank: 1 for equal subspaces, 0 for orthogonal or empty ones.

    Parameters
    ----------
    left, right : Tensor
        Orthonormal columns [d_model, rank].
    """
    return float((left.mT @ right).square().sum() / max(left.shape[1], 1))
