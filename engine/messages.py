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
Contrast = Literal["mean", "none"]
CompositionKind = Literal["q", "k", "v"]
Split = Literal["heads", "sources"]


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


HeadName = Annotated[Head, Says("layer.head")]
Circuit = Annotated[CircuitName, Says("ov or qk")]
Way = Annotated[
    Direction_,
    Says(
        "output: the token is read, the list is raised; source: the list is read, the "
        "token is raised"
    ),
]
ModelName = Annotated[str, Says("name of the model, one of `headscope models`")]
Token = Annotated[int | str, Says("one token: its text, or its id (as text `#id`)")]
TopK = Annotated[int, Says("how many tokens to list at each end")]
Offset = Annotated[int, Says("query position minus key position, for rotary models")]
Position = Annotated[int, Says("position in the prompt; negative: from the end")]
Target = Annotated[
    Token | None, Says("the token asked about; none: the model's first guess after the position")
]


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
    head: HeadName
    token: Annotated[Token | None, Says("the token asked about; with source position: none")] = None
    direction: Way = "output"
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
    head: HeadName
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
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0
    dense: Annotated[bool, Says("also measure the d_model x d_model matrix itself")] = False


@dataclass(frozen=True)
class Direction:
    """The tokens at both ends of one singular direction."""

    model: ModelName
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0
    index: Annotated[int, Says("which singular value, counted from 0")] = 0
    k: TopK = 10


@dataclass(frozen=True)
class Table:
    """A head's whole token table, for vocabularies of at most 64 tokens."""

    model: ModelName
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0


@dataclass(frozen=True)
class DirectPath:
    """What the embedding of a token raises and lowers by itself: the bigram table W_E W_U."""

    model: ModelName
    token: Annotated[Token, Says("the token asked about")]
    direction: Way = "output"
    k: TopK = 10


@dataclass(frozen=True)
class HeadOutput:
    """What one head adds to the logits at a position of a prompt."""

    run: RunPrompt
    head: HeadName
    position: Position = -1
    target: Target = None
    k: TopK = 10


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


@dataclass(frozen=True)
class VirtualHead:
    """Two heads in a row as one: what the later one moves of what the earlier one moved."""

    run: RunPrompt
    earlier: Annotated[Head, Says("the head that writes, layer.head")]
    later: Annotated[Head, Says("the head of a later layer that reads it, layer.head")]
    token: Annotated[Token, Says("the token that the pair reads")]
    k: TopK = 10


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


@dataclass(frozen=True)
class Eigenvalues:
    """Eigenvalues of a head's full circuit, from tokens to tokens."""

    model: ModelName
    head: HeadName
    circuit: Circuit = "ov"
    offset: Offset = 0


@dataclass(frozen=True)
class DestinationRow:
    """Where every head of the model looks from one position of a prompt."""

    run: RunPrompt
    position: Position = -1


@dataclass(frozen=True)
class LogitLens:
    """What the model would say next after each layer, at every position of a prompt."""

    run: RunPrompt
    k: TopK = 10


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
    """Answer to OVTokens and to DirectPath."""

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
class OutputRanking:
    """Answer to HeadOutput; b_O and the final norm's scale are left out."""

    ids: Annotated[IntArray, Says("most raised first", "k")]
    labels: Annotated[tuple[str, ...], Says("the same as shown")]
    values: Annotated[FloatArray, Says("their values", "k", "logit times final_scale")]
    bottom_ids: Annotated[IntArray, Says("most lowered first", "k")]
    bottom_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    bottom_values: Annotated[FloatArray, Says("their values", "k", "logit times final_scale")]
    target_id: Annotated[int, Says("the target's id")]
    target_label: Annotated[str, Says("the same as shown")]
    rank: Annotated[int, Says("1 + how many tokens have a strictly larger value than the target")]
    value: Annotated[float, Says("the target's value", unit="logit times final_scale")]
    by_source: Annotated[
        FloatArray,
        Says("what each position gives to it; they sum to it", "source", "logit times final_scale"),
    ]
    source_labels: Annotated[tuple[str, ...], Says("the tokens up to the position, as shown")]
    position: Annotated[int, Says("the position, counted from 0")]
    d_vocab: Annotated[int, Says("tokens ranked")]
    final_scale: Annotated[float, Says("what the final norm divides by there; 1 without a norm")]


