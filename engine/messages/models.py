"""What can be opened, and what a model is."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from engine.messages.terms import ModelName, Says


@dataclass(frozen=True)
class ListModels:
    """Which models can be opened."""


class ModelEntry(NamedTuple):
    """One line of the list of models: name, where it comes from, a sentence about it."""

    name: str
    source: str
    about: str


@dataclass(frozen=True, eq=False)
class ModelList:
    """Answer to ListModels."""

    models: Annotated[tuple[ModelEntry, ...], Says("name, source and a sentence for each")]


@dataclass(frozen=True)
class LoadModel:
    """Open a model and describe it."""

    model: ModelName


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """Answer to LoadModel."""

    name: Annotated[str, Says("name of the model")]
    n_layers: Annotated[int, Says("layers")]
    n_heads: Annotated[int, Says("query heads in a layer")]
    n_kv_heads: Annotated[int, Says("key/value heads in a layer")]
    d_model: Annotated[int, Says("width of the residual stream")]
    d_head: Annotated[int, Says("width of a head")]
    d_vocab: Annotated[int, Says("tokens in the vocabulary")]
    d_mlp: Annotated[int, Says("width of an MLP, 0 without one")]
    n_ctx: Annotated[int, Says("longest prompt, in tokens")]
    positions: Annotated[str, Says("none, learned, rotary or ALiBi")]
    norm: Annotated[str, Says("none, LayerNorm, LayerNorm without parameters, RMSNorm")]
    folded: Annotated[tuple[str, ...], Says("what was folded into the weights that are read")]
    divisor: Annotated[float, Says("what scores are divided by before the softmax")]
    prepend_bos: Annotated[bool, Says("whether a prompt begins with BOS unless told otherwise")]
    has_bos: Annotated[bool, Says("whether the vocabulary has a BOS token at all")]
    parameters: Annotated[int, Says("numbers in the model")]
    bytes: Annotated[int, Says("size of the weights in memory", unit="byte")]
    example: Annotated[str, Says("a prompt that shows something on this model")]


@dataclass(frozen=True)
class Vocabulary:
    """Every token of a model, for completion."""

    model: ModelName


@dataclass(frozen=True, eq=False)
class VocabularyTokens:
    """Answer to Vocabulary."""

    texts: Annotated[tuple[str, ...], Says("each token as it must be typed; '' where it cannot be")]
    labels: Annotated[tuple[str, ...], Says("each token as it is shown, in the order of ids")]
