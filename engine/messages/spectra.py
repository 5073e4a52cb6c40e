"""A head's circuits as directions: singular values and eigenvalues."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from engine.messages.terms import (
    Circuit,
    Constant,
    FloatArray,
    HeadName,
    IntArray,
    ModelName,
    Offset,
    SaidOffset,
    Says,
    TopK,
)


@dataclass(frozen=True)
class Spectrum:
    """Singular values of a head's circuit."""

    model: ModelName
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0
    dense: Annotated[bool, Says("also measure the d_model x d_model matrix itself")] = False


class Group(NamedTuple):
    """Singular values within 1 % of the first of them: only their subspace is defined."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class SingularValues:
    """Answer to Spectrum."""

    singular_values: Annotated[FloatArray, Says("largest first, from the thin factors", "d_head")]
    groups: Annotated[
        tuple[Group, ...], Says("first and last index of each run of near-equal values")
    ]
    read_write_overlap: Annotated[
        float, Says("overlap of the subspaces at the two ends (read and write, query and key)")
    ]
    random_overlap: Annotated[float, Says("the same for random subspaces, rank / d_model")]
    rank: Annotated[int, Says("values above 1e-6 of the first")]
    dense_singular_values: Annotated[
        FloatArray | None, Says("measured on the dense matrix in float64, when asked", "d_model")
    ]
    offset: SaidOffset = None


@dataclass(frozen=True)
class Direction:
    """The tokens at both ends of one singular direction."""

    model: ModelName
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0
    index: Annotated[int, Says("which singular value, counted from 0")] = 0
    k: TopK = 10


@dataclass(frozen=True, eq=False)
class OVDirection:
    """Answer to Direction for the OV circuit."""

    singular_value: Annotated[float, Says("the direction's singular value")]
    group: Annotated[Group, Says("the near-equal values it belongs to")]
    read_ids: Annotated[IntArray, Says("tokens that the read end responds to", "k")]
    read_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    read_values: Annotated[FloatArray, Says("their values", "k")]
    read_ids_negative: Annotated[IntArray, Says("most negative first", "k")]
    read_labels_negative: Annotated[tuple[str, ...], Says("the same as shown")]
    read_values_negative: Annotated[FloatArray, Says("their values", "k")]
    write_ids: Annotated[IntArray, Says("tokens that the write end raises", "k")]
    write_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    write_values: Annotated[FloatArray, Says("their values", "k", "logit")]
    write_ids_negative: Annotated[IntArray, Says("tokens it lowers, most negative first", "k")]
    write_labels_negative: Annotated[tuple[str, ...], Says("the same as shown")]
    write_values_negative: Annotated[FloatArray, Says("their values", "k", "logit")]
    read_constant: Constant = False
    write_constant: Constant = False


@dataclass(frozen=True, eq=False)
class QKDirection:
    """Answer to Direction for the QK circuit."""

    singular_value: Annotated[float, Says("the direction's singular value")]
    group: Annotated[Group, Says("the near-equal values it belongs to")]
    query_ids: Annotated[IntArray, Says("tokens that the query end responds to", "k")]
    query_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    query_values: Annotated[FloatArray, Says("their values", "k")]
    query_ids_negative: Annotated[IntArray, Says("most negative first", "k")]
    query_labels_negative: Annotated[tuple[str, ...], Says("the same as shown")]
    query_values_negative: Annotated[FloatArray, Says("their values", "k")]
    key_ids: Annotated[IntArray, Says("tokens that the key end responds to", "k")]
    key_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    key_values: Annotated[FloatArray, Says("their values", "k")]
    key_ids_negative: Annotated[IntArray, Says("most negative first", "k")]
    key_labels_negative: Annotated[tuple[str, ...], Says("the same as shown")]
    key_values_negative: Annotated[FloatArray, Says("their values", "k")]
    offset: SaidOffset = None
    query_constant: Constant = False
    key_constant: Constant = False


@dataclass(frozen=True)
class Eigenvalues:
    """Eigenvalues of a head's full circuit, from tokens to tokens."""

    model: ModelName
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0


@dataclass(frozen=True, eq=False)
class ComplexValues:
    """Answer to Eigenvalues; scores are not divided."""

    real: Annotated[FloatArray, Says("real parts, largest magnitude first", "d_head")]
    imag: Annotated[FloatArray, Says("imaginary parts", "d_head")]
    positivity: Annotated[
        float,
        Says("their sum over the sum of their magnitudes (ov: copying); none if all are 0"),
    ]
    offset: SaidOffset = None
