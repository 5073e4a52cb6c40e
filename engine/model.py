"""An open model: a TransformerBridge behind one shape convention."""

import math
from collections.abc import Iterator, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from engine.bridge import bridge
from engine.cache import Cache
from engine.folding import HeadWeights, centred, fold, normalised
from engine.job import Job
from engine.messages import CircuitName, Head, Refused, RunPrompt
from engine.probes import Change, probe
from engine.runs import ForwardPass, forward, loss
from engine.sources.checkpoint import Checkpoint
from engine.tokens import Tokens

CHUNK = 2**20
"""Numbers of W_E or W_U read between two steps: at most some 20 milliseconds of work."""

LONGEST_TOKEN = 1000
"""Characters that no token has: a text beyond so many a token is refused without reading it."""

KEPT_BYTES = 16 * 2**20
"""Of measures that a model keeps: those of thousands of heads, or of hundreds of seeds."""


class Model:
    """Heads, token vectors and runs of one model.

    Parameters
    ----------
    checkpoint : Checkpoint
        Raw weights, sizes and tokenizer.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.name = checkpoint.name
        self.n_layers, self.n_heads = checkpoint.n_layers, checkpoint.n_heads
        self.d_model, self.d_head = checkpoint.d_model, checkpoint.d_head
        self.d_vocab, self.n_ctx = checkpoint.d_vocab, checkpoint.n_ctx
        self.learned_positions = checkpoint.learned_positions
        self.normalized, self.eps = checkpoint.normalized, checkpoint.eps
        self.prepend_bos, self.example = checkpoint.prepend_bos, checkpoint.example
        self.divisor = math.sqrt(self.d_head)
        self.parameters = sum(tensor.size for tensor in checkpoint.tensors.values())
        self.tokens = Tokens(checkpoint.tokenizer, checkpoint.bos_token)
        self._bridge = bridge(checkpoint)
        self._last: ForwardPass | None = None
        self._grams: dict[CircuitName, Tensor] = {}
        # What took long and follows from the weights and its key alone: it only saves time.
        self.kept = Cache(KEPT_BYTES)
        # W_U as rows, [d_vocab, d_model]: chunks of the vocabulary lie together in memory.
        self._rows_U: Tensor = self._bridge.unembed.W_U.T
        self._mean_U = self._rows_U.double().mean(0).float() if self.normalized else None

    @property
    def bytes(self) -> int:
        """Size of the weights in memory."""
        return 4 * self.parameters

    def kv_head(self, number: int) -> int:
        """Return which key/value head a query head reads with."""
        return number

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

    def head(self, head: Head) -> HeadWeights:
        """Return the folded weights of one head.

        Raises
        ------
        Refused
            If the model has no such head.
        """
        layer, number = self.check_head(head)
        attention, kv = self._bridge.blocks[layer].attn, self.kv_head(number)
        raw = HeadWeights(
            W_Q=attention.W_Q[number],
            W_K=attention.W_K[kv],
            W_V=attention.W_V[kv],
            W_O=attention.W_O[number],
            b_Q=attention.b_Q[number],
            b_K=attention.b_K[kv],
        )
        return fold(raw) if self.normalized else raw

    def read(self, streams: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows d_model"]:
        """Return what a layer's heads read of residual streams: the streams after its norm."""
        return normalised(streams, self.eps) if self.normalized else streams

    def embedding(self, token: int) -> Float[Tensor, " d_model"]:
        """Return a token's embedding as a head of the first layer reads it, without a position."""
        return self.read(self._bridge.embed.W_E[token])

    def unembedding(self, token: int) -> Float[Tensor, " d_model"]:
        """Return a token's column of the folded W_U."""
        column = self._rows_U[token]
        return column if self._mean_U is None else centred(column - self._mean_U)

    def mean_unembedding(self) -> Float[Tensor, " d_model"]:
        """Return the mean column of the folded W_U over the vocabulary."""
        if self._mean_U is not None:
            return torch.zeros_like(self._mean_U)
        return self._rows_U.double().mean(0).float()

    def logit_biases(self) -> Float[Tensor, " d_vocab"]:
        """Return b_U, centred over the vocabulary where W_U is."""
        biases: Tensor = self._bridge.unembed.b_U
        return biases if self._mean_U is None else biases - biases.mean()

    def written_bias(
        self, layer: int, heads_off: tuple[Head, ...] = ()
    ) -> Float[Tensor, " d_model"]:
        """Return what a layer adds to every stream besides its heads: b_O with b_V moved into it.

        Folded as "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021) does
        for biases: rows of a pattern sum to 1, so that b_V W_O arrives whole. That of a head that
        is off does not arrive.
        """
        attention = self._bridge.blocks[layer].attn
        b_V = attention.b_V.clone()  # [head, d_head]
        b_V[[head.number for head in heads_off if head.layer == layer]] = 0
        written = attention.b_O + torch.einsum("hd,hdm->m", b_V, attention.W_O)
        return centred(written) if self.normalized else written

    def embedded(self, ids: tuple[int, ...]) -> Float[Tensor, "position d_model"]:
        """Return the embeddings that enter the stream, as they are stored."""
        rows: Tensor = self._bridge.embed.W_E[list(ids)]
        return rows

    def positions(self, length: int) -> Float[Tensor, "position d_model"]:
        """Return what enters the stream for each position; zeros without learned positions."""
        rows: Tensor = self._bridge.pos_embed.W_pos[:length]
        return rows

    def scale(self, streams: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows"]:
        """Return what a norm divides streams by; 1 without a norm."""
        if not self.normalized:
            return torch.ones(streams.shape[:-1])
        return (streams.var(-1, correction=0) + self.eps).sqrt()

    def read_by(self, vectors: Float[Tensor, "d_model n"], job: Job) -> Float[Tensor, "d_vocab n"]:
        """Return the embedding of every token, as it is read, times some vectors."""
        rows_E = self._bridge.embed.W_E
        return torch.cat([self.read(rows_E[part]) @ vectors for part in self._parts(job)])

    def logits(self, vectors: Float[Tensor, "d_model n"], job: Job) -> Float[Tensor, "d_vocab n"]:
        """Return the folded W_U, as rows, times some vectors: what they add to the logits."""
        if self._mean_U is None:
            return torch.cat([self._rows_U[part] @ vectors for part in self._parts(job)])
        vectors = centred(vectors.mT).mT
        mean = self._mean_U @ vectors
        return torch.cat([self._rows_U[part] @ vectors - mean for part in self._parts(job)])

    def gram(self, circuit: CircuitName, job: Job) -> Float[Tensor, "d_model d_model"]:
        """Return W_U W_E for the OV circuit, or W_E^T W_E for QK; made once, summed in float64.

        A full circuit's eigenvalues are those of a d_head x d_head matrix through it.
        """
        if circuit not in self._grams:
            total = torch.zeros(self.d_model, self.d_model, dtype=torch.float64)
            for part in self._parts(job):
                read = self.read(self._bridge.embed.W_E[part])
                ends = read
                if circuit == "ov":
                    ends = self._rows_U[part]
                    ends = ends if self._mean_U is None else centred(ends - self._mean_U)
                total += ends.mT @ read
            self._grams[circuit] = total
        return self._grams[circuit]

    def _parts(self, job: Job) -> Iterator[slice]:
        rows = max(64, CHUNK // self.d_model)
        for start in range(0, self.d_vocab, rows):
            job.step(start, self.d_vocab, "reading the vocabulary")
            yield slice(start, start + rows)

    def encode(self, run: RunPrompt) -> tuple[tuple[int, ...], bool]:
        """Return the token ids of a prompt, and whether a BOS was put before it.

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
        ids = self.tokens.encode(run.text)
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
        """Run a prompt, or return the last run if it had the same tokens and heads off."""
        ids, _ = self.encode(run)
        last = self._last
        if last is None or (last.ids, last.heads_off) != (ids, run.heads_off):
            self._last = last = self.run_ids(ids, job, run.heads_off)
        return last

    def run_ids(
        self, ids: tuple[int, ...], job: Job, heads_off: tuple[Head, ...] = ()
    ) -> ForwardPass:
        """Run token ids and keep nothing."""
        return forward(self._bridge, ids, job, heads_off)

    def loss(self, passed: ForwardPass, job: Job) -> Float[Tensor, " predicted"]:
        """Return the cross-entropy of token i + 1 at position i of a pass, in nats."""
        return loss(self._bridge, passed, job)

    def probe(
        self,
        ids: tuple[int, ...],
        job: Job,
        keep: Sequence[str] = (),
        change: Mapping[str, Change] | None = None,
        heads_off: tuple[Head, ...] = (),
    ) -> dict[str, Tensor]:
        """Run token ids with some tensors kept or changed; see `engine.probes.probe`."""
        return probe(self._bridge, ids, job, keep, change, heads_off)

    def stacked_output(
        self, layer: int
    ) -> tuple[Float[Tensor, "stacked d_model"], Float[Tensor, " d_model"]]:
        """Return a layer's one big W_O, its heads' one below the other, and its b_O, unfolded."""
        attention = self._bridge.blocks[layer].attn
        return attention.W_O.flatten(0, 1), attention.b_O  # [head * d_head, d_model]

    def value_bias(self, head: Head) -> Float[Tensor, " d_head"]:
        """Return a head's b_V as it is stored."""
        bias: Tensor = self._bridge.blocks[head.layer].attn.b_V[self.kv_head(head.number)]
        return bias
