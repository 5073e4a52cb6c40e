"""What can be opened, and what a model is."""

import os
import re
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from engine.messages.terms import IntArray, ModelName, Says

PATH = re.compile(r"[./~]|.*\\|.*/.*/|.*\.gguf$|[A-Za-z]:", re.DOTALL)
"""How a path looks that is no name on the hub."""

CUT = "…/"
"""Stands in a published file for the folders of a model that was opened by its path."""


def without_folders(model: str) -> str:
    """Return how a model is called: of one that was opened by its path, the last part of it.

    The folders of whoever opened it are nobody's business.
    """
    if model.startswith(CUT):
        return model.removeprefix(CUT)
    if PATH.match(model) or ("/" in model and os.path.exists(model)):
        return re.split(r"[/\\]", os.path.abspath(model))[-1]
    return model


def published(model: str) -> str:
    """Return what a file says of a model's name: of a path its last part, and that it was cut."""
    name = without_folders(model)
    return model if name == model else f"{CUT}{name}"


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
class EstimateModel:
    """What opening a model would take, told before it is opened."""

    model: ModelName
    positions: Annotated[
        int | None,
        Says("tokens of a prompt whose patterns are counted; none: 256, or as many as are read"),
    ] = None


@dataclass(frozen=True, eq=False)
class ModelEstimate:
    """Answer to EstimateModel."""

    name: Annotated[str, Says("name of the model")]
    source: Annotated[str, Says("where it comes from")]
    parameters: Annotated[int, Says("numbers in the model")]
    disk: Annotated[int, Says("size of its files", unit="byte")]
    memory: Annotated[int, Says("size of its weights once it is open", unit="byte")]
    peak: Annotated[int, Says("memory that reading it takes at most", unit="byte")]
    patterns: Annotated[int, Says("all patterns of such a prompt", unit="byte")]
    free: Annotated[int, Says("memory that can be had", unit="byte")]
    obstacle: Annotated[str, Says("why it cannot be opened, in a sentence; empty where it can")]
    positions: Annotated[int, Says("tokens of a prompt whose patterns were counted")]
    context: Annotated[int, Says("tokens that it reads at most; 0 where its files do not say")]


@dataclass(frozen=True)
class FindDownload:
    """What downloading a model from the Hugging Face hub would take; this asks the hub."""

    repository: Annotated[str, Says("name on the hub, such as gpt2 or owner/name")]


@dataclass(frozen=True, eq=False)
class DownloadPlan:
    """Answer to FindDownload."""

    repository: Annotated[str, Says("name on the hub")]
    revision: Annotated[str, Says("the commit that would be downloaded")]
    files: Annotated[tuple[str, ...], Says("the files that are needed")]
    sizes: Annotated[IntArray, Says("their sizes", "file", "byte")]
    have: Annotated[int, Says("of these, already on this computer", unit="byte")]
    free: Annotated[int, Says("room on the disk that holds the cache", unit="byte")]


@dataclass(frozen=True)
class DownloadModel:
    """Download a model from the Hugging Face hub into its cache on this computer."""

    repository: Annotated[str, Says("name on the hub, such as gpt2 or owner/name")]


@dataclass(frozen=True, eq=False)
class Downloaded:
    """Answer to DownloadModel."""

    model: Annotated[str, Says("the name that it can be opened by, offline from now on")]
    bytes: Annotated[int, Says("size of its files", unit="byte")]


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
    divisor: Annotated[
        float | None,
        Says(
            "what scores are divided by before the softmax; none where that differs from layer to "
            "layer: every answer that holds scores carries its own"
        ),
    ]
    prepend_bos: Annotated[bool, Says("whether a prompt begins with BOS unless told otherwise")]
    has_bos: Annotated[bool, Says("whether the vocabulary has a BOS token at all")]
    parameters: Annotated[int, Says("numbers in the model")]
    bytes: Annotated[int, Says("size of the weights in memory", unit="byte")]
    example: Annotated[str, Says("a prompt that shows something on this model")]
    weights: Annotated[
        str,
        Says("start of a SHA-256 of the weights; ~ before it: of a sample of very large files"),
    ] = ""
    device: Annotated[str, Says("what runs prompts: cpu, cuda or mps")] = "cpu"
    dtype: Annotated[str, Says("how weights are held and prompts are run")] = "float32"
    notices: Annotated[
        tuple[str, ...], Says("what of the model's files is not used, or may be read otherwise")
    ] = ()
    bos_reason: Annotated[str, Says("why a prompt begins with BOS, or not, by default")] = ""

    @property
    def precision(self) -> str:
        """How and where it runs, as a Placing says it."""
        return f"{self.dtype} on {self.device}"


@dataclass(frozen=True)
class Vocabulary:
    """Every token of a model, for completion."""

    model: ModelName


@dataclass(frozen=True, eq=False)
class VocabularyTokens:
    """Answer to Vocabulary."""

    texts: Annotated[tuple[str, ...], Says("each token as it must be typed; '' where it cannot be")]
    labels: Annotated[tuple[str, ...], Says("each token as it is shown, in the order of ids")]
