"""An open model: its weights, its tokens, and its runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
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
from engine.network.device import check_finite
from engine.network.factored import Factored
from engine.network.folding import HeadWeights, fold
from engine.network.network import Network
from engine.network.vocabulary import TokenVectors
from engine.sources.checkpoint import Checkpoint, Pretrained, fingerprint

LEAST_SCORE = -1e30
"""A score below this is a mask."""

LONGEST_TOKEN = 1000
"""Characters that no token has: a text beyond so many a token is refused without reading it."""

KEPT_BYTES = 16 * 2**20
"""Of measures that a model keeps: those of thousands of heads, or of hundreds of seeds."""


class Model(Network):
    """A network by its name, with its tokens; it runs prompts, and keeps the last run.

    Parameters
    ----------
    checkpoint : Checkpoint or Pretrained
        Weights in memory, or where they are to be read from.
    job : Job, optional
        Steps while a pretrained model is read.
    pattern_bytes : int
        Of patterns that are held of the last run; the others are made again.
    placing : Placing, optional
        Where a pretrained model runs, and in which precision. An attention-only model is small and
        runs in single precision on the CPU, whatever is chosen: toys are exact there.
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
        super().__init__(**vars(network))
        self.name, self.example = checkpoint.name, checkpoint.example
        self.fingerprint = fingerprint(checkpoint, job or Job())
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
            for tensor in (*self.bridge.parameters(), *self.bridge.buffers()):
                tensor.data = torch.empty(0, dtype=tensor.dtype, device=tensor.device)

    @property
    def bytes(self) -> int:
        """Size of the weights in memory."""
        return self.placing.itemsize * self.parameters

    @property
    def epsilon(self) -> float:
        """Distance between 1 and the next number, in the dtype that prompts run in."""
        return torch.finfo(self.dtype).eps

    def check_layer(self, layer: int) -> int:
        """Return the layer; refuse one that the model does not have."""
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
        """Return the head; refuse one that the model does not have."""
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

    def unturned_head(self, head: Head) -> HeadWeights:
        """Return the folded weights of one head before positions turn W_Q and W_K."""
        layer, number = self.check_head(head)
        raw = self.raw(layer, number)
        if not self.normalized:
            return raw
        return fold(raw, self.layer_norms[layer], self.centring)

    def stored_head(self, head: Head) -> HeadWeights:
        """Return the weights of one head as stored, no norm before it folded in."""
        return self.raw(*self.check_head(head))

    def W_OV(self, head: Head) -> Factored:
        """Return a head's W_V W_O, folded, in double precision."""
        return self.head(head).W_OV.double()

    def W_QK(self, head: Head, offset: int = 0) -> Factored:
        """Return a head's W_Q W_K^T, folded, in double precision; refuses as `check_scores`."""
        weights = self.head(head, offset)
        self.check_scores()
        return weights.W_QK.double()

    def check_scores(self) -> None:
        """Refuse questions about scores by the weights alone where they do not give them."""
        if self.unlike_weights:
            raise Refused(
                f"scores of {self.name} do not follow from its weights alone, because "
                f"{self.unlike_weights}: ask for attention on a prompt"
            )

    def scores(
        self, forward_pass: ForwardPass, layer: int, job: Job
    ) -> Float[Tensor, "head query key"]:
        """Return a layer's scores on a run, divided, as they were before the softmax.

        With ALiBi, what is taken off for a distance is 0 at the query itself, as no row of the
        softmax can tell from what the model adds. Not a number where a query may not look.
        """
        if self.own_scores:
            name = "attn.hook_attn_scores"
            scores = forward_pass.layers.rerun(layer, [name])[name]
            # What is masked is an infinity or the most negative number of its kind.
            scores = scores.masked_fill(scores < LEAST_SCORE, torch.nan)
            if self.position_kind == "ALiBi":
                queries, keys = (
                    forward_pass.queries[layer] / self.divisor(layer),
                    forward_pass.keys[layer],
                )
                keys = keys.repeat_interleave(len(queries) // len(keys), 0)
                at_itself = scores.diagonal(0, -2, -1) - (queries * keys).sum(-1)
                scores = scores - at_itself[:, :, None]
        else:
            self.check_scores()
            queries, keys = forward_pass.queries[layer], forward_pass.keys[layer]
            if (rotation := self.rotation(layer)) is not None:
                queries, keys = rotation.placed(queries), rotation.placed(keys)
            scores = self.scores_of(queries / self.divisor(layer), keys)
        return scores.masked_fill(self.attention_mask(layer, len(forward_pass.ids)), torch.nan)

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
        return self.scores_of(queries / self.divisor(head.layer), keys, head.number)[0]

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
        check_run_fits(self.name, len(ids), lambda length: run_bytes(self, length, budget))
        if 4 * self.n_layers * self.n_heads * len(ids) ** 2 <= budget:
            return forward(self.bridge, ids, job, heads_off, budget)

        def watch(pattern: Float[Tensor, "head query key"]) -> None:
            pooled.append(pool(pattern.numpy(), Thumbnails.size))

        forward_pass = forward(self.bridge, ids, job, heads_off, budget, watch)
        return replace(forward_pass, thumbnails=np.stack(pooled))

    def run_ids(
        self,
        ids: tuple[int, ...],
        job: Job,
        heads_off: tuple[Head, ...] = (),
        watch: Watch | None = None,
    ) -> ForwardPass:
        """Run token ids and hold no patterns; `watch` takes each layer's as it is made."""
        forward_pass = forward(self.bridge, ids, job, heads_off, 0, watch)
        check_finite(self.name, forward_pass.final, self.placing)
        return forward_pass

    def loss(self, forward_pass: ForwardPass, job: Job) -> Float[Tensor, " predicted"]:
        """Return the cross-entropy of token i + 1 at position i of a pass, in nats."""
        return loss(self.bridge, forward_pass, job, self.finished)

    def probe(
        self,
        ids: tuple[int, ...],
        job: Job,
        keep: Sequence[str] = (),
        change: Mapping[str, Change] | None = None,
        heads_off: tuple[Head, ...] = (),
    ) -> dict[str, Tensor]:
        """Run token ids with some tensors kept or changed; see `engine.forward.layers.probe`."""
        return probe(self.bridge, ids, job, keep, change, heads_off)
