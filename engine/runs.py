"""One forward pass of a prompt, and what is kept of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from engine.job import Job
from engine.messages import Head

LOGITS = 2**21
"""Logits computed between two steps: some 50 milliseconds of work at GPT-2's d_model."""


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """What a prompt made of the model.

    Attributes
    ----------
    streams
        Residual stream as each layer meets it, before its norm.
    final
        Residual stream after the last layer, before the final norm.
    queries, keys
        Of each layer, with biases, before rotary positions turn them.
    patterns
        Of each layer, as the model itself used them.
    next_log_probs
        At the last position, in nats.
    read
        What the unembedding reads: `final` after its norm.
    heads_off
        Heads whose output was zeroed.
    mlps
        What each layer's MLP adds to the stream; none without MLPs.
    output_scales
        What the norm after each layer's heads divides by; none without such a norm.
    """

    ids: tuple[int, ...]
    streams: tuple[Float[Tensor, "position d_model"], ...]
    final: Float[Tensor, "position d_model"]
    queries: tuple[Float[Tensor, "head position d_head"], ...]
    keys: tuple[Float[Tensor, "kv_head position d_head"], ...]
    patterns: tuple[Float[Tensor, "head query key"], ...]
    next_log_probs: Float[Tensor, " d_vocab"]
    read: Float[Tensor, "position d_model"]
    heads_off: tuple[Head, ...] = ()
    mlps: tuple[Float[Tensor, "position d_model"], ...] = ()
    output_scales: tuple[Float[Tensor, " position"], ...] = ()

    def output_scale(self, layer: int) -> Float[Tensor, " position"]:
        """Return what a norm after a layer's heads divides what they write by; 1 without one."""
        return self.output_scales[layer] if self.output_scales else torch.ones(len(self.ids))

    @property
    def future(self) -> Bool[Tensor, "query key"]:
        """True where a query may not look."""
        return torch.ones(len(self.ids), len(self.ids), dtype=torch.bool).triu(1)


def forward(
    bridge: Any, ids: tuple[int, ...], job: Job, heads_off: tuple[Head, ...] = ()
) -> ForwardPass:
    """Run a TransformerBridge once.

    Parameters
    ----------
    bridge : TransformerBridge
        The model.
    ids : tuple of int
        Token ids of the prompt, at least one.
    job : Job
        Steps before each layer.
    heads_off : tuple of Head
        Heads that write nothing to the stream, b_V included.
    """
    n_layers = bridge.cfg.n_layers
    names = ("hook_q", "hook_k", "hook_pattern")
    kept: dict[str, list[Tensor]] = {
        name: [] for name in ("in", "out", "mlp", "read", "scale", *names)
    }

    def step(stream: Tensor, hook: Any) -> None:
        layer = len(kept["in"])
        job.step(layer, n_layers, f"running layer {layer}")
        kept["in"].append(stream[0])

    def keeper(name: str) -> Callable[[Tensor, Any], None]:
        return lambda tensor, hook: kept[name].append(tensor[0])

    def last_only(read: Tensor, hook: Any) -> Tensor:
        kept["read"].append(read[0])
        return read[:, -1:]

    # Few questions ask for the logits of other positions; `loss` makes them when one does.
    hooks: list[tuple[str, Any]] = [
        (f"blocks.{n_layers - 1}.hook_out", keeper("out")),
        ("unembed.hook_in", last_only),
    ]
    for layer in range(n_layers):
        hooks.append((f"blocks.{layer}.hook_in", step))
        for name in names:
            hooks.append((f"blocks.{layer}.attn.{name}", keeper(name)))
        if hasattr(bridge.blocks[layer], "mlp"):
            hooks.append((f"blocks.{layer}.hook_mlp_out", keeper("mlp")))
        if hasattr(bridge.blocks[layer], "ln1_post"):
            hooks.append((f"blocks.{layer}.ln1_post.hook_scale", keeper("scale")))
    hooks += silencers(heads_off, bridge.cfg.n_heads)
    logits = bridge.run_with_hooks(torch.tensor([ids]), return_type="logits", fwd_hooks=hooks)[0]
    return ForwardPass(
        ids=ids,
        streams=tuple(kept["in"]),
        final=kept["out"][0],
        queries=tuple(q.transpose(0, 1) for q in kept["hook_q"]),  # [head, position, d_head]
        keys=tuple(k.transpose(0, 1) for k in kept["hook_k"]),  # [head, position, d_head]
        patterns=tuple(kept["hook_pattern"]),
        next_log_probs=logits[-1].log_softmax(-1),
        read=kept["read"][0],
        heads_off=heads_off,
        mlps=tuple(kept["mlp"]),
        output_scales=tuple(scale[:, 0] for scale in kept["scale"]),
    )


def loss(
    bridge: Any, passed: ForwardPass, job: Job, finished: Callable[[Tensor], Tensor]
) -> Float[Tensor, " predicted"]:
    """Return the cross-entropy of token i + 1 at position i of a pass, in nats.

    Parameters
    ----------
    bridge : TransformerBridge
        The model that made the pass.
    passed : ForwardPass
        The pass.
    job : Job
        Steps between chunks of positions.
    finished : callable
        What the model does to logits after W_U.
    """
    following = torch.tensor(passed.ids[1:], dtype=torch.long)
    found = torch.empty(len(following))
    rows = max(1, LOGITS // bridge.cfg.d_vocab)
    for start in range(0, len(following), rows):
        job.step(start, len(following), "predicting tokens")
        part = slice(start, min(start + rows, len(following)))
        logits = finished(bridge.unembed(passed.read[None, part])[0])  # [position, d_vocab]
        found[part] = torch.nn.functional.cross_entropy(logits, following[part], reduction="none")
    return found


def silencers(heads_off: tuple[Head, ...], n_heads: int) -> list[tuple[str, Any]]:
    """Return hooks, by name, that zero what some heads hand to W_O."""

    def silencer(off: list[int]) -> Callable[[Tensor, Any], Tensor]:
        def silence(z: Tensor, hook: Any) -> Tensor:
            made = z.reshape(*z.shape[:2], n_heads, -1).clone()  # [batch, position, head, d_head]
            made[:, :, off] = 0
            return made.view(z.shape)

        return silence

    by_layer: dict[int, list[int]] = {}
    for layer, number in heads_off:
        by_layer.setdefault(layer, []).append(number)
    return [(f"blocks.{layer}.attn.hook_z", silencer(off)) for layer, off in by_layer.items()]
