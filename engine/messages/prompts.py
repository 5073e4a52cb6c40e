"""A prompt run through a model, and what its heads and layers make of it."""

from dataclasses import dataclass
from typing import Annotated, Any

from engine.messages.terms import (
    Begins,
    BoolArray,
    FloatArray,
    Head,
    IntArray,
    Kind,
    ModelName,
    Position,
    Says,
    Specials,
    TopK,
)

HeadsOff = Annotated[
    tuple[Head, ...], Says("heads whose output is zeroed, such as 0.2,1.3 on the command line")
]


def model_of(request: Any) -> str:
    """Return the name of the model that a request is about, empty for one about no model."""
    run = getattr(request, "run", None)
    return str(getattr(request, "model", "") or getattr(run, "model", ""))


def heads_in_order(heads: tuple[Head, ...]) -> tuple[Head, ...]:
    """Return heads in the order of the model, each once."""
    return tuple(sorted(set(heads)))


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
    heads_off: HeadsOff = ()
    specials: Annotated[
        Specials,
        Says("what a special token typed in the text is read as: that one token, or plain text"),
    ] = "tokens"

    def __post_init__(self) -> None:
        """Put the heads that are off in order, so that equal questions are equal."""
        object.__setattr__(self, "heads_off", heads_in_order(self.heads_off))


@dataclass(frozen=True, eq=False)
class Run:
    """Answer to RunPrompt."""

    ids: Annotated[IntArray, Says("token ids of the prompt", "position")]
    labels: Annotated[tuple[str, ...], Says("the tokens as shown")]
    prepended_bos: Annotated[
        bool,
        Says(
            "whether the first token is a BOS put there by us; none is where the text has its own"
        ),
    ]
    next_ids: Annotated[IntArray, Says("most probable next tokens", "k")]
    next_labels: Annotated[tuple[str, ...], Says("the same as shown")]
    next_log_probs: Annotated[FloatArray, Says("their log-probabilities", "k", "nat")]
    loss: Annotated[
        FloatArray, Says("loss[i] is that of token i + 1 given those before", "position - 1", "nat")
    ]
    special: Annotated[BoolArray, Says("true where a token is special, such as BOS", "position")]
    begins_with_bos: Annotated[bool, Says("whether the first token is BOS, ours or the text's")]
    typed_specials: Annotated[
        int, Says("special tokens that the text holds, read as such or as plain text")
    ]
    spelt: Annotated[
        str | None,
        Says(
            "what the tokens spell where that is not the text as typed: a tokenizer may change "
            "letters, drop spaces or put one first; none where it is the text"
        ),
    ]


@dataclass(frozen=True)
class Attention:
    """Where every head of a layer looks on a prompt."""

    run: RunPrompt
    layer: Annotated[int, Says("layer, counted from 0")]
    kind: Annotated[
        Kind,
        Says(
            "pattern after softmax, scores before it, or pattern times the norm of what a source "
            "hands on, (x W_V + b_V) W_O"
        ),
    ] = "pattern"


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
    cap: Annotated[
        float | None,
        Says(
            "c where the model takes c tanh(score / c) before its softmax: scores on a prompt are "
            "those after it, scores by weights alone (QKTokens) those before it; else none"
        ),
    ] = None


@dataclass(frozen=True)
class Thumbnails:
    """The patterns of all heads at once, max-pooled so that a one-token stripe survives."""

    run: RunPrompt
    size: Annotated[int, Says("rows and columns at most")] = 64


@dataclass(frozen=True, eq=False)
class ThumbnailPatterns:
    """Answer to Thumbnails."""

    labels: Annotated[tuple[str, ...], Says("the tokens as shown, one a position")]
    values: Annotated[
        FloatArray,
        Says(
            "max-pooled patterns; not a number (null in JSON) where masked",
            "layer head row column",
            "1",
        ),
    ]
    mask: Annotated[
        BoolArray,
        Says(
            "true where any query of the cell may look at any of its keys: neither in the future "
            "nor beyond the layer's window",
            "layer row column",
        ),
    ]
    block: Annotated[int, Says("positions that one row stands for")]


@dataclass(frozen=True)
class DestinationRow:
    """Where every head of the model looks from one position of a prompt."""

    run: RunPrompt
    position: Position = -1


@dataclass(frozen=True, eq=False)
class HeadRows:
    """Answer to DestinationRow."""

    heads: Annotated[tuple[Head, ...], Says("every head of the model")]
    values: Annotated[
        FloatArray,
        Says(
            "its attention from the position; not a number (null in JSON) beyond a layer's window",
            "head source",
            "1",
        ),
    ]
    source_labels: Annotated[tuple[str, ...], Says("the tokens up to the position, as shown")]
    position: Annotated[int, Says("the position, counted from 0")]
    induction: Annotated[FloatArray, Says("induction score on repeated random tokens", "head", "1")]
    previous_token: Annotated[FloatArray, Says("previous-token score on the same", "head", "1")]
    begins: Begins = None


@dataclass(frozen=True)
class LogitLens:
    """What the model would say next after each layer, at every position of a prompt."""

    run: RunPrompt
    k: TopK = 10


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
