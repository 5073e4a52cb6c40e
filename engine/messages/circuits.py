"""A head's circuits read from the weights: as tokens, directions, eigenvalues and skip-trigrams."""

from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from engine.messages.prompts import RunPrompt
from engine.messages.terms import (
    Biases,
    Circuit,
    Constant,
    FloatArray,
    HeadName,
    IntArray,
    ModelName,
    Offset,
    Rank,
    SaidLength,
    SaidOffset,
    Says,
    Side,
    Source,
    Token,
    TopK,
    Way,
)

SMALL_VOCABULARY = 64
"""Tokens of the largest vocabulary that is shown whole, as a table or as a matrix's axis."""
_READ = (
    "what is read: token, the token's normed embedding without a position; token+mlp0, that after "
    "the first MLP; position, the stream at a position of a prompt"
)
_LISTED = (
    "; the list is read alike, with position as token+mlp0 in layers beyond the first of a model "
    "with MLPs and as token elsewhere"
)


@dataclass(frozen=True)
class OVTokens:
    """What a head raises and lowers when it reads a token, or which tokens raise one."""

    model: ModelName
    head: HeadName
    token: Annotated[Token | None, Says("the token asked about; with source position: none")] = None
    direction: Way = "output"
    source: Annotated[Source, Says(_READ)] = "token"
    k: TopK = 10
    run: Annotated[RunPrompt | None, Says("the prompt, with source position")] = None
    position: Annotated[
        int | None, Says("position in the prompt, with source position; negative: from the end")
    ] = None


@dataclass(frozen=True, eq=False)
class TokenRanking:
    """Answer to OVTokens and to DirectPath."""

    ids: Annotated[IntArray, Says("strongest first", "k")]
    labels: Annotated[tuple[str, ...], Says("the same as shown")]
    values: Annotated[FloatArray, Says("their values", "k", "logit, or score after division")]
    bottom_ids: Annotated[IntArray, Says("most negative first", "k")]
    bottom_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    bottom_values: Annotated[FloatArray, Says("their values", "k", "logit, or score")]
    token_id: Annotated[int, Says("the token asked about (or the one at the position)")]
    token_label: Annotated[str, Says("the same as shown")]
    rank: Rank
    value: Annotated[float, Says("the token's own value", unit="logit, or score after division")]
    median: Annotated[float, Says("median over the vocabulary", unit="logit, or score")]
    d_vocab: Annotated[int, Says("tokens ranked")]
    source: Annotated[str, Says("source vector used for the token asked about")]
    vocabulary_source: Annotated[str, Says("source vector (or unembedding) used for the list")]
    constant: Constant = field(default=False, kw_only=True)


@dataclass(frozen=True)
class QKTokens:
    """Which keys a query token looks for, or which queries look for a key token."""

    model: ModelName
    head: HeadName
    token: Annotated[Token | None, Says("the token asked about; with source position: none")] = None
    side: Annotated[
        Side,
        Says("query: the token is the query, the list are keys; key: the reverse"),
    ] = "query"
    source: Annotated[Source, Says(_READ + _LISTED)] = "token"
    k: TopK = 10
    run: Annotated[RunPrompt | None, Says("the prompt, with source position")] = None
    position: Annotated[
        int | None, Says("position in the prompt, with source position; negative: from the end")
    ] = None
    offset: Offset = 0
    biases: Biases = False


@dataclass(frozen=True, eq=False)
class ScoreRanking(TokenRanking):
    """Answer to QKTokens."""

    divisor: Annotated[float, Says("what q . k was divided by")]
    offset: SaidOffset = None
    slope: Annotated[
        float, Says("what each position of offset has taken off every score (ALiBi); 0 without")
    ] = 0.0
    cap: Annotated[
        float | None,
        Says(
            "c where the model takes c tanh(score / c) next, which keeps the order: these scores "
            "are those before it, scores on a prompt (Attention) those after it; else none"
        ),
    ] = None
    length: SaidLength = None


@dataclass(frozen=True)
class Table:
    """A head's whole token table, for vocabularies of at most 64 tokens."""

    model: ModelName
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0


@dataclass(frozen=True, eq=False)
class TokenTable:
    """Answer to Table."""

    labels: Annotated[tuple[str, ...], Says("the tokens as shown, in the order of ids")]
    values: Annotated[
        FloatArray,
        Says(
            "ov: source token down, output across; qk: query down, key across",
            "token token",
            "logit, or score after division",
        ),
    ]
    divisor: Annotated[float | None, Says("what scores were divided by; none for ov")]
    offset: SaidOffset = None
    constant: Annotated[
        tuple[int, ...], Says("rows whose values are all alike: their tokens prefer no other")
    ] = ()


@dataclass(frozen=True)
class DirectPath:
    """What the embedding of a token raises and lowers by itself: the bigram table W_E W_U."""

    model: ModelName
    token: Annotated[Token, Says("the token asked about")]
    direction: Way = "output"
    k: TopK = 10


@dataclass(frozen=True)
class SkipTrigrams:
    """The strongest [source] … [query] -> [out] of a head's weights, QK and OV together."""

    model: ModelName
    head: HeadName
    k: Annotated[int, Says("how many to list")] = 10
    offset: Offset = 0
    filter: Annotated[str, Says("text that the source token contains; empty: any source")] = ""


@dataclass(frozen=True, eq=False)
class TrigramList:
    """Answer to SkipTrigrams, strongest first; fewer than k where no more are positive."""

    source_ids: Annotated[IntArray, Says("tokens attended to", "k")]
    source_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    query_ids: Annotated[IntArray, Says("tokens that attend", "k")]
    query_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    out_ids: Annotated[IntArray, Says("tokens raised", "k")]
    out_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    qk: Annotated[FloatArray, Says("score of query and source", "k", "after division")]
    ov: Annotated[FloatArray, Says("what reading the source adds to the logit", "k", "logit")]
    values: Annotated[FloatArray, Says("qk times ov, what the list is ranked by", "k")]
    rule: Annotated[str, Says("the rule of ranking in words")]
    divisor: Annotated[float, Says("what the scores were divided by")]
    offset: SaidOffset = None


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
