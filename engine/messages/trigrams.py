"""Skip-trigrams: what a head would do with a token far back and the token it stands on."""

from dataclasses import dataclass
from typing import Annotated

from engine.messages.terms import (
    FloatArray,
    HeadName,
    IntArray,
    ModelName,
    Offset,
    SaidOffset,
    Says,
)


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
