"""What was built from a checkpoint: a bridge that runs, and what a bridge does not say of it."""

import inspect
import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float
from tokenizers import Tokenizer
from torch import Tensor

from engine.messages import Refused
from engine.network.device import to_cpu_float32, to_like
from engine.network.folding import HeadWeights, Norm, normalised, root_mean_square
from engine.network.rotation import Rotation

NormKind = Literal["none", "LayerNorm without parameters", "LayerNorm", "RMSNorm"]
Positions = Literal["none", "learned", "rotary", "ALiBi"]

ROWS = 2**13
"""Of W_U that are in single precision at a time."""


NO_BOS = "the vocabulary has no BOS token"
"""Why no prompt begins with one."""


@dataclass(frozen=True, eq=False)
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
        How each layer turns queries and keys; none where it does not.
    slopes
        What each head takes off a score for each position between query and key: ALiBi, "Train
        Short, Test Long" (Press et al., 2022).
    windows
        How many positions a query of each layer sees, its own among them; none: all.
    chunks
        In parts of how many positions each layer's queries see only their own part; none: all.
    score_cap, logit_cap
        c where scores or logits go through c tanh(x / c); 0 where they do not.
    logit_scale
        What logits are multiplied by; `final_norm` holds it too.
    output_norms
        What multiplies what a layer's heads write; that they are normalised first is for each run.
    mlp_factor
        What multiplies what an MLP writes.
    parallel
        Whether an MLP reads what the heads beside it read; none where it reads neither that nor
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
    tokenizer: Tokenizer
    bos_token: str | None
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
    positions: Positions
    W_pos: Float[Tensor, "n_ctx d_model"]
    embed_scale: float = 1.0
    embed_norm: Norm | None = None
    rotations: tuple[Rotation | None, ...] = ()
    slopes: Float[Tensor, " head"] | None = None
    windows: tuple[int | None, ...] = ()
    chunks: tuple[int | None, ...] = ()
    score_cap: float = 0.0
    logit_cap: float = 0.0
    logit_scale: float = 1.0
    output_norms: tuple[Norm, ...] = ()
    mlp_factor: float = 1.0
    parallel: bool | None = False
    unlike_weights: str = ""
    own_scores: bool = False
    notices: tuple[str, ...] = ()
    bos_reason: str = ""

    def __post_init__(self) -> None:
        """Refuse what a norm cannot divide by.

        Raises
        ------
        Refused
            If eps, which keeps a square root from 0, is negative or no number.
        """
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

    def positions_of(self, length: int) -> Float[Tensor, "position d_model"]:
        """Return the first rows of W_pos."""
        return to_cpu_float32(self.W_pos[:length])

    def unembedded(self, read: Float[Tensor, " d_model"]) -> Float[Tensor, " d_vocab"]:
        """Return W_U and b_U applied to what the unembedding reads, in single precision."""
        rows = self.bridge.unembed.W_U.T
        starts = range(0, len(rows), ROWS)
        made = torch.cat([to_cpu_float32(rows[start : start + ROWS]) @ read for start in starts])
        return made + to_cpu_float32(self.bridge.unembed.b_U)

    @property
    def has_one_qk(self) -> bool:
        """Whether q . k over the divisor is a score, at every distance."""
        turns = any(rotation is not None for rotation in self.rotations)
        return not (self.unlike_weights or turns or self.slopes is not None or self.score_cap)

    def rotation(self, layer: int) -> Rotation | None:
        """Return how a layer turns queries and keys; none where it does not."""
        return self.rotations[layer] if self.rotations else None

    def reach(self, layer: int) -> tuple[int | None, int | None]:
        """Return a layer's window and chunk; none where there is no such end."""
        return (
            self.windows[layer] if self.windows else None,
            self.chunks[layer] if self.chunks else None,
        )

    def hidden(self, layer: int, length: int, last: int | None = None) -> Bool[Tensor, "query key"]:
        """Return where a query of a layer may not look: the future, and beyond window or chunk.

        Parameters
        ----------
        layer : int
            The layer.
        length : int
            Tokens of the prompt.
        last : int, optional
            How many of the last queries are asked for; none: all.
        """
        window, chunk = self.reach(layer)
        places = torch.arange(length)
        queries = places[length - (last or length) :, None]
        found = queries < places
        if window is not None:
            found |= queries - places >= window
        if chunk is not None:
            found |= queries // chunk != places // chunk
        return found

    def scores(
        self,
        queries: Float[Tensor, "head position d_head"],
        keys: Float[Tensor, "kv_head position d_head"],
        only: int | None = None,
    ) -> Float[Tensor, "head query key"]:
        """Return what the softmax takes.

        Parameters
        ----------
        queries, keys : Tensor
            Of all heads of a layer, or of one, turned by where they stand and divided already.
        only : int, optional
            Which head, where it is one.
        """
        scores = queries @ keys.repeat_interleave(len(queries) // len(keys), 0).mT
        if self.slopes is not None:
            slopes = self.slopes if only is None else self.slopes[only : only + 1]
            scores = scores - slopes[:, None, None] * _distance(scores.shape[-1])
        return capped(scores, self.score_cap)

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
        kv, gain = number * self.n_kv_heads // self.n_heads, self.written_gain(layer)
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


def capped(numbers: Float[Tensor, "*rows"], cap: float) -> Float[Tensor, "*rows"]:
    """Return c tanh(x / c), as Gemma 2 caps scores and logits; x where c is 0."""
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


def _distance(length: int) -> Tensor:
    """Return query position minus key position [query, key]."""
    places = torch.arange(length)
    return places[:, None] - places
