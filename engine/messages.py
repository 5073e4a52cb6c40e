"""Every question Headscope can be asked, and every answer it gives.

Requests are frozen, hashable dataclasses of plain values: the same object is message, cache key,
staleness ticket, command line and figure caption. Results are frozen dataclasses of read-only
numpy arrays and plain values. Nothing in here computes, and importing it imports no torch.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating]
IntArray = npt.NDArray[np.integer]
BoolArray = npt.NDArray[np.bool_]

Kind = Literal["pattern", "scores", "value-weighted"]
Direction_ = Literal["output", "source"]
Side = Literal["query", "key"]
Source = Literal["token", "token+mlp0", "position"]
CircuitName = Literal["ov", "qk"]


class Refused(Exception):
    """A question that cannot be answered; the message is one sentence for the user."""


class Says(NamedTuple):
    """What a field means, for `--help` and docs/answers.md: text, array shape, unit."""

    text: str
    shape: str = ""
    unit: str = ""


class Head(NamedTuple):
    """A head's place in its model; `0.3` on the command line, `L0H3` in the window."""

    layer: int
    number: int

    def __str__(self) -> str:
        return f"{self.layer}.{self.number}"

    @property
    def name(self) -> str:
        """The head as the window writes it, `L0H3`."""
        return f"L{self.layer}H{self.number}"

    @classmethod
    def parse(cls, text: str) -> "Head":
        """Read `0.3` or `L0H3`.

        Raises
        ------
        Refused
            If the text is neither.
        """
        layer, dot, number = text.strip().upper().removeprefix("L").replace("H", ".").partition(".")
        if not (dot and layer.isdecimal() and number.isdecimal()):
            raise Refused(f"{text!r} is not a head: write layer.head, for example 0.3")
        return cls(int(layer), int(number))


ModelName = Annotated[str, Says("name of the model, one of `headscope models`")]
Token = Annotated[int | str, Says("one token: its text, or its id (as text `#id`)")]
TopK = Annotated[int, Says("how many tokens to list at each end")]
Offset = Annotated[int, Says("query position minus key position, for rotary models")]


@dataclass(frozen=True)
class ListModels:
    """Which models can be opened."""


@dataclass(frozen=True)
class LoadModel:
    """Open a model and describe it."""

    model: ModelName


@dataclass(frozen=True)
class Vocabulary:
    """Every token of a model, for completion."""

    model: ModelName


@dataclass(frozen=True)
class RunPrompt:
    """Run a text through a model."""

    model: ModelName
    text: Annotated[str, Says("the prompt")]
    prepend_bos: Annotated[
        bool | None,
        Says("put the beginning-of-sequence token first; none: as the model is used to"),
    ] = None
    k: TopK = 10


@dataclass(frozen=True)
class Attention:
    """Where every head of a layer looks on a prompt."""

    run: RunPrompt
    layer: Annotated[int, Says("layer, counted from 0")]
    kind: Annotated[
        Kind,
        Says("pattern after softmax, scores before it, or pattern times the moved vector's norm"),
    ] = "pattern"


@dataclass(frozen=True)
class Thumbnails:
    """The patterns of all heads at once, max-pooled so that a one-token stripe survives."""

    run: RunPrompt
    size: Annotated[int, Says("rows and columns at most")] = 64


@dataclass(frozen=True)
class OVTokens:
    """What a head raises and lowers when it reads a token, or which tokens raise one."""

    model: ModelName
    head: Annotated[Head, Says("layer.head")]
    token: Annotated[Token | None, Says("the token asked about; with source position: none")] = None
    direction: Annotated[
        Direction_,
        Says(
            "output: the token is read, the list is raised; source: the list is read, the "
            "token is raised"
        ),
    ] = "output"
    source: Annotated[Source, Says("what stands for a token that is read")] = "token"
    k: TopK = 10
    run: Annotated[RunPrompt | None, Says("the prompt, with source position")] = None
    position: Annotated[
        int | None, Says("position in the prompt, with source position; negative: from the end")
    ] = None


