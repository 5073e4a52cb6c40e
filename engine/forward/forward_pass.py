"""One forward pass of a prompt, what is kept of it, and its patterns made small."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from engine.forward.layers import PATTERN_BYTES, ByLayer, Layers, stepping, zero_ablation_hooks
from engine.job import Job
from engine.messages import BoolArray, FloatArray, Head
from engine.network.device import to_cpu_float32, to_like

PREDICTED = 256
"""Positions whose logits are made together: enough that reading W_U is not what takes long."""

WORK = 2**29
"""Multiplications between two steps as tokens are predicted: some 20 milliseconds of work."""

Watch = Callable[[Float[Tensor, "head query key"]], None]
"""Takes the pattern of each layer in turn, while it is there."""


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """What a prompt made of the model.

    Attributes
    ----------
    streams
        Residual stream as each layer meets it, before its norm.
    final
        Residual stream after the last layer, before the final norm.
    layers
        Patterns, queries and keys, held or made again.
    next_logits
        At the last position.
    read
        What the unembedding reads: `final` after its norm.
    heads_off
        Heads whose output was zeroed.
    mlps
        What each layer's MLP adds to the stream; none without MLPs.
    output_scales
        What the norm after each layer's heads divides by; none without such a norm.
    thumbnails
        [layer, head, row, column], where patterns are not held and were pooled by the way.
    """

    ids: tuple[int, ...]
    streams: tuple[Float[Tensor, "position d_model"], ...]
    final: Float[Tensor, "position d_model"]
    layers: Layers
    next_logits: Float[Tensor, " d_vocab"]
    read: Float[Tensor, "position d_model"]
    heads_off: tuple[Head, ...] = ()
    mlps: tuple[Float[Tensor, "position d_model"], ...] = ()
    output_scales: tuple[Float[Tensor, " position"], ...] = ()
    thumbnails: FloatArray | None = None

    def output_scale(self, layer: int) -> Float[Tensor, " position"]:
        """Return what a norm after a layer's heads divides what they write by; 1 without one."""
        return self.output_scales[layer] if self.output_scales else torch.ones(len(self.ids))

    @property
    def patterns(self) -> ByLayer:
        """Of each layer, as the model itself used them [head, query, key]."""
        return ByLayer(len(self.streams), self.layers.pattern)

    @property
    def queries(self) -> ByLayer:
        """Of each layer, with biases, before rotary positions [head, position, d_head]."""
        return ByLayer(len(self.streams), self.layers.queries)

    @property
    def keys(self) -> ByLayer:
        """Of each layer, with biases, before rotary positions [kv_head, position, d_head]."""
        return ByLayer(len(self.streams), self.layers.keys)

    @property
    def next_log_probs(self) -> Float[Tensor, " d_vocab"]:
        """At the last position, in nats."""
        return self.next_logits.log_softmax(-1)

    @property
    def future(self) -> Bool[Tensor, "query key"]:
        """True where a query may not look."""
        return torch.ones(len(self.ids), len(self.ids), dtype=torch.bool).triu(1)


