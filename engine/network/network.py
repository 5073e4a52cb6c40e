"""The weights of an open model: a TransformerBridge, and what it does not say of its parts."""

import inspect
import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from engine.messages import Head, Refused
from engine.network.device import to_cpu_float32, to_like
from engine.network.folding import HeadWeights, Norm, centred, normalised, root_mean_square
from engine.network.rotation import Rotation
from engine.network.tokens import Tokens

NormKind = Literal["none", "LayerNorm without parameters", "LayerNorm", "RMSNorm"]
Positions = Literal["none", "learned", "rotary", "ALiBi"]

ROWS = 2**13
"""Of W_U that are in single precision at a time."""


NO_BOS = "the vocabulary has no BOS token"
"""Why no prompt begins with one."""


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A TransformerBridge and what is known of its parts.

    Attributes
    ----------
    norm, eps
        What each layer and the unembedding read through.
    layer_norms, final_norm
        Its own weights before each layer's heads, and before the unembedding.
    embed_scale
        What embeddings are multiplied by as they enter the stream.
    embed_norm
        The layer norm that they go through before that, where there is one.
    W_pos
        [n_ctx, d_model]; zeros where positions are not learned.
    divisors
        What q . k is divided by in each layer.
    rotations
        How each layer turns queries and keys; `None` where it does not.
    slopes
        What each head takes off a score for each position between query and key: ALiBi, "Train
        Short, Test Long" (Press et al., 2022).
    windows
        How many positions a query of each layer sees, its own among them; `None`: all.
    chunks
        In parts of how many positions each layer's queries see only their own part; `None`: all.
    score_cap, logit_cap
        c where scores or logits go through c tanh(x / c); `None` where they do not.
    logit_scale
        What logits are multiplied by; `final_norm` holds it too.
    output_norms
        What multiplies what a layer's heads write; that they are normalised first is for each run.
    mlp_factor
        What multiplies what an MLP writes.
    mlp_is_parallel
        Whether an MLP reads what the heads beside it read; `None` where it reads neither that nor
        the stream after them.
    unlike_weights
        Why scores do not follow from folded weights and an offset; empty where they do.
    own_scores
        Whether the bridge's scores are what its softmax takes (where an adapter hands on
        patterns instead, attention is transformers' own, and they cannot be changed).
    notices
        What of the model's files is not used, or may be read otherwise.
    bos_reason
        Why a prompt begins with BOS, or not, unless told otherwise.
    """

    bridge: Any
    tokens: Tokens
    prepend_bos: bool
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_model: int
    d_head: int
    d_vocab: int
    d_mlp: int
    n_ctx: int
    parameters: int
    divisors: tuple[float, ...]
    norm: NormKind
    eps: float
    layer_norms: tuple[Norm, ...]
    final_norm: Norm
    position_kind: Positions
    W_pos: Float[Tensor, "n_ctx d_model"]
    embed_scale: float = 1.0
    embed_norm: Norm | None = None
    rotations: tuple[Rotation | None, ...] = ()
    slopes: Float[Tensor, " head"] | None = None
    windows: tuple[int | None, ...] = ()
    chunks: tuple[int | None, ...] = ()
    score_cap: float | None = None
    logit_cap: float | None = None
    logit_scale: float = 1.0
    output_norms: tuple[Norm, ...] = ()
    mlp_factor: float = 1.0
    mlp_is_parallel: bool | None = False
    unlike_weights: str = ""
    own_scores: bool = False
    notices: tuple[str, ...] = ()
    bos_reason: str = ""

    def __post_init__(self) -> None:
        """Refuse what a norm cannot divide by."""
        if not 0 <= self.eps < math.inf:
            raise Refused(
                f"the model is not opened: its config gives its norms an eps of {self.eps:g}, and "
                "it must be a number from 0 up"
            )

    @property
    def dtype(self) -> torch.dtype:
        """How weights are held, and prompts run."""
        held: torch.dtype = self.bridge.embed.W_E.dtype
        return held

    @property
    def normalized(self) -> bool:
        """Whether layers read the stream through a norm."""
        return self.norm != "none"

    @property
    def centring(self) -> bool:
        """Whether that norm takes the mean off first."""
        return self.norm not in ("none", "RMSNorm")

    def read(self, streams: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows d_model"]:
        """Return what a layer's heads read of residual streams: the streams after its norm.

        The norm's own gain and bias are in the folded weights.
        """
        if self.centring:
            return normalised(streams, self.eps)
        return streams / self.scale(streams)[..., None] if self.normalized else streams

    def scale(self, streams: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows"]:
        """Return what a norm divides streams by; 1 without a norm."""
        if not self.normalized:
            return torch.ones(streams.shape[:-1])
        if not self.centring:
            return root_mean_square(streams, self.eps)
        return (streams.var(-1, correction=0) + self.eps).sqrt()

    def embeddings(self, part: slice | list[int]) -> Float[Tensor, "part d_model"]:
        """Return rows of W_E as stored."""
        return to_cpu_float32(self.bridge.embed.W_E[part])

    def positions(self, length: int) -> Float[Tensor, "position d_model"]:
        """Return what enters the stream for each position: rows of W_pos."""
        return to_cpu_float32(self.W_pos[:length])

    def unembedded(self, read: Float[Tensor, " d_model"]) -> Float[Tensor, " d_vocab"]:
        """Return W_U and b_U applied to what the unembedding reads, in single precision."""
        rows = self.bridge.unembed.W_U.T
        starts = range(0, len(rows), ROWS)
        made = torch.cat([to_cpu_float32(rows[start : start + ROWS]) @ read for start in starts])
        return made + to_cpu_float32(self.bridge.unembed.b_U)

    @property
    def learned_positions(self) -> bool:
        """Whether positions enter the stream as rows of a learned table."""
        return self.position_kind == "learned"

    @property
    def has_one_qk(self) -> bool:
        """Whether one W_QK gives the scores of any two positions, whatever their distance."""
        turns = any(rotation is not None for rotation in self.rotations)
        return not (self.unlike_weights or turns or self.slopes is not None or self.score_cap)

    @property
    def holds_patterns(self) -> bool:
        """Whether a pattern that is changed on its way changes what follows."""
        return self.own_scores or self.d_mlp == 0

    @property
    def scores_follow(self) -> bool:
        """Whether scores follow from the weights and a distance."""
        return not self.unlike_weights

    @property
    def normalises_outputs(self) -> bool:
        """Whether a norm follows a layer's heads, so that what one adds depends on the others."""
        return any(hasattr(block, "ln1_post") for block in self.bridge.blocks)

    @property
    def normalises_embeddings(self) -> bool:
        """Whether embeddings go through a norm before they enter the stream."""
        return self.embed_norm is not None

    @property
    def one_divisor(self) -> float | None:
        """What every layer divides q . k by; `None` where they differ."""
        return self.divisors[0] if len({*self.divisors}) == 1 else None

    def divisor(self, layer: int) -> float:
        """Return what q . k is divided by in a layer."""
        return self.divisors[layer]

    def kv_head(self, number: int) -> int:
        """Return which key/value head a query head reads with."""
        return number * self.n_kv_heads // self.n_heads

    def rotation(self, layer: int) -> Rotation | None:
        """Return how positions turn a layer's queries and keys; `None` where they do not."""
        return self.rotations[layer] if self.rotations else None

    def turned_length(self, layer: int, offset: int, length: int | None = None) -> int | None:
        """Return the prompt length whose rotation is meant; `None` where all lengths turn alike."""
        rotation = self.rotation(layer)
        if rotation is None or rotation.steady is None:
            return None
        return length or rotation.length(offset)

    def slope(self, head: Head) -> float:
        """Return what a position of distance takes off a head's scores (ALiBi), 0 without."""
        return 0.0 if self.slopes is None else float(self.slopes[head.number])

    def window_and_chunk(self, layer: int) -> tuple[int | None, int | None]:
        """Return a layer's window and chunk; `None` where it has none."""
        return (
            self.windows[layer] if self.windows else None,
            self.chunks[layer] if self.chunks else None,
        )

    def attention_mask(
        self, layer: int, length: int, last: int | None = None
    ) -> Bool[Tensor, "query key"]:
        """Return True where a query may not look: the future, and beyond window or chunk.

        Parameters
        ----------
        layer, length : int
            The layer, and the tokens of the prompt.
        last : int, optional
            How many of the last queries are asked for; all by default.
        """
        window, chunk = self.window_and_chunk(layer)
        places = torch.arange(length)
        queries = places[length - (last or length) :, None]
        masked = queries < places
        if window is not None:
            masked |= queries - places >= window
        if chunk is not None:
            masked |= queries // chunk != places // chunk
        return masked

    def scores_of(
        self,
        queries: Float[Tensor, "head position d_head"],
        keys: Float[Tensor, "kv_head position d_head"],
        only: int | None = None,
    ) -> Float[Tensor, "head query key"]:
        """Return what the softmax takes, of queries and keys turned and divided already.

        Parameters
        ----------
        queries, keys : Tensor
            Of all heads of a layer, or of one.
        only : int, optional
            Which head, where it is one.
        """
        scores = queries @ keys.repeat_interleave(len(queries) // len(keys), 0).mT
        if self.slopes is not None:
            slopes = self.slopes if only is None else self.slopes[only : only + 1]
            places = torch.arange(scores.shape[-1])
            scores = scores - slopes[:, None, None] * (places[:, None] - places)
        return self.capped_scores(scores)

    def capped_scores(self, scores: Float[Tensor, "*rows"]) -> Float[Tensor, "*rows"]:
        """Return scores after the model's cap, where it has one."""
        return _capped(scores, self.score_cap)

    def capped(self, logits: Float[Tensor, "*rows"]) -> Float[Tensor, "*rows"]:
        """Return logits after the model's cap, where it has one."""
        return _capped(logits, self.logit_cap)

    def scaled(self, logits: Float[Tensor, "*rows d_vocab"]) -> Float[Tensor, "*rows d_vocab"]:
        """Return logits times what the model multiplies them by, before its cap."""
        return self.logit_scale * logits

    def finished(self, logits: Float[Tensor, "*rows d_vocab"]) -> Float[Tensor, "*rows d_vocab"]:
        """Return what a model says of the stream times W_U and b_U: scaled, capped."""
        return self.capped(self.scaled(logits))

    def normed(
        self, layer: int, streams: Float[Tensor, "rows d_model"]
    ) -> Float[Tensor, "rows d_model"]:
        """Return streams through the model's own norm before a layer's heads, less its bias."""
        if not self.normalized:
            return streams
        with_empty = torch.cat([streams, torch.zeros_like(streams[:1])])
        read = self.bridge.blocks[layer].ln1(to_like(with_empty[None], self.bridge.embed.W_E))
        made = to_cpu_float32(read[0])
        return made[:-1] - made[-1]

    def norm_bias(self, layer: int) -> Float[Tensor, " d_model"]:
        """Return what the norm before a layer's heads adds; zeros where it adds nothing."""
        bias = self.layer_norms[layer].bias
        return torch.zeros(self.d_model) if bias is None else bias

    def written_bias(self, layer: int) -> Float[Tensor, " d_model"]:
        """Return what a layer adds to every stream besides its heads: b_O.

        A norm after the heads divides it too, by what is the run's.
        """
        written = self.output_bias(layer)
        return centred(written) if self.centring else written

    def stacked_output(
        self, layer: int
    ) -> tuple[Float[Tensor, "stacked d_model"], Float[Tensor, " d_model"]]:
        """Return a layer's W_O, its heads' one below the other, and its b_O.

        Unfolded, but for what a norm after the heads multiplies by.
        """
        W_O = to_cpu_float32(self.bridge.blocks[layer].attn.W_O).flatten(0, 1)
        gain = self.written_gain(layer)
        return W_O if gain is None else W_O * gain, self.output_bias(layer)

    def written_gain(self, layer: int) -> Float[Tensor, " d_model"] | None:
        """Return what multiplies each entry that a layer's heads write, once it is normalised."""
        return self.output_norms[layer].gain if self.output_norms else None

    def mlp_output(
        self, layer: int, streams: Float[Tensor, "rows d_model"]
    ) -> Float[Tensor, "rows d_model"]:
        """Return what a layer's MLP adds to streams that it reads through its norms."""
        block = self.bridge.blocks[layer]
        before = block.ln2 if hasattr(block, "ln2") else block.ln1
        given = to_like(streams[None], next(block.parameters()))
        written = _through(block, before(given))
        if hasattr(block, "ln2_post"):
            written = block.ln2_post(written)
        found: Tensor = self.mlp_factor * to_cpu_float32(written[0])
        return found

    def raw(self, layer: int, number: int) -> HeadWeights:
        """Return the weights of one head as stored, but for W_O, which holds what follows it."""
        attention = self.bridge.blocks[layer].attn
        kv, gain = self.kv_head(number), self.written_gain(layer)
        W_O = to_cpu_float32(attention.W_O[number])
        return HeadWeights(
            W_Q=to_cpu_float32(attention.W_Q[number]),
            W_K=to_cpu_float32(attention.W_K[kv]),
            W_V=to_cpu_float32(attention.W_V[kv]),
            W_O=W_O if gain is None else W_O * gain,
            b_Q=self.biases(layer, "Q")[number],
            b_K=self.biases(layer, "K")[kv],
            b_V=self.biases(layer, "V")[kv],
        )

    def biases(self, layer: int, name: Literal["Q", "K", "V"]) -> Float[Tensor, "head d_head"]:
        """Return b_Q of each head, or b_K or b_V of each key/value head; zeros without biases."""
        bias: Tensor | None = getattr(self.bridge.blocks[layer].attn, f"b_{name}")
        heads = self.n_heads if name == "Q" else self.n_kv_heads
        return torch.zeros(heads, self.d_head) if bias is None else to_cpu_float32(bias)

    def output_bias(self, layer: int) -> Float[Tensor, " d_model"]:
        """Return a layer's b_O, times what follows it; zeros without one."""
        bias: Tensor | None = self.bridge.blocks[layer].attn.b_O
        if bias is None:
            return torch.zeros(self.d_model)
        bias, gain = to_cpu_float32(bias), self.written_gain(layer)
        return bias if gain is None else bias * gain


def _capped(numbers: Float[Tensor, "*rows"], cap: float | None) -> Float[Tensor, "*rows"]:
    """Return c tanh(x / c), as Gemma 2 caps scores and logits; x without a cap."""
    return cap * (numbers / cap).tanh() if cap else numbers


def _through(block: Any, read: Float[Tensor, "1 rows d_model"]) -> Float[Tensor, "1 rows d_model"]:
    """Return what a block's MLP makes of what its norm hands it."""
    inner = block.mlp.original_component
    written: Any
    if block.mlp.name is None:  # OPT's two layers lie in the block itself
        layers = dict(block.mlp.named_children())
        written = layers["out"](block.original_component.activation_fn(layers["in"](read)))
    elif "residual" in inspect.signature(inner.forward).parameters:  # Bloom's adds the stream
        written = block.mlp(read, torch.zeros_like(read))
    else:
        written = block.mlp(read)
    found: Tensor = written[0] if isinstance(written, tuple) else written  # after it, a router's
    return found.reshape(read.shape)  # OPT's lays out its rows as those of its last run