@dataclass(frozen=True)
class QKTokens:
    """Which keys a query token looks for, or which queries look for a key token."""

    model: ModelName
    head: Annotated[Head, Says("layer.head")]
    token: Annotated[Token | None, Says("the token asked about; with source position: none")] = None
    side: Annotated[
        Side,
        Says("query: the token is the query, the list are keys; key: the reverse"),
    ] = "query"
    source: Annotated[Source, Says("what stands for the token asked about")] = "token"
    k: TopK = 10
    run: Annotated[RunPrompt | None, Says("the prompt, with source position")] = None
    position: Annotated[
        int | None, Says("position in the prompt, with source position; negative: from the end")
    ] = None
    offset: Offset = 0
    biases: Annotated[bool, Says("add b_Q and b_K")] = False


@dataclass(frozen=True)
class Spectrum:
    """Singular values of a head's circuit."""

    model: ModelName
    head: Annotated[Head, Says("layer.head")]
    circuit: Annotated[CircuitName, Says("ov or qk")] = "ov"
    offset: Offset = 0
    dense: Annotated[bool, Says("also measure the d_model x d_model matrix itself")] = False


@dataclass(frozen=True)
class Direction:
    """The tokens at both ends of one singular direction."""

    model: ModelName
    head: Annotated[Head, Says("layer.head")]
    circuit: Annotated[CircuitName, Says("ov or qk")] = "ov"
    offset: Offset = 0
    index: Annotated[int, Says("which singular value, counted from 0")] = 0
    k: TopK = 10


@dataclass(frozen=True)
class Table:
    """A head's whole token table, for vocabularies of at most 64 tokens."""

    model: ModelName
    head: Annotated[Head, Says("layer.head")]
    circuit: Annotated[CircuitName, Says("ov or qk")] = "ov"
    offset: Offset = 0


@dataclass(frozen=True)
class HeadGrid:
    """Scores of every head on seeded repeated random tokens."""

    model: ModelName
    seed: Annotated[int, Says("seed of the random tokens")] = 0
    sequences: Annotated[int, Says("how many random sequences")] = 8


class ModelEntry(NamedTuple):
    """One line of the list of models: name, where it comes from, a sentence about it."""

    name: str
    source: str
    about: str


@dataclass(frozen=True, eq=False)
class ModelList:
    """Answer to ListModels."""

    models: Annotated[tuple[ModelEntry, ...], Says("name, source and a sentence for each")]


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
    positions: Annotated[str, Says("none, learned or rotary")]
    norm: Annotated[str, Says("none, LayerNorm, LayerNorm without parameters, RMSNorm")]
    folded: Annotated[tuple[str, ...], Says("what was folded into the weights that are read")]
    divisor: Annotated[float, Says("what scores are divided by before the softmax")]
    prepend_bos: Annotated[bool, Says("whether a prompt begins with BOS unless told otherwise")]
    has_bos: Annotated[bool, Says("whether the vocabulary has a BOS token at all")]
    parameters: Annotated[int, Says("numbers in the model")]
    bytes: Annotated[int, Says("size of the weights in memory", unit="byte")]
    example: Annotated[str, Says("a prompt that shows something on this model")]


@dataclass(frozen=True, eq=False)
class VocabularyTokens:
    """Answer to Vocabulary."""

    texts: Annotated[tuple[str, ...], Says("each token as it must be typed; '' where it cannot be")]
    labels: Annotated[tuple[str, ...], Says("each token as it is shown, in the order of ids")]


@dataclass(frozen=True, eq=False)
class Run:
    """Answer to RunPrompt."""

    ids: Annotated[IntArray, Says("token ids of the prompt", "position")]
    labels: Annotated[tuple[str, ...], Says("the tokens as shown")]
    prepended_bos: Annotated[bool, Says("whether the first token is a BOS put there by us")]
    next_ids: Annotated[IntArray, Says("most probable next tokens", "k")]
    next_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    next_log_probs: Annotated[FloatArray, Says("their log-probabilities", "k", "nat")]
    loss: Annotated[
        FloatArray, Says("loss[i] is that of token i + 1 given those before", "position - 1", "nat")
    ]