def forward(
    bridge: Any,
    ids: tuple[int, ...],
    job: Job,
    heads_off: tuple[Head, ...] = (),
    budget: int = PATTERN_BYTES,
    watch: Watch | None = None,
) -> ForwardPass:
    """Run a prompt once; `watch` takes the pattern of each layer in turn, held or not."""
    n_layers = bridge.cfg.n_layers
    layers = Layers(bridge, job, heads_off, budget)
    kept: dict[str, list[Tensor]] = {name: [] for name in ("in", "out", "mlp", "read", "scale")}

    def keeper(name: str) -> Callable[[Tensor, Any], None]:
        return lambda tensor, hook: kept[name].append(to_cpu_float32(tensor[0]))

    def attended(pattern: Tensor, hook: Any) -> None:
        made = to_cpu_float32(pattern[0])
        layers.hold(len(kept["in"]) - 1, made)
        if watch is not None:
            watch(made)

    def last_only(read: Tensor, hook: Any) -> Tensor:
        kept["read"].append(to_cpu_float32(read[0]))
        return read[:, -1:]

    # Few questions ask for the logits of other positions; `loss` makes them when one does.
    hooks: list[tuple[str, Any]] = [
        (f"blocks.{n_layers - 1}.hook_out", keeper("out")),
        ("unembed.hook_in", last_only),
    ]
    for layer in range(n_layers):
        hooks.append((f"blocks.{layer}.hook_in", keeper("in")))
        hooks.append((f"blocks.{layer}.attn.hook_pattern", attended))
        if hasattr(bridge.blocks[layer], "mlp"):
            hooks.append((f"blocks.{layer}.hook_mlp_out", keeper("mlp")))
        if hasattr(bridge.blocks[layer], "ln1_post"):
            hooks.append((f"blocks.{layer}.ln1_post.hook_scale", keeper("scale")))
    hooks += zero_ablation_hooks(heads_off, bridge.cfg.n_heads)
    calls = [
        block.register_forward_pre_hook(
            lambda _, given, named: layers.record_inputs(given, named), with_kwargs=True
        )
        for block in bridge.blocks
    ]
    given = torch.tensor([ids], device=bridge.embed.W_E.device)
    try:
        with stepping(bridge, job, len(ids)):
            logits = bridge.run_with_hooks(
                given, return_type="logits", fwd_hooks=hooks, use_cache=False
            )[0]
    finally:
        for call in calls:
            call.remove()
    return ForwardPass(
        ids=ids,
        streams=tuple(kept["in"]),
        final=kept["out"][0],
        layers=layers,
        next_logits=to_cpu_float32(logits[-1]),
        read=kept["read"][0],
        heads_off=heads_off,
        mlps=tuple(kept["mlp"]),
        output_scales=tuple(scale[:, 0] for scale in kept["scale"]),
    )


def loss(
    bridge: Any, forward_pass: ForwardPass, job: Job, finished: Callable[[Tensor], Tensor]
) -> Float[Tensor, " predicted"]:
    """Return the cross-entropy of token i + 1 at position i of a pass, in nats.

    The logits go through `finished`, a part of the vocabulary at a time.
    """
    following = torch.tensor(forward_pass.ids[1:], dtype=torch.long)
    found = torch.empty(len(following))
    rows_U, b_U = bridge.unembed.W_U.T, bridge.unembed.b_U
    for start in range(0, len(following), PREDICTED):
        part = slice(start, min(start + PREDICTED, len(following)))
        read = to_like(forward_pass.read[part], rows_U)
        # A part of the vocabulary at a time, for all the positions: W_U is read once for them.
        tokens = max(1, WORK // read.numel())
        own, sums = torch.empty(len(read)), []
        for first in range(0, len(rows_U), tokens):
            done = start * len(rows_U) + len(read) * first
            job.step(done, len(following) * len(rows_U), "predicting tokens")
            listed = slice(first, first + tokens)
            made = torch.nn.functional.linear(read, rows_U[listed], b_U[listed])
            logits = finished(to_cpu_float32(made))  # [position, token]
            sums.append(logits.logsumexp(-1).double())
            at = following[part] - first
            here = ((at >= 0) & (at < logits.shape[1])).nonzero()[:, 0]
            own[here] = logits[here, at[here]]
        found[part] = (torch.stack(sums).logsumexp(0) - own).float()
    return found


_Cells = TypeVar("_Cells", FloatArray, BoolArray)


def pool(patterns: _Cells, size: int) -> _Cells:
    """Max-pool patterns, or masks, until they have at most `size` rows and columns.

    Parameters
    ----------
    patterns : ndarray
        Values that are 0 or more, or true where one may be seen, [..., query, key], queries and
        keys equally many.
    size : int
        Rows and columns at most, at least 1.

    Returns
    -------
    ndarray
        [..., row, column], each the largest of a square block; the last block may be smaller.
    """
    block = -(-patterns.shape[-1] // size)
    for axis in (-2, -1):
        patterns = _pool_axis(patterns, block, axis)
    return patterns


def _pool_axis(patterns: _Cells, block: int, axis: int) -> _Cells:
    # Strided slices against each other: a quarter of the time of a reshape or of reduceat.
    patterns = np.moveaxis(patterns, axis, -2)
    pooled = patterns[..., ::block, :].copy()
    for start in range(1, min(block, patterns.shape[-2])):
        part = patterns[..., start::block, :]
        met = pooled[..., : part.shape[-2], :]
        np.maximum(met, part, out=met)
    return np.moveaxis(pooled, -2, axis)