@dataclass(frozen=True, eq=False)
class LogitParts:
    """Answer to LogitAttribution; the final norm's scale is frozen at the run's."""

    labels: Annotated[tuple[str, ...], Says("embedding, positions, each head (and source), biases")]
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


@dataclass(frozen=True, eq=False)
class VirtualHeadParts:
    """Answer to VirtualHead."""

    source_labels: Annotated[tuple[str, ...], Says("the prompt's tokens as shown")]
    product: Annotated[FloatArray, Says("A_later A_earlier: rows sum to 1", "query source", "1")]
    exact: Annotated[
        FloatArray | None,
        Says(
            "A_later diag(1/s) A_earlier, s the scale of the later layer's norm; none without "
            "a norm, where the product is exact",
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
    rank: Annotated[int, Says("1 + how many tokens have a strictly larger value than it")]
    value: Annotated[float, Says("the token's own value", unit="logit")]
    d_vocab: Annotated[int, Says("tokens ranked")]
    eigenvalue_copying: Annotated[
        float, Says("sum of the product OV's eigenvalues over the sum of their magnitudes")
    ]
    singular_values: Annotated[
        FloatArray, Says("of the virtual weight W_O W_V, largest first", "d_head")
    ]
    share: Annotated[
        float, Says("share of the later head's value input that the earlier one wrote")
    ]
    shares: Annotated[FloatArray, Says("the same at each query", "query", "1")]


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


@dataclass(frozen=True, eq=False)
class ComplexValues:
    """Answer to Eigenvalues; scores are not divided."""

    real: Annotated[FloatArray, Says("real parts, largest magnitude first", "d_head")]
    imag: Annotated[FloatArray, Says("imaginary parts", "d_head")]
    positivity: Annotated[
        float,
        Says("their sum over the sum of their magnitudes (ov: copying); none if all are 0"),
    ]


@dataclass(frozen=True, eq=False)
class HeadRows:
    """Answer to DestinationRow."""

    heads: Annotated[tuple[Head, ...], Says("every head of the model")]
    values: Annotated[FloatArray, Says("its attention from the position", "head source", "1")]
    source_labels: Annotated[tuple[str, ...], Says("the tokens up to the position, as shown")]
    position: Annotated[int, Says("the position, counted from 0")]
    induction: Annotated[FloatArray, Says("induction score on repeated random tokens", "head", "1")]
    previous_token: Annotated[FloatArray, Says("previous-token score on the same", "head", "1")]


@dataclass(frozen=True, eq=False)
class LayerGuesses:
    """Answer to LogitLens; the final norm is computed anew for each stage."""

    stages: Annotated[tuple[str, ...], Says("embedding, then each layer")]
    source_labels: Annotated[tuple[str, ...], Says("the prompt's tokens as shown")]
    ids: Annotated[IntArray, Says("most probable next tokens", "stage position k")]
    labels: Annotated[
        tuple[tuple[tuple[str, ...], ...], ...], Says("the same as shown, nested alike")
    ]
    log_probs: Annotated[FloatArray, Says("their log-probabilities", "stage position k", "nat")]


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
    | DirectPath
    | HeadOutput
    | LogitAttribution
    | VirtualHead
    | Composition
    | Eigenvalues
    | DestinationRow
    | LogitLens
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
    | OutputRanking
    | LogitParts
    | VirtualHeadParts
    | CompositionScores
    | ComplexValues
    | HeadRows
    | LayerGuesses
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
    "direct-path": DirectPath,
    "head-output": HeadOutput,
    "logit-attribution": LogitAttribution,
    "virtual-head": VirtualHead,
    "composition": Composition,
    "eigenvalues": Eigenvalues,
    "destination-row": DestinationRow,
    "logit-lens": LogitLens,
    "head-grid": HeadGrid,
}