@dataclass(frozen=True, eq=False)
class Patterns:
    """Answer to Attention."""

    labels: Annotated[tuple[str, ...], Says("the tokens as shown, one a position")]
    values: Annotated[
        FloatArray,
        Says(
            "0 where masked; in scores not a number (null in JSON)",
            "head query key",
            "pattern: 1; scores: after division; value-weighted: norm of the stream",
        ),
    ]
    mask: Annotated[BoolArray, Says("true where a query may look", "query key")]
    divisor: Annotated[float, Says("what q . k was divided by")]


@dataclass(frozen=True, eq=False)
class ThumbnailPatterns:
    """Answer to Thumbnails."""

    labels: Annotated[tuple[str, ...], Says("the tokens as shown, one a position")]
    values: Annotated[FloatArray, Says("max-pooled patterns", "layer head row column", "1")]
    mask: Annotated[BoolArray, Says("true where any query of the cell may look", "row column")]
    block: Annotated[int, Says("positions that one row stands for")]


@dataclass(frozen=True, eq=False)
class TokenRanking:
    """Answer to OVTokens."""

    ids: Annotated[IntArray, Says("strongest first", "k")]
    labels: Annotated[tuple[str, ...], Says("the same as shown")]
    values: Annotated[FloatArray, Says("their values", "k", "logit, or score after division")]
    bottom_ids: Annotated[IntArray, Says("most negative first", "k")]
    bottom_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    bottom_values: Annotated[FloatArray, Says("their values", "k", "logit, or score")]
    token_id: Annotated[int, Says("the token asked about (or the one at the position)")]
    token_label: Annotated[str, Says("the same as shown")]
    rank: Annotated[int, Says("1 + how many tokens have a strictly larger value than it")]
    value: Annotated[float, Says("the token's own value", unit="logit, or score after division")]
    median: Annotated[float, Says("median over the vocabulary", unit="logit, or score")]
    d_vocab: Annotated[int, Says("tokens ranked")]
    source: Annotated[str, Says("source vector used for the token asked about")]
    vocabulary_source: Annotated[str, Says("source vector (or unembedding) used for the list")]


@dataclass(frozen=True, eq=False)
class ScoreRanking(TokenRanking):
    """Answer to QKTokens."""

    divisor: Annotated[float, Says("what q . k was divided by")]


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


@dataclass(frozen=True, eq=False)
class HeadGridScores:
    """Answer to HeadGrid; means go over the rows where a measure is defined."""

    induction: Annotated[
        FloatArray, Says("attention to the token after the first occurrence", "layer head", "1")
    ]
    previous_token: Annotated[FloatArray, Says("attention one position back", "layer head", "1")]
    first_token: Annotated[FloatArray, Says("attention to the first position", "layer head", "1")]
    length: Annotated[int, Says("random tokens before they repeat")]


Request = (
    ListModels
    | LoadModel
    | Vocabulary
    | RunPrompt
    | Attention
    | Thumbnails
    | OVTokens
    | QKTokens
    | Spectrum
    | Direction
    | Table
    | HeadGrid
)
Result = (
    ModelList
    | ModelFacts
    | VocabularyTokens
    | Run
    | Patterns
    | ThumbnailPatterns
    | TokenRanking
    | ScoreRanking
    | SingularValues
    | OVDirection
    | QKDirection
    | TokenTable
    | HeadGridScores
)

QUESTIONS: dict[str, type[Request]] = {
    "list-models": ListModels,
    "load-model": LoadModel,
    "vocabulary": Vocabulary,
    "run-prompt": RunPrompt,
    "attention": Attention,
    "thumbnails": Thumbnails,
    "ov-tokens": OVTokens,
    "qk-tokens": QKTokens,
    "spectrum": Spectrum,
    "direction": Direction,
    "table": Table,
    "head-grid": HeadGrid,
}
