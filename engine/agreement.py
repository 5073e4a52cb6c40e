"""Whether what was wrapped still does what the model did, and which of it weights explain."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from engine.folding import fold, normalised, root_mean_square
from engine.job import Job
from engine.messages import Refused
from engine.network import Network
from engine.probes import probe
from engine.rotation import Rotation
from engine.runs import ForwardPass, forward

PATTERN = 1e-4
"""Largest difference that a pattern may have to the model's own."""

SHARE = 1e-3
"""Share of the largest number by which a sum of parts may miss a whole, in single precision."""


@dataclass(frozen=True, eq=False)
class Own:
    """What a model made of a few tokens before it was wrapped."""

    ids: tuple[int, ...]
    patterns: tuple[Float[Tensor, "head query key"], ...]
    log_probs: Float[Tensor, "position d_vocab"]


def settled(name: str, network: Network, own: Own, job: Job) -> Network:
    """Return the network with what a run of it shows: how embeddings enter, and what scores follow.

    Parameters
    ----------
    name : str
        What the model is called.
    network : Network
        The wrapped model.
    own : Own
        What it did before.
    job : Job
        Steps between layers.

    Raises
    ------
    Refused
        If patterns or predictions are not the model's own, or a layer's parts do not add up.
    """
    passed = forward(network.bridge, own.ids, job)
    for layer, (found, meant) in enumerate(zip(passed.patterns, own.patterns, strict=True)):
        apart = float((found - meant).abs().max())
        if not apart <= PATTERN:
            raise Refused(
                f"{name} is not opened: at layer {layer}, patterns differ by {apart:.1e} from what "
                "the model itself computes"
            )
    apart = float((passed.next_log_probs - own.log_probs[-1]).abs().max())
    if not apart <= SHARE:
        raise Refused(
            f"{name} is not opened: its predictions differ by {apart:.1e} nats from what the model "
            "itself computes"
        )
    bridge = network.bridge
    logits = passed.read[-1] @ bridge.unembed.W_U + bridge.unembed.b_U
    if float((logits.log_softmax(-1) - own.log_probs[-1]).abs().max()) > SHARE:
        raise Refused(
            f"{name} is not opened: its logits are more than its last norm times W_U (it scales or "
            "caps them)"
        )
    network = replace(network, embed_scale=_embed_scale(name, network, passed))
    hooks = ("attn.hook_out", "attn.hook_attn_scores")
    names = [f"blocks.{layer}.{hook}" for layer in range(network.n_layers) for hook in hooks]
    kept = probe(network.bridge, own.ids, job, names)
    for layer in range(network.n_layers):
        job.step(layer, network.n_layers, f"checking layer {layer}")
        _check_parts(name, network, passed, layer, kept[f"blocks.{layer}.attn.hook_out"])
    own_scores = all(
        _share(kept[f"blocks.{layer}.attn.hook_attn_scores"].softmax(-1), pattern) <= SHARE
        for layer, pattern in enumerate(passed.patterns)
    )
    return replace(_explained(network, passed), own_scores=own_scores)


def _embed_scale(name: str, network: Network, passed: ForwardPass) -> float:
    entering = passed.streams[0] - network.W_pos[: len(passed.ids)]
    rows = network.bridge.embed.W_E[list(passed.ids)]
    scale = float((entering * rows).sum() / rows.square().sum())
    if _share(scale * rows, entering) > SHARE:
        raise Refused(
            f"{name} is not opened: what enters its first layer is more than an embedding and a "
            "learned position"
        )
    return 1.0 if abs(scale - 1) < SHARE else scale


