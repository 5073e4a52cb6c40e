"""Whether what was wrapped still does what the model did, and which of it weights explain."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from engine.folding import fold, normalised, root_mean_square
from engine.job import Cancelled, Job
from engine.messages import Refused
from engine.network import Network, capped
from engine.probes import probe
from engine.rotation import Rotation
from engine.runs import ForwardPass, forward

PATTERN = 1e-4
"""Largest difference that a pattern may have to the model's own."""

FEW = 4
"""Cells of a diagonal from which it says something."""

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
    try:
        passed = forward(network.bridge, own.ids, job)
    except Cancelled:
        raise
    except Exception as error:  # each adapter has its own way of not running
        raise Refused(
            f"{name} is not opened: TransformerLens wraps its architecture, and cannot run it"
        ) from error
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
    logits = network.logit_scale * (passed.read[-1] @ bridge.unembed.W_U + bridge.unembed.b_U)
    found = capped(logits, network.logit_cap).log_softmax(-1)
    if float((found - own.log_probs[-1]).abs().max()) > SHARE:
        raise Refused(
            f"{name} is not opened: its logits are more than its last norm times W_U, scaled and "
            "capped as its config says"
        )
    network = replace(network, embed_scale=_embed_scale(name, network, passed))
    hooks = ("hook_attn_out", "attn.hook_attn_scores")
    names = [f"blocks.{layer}.{hook}" for layer in range(network.n_layers) for hook in hooks]
    kept = probe(network.bridge, own.ids, job, names)
    written = [kept[f"blocks.{layer}.hook_attn_out"] for layer in range(network.n_layers)]
    scores = [kept[f"blocks.{layer}.attn.hook_attn_scores"] for layer in range(network.n_layers)]
    for layer in range(network.n_layers):
        job.step(layer, network.n_layers, f"checking layer {layer}")
        _check_parts(name, network, passed, layer, written[layer])
        _check_window(name, network, passed, layer)
    own_scores = all(
        _share(scored.softmax(-1), pattern) <= SHARE
        for scored, pattern in zip(scores, passed.patterns, strict=True)
    )
    network = replace(network, parallel=_parallel(network, passed, written))
    return replace(_explained(network, passed), own_scores=own_scores)


def _embed_scale(name: str, network: Network, passed: ForwardPass) -> float:
    entering = passed.streams[0] - network.W_pos[: len(passed.ids)]
    rows = network.bridge.embed.W_E[list(passed.ids)]
    if network.embed_norm is not None:
        rows = network.embed_norm.applied(rows, network.eps)
    scale = float((entering * rows).sum() / rows.square().sum())
    if _share(scale * rows, entering) > SHARE:
        raise Refused(
            f"{name} is not opened: what enters its first layer is more than an embedding, its "
            "norm and a learned position"
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
    total = total / passed.output_scale(layer)[:, None]
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


def _check_window(name: str, network: Network, passed: ForwardPass, layer: int) -> None:
    pattern, count = passed.patterns[layer], len(passed.ids)
    hidden = network.hidden(layer, count)
    # One far cell may be 0 to rounding; that all of a distance are is a window.
    empty = any(
        not hidden[-1, -1 - distance] and not pattern.diagonal(-distance, -2, -1).any()
        for distance in range(count - FEW)
    )
    if empty or pattern[:, hidden].any():
        raise Refused(
            f"{name} is not opened: the queries of layer {layer} do not look as far back as its "
            "config says"
        )


def _parallel(
    network: Network, passed: ForwardPass, written: list[Float[Tensor, "position d_model"]]
) -> bool | None:
    """Return whether MLPs read what heads read, or the stream after them; none if neither."""
    for parallel in (False, True):
        if all(
            _reads(network, layer, stream if parallel else stream + added, passed)
            for layer, (stream, added) in enumerate(zip(passed.streams, written, strict=True))
        ):
            return parallel
    return None


def _reads(
    network: Network, layer: int, streams: Float[Tensor, "position d_model"], passed: ForwardPass
) -> bool:
    """Return whether a layer's MLP makes of streams what it added on the run."""
    if not passed.mlps:
        return True
    try:
        found = network.mlp_output(layer, streams)
    except Exception:  # an MLP that wants more than a stream is one that is not known
        return False
    return found.shape == streams.shape and _share(found, passed.mlps[layer]) <= SHARE


def _explained(network: Network, passed: ForwardPass) -> Network:
    """Return the network with how it turns, or why its scores do not follow from its weights."""
    if hasattr(network.bridge.blocks[0].attn, "q_norm"):
        return _unlike(network, "it normalises queries and keys")
    found = []
    for layer in range(network.n_layers):
        ways = _ways(network.rotation(layer))
        fits = [way for way in ways if _follow(network, way, passed, layer)]
        if not fits:
            break
        found.append(fits[0])
    else:
        return replace(network, rotations=tuple(found))
    reasons = {
        "ALiBi": "it adds a distance to them in a way that Headscope does not know",
        "rotary": "it turns queries and keys in a way that Headscope does not know",
    }
    why = reasons.get(network.positions, "they hold more than queries times keys")
    return _unlike(network, why)


def _unlike(network: Network, why: str) -> Network:
    none = (None,) * network.n_layers
    return replace(network, rotations=none, slopes=None, unlike_weights=why)


def _ways(rotation: Rotation | None) -> list[Rotation | None]:
    """Return in which ways a layer may turn: as is said, its neighbours together, not at all."""
    if rotation is None:
        return [None]
    return [rotation, replace(rotation, neighbours=True), rotation.paired, None]


def _follow(network: Network, rotation: Rotation | None, passed: ForwardPass, layer: int) -> bool:
    """Return whether queries and keys from folded weights, at every distance, give the patterns."""
    count, pattern = len(passed.ids), passed.patterns[layer]
    read = _read(network, passed.streams[layer])
    queries, keys = (_projected(network, layer, read, side) for side in ("Q", "K"))
    scores = torch.full_like(pattern, -torch.inf)
    still = keys if rotation is None else rotation.turned(keys, 0)
    for offset in range(count):
        turned = queries if rotation is None else rotation.turned(queries, offset)
        along = (turned[:, offset:] * still[:, : count - offset]).sum(-1) / network.divisor
        if network.slopes is not None:
            along = along - offset * network.slopes[:, None]
        scores.diagonal(-offset, -2, -1).copy_(capped(along, network.score_cap))
    found = scores.masked_fill(network.hidden(layer, count), -torch.inf).softmax(-1)
    return float((found - pattern).abs().max()) <= SHARE


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
