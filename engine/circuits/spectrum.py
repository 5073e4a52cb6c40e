"""Singular values of a head's circuits, from their thin factors."""

from jaxtyping import Float
from torch import Tensor

from engine import lowrank
from engine.circuits.offsets import check_offset, said_offset
from engine.job import Job
from engine.messages import CircuitName, Head, SingularValues, Spectrum
from engine.model import Model


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
    U, S, Vh = lowrank.svd(A, B)
    rank = lowrank.rank(S)
    dense = None
    if request.dense:
        job.step(0, 1, f"decomposing the {model.d_model} x {model.d_model} matrix")
        dense = lowrank.all_singular_values(A @ B).numpy()
    return SingularValues(
        singular_values=S.numpy(),
        groups=lowrank.groups(S),
        read_write_overlap=lowrank.overlap(U[:, :rank], Vh[:rank].mT),
        random_overlap=rank / model.d_model,
        rank=rank,
        dense_singular_values=dense,
        offset=said_offset(model, request.offset, request.circuit),
    )