def _check_parts(
    name: str,
    network: Network,
    passed: ForwardPass,
    layer: int,
    written: Float[Tensor, "position d_model"],
) -> None:
    read, norm = _read(network, passed.streams[layer]), network.layer_norms[layer]
    centring = network.norm == "LayerNorm"
    b_V, group = network.biases(layer, "V"), network.n_heads // network.n_kv_heads
    total = network.output_bias(layer).expand_as(read)
    for number in range(network.n_heads):
        raw = network.raw(layer, number)
        weights = fold(raw, norm, centring)
        bias = b_V[number // group] + (0 if norm.bias is None else norm.bias @ raw.W_V)
        pattern = passed.patterns[layer][number]
        total = total + (pattern @ read @ weights.W_V + bias) @ raw.W_O
    if _share(total, written) > SHARE:
        raise Refused(
            f"{name} is not opened: what layer {layer} writes is not the sum of its heads"
        )
    after = passed.streams[layer + 1] if layer + 1 < network.n_layers else passed.final
    whole = passed.streams[layer] + written
    if passed.mlps:
        whole = whole + passed.mlps[layer]
    if _share(whole, after) > SHARE:
        raise Refused(
            f"{name} is not opened: what layer {layer} adds to the stream is not what its heads "
            "and its MLP write (a norm or a factor follows them)"
        )


def _explained(network: Network, passed: ForwardPass) -> Network:
    """Return the network with how it turns, or why its scores do not follow from its weights."""
    if hasattr(network.bridge.blocks[0].attn, "q_norm"):
        return replace(network, unlike_weights="it normalises queries and keys")
    if network.rotation is None or network.rotation.neighbours:
        ways = [network.rotation]
    else:
        ways = [network.rotation, replace(network.rotation, neighbours=True)]
    for rotation in ways:
        if _follow(network, rotation, passed):
            return replace(network, rotation=rotation)
    reasons = {
        "ALiBi": "it adds a distance to them (ALiBi)",
        "rotary": "it turns queries and keys in a way that Headscope does not know",
    }
    why = reasons.get(network.positions, "they hold more than queries times keys")
    if network.bridge.cfg.attn_scores_soft_cap > 0:
        why = "they are capped"
    return replace(network, rotation=None, unlike_weights=why)


def _follow(network: Network, rotation: Rotation | None, passed: ForwardPass) -> bool:
    """Return whether queries and keys from folded weights, at every distance, give the patterns."""
    count = len(passed.ids)
    for layer, pattern in enumerate(passed.patterns):
        read = _read(network, passed.streams[layer])
        queries, keys = (_projected(network, layer, read, side) for side in ("Q", "K"))
        scores = torch.full_like(pattern, -torch.inf)
        still = keys if rotation is None else rotation.turned(keys, 0)
        for offset in range(count):
            turned = queries if rotation is None else rotation.turned(queries, offset)
            along = (turned[:, offset:] * still[:, : count - offset]).sum(-1)
            scores.diagonal(-offset, -2, -1).copy_(along / network.divisor)
        # What a window hides has no weight at all.
        found = scores.masked_fill(pattern == 0, -torch.inf).softmax(-1)
        if not float((found - pattern).abs().max()) <= SHARE:
            return False
    return True


def _projected(
    network: Network,
    layer: int,
    read: Float[Tensor, "position d_model"],
    side: str,
) -> Float[Tensor, "head position d_head"]:
    norm, centring = network.layer_norms[layer], network.norm == "LayerNorm"
    made = []
    for number in range(network.n_heads):
        weights = fold(network.raw(layer, number), norm, centring)
        W, b = (weights.W_Q, weights.b_Q) if side == "Q" else (weights.W_K, weights.b_K)
        made.append(read @ W + b)
    return torch.stack(made)


def _read(
    network: Network, streams: Float[Tensor, "position d_model"]
) -> Float[Tensor, "position d_model"]:
    if network.norm == "RMSNorm":
        return streams / root_mean_square(streams, network.eps)[:, None]
    return streams if network.norm == "none" else normalised(streams, network.eps)


def _share(found: Tensor, meant: Tensor) -> float:
    """Return the largest difference over the largest number."""
    if meant.numel() == 0:
        return 0.0
    return float((found - meant).abs().max() / meant.abs().max().clamp(min=1e-20))
