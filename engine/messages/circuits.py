"""A head's circuits as tokens, read from the weights."""

from dataclasses import dataclass, field
from typing import Annotated

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
