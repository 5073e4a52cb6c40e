"""Singular values and directions of a head's circuits, and eigenvalues from tokens to tokens."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from engine.circuits.positions import check_offset, said_offset
from engine.circuits.ranking import ends
from engine.job import Job
from engine.messages import (
    CircuitName,
    ComplexValues,
    Direction,
    Eigenvalues,
    Head,
    OVDirection,
    QKDirection,
    Refused,
    SingularValues,
    Spectrum,
)
from engine.model import Model
from engine.network import factored


def factors(
    model: Model, head: Head, circuit: CircuitName, offset: int = 0
) -> tuple[Float[Tensor, "d_model d_head"], Float[Tensor, "d_head d_model"]]:
    """Return the two factors of a head's circuit, in float64.

    Parameters
    ----------
    circuit : {"ov", "qk"}
        W_V and W_O of W_OV, or W_Q and W_K^T of W_QK; the papers' matrices are the transposes.
    offset : int
        Query position minus key position, which turns W_QK of a rotary model.
    """
    weights = model.head(head, offset)
    if circuit == "ov":
        return weights.W_V.double(), weights.W_O.double()
    model.check_scores()
    return weights.W_Q.double(), weights.W_K.mT.double()


def spectrum(model: Model, request: Spectrum, job: Job) -> SingularValues:
    """Return the singular values of W_V W_O or W_Q W_K^T."""
    check_offset(model, request.offset)
    A, B = factors(model, request.head, request.circuit, request.offset)
    U, S, Vh = factored.svd(A, B)
    rank = factored.rank(S)
    dense = None
    if request.dense:
        job.step(0, 1, f"decomposing the {model.d_model} x {model.d_model} matrix")
        dense = factored.all_singular_values(A @ B).numpy()
    return SingularValues(
        singular_values=S.numpy(),
        groups=factored.groups(S),
        read_write_overlap=factored.overlap(U[:, :rank], Vh[:rank].mT),
        random_overlap=rank / model.d_model,
        rank=rank,
        dense_singular_values=dense,
        offset=said_offset(model, request.offset, request.circuit),
    )


def direction(model: Model, request: Direction, job: Job) -> OVDirection | QKDirection:
    """Name the tokens that a singular direction reads and writes, or joins as query and key.

    Both unit vectors flip together so that the entry of largest magnitude at the write (key) end
    is positive. Values are the embeddings (as they are read) times the vector; at the write end,
    the vector times W_U. The method is that of "The Singular Value Decompositions of Transformer
    Weight Matrices are Highly Interpretable" (Millidge and Black, 2022).
    """
    check_offset(model, request.offset)
    U, S, Vh = factored.svd(*factors(model, request.head, request.circuit, request.offset))
    _check_index(request, factored.rank(S), len(S))
    near, far = U[:, request.index], Vh[request.index]
    if far[far.abs().argmax()] < 0:
        near, far = -near, -far
    value = float(S[request.index])
    group = next(g for g in factored.groups(S) if g.first <= request.index <= g.last)
    near, far = near.float(), far.float()
    if request.circuit == "ov":
        read = ends(model, model.vocabulary.read_by(near[:, None], job)[:, 0] + 0.0, request.k)
        write = ends(model, model.vocabulary.logits(far[:, None], job)[:, 0] + 0.0, request.k)
        return OVDirection(
            value,
            group,
            *read[:-1],
            *write[:-1],
            read_constant=read.constant,
            write_constant=write.constant,
        )
    scores = model.vocabulary.read_by(torch.stack([near, far], 1), job) + 0.0  # [d_vocab, 2]
    query, key = (ends(model, scores[:, side].contiguous(), request.k) for side in (0, 1))
    return QKDirection(
        value,
        group,
        *query[:-1],
        *key[:-1],
        offset=said_offset(model, request.offset),
        query_constant=query.constant,
        key_constant=key.constant,
    )


def _check_index(request: Direction, rank: int, d_head: int) -> None:
    if not 0 <= request.index < d_head:
        raise Refused(
            f"head {request.head} has singular values 0 to {d_head - 1}, not {request.index}"
        )
    if request.index >= rank:
        raise Refused(
            f"singular value {request.index} is zero to rounding and has no direction: the "
            f"{request.circuit} circuit has rank {rank}"
        )


def sorted_eigenvalues(core: Float[Tensor, "n n"]) -> Complex[Tensor, " n"]:
    """Return the eigenvalues of a matrix, largest magnitude first."""
    values = factored.eigenvalues(core)
    order = values.abs().argsort(descending=True, stable=True)
    found: Tensor = values[order]
    return found


def positivity(values: Complex[Tensor, " n"]) -> float:
    """Return the sum of eigenvalues over the sum of their magnitudes; NaN if all are 0.

    The measure of copying of "A Mathematical Framework for Transformer Circuits" (Elhage et al.,
    2021), "Summarizing OV/QK matrices".
    """
    return float(values.real.sum() / values.abs().sum())


def eigenvalues(model: Model, request: Eigenvalues, job: Job) -> ComplexValues:
    """Return the eigenvalues of W_E W_V W_O W_U, or of W_E W_Q (W_E W_K)^T, other than its zeros.

    A product A B has the eigenvalues of B A: with G = W_U W_E, those of OV are of W_O G W_V
    [d_head, d_head], and with W_E^T W_E those of QK likewise ("A Mathematical Framework for
    Transformer Circuits", Elhage et al., 2021, "Summarizing OV/QK matrices"). Scores are not
    divided, embeddings go through the norm, and the core is float64.
    """
    check_offset(model, request.offset)
    A, B = factors(model, request.head, request.circuit, request.offset)
    values = sorted_eigenvalues(B @ model.vocabulary.gram(request.circuit, job) @ A)
    return ComplexValues(
        real=values.real.numpy(),
        imag=values.imag.numpy(),
        positivity=positivity(values),
        offset=said_offset(model, request.offset, request.circuit),
    )
