"""Paths through the model: what parts and pairs of heads give to a logit."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from engine.messages.prompts import RunPrompt
from engine.messages.terms import (
    CompositionKind,
    Constant,
    Contrast,
    FloatArray,
    Head,
    HeadName,
    IntArray,
    ModelName,
    Offset,
    Position,
    Rank,
    SaidOffset,
    Says,
    Split,
    Target,
    Token,
    TopK,
)


@dataclass(frozen=True)
class HeadOutput:
    """What one head adds to the logits at a position of a prompt."""

    run: RunPrompt
    head: HeadName
    position: Position = -1
    target: Target = None
    k: TopK = 10


@dataclass(frozen=True, eq=False)
class OutputRanking:
    """Answer to HeadOutput: A (X W_V + b_V) W_O W_U, what is gone when the head is off.

    b_O, the layer's, and the final norm's scale are left out.
    """

    ids: Annotated[IntArray, Says("most raised first", "k")]
    labels: Annotated[tuple[str, ...], Says("the same as shown")]
    values: Annotated[FloatArray, Says("their values", "k", "logit times final_scale")]
    bottom_ids: Annotated[IntArray, Says("most lowered first", "k")]
    bottom_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    bottom_values: Annotated[FloatArray, Says("their values", "k", "logit times final_scale")]
    target_id: Annotated[int, Says("the target's id")]
    target_label: Annotated[str, Says("the same as shown")]
    rank: Rank
    value: Annotated[float, Says("the target's value", unit="logit times final_scale")]
    by_source: Annotated[
        FloatArray,
        Says("what each position gives to it; they sum to it", "source", "logit times final_scale"),
    ]
    source_labels: Annotated[tuple[str, ...], Says("the tokens up to the position, as shown")]
    position: Annotated[int, Says("the position, counted from 0")]
    d_vocab: Annotated[int, Says("tokens ranked")]
    final_scale: Annotated[float, Says("what the final norm divides by there; 1 without a norm")]
    constant: Constant = False


@dataclass(frozen=True)
class LogitAttribution:
    """What each part of the model gives to one logit at a position of a prompt."""

    run: RunPrompt
    position: Position = -1
    target: Target = None
    contrast_token: Annotated[
        Token | None, Says("a token whose logit is taken off; none: see contrast")
    ] = None
    contrast: Annotated[
        Contrast, Says("mean: the mean logit of the vocabulary is taken off; none: nothing is")
    ] = "none"
    split: Annotated[
        Split, Says("heads: one part a head; sources: one part a head and source position")
    ] = "heads"


@dataclass(frozen=True, eq=False)
class LogitParts:
    """Answer to LogitAttribution; the final norm's scale is frozen at the run's."""

    labels: Annotated[
        tuple[str, ...],
        Says("embedding, positions, each head with its b_V (and source), MLPs, biases (b_O, b_U)"),
    ]
    values: Annotated[FloatArray, Says("what each gives", "part", "logit")]
    heads: Annotated[tuple[Head | None, ...], Says("the head of each part; none: no head")]
    sources: Annotated[IntArray, Says("its source position; -1: not split by source", "part")]
    total: Annotated[float, Says("the sum of all parts", unit="logit")]
    logit: Annotated[float, Says("the folded model's own logit, less the contrast's", unit="logit")]
    remainder: Annotated[float, Says("logit - total", unit="logit")]
    target_id: Annotated[int, Says("the target's id")]
    target_label: Annotated[str, Says("the same as shown")]
    contrast_label: Annotated[
        str, Says("the token taken off as shown; mean, or none where none is")
    ]
    position: Annotated[int, Says("the position, counted from 0")]
    final_scale: Annotated[float, Says("what the final norm divides by there; 1 without a norm")]
    logit_cap: Annotated[
        float | None,
        Says("c where the model makes c tanh(logit / c) of its logits, after these; else none"),
    ] = None


@dataclass(frozen=True)
class VirtualHead:
    """Two heads in a row as one: what the later one moves of what the earlier one moved."""

    run: RunPrompt
    earlier: Annotated[Head, Says("the head that writes, layer.head")]
    later: Annotated[Head, Says("the head of a later layer that reads it, layer.head")]
    token: Annotated[Token, Says("the token that the pair reads")]
    k: TopK = 10


@dataclass(frozen=True, eq=False)
class VirtualHeadParts:
    """Answer to VirtualHead."""

    source_labels: Annotated[tuple[str, ...], Says("the prompt's tokens as shown")]
    product: Annotated[FloatArray, Says("A_later A_earlier: rows sum to 1", "query source", "1")]
    exact: Annotated[
        FloatArray | None,
        Says(
            "A_later diag(1/s) A_earlier, s the scale of the later layer's norm, each A over that "
            "of a norm after its heads; none without a norm, where the product is exact",
            "query source",
        ),
    ]
    ids: Annotated[IntArray, Says("tokens raised by the product of both OV circuits", "k")]
    labels: Annotated[tuple[str, ...], Says("the same as shown")]
    values: Annotated[FloatArray, Says("their values", "k", "logit")]
    bottom_ids: Annotated[IntArray, Says("tokens lowered, most negative first", "k")]
    bottom_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    bottom_values: Annotated[FloatArray, Says("their values", "k", "logit")]
    token_id: Annotated[int, Says("the token that is read")]
    token_label: Annotated[str, Says("the same as shown")]
    rank: Rank
    value: Annotated[float, Says("the token's own value", unit="logit")]
    d_vocab: Annotated[int, Says("tokens ranked")]
    eigenvalue_copying: Annotated[
        float, Says("sum of the product OV's eigenvalues over the sum of their magnitudes")
    ]
    singular_values: Annotated[
        FloatArray, Says("of the virtual weight W_O W_V, largest first", "d_head")
    ]
    share: Annotated[
        float,
        Says(
            "share of what the later head gives that comes from what the earlier one gives, both "
            "with their b_V: (c . v) / (v . v); not a number where the later one gives nothing"
        ),
    ]
    shares: Annotated[FloatArray, Says("the same at each query", "query", "1")]
    constant: Constant = False


@dataclass(frozen=True)
class Composition:
    """How strongly every head reads what every earlier head writes, from the weights."""

    model: ModelName
    kind: Annotated[
        CompositionKind, Says("which input of the later head: its queries, keys or values")
    ]
    earlier: Annotated[
        Head | None, Says("with later: a pair whose z is measured even outside the top 50")
    ] = None
    later: Annotated[Head | None, Says("see earlier")] = None
    seed: Annotated[int, Says("seed of the random rotations that z compares with")] = 0
    offset: Offset = 0


class Pair(NamedTuple):
    """Two heads, the one that writes first."""

    earlier: Head
    later: Head


@dataclass(frozen=True, eq=False)
class CompositionScores:
    """Answer to Composition."""

    pairs: Annotated[tuple[Pair, ...], Says("every pair of a head and one of an earlier layer")]
    scores: Annotated[FloatArray, Says("||A B|| / (||A|| ||B||)", "pair", "1")]
    baseline: Annotated[
        float, Says("what random directions score: 1 / sqrt(d_model), less 1 where a norm centres")
    ]
    z: Annotated[
        FloatArray,
        Says(
            "standard deviations above 200 random rotations of the same singular values, for the "
            "50 best pairs and the one asked for; not a number (null in JSON) for others",
            "pair",
        ),
    ]
    offset: SaidOffset = None
