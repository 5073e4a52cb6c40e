"""One forward pass of a prompt, and what is kept of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from engine.job import Job
from engine.messages import Head


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
    loss
        Cross-entropy of token i + 1 at position i, in nats.
    heads_off
        Heads whose output was zeroed.
    mlps
        What each layer's MLP writes; none without MLPs.
    """

    ids: tuple[int, ...]
    streams: tuple[Float[Tensor, "position d_model"], ...]
    final: Float[Tensor, "position d_model"]
    queries: tuple[Float[Tensor, "head position d_head"], ...]
    keys: tuple[Float[Tensor, "kv_head position d_head"], ...]
    patterns: tuple[Float[Tensor, "head query key"], ...]
    next_log_probs: Float[Tensor, " d_vocab"]
    loss: Float[Tensor, " predicted"]
    heads_off: tuple[Head, ...] = ()
    mlps: tuple[Float[Tensor, "position d_model"], ...] = ()


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
    kept: dict[str, list[Tensor]] = {name: [] for name in ("in", "out", "mlp", *names)}

    def step(stream: Tensor, hook: Any) -> None:
        layer = len(kept["in"])
        job.step(layer, n_layers, f"running layer {layer}")
        kept["in"].append(stream[0])

    def keeper(name: str) -> Callable[[Tensor, Any], None]:
        return lambda tensor, hook: kept[name].append(tensor[0])

    hooks: list[tuple[str, Any]] = [(f"blocks.{n_layers - 1}.hook_out", keeper("out"))]
    for layer in range(n_layers):
        hooks.append((f"blocks.{layer}.hook_in", step))
        for name in names:
            hooks.append((f"blocks.{layer}.attn.{name}", keeper(name)))
        if hasattr(bridge.blocks[layer], "mlp"):
            hooks.append((f"blocks.{layer}.mlp.hook_out", keeper("mlp")))
    for layer in {head.layer for head in heads_off}:
        off = [head.number for head in heads_off if head.layer == layer]
        hooks.append((f"blocks.{layer}.attn.hook_z", silencer(off, bridge.cfg.n_heads)))
    logits = bridge.run_with_hooks(torch.tensor([ids]), return_type="logits", fwd_hooks=hooks)[0]
    log_probs = logits.log_softmax(-1)  # [position, d_vocab]
    following = torch.tensor(ids[1:], dtype=torch.long)[:, None]
    return ForwardPass(
        ids=ids,
        streams=tuple(kept["in"]),
        final=kept["out"][0],
        queries=tuple(q.transpose(0, 1) for q in kept["hook_q"]),  # [head, position, d_head]
        keys=tuple(k.transpose(0, 1) for k in kept["hook_k"]),  # [head, position, d_head]
        patterns=tuple(kept["hook_pattern"]),
        next_log_probs=log_probs[-1].clone(),  # a copy, so that the rest can be freed
        loss=-log_probs[:-1].gather(1, following)[:, 0],
        heads_off=heads_off,
        mlps=tuple(kept["mlp"]),
    )


def silencer(off: list[int], n_heads: int) -> Callable[[Tensor, Any], Tensor]:
    """Return a hook that zeroes what some heads hand to W_O."""

    def silence(z: Tensor, hook: Any) -> Tensor:
        by_head = z.reshape(*z.shape[:2], n_heads, -1).clone()  # [batch, position, head, d_head]
        by_head[:, :, off] = 0
        return by_head.view(z.shape)

    return silence
