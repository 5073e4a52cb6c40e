"""Eigenvalues of a head's full circuit, which live in d_head dimensions."""

from jaxtyping import Complex, Float
from torch import Tensor

from engine import lowrank
from engine.circuits.offsets import check_offset, said_offset
from engine.circuits.spectrum import factors
from engine.job import Job
from engine.messages import ComplexValues, Eigenvalues
from engine.model import Model


def sorted_eigenvalues(core: Float[Tensor, "n n"]) -> Complex[Tensor, " n"]:
    """Return the eigenvalues of a matrix, largest magnitude first."""
    values = lowrank.eigenvalues(core)
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
