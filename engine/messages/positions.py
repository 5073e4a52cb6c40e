"""What distance and places do to a head's scores, read from the weights."""

from dataclasses import dataclass
from typing import Annotated, Literal

from engine.messages.terms import (
    Biases,
    FloatArray,
    HeadName,
    IntArray,
    ModelName,
    SaidLength,
    Says,
    Token,
)

USUAL_OFFSETS = 64
"""How far back, and how many positions, are looked at unless a question says otherwise."""

_Z = (
    "how far that mean lies above the mean over the same offsets, in standard deviations over "
    "them; not a number (null in JSON) where all are alike"
)


@dataclass(frozen=True)
class QKOffsets:
    """The score of two tokens, and of all pairs, against how far back the key lies (rotary)."""

    model: ModelName
    head: HeadName
    query: Annotated[Token, Says("the token that looks: its text, or its id (as text `#id`)")]
    key: Annotated[Token, Says("the token that is looked at")]
    source: Annotated[
        Literal["token", "token+mlp0"],
        Says(
            "what stands for every token: token, its normed embedding; token+mlp0, that after the "
            "first MLP"
        ),
    ] = "token"
    largest_offset: Annotated[
        int | None,
        Says(
            f"farthest back that the key lies; none: {USUAL_OFFSETS}, or all that a shorter "
            "context has"
        ),
    ] = None
    biases: Biases = False


@dataclass(frozen=True, eq=False)
class OffsetScores:
    """Answer to QKOffsets."""

    offsets: Annotated[IntArray, Says("query position minus key position, from 0 on", "offset")]
    scores: Annotated[FloatArray, Says("of the two tokens", "offset", "score after division")]
    mean: Annotated[
        FloatArray,
        Says("over all pairs of tokens of the vocabulary, exactly", "offset", "score"),
    ]
    deviation: Annotated[
        FloatArray, Says("standard deviation over the same pairs, exactly", "offset", "score")
    ]
    best_offset: Annotated[int, Says("offset with the largest mean")]
    best_z: Annotated[float, Says(_Z)]
    query_id: Annotated[int, Says("the token that looks")]
    query_label: Annotated[str, Says("the same as shown")]
    key_id: Annotated[int, Says("the token that is looked at")]
    key_label: Annotated[str, Says("the same as shown")]
    source: Annotated[str, Says("source vector used for every token")]
    divisor: Annotated[float, Says("what q . k was divided by")]
    length: SaidLength = None


@dataclass(frozen=True)
class PositionQK:
    """The scores that learned positions give, whatever the tokens: query down, key across."""

    model: ModelName
    head: HeadName
    positions: Annotated[
        int | None,
        Says(f"how many of the first positions; none: {USUAL_OFFSETS}, or a shorter context's all"),
    ] = None
    biases: Biases = False


@dataclass(frozen=True, eq=False)
class PositionScores:
    """Answer to PositionQK."""

    scores: Annotated[
        FloatArray,
        Says(
            "score of query and key position, the mean over all tokens at both: exact in the first "
            "layer, and later the same embeddings through the layer's own norm, without what the "
            "layers before it wrote; not a number (null in JSON) where the key lies ahead",
            "query key",
            "score after division",
        ),
    ]
    offsets: Annotated[IntArray, Says("query position minus key position, from 0 on", "offset")]
    mean: Annotated[
        FloatArray, Says("of the scores at each offset, over the queries", "offset", "score")
    ]
    best_offset: Annotated[
        int, Says("offset with the largest mean, of those that at least half of the queries have")
    ]
    best_z: Annotated[float, Says(_Z)]
    divisor: Annotated[float, Says("what q . k was divided by")]
