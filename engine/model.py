"""An open model: a TransformerBridge behind one shape convention."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from engine.cache import Cache
from engine.forward.forward_pass import ForwardPass, Watch, forward, loss, pool
from engine.forward.layers import PATTERN_BYTES, Change, probe
from engine.forward.memory import check_run_fits, run_bytes
from engine.job import Job
from engine.loading.native import attention_only
from engine.loading.pretrained import pretrained
from engine.messages import (
    FloatArray,
    Head,
    Placing,
    Refused,
    RunPrompt,
    Thumbnails,
)
from engine.network.device import check_finite, to_cpu_float32, to_like
from engine.network.folding import HeadWeights, centred, fold
from engine.network.network import capped
from engine.network.rotation import Rotation
from engine.network.tokens import Tokens
from engine.network.vocabulary import TokenVectors
from engine.sources.checkpoint import Checkpoint, Pretrained, fingerprint

LEAST_SCORE = -1e30
"""A score below this is a mask."""

LONGEST_TOKEN = 1000
"""Characters that no token has: a text beyond so many a token is refused without reading it."""

KEPT_BYTES = 16 * 2**20
"""Of measures that a model keeps: those of thousands of heads, or of hundreds of seeds."""


class Model:
    """Heads and runs of one model; `vocabulary` has its token vectors.

    Parameters
    ----------
    checkpoint : Checkpoint or Pretrained
        Raw weights, sizes and tokenizer, or where they are to be read from.
    job : Job, optional
        Steps while a pretrained model is read.
    pattern_bytes : int
        Of patterns that are held of the last run; the others are made again.
    placing : Placing, optional
        Where a pretrained model runs, and in which precision. An attention-only model is small and
        runs in single precision on the CPU, whatever is chosen: toys are exact there.

    Raises
    ------
    Refused
        If a pretrained model cannot be opened.
    """

    def __init__(
        self,
        checkpoint: Checkpoint | Pretrained,
        job: Job | None = None,
        pattern_bytes: int = PATTERN_BYTES,
        placing: Placing | None = None,
    ) -> None:
        if isinstance(checkpoint, Checkpoint):
            self.placing = Placing()
            network = attention_only(checkpoint)
        else:
            self.placing = placing or Placing()
            network = pretrained(checkpoint, job or Job(), self.placing)
        self.name, self.example = checkpoint.name, checkpoint.example
        self.fingerprint = fingerprint(checkpoint, job or Job())
        self.n_layers, self.n_heads = network.n_layers, network.n_heads
        self.n_kv_heads, self.d_mlp = network.n_kv_heads, network.d_mlp
        self.d_model, self.d_head = network.d_model, network.d_head
        self.d_vocab, self.n_ctx = network.d_vocab, network.n_ctx
        self.position_kind, self.norm, self.eps = network.positions, network.norm, network.eps
        self.learned_positions = network.positions == "learned"
        self.normalized, self.centring = network.normalized, network.centring
        self.prepend_bos = network.prepend_bos
        self.notices, self.bos_reason = network.notices, network.bos_reason
        self.parameters = network.parameters
        self.tokens = Tokens(network.tokenizer, network.bos_token, network.d_vocab)
        self._network, self._bridge = network, network.bridge
        self._pattern_bytes = pattern_bytes
        self._last: ForwardPass | None = None
        # What took long and follows from the weights and its key alone: it only saves time.
        self.kept = Cache(KEPT_BYTES)
        self.vocabulary = TokenVectors(self.name, network, pattern_bytes)

    def close(self) -> None:
        """Let the weights go at once: nothing can be asked of the model any more.

        TransformerLens leaves references behind that go round in circles, and in the window
        Python's collector comes late.
        """
        self._last = None
        self.vocabulary.close()
        with torch.inference_mode(False):
            for tensor in (*self._bridge.parameters(), *self._bridge.buffers()):
                tensor.data = torch.empty(0, dtype=tensor.dtype, device=tensor.device)

    @property
    def bytes(self) -> int:
        """Size of the weights in memory."""
        return self.placing.itemsize * self.parameters

    @property
    def epsilon(self) -> float:
        """Distance between 1 and the next number, in the dtype that prompts run in."""
        return torch.finfo(self._network.dtype).eps

    def kv_head(self, number: int) -> int:
        """Return which key/value head a query head reads with."""
        return number * self.n_kv_heads // self.n_heads

    def check_layer(self, layer: int) -> int:
        """Return the layer.

        Raises
        ------
        Refused
            If the model has no such layer.
        """
        if not 0 <= layer < self.n_layers:
            last = self.n_layers - 1
            has = "only layer 0" if last == 0 else f"layers 0 to {last}"
            raise Refused(f"{self.name} has {has}, not {layer}")
        return layer

    @property
    def heads(self) -> tuple[Head, ...]:
        """Every head, layer by layer."""
        return tuple(
            Head(layer, number) for layer in range(self.n_layers) for number in range(self.n_heads)
        )

    def check_head(self, head: Head) -> Head:
        """Return the head.

        Raises
        ------
        Refused
            If the model has no such head.
        """
        layer, number = head
        if not (0 <= layer < self.n_layers and 0 <= number < self.n_heads):
            last = Head(self.n_layers - 1, self.n_heads - 1)
            has = "only head 0.0" if last == (0, 0) else f"heads 0.0 to {last}"
            raise Refused(f"{self.name} has {has} (layer.head), not {head}")
        return head

    def head(self, head: Head, offset: int = 0, length: int | None = None) -> HeadWeights:
        """Return the folded weights of one head.

        Parameters
        ----------
        head : Head
            The head.
        offset : int
            Query position minus key position, which W_Q and W_K of a rotary model are turned by.
        length : int, optional
            Tokens of the prompt that it is for, where prompts of other lengths turn otherwise.

        Raises
        ------
        Refused
            If the model has no such head.
        """
        folded, rotation = self.unturned_head(head), self.rotation(head.layer)
        return folded if rotation is None else rotation.apart(folded, offset, length)

    def rotation(self, layer: int) -> Rotation | None:
        """Return how positions turn a layer's queries and keys; none where they do not."""
        return self._network.rotation(layer)

    def turned_length(self, layer: int, offset: int, length: int | None = None) -> int | None:
        """Return the length of the prompts whose rotation `head` takes; none where all turn alike.

        Of the two, what is asked for comes first.
        """
        rotation = self.rotation(layer)
        if rotation is None or rotation.steady is None:
            return None
        return length or rotation.length(offset)

    def unturned_head(self, head: Head) -> HeadWeights:
        """Return the folded weights of one head before positions turn W_Q and W_K.

        Raises
        ------
        Refused
            If the model has no such head.
        """
        layer, number = self.check_head(head)
        raw = self._network.raw(layer, number)
        if not self.normalized:
            return raw
        return fold(raw, self._network.layer_norms[layer], self.centring)

    def stored_head(self, head: Head) -> HeadWeights:
        """Return the weights of one head as stored, no norm before it folded in."""
        return self._network.raw(*self.check_head(head))

    def normed(
        self, layer: int, streams: Float[Tensor, "rows d_model"]
    ) -> Float[Tensor, "rows d_model"]:
        """Return streams through the model's own norm before a layer's heads, less its bias."""
        if not self.normalized:
            return streams
        norm = self._bridge.blocks[layer].ln1
        with_empty = torch.cat([streams, torch.zeros_like(streams[:1])])
        given = to_like(with_empty[None], self._bridge.embed.W_E)
        made = to_cpu_float32(norm(given)[0])
        return made[:-1] - made[-1]

    @property
    def has_one_qk(self) -> bool:
        """Whether one W_QK gives the scores of any two positions, whatever their distance."""
        return self._network.has_one_qk

    @property
    def one_divisor(self) -> float | None:
        """What every layer divides q . k by; none where they differ."""
        first, *others = self._network.divisors
        return first if all(other == first for other in others) else None

    def divisor(self, layer: int) -> float:
        """Return what q . k is divided by in a layer."""
        return self._network.divisors[layer]

    @property
    def score_cap(self) -> float | None:
        """What scores are capped at, c in c tanh(x / c); none where they are not."""
        return self._network.score_cap or None

    @property
    def logit_cap(self) -> float | None:
        """What logits are capped at; none where they are not."""
        return self._network.logit_cap or None

    @property
    def normalises_outputs(self) -> bool:
        """Whether a norm follows a layer's heads, so that what one adds depends on the others."""
        return any(hasattr(block, "ln1_post") for block in self._bridge.blocks)

    @property
    def normalises_embeddings(self) -> bool:
        """Whether embeddings go through a norm before they enter the stream."""
        return self._network.embed_norm is not None

    @property
    def mlp_is_parallel(self) -> bool | None:
        """Whether MLPs read what the heads beside them read; none where that is not known."""
        return self._network.parallel

    def slope(self, head: Head) -> float:
        """Return what a position of distance takes off a head's scores (ALiBi), 0 without."""
        slopes = self._network.slopes
        return 0.0 if slopes is None else float(slopes[head.number])

    def hidden(self, layer: int, length: int, last: int | None = None) -> Bool[Tensor, "query key"]:
        """Return where a query may not look; see `Network`."""
        return self._network.hidden(layer, length, last)

    def reach(self, layer: int) -> tuple[int | None, int | None]:
        """Return a layer's window and chunk; see `Network`."""
        return self._network.reach(layer)

    @property
    def holds_patterns(self) -> bool:
        """Whether a pattern that is changed on its way changes what follows."""
        return self._network.own_scores or self.d_mlp == 0

    @property
    def scores_follow(self) -> bool:
        """Whether scores follow from the weights and a distance."""
        return not self._network.unlike_weights

    def check_scores(self) -> None:
        """Refuse questions about scores by the weights alone where they do not give them.

        Raises
        ------
        Refused
            With the reason.
        """
        if self._network.unlike_weights:
            raise Refused(
                f"scores of {self.name} do not follow from its weights alone, because "
                f"{self._network.unlike_weights}: ask for attention on a prompt"
            )

    def scores(self, passed: ForwardPass, layer: int, job: Job) -> Float[Tensor, "head query key"]:
        """Return a layer's scores on a run, divided, as they were before the softmax.

        With ALiBi, what is taken off for a distance is 0 at the query itself, as no row of the
        softmax can tell from what the model adds. Not a number where a query may not look.
        """
        network = self._network
        if network.own_scores:
            name = "attn.hook_attn_scores"
            scores = passed.layers.again(layer, [name])[name]
            # What is masked is an infinity or the most negative number of its kind.
            scores = scores.masked_fill(scores < LEAST_SCORE, torch.nan)
            if network.positions == "ALiBi":
                queries, keys = passed.queries[layer] / self.divisor(layer), passed.keys[layer]
                keys = keys.repeat_interleave(len(queries) // len(keys), 0)
                at_itself = scores.diagonal(0, -2, -1) - (queries * keys).sum(-1)
                scores = scores - at_itself[:, :, None]
        else:
            self.check_scores()
            queries, keys = passed.queries[layer], passed.keys[layer]
            if (rotation := self.rotation(layer)) is not None:
                queries, keys = rotation.placed(queries), rotation.placed(keys)
            scores = network.scores(queries / self.divisor(layer), keys)
        return scores.masked_fill(self.hidden(layer, len(passed.ids)), torch.nan)

    def folded_scores(
        self, head: Head, weights: HeadWeights, scaled: Float[Tensor, "position d_model"]
    ) -> Float[Tensor, "query key"]:
        """Return a head's scores on a prompt by folded weights alone, nothing masked.

        Parameters
        ----------
        head : Head
            The head.
        weights : HeadWeights
            Its own, folded, at offset 0.
        scaled : Tensor
            Streams over the scale of the norm before the heads.
        """
        queries = (scaled @ weights.W_Q + weights.b_Q)[None]
        keys = (scaled @ weights.W_K + weights.b_K)[None]
        if (rotation := self.rotation(head.layer)) is not None:
            queries, keys = rotation.placed_from_start(queries), rotation.placed_from_start(keys)
        return self._network.scores(queries / self.divisor(head.layer), keys, head.number)[0]

    def capped_scores(self, scores: Float[Tensor, "*rows"]) -> Float[Tensor, "*rows"]:
        """Return scores after the model's cap, where it has one."""
        return capped(scores, self._network.score_cap)

    def read(self, streams: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows d_model"]:
        """Return what a layer's heads read of residual streams; see `Network`."""
        return self._network.read(streams)

    def scale(self, streams: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows"]:
        """Return what a norm divides streams by; 1 without a norm."""
        return self._network.scale(streams)

    def mlp_output(
        self, layer: int, streams: Float[Tensor, "rows d_model"]
    ) -> Float[Tensor, "rows d_model"]:
        """Return what a layer's MLP adds to streams that it reads through its norms."""
        return self._network.mlp_output(layer, streams)

    def written_bias(self, layer: int) -> Float[Tensor, " d_model"]:
        """Return what a layer adds to every stream besides its heads: b_O.

        A norm after the heads divides it too, by what is the run's.
        """
        written = self._network.output_bias(layer)
        return centred(written) if self.centring else written

    def positions(self, length: int) -> Float[Tensor, "position d_model"]:
        """Return what enters the stream for each position; zeros without learned positions."""
        return self._network.positions_of(length)

    def encode(self, run: RunPrompt) -> tuple[tuple[int, ...], bool]:
        """Return the token ids of a prompt, and whether a BOS was put before it.

        None is put before a text that begins with BOS itself, such as a pasted chat template.

        Raises
        ------
        Refused
            If there is nothing to run, no BOS to put there, too much for the context, or a head
            is off that does not exist.
        """
        if run.model != self.name:
            raise Refused(f"the prompt is for {run.model}, and the question is about {self.name}")
        for head in run.heads_off:
            self.check_head(head)
        bos = self.prepend_bos if run.prepend_bos is None else run.prepend_bos
        first = self.tokens.bos_id
        if bos and first is None:
            raise Refused(f"{self.name} has no beginning-of-sequence token: turn BOS off")
        if len(run.text) > LONGEST_TOKEN * self.n_ctx:
            raise Refused(
                f"the prompt is {len(run.text):,} characters long, and {self.name} reads at most "
                f"{self.n_ctx:,} tokens: shorten it"
            )
        ids = self.tokens.encode(run.text, run.specials)
        bos = bos and ids[:1] != [first]
        if bos and first is not None:
            ids.insert(0, first)
        if not ids:
            has = "type something" if first is None else "type something, or turn BOS on"
            raise Refused(f"the prompt is empty: {has}")
        if len(ids) > self.n_ctx:
            raise Refused(
                f"the prompt is {len(ids):,} tokens long, and {self.name} reads at most "
                f"{self.n_ctx:,}: shorten it"
            )
        return tuple(ids), bos

    def run(self, run: RunPrompt, job: Job) -> ForwardPass:
        """Run a prompt, or return the last run if it had the same tokens and heads off.

        Raises
        ------
        Refused
            If the prompt cannot be run, or would not fit in memory.
        """
        ids, _ = self.encode(run)
        last = self._last
        if last is None or (last.ids, last.heads_off) != (ids, run.heads_off):
            self._last = None  # never two at once
            last = self._run_whole(ids, job, run.heads_off)
            check_finite(self.name, last.final, self.placing)
            self._last = last
        last.layers.job = job
        return last

    def _run_whole(
        self, ids: tuple[int, ...], job: Job, heads_off: tuple[Head, ...]
    ) -> ForwardPass:
        """Run token ids, and pool patterns that will not be held while they are there."""
        budget, pooled = self._pattern_bytes, list[FloatArray]()
        check_run_fits(self.name, len(ids), lambda length: run_bytes(self._network, length, budget))
        if 4 * self.n_layers * self.n_heads * len(ids) ** 2 <= budget:
            return forward(self._bridge, ids, job, heads_off, budget)

        def watch(pattern: Float[Tensor, "head query key"]) -> None:
            pooled.append(pool(pattern.numpy(), Thumbnails.size))

        passed = forward(self._bridge, ids, job, heads_off, budget, watch)
        return replace(passed, thumbnails=np.stack(pooled))

    def run_ids(
        self,
        ids: tuple[int, ...],
        job: Job,
        heads_off: tuple[Head, ...] = (),
        watch: Watch | None = None,
    ) -> ForwardPass:
        """Run token ids and hold no patterns; `watch` takes each layer's as it is made."""
        passed = forward(self._bridge, ids, job, heads_off, 0, watch)
        check_finite(self.name, passed.final, self.placing)
        return passed

    def loss(self, passed: ForwardPass, job: Job) -> Float[Tensor, " predicted"]:
        """Return the cross-entropy of token i + 1 at position i of a pass, in nats."""
        return loss(self._bridge, passed, job, self.finished)

    def finished(self, logits: Float[Tensor, "*rows d_vocab"]) -> Float[Tensor, "*rows d_vocab"]:
        """Return what a model says of the stream times W_U and b_U: scaled, capped."""
        return self.capped(self.scaled(logits))

    def scaled(self, logits: Float[Tensor, "*rows d_vocab"]) -> Float[Tensor, "*rows d_vocab"]:
        """Return logits times what the model multiplies them by, before its cap."""
        return self._network.logit_scale * logits

    def capped(self, logits: Float[Tensor, "*rows"]) -> Float[Tensor, "*rows"]:
        """Return logits after the model's cap, where it has one."""
        return capped(logits, self._network.logit_cap)

    def probe(
        self,
        ids: tuple[int, ...],
        job: Job,
        keep: Sequence[str] = (),
        change: Mapping[str, Change] | None = None,
        heads_off: tuple[Head, ...] = (),
    ) -> dict[str, Tensor]:
        """Run token ids with some tensors kept or changed; see `engine.forward.layers.probe`."""
        return probe(self._bridge, ids, job, keep, change, heads_off)

    def stacked_output(
        self, layer: int
    ) -> tuple[Float[Tensor, "stacked d_model"], Float[Tensor, " d_model"]]:
        """Return a layer's one big W_O, its heads' one below the other, and its b_O.

        Unfolded, but for what a norm after the heads multiplies by.
        """
        W_O, gain = (
            to_cpu_float32(self._bridge.blocks[layer].attn.W_O),
            self._network.written_gain(layer),
        )
        W_O = W_O.flatten(0, 1)  # [head * d_head, d_model]
        return W_O if gain is None else W_O * gain, self._network.output_bias(layer)

    def norm_bias(self, layer: int) -> Float[Tensor, " d_model"]:
        """Return what the norm before a layer's heads adds; zeros where it adds nothing."""
        bias = self._network.layer_norms[layer].bias
        return torch.zeros(self.d_model) if bias is None else bias
