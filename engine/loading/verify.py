"""Whether what was wrapped still does what the model did, and which of it weights explain."""

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from engine.forward.forward_pass import ForwardPass, forward
from engine.forward.layers import probe
from engine.job import Cancelled, Job
from engine.messages import Refused
from engine.messages.printing import in_a_line
from engine.network.device import OUT_OF_MEMORY
from engine.network.folding import fold
from engine.network.network import Network
from engine.network.rotation import Rotation

PATTERN = 1e-4
"""Largest difference that a pattern may have to the model's own."""

PROBE = 16
"""Tokens that a model is run on as it is opened."""

SHARE = 1e-3
"""Share of the largest number by which a sum of parts may miss a whole, in single precision."""

ROUNDINGS = {"pattern": 16, "nats": 64, "parts": 4, "attention": 32}
"""The same in half precision, as multiples of the distance between 1 and the next number (2^-7 in
bfloat16, 2^-10 in float16), where that is more. Most bridges compute what the model does to the
last bit; over 32 small architectures, those that round in another order (GLM's rotation) come to
8.5, 21 and 1.2 of them, and a wrong rotation or reading to more than 100. Both ways of attention
of transformers (see `engine.loading.reference`) are up to 9 of them apart after three layers."""


@dataclass(frozen=True, eq=False)
class Own:
    """What a model made of a few tokens before it was wrapped.

    Attributes
    ----------
    ids, patterns, log_probs
        The tokens, and what came of them.
    masks
        Where the last positions of its longest prompt may look, layer by layer; none where it
        knows no window.
    """

    ids: tuple[int, ...]
    patterns: tuple[Float[Tensor, "head query key"], ...]
    log_probs: Float[Tensor, "position d_vocab"]
    masks: tuple[Bool[Tensor, "last context"], ...] = ()


@contextmanager
def refusing(sentence: str) -> Iterator[None]:
    """Refuse, with a sentence and the library's own reason, whatever a library raises inside.

    Each architecture has errors of its own.
    """
    try:
        yield
    except (Refused, Cancelled, *OUT_OF_MEMORY):
        raise
    except Exception as error:
        raise Refused(f"{sentence}: {in_a_line(error)}") from error


def probe_ids(d_vocab: int, context: int) -> tuple[int, ...]:
    """Return the same tokens for every model with such a vocabulary."""
    chance = torch.Generator().manual_seed(0)
    return tuple(torch.randint(d_vocab, (min(PROBE, context),), generator=chance).tolist())


def share(found: Tensor, meant: Tensor) -> float:
    """Return the largest difference over the largest number."""
    if meant.numel() == 0:
        return 0.0
    return float((found - meant).abs().max() / meant.abs().max().clamp(min=1e-20))


def allowed(dtype: torch.dtype, single: float, what: str) -> float:
    """Return what rounding may take, by how a model is held.

    Parameters
    ----------
    dtype : dtype
        Of its weights.
    single : float
        What it may take in single precision.
    what : str
        One of `ROUNDINGS`.
    """
    return max(single, ROUNDINGS[what] * torch.finfo(dtype).eps)


def verified(name: str, network: Network, own: Own, job: Job) -> Network:
    """Return the network with what a run of it shows: how embeddings enter, and what scores follow.

    Raises
    ------
    Refused
        If patterns or predictions are not the model's own, or a layer's parts do not add up.
    """
    try:
        forward_pass = forward(network.bridge, own.ids, job)
    except Cancelled:
        raise
    except Exception as error:  # each adapter has its own way of not running
        raise Refused(
            f"{name} is not opened: TransformerLens wraps its architecture, and cannot run it"
        ) from error
    for layer, (found, meant) in enumerate(zip(forward_pass.patterns, own.patterns, strict=True)):
        apart = float((found - meant).abs().max())
        if not apart <= allowed(network.dtype, PATTERN, "pattern"):
            raise Refused(
                f"{name} is not opened: at layer {layer}, patterns differ by {apart:.1e} from what "
                "the model itself computes"
            )
    apart = float((forward_pass.next_log_probs - own.log_probs[-1]).abs().max())
    nats = allowed(network.dtype, SHARE, "nats")
    if not apart <= nats:
        raise Refused(
            f"{name} is not opened: its predictions differ by {apart:.1e} nats from what the model "
            "itself computes"
        )
    found = network.finished(network.unembedded(forward_pass.read[-1])).log_softmax(-1)
    if float((found - own.log_probs[-1]).abs().max()) > nats:
        raise Refused(
            f"{name} is not opened: its logits are more than its last norm times W_U, scaled and "
            "capped as its config says"
        )
    network = replace(network, embed_scale=_embed_scale(name, network, forward_pass))
    hooks = ("hook_attn_out", "attn.hook_attn_scores")
    names = [f"blocks.{layer}.{hook}" for layer in range(network.n_layers) for hook in hooks]
    kept = probe(network.bridge, own.ids, job, names)
    written = [kept[f"blocks.{layer}.hook_attn_out"] for layer in range(network.n_layers)]
    scores = [kept[f"blocks.{layer}.attn.hook_attn_scores"] for layer in range(network.n_layers)]
    for layer in range(network.n_layers):
        job.step(layer, network.n_layers, f"checking layer {layer}")
        _check_parts(name, network, forward_pass, layer, written[layer])
        _check_window(name, network, forward_pass, layer, own)
    parts = allowed(network.dtype, SHARE, "parts")
    own_scores = all(
        share(scored.softmax(-1), pattern) <= parts
        for scored, pattern in zip(scores, forward_pass.patterns, strict=True)
    )
    network = replace(network, mlp_is_parallel=_parallel(network, forward_pass, written))
    return replace(_explained(network, forward_pass), own_scores=own_scores)


def _embed_scale(name: str, network: Network, forward_pass: ForwardPass) -> float:
    entering = forward_pass.streams[0] - network.positions(len(forward_pass.ids))
    rows = network.embeddings(list(forward_pass.ids))
    if network.embed_norm is not None:
        rows = network.embed_norm.applied(rows, network.eps)
    scale = float((entering * rows).sum() / rows.square().sum())
    if share(scale * rows, entering) > allowed(network.dtype, SHARE, "parts"):
        raise Refused(
            f"{name} is not opened: what enters its first layer is more than an embedding, its "
            "norm and a learned position"
        )
    return 1.0 if abs(scale - 1) < max(SHARE, torch.finfo(network.dtype).eps) else scale


def _check_parts(
    name: str,
    network: Network,
    forward_pass: ForwardPass,
    layer: int,
    written: Float[Tensor, "position d_model"],
) -> None:
    read, norm = network.read(forward_pass.streams[layer]), network.layer_norms[layer]
    b_V, group = network.biases(layer, "V"), network.n_heads // network.n_kv_heads
    total = network.output_bias(layer).expand_as(read)
    for number in range(network.n_heads):
        raw = network.raw(layer, number)
        weights = fold(raw, norm, network.centring)
        bias = b_V[number // group] + (0 if norm.bias is None else norm.bias @ raw.W_V)
        pattern = forward_pass.patterns[layer][number]
        total = total + (pattern @ read @ weights.W_V + bias) @ raw.W_O
    total = total / forward_pass.output_scale(layer)[:, None]
    parts = allowed(network.dtype, SHARE, "parts")
    if share(total, written) > parts:
        raise Refused(
            f"{name} is not opened: what layer {layer} writes is not the sum of its heads"
        )
    after = forward_pass.streams[layer + 1] if layer + 1 < network.n_layers else forward_pass.final
    whole = forward_pass.streams[layer] + written
    if forward_pass.mlps:
        whole = whole + forward_pass.mlps[layer]
    if share(whole, after) > parts:
        raise Refused(
            f"{name} is not opened: what layer {layer} adds to the stream is not what its heads "
            "and its MLP write (a norm or a factor follows them)"
        )


def _check_window(
    name: str, network: Network, forward_pass: ForwardPass, layer: int, own: Own
) -> None:
    # That far cells are 0 says nothing: a softmax of large scores gives nothing to all but one.
    seen = forward_pass.patterns[layer][
        :, network.attention_mask(layer, len(forward_pass.ids))
    ].any()
    if seen or (own.masks and not _same_mask(network, layer, own.masks[layer])):
        raise Refused(
            f"{name} is not opened: the queries of layer {layer} do not look as far back as its "
            "config says"
        )


def _same_mask(network: Network, layer: int, mask: Bool[Tensor, "last context"]) -> bool:
    rows, length = mask.shape
    return torch.equal(mask, ~network.attention_mask(layer, length, rows))


def _parallel(
    network: Network, forward_pass: ForwardPass, written: list[Float[Tensor, "position d_model"]]
) -> bool | None:
    """Return whether MLPs read what heads read, or the stream after them; none if neither."""

    def misses(parallel: bool) -> float:
        return max(
            _misses(network, layer, stream if parallel else stream + added, forward_pass)
            for layer, (stream, added) in enumerate(zip(forward_pass.streams, written, strict=True))
        )

    ways = (False, True)
    fitting = _fitting(map(misses, ways), allowed(network.dtype, SHARE, "parts"))
    return None if fitting is None else ways[fitting]


def _misses(
    network: Network,
    layer: int,
    streams: Float[Tensor, "position d_model"],
    forward_pass: ForwardPass,
) -> float:
    """Return by what share a layer's MLP, given streams, misses what it added on the run."""
    if not forward_pass.mlps:
        return 0.0
    try:
        found = network.mlp_output(layer, streams)
    except Exception:  # an MLP that wants more than a stream is one that is not known
        return math.inf
    return share(found, forward_pass.mlps[layer]) if found.shape == streams.shape else math.inf


def _explained(network: Network, forward_pass: ForwardPass) -> Network:
    """Return the network with how it turns, or why its scores do not follow from its weights."""
    if network.unlike_weights:
        return _unlike(network, network.unlike_weights)
    if hasattr(network.bridge.blocks[0].attn, "q_norm"):
        return _unlike(network, "it normalises queries and keys")
    if network.slopes is not None:
        # Falcon's enter a score before it is divided, those of the others after it.
        told = (network.slopes, network.slopes / network.d_head**0.5)
        seen = _seen(network, 0, forward_pass)
        misses = (_apart(replace(network, slopes=slopes), 0, None, *seen) for slopes in told)
        which = _fitting(misses, allowed(network.dtype, SHARE, "pattern"))
        if which is None:
            return _unlike(network, "what it adds for a distance is not a slope times it")
        network = replace(network, slopes=told[which])
    found = []
    for layer in range(network.n_layers):
        ways = _ways(network.rotation(layer))
        seen = _seen(network, layer, forward_pass)
        misses = (_apart(network, layer, way, *seen) for way in ways)
        fitting = _fitting(misses, allowed(network.dtype, SHARE, "pattern"))
        if fitting is None:
            break
        found.append(ways[fitting])
    else:
        return replace(network, rotations=tuple(found))
    turns = network.position_kind == "rotary"
    knows = "it turns queries and keys in a way that Headscope does not know"
    return _unlike(network, knows if turns else "they hold more than queries times keys")


def _unlike(network: Network, why: str) -> Network:
    none = (None,) * network.n_layers
    return replace(network, rotations=none, slopes=None, unlike_weights=why)


def _ways(rotation: Rotation | None) -> list[Rotation | None]:
    """Return in which ways a layer may turn: as is said, its neighbours together, not at all."""
    if rotation is None:
        return [None]
    return [rotation, replace(rotation, neighbours=True), rotation.paired, None]


def _apart(
    network: Network,
    layer: int,
    rotation: Rotation | None,
    queries: Float[Tensor, "head position d_head"],
    keys: Float[Tensor, "head position d_head"],
    pattern: Float[Tensor, "head query key"],
) -> float:
    """Return how far patterns are from those of folded queries and keys at every distance."""
    count = pattern.shape[-1]
    scores = torch.full_like(pattern, -torch.inf)
    still = keys if rotation is None else rotation.turned(keys, 0, count)
    for offset in range(count):
        turned = queries if rotation is None else rotation.turned(queries, offset, count)
        along = (turned[:, offset:] * still[:, : count - offset]).sum(-1) / network.divisors[layer]
        if network.slopes is not None:
            along = along - offset * network.slopes[:, None]
        scores.diagonal(-offset, -2, -1).copy_(network.capped_scores(along))
    found = scores.masked_fill(network.attention_mask(layer, count), -torch.inf).softmax(-1)
    return float((found - pattern).abs().max())


def _seen(
    network: Network, layer: int, forward_pass: ForwardPass
) -> tuple[
    Float[Tensor, "head position d_head"],
    Float[Tensor, "head position d_head"],
    Float[Tensor, "head query key"],
]:
    """Return queries and keys of each query head by its folded weights, unturned; and patterns."""
    read, norm = network.read(forward_pass.streams[layer]), network.layer_norms[layer]
    heads = [fold(network.raw(layer, n), norm, network.centring) for n in range(network.n_heads)]
    queries = torch.stack([read @ head.W_Q + head.b_Q for head in heads])
    keys = torch.stack([read @ head.W_K + head.b_K for head in heads])
    return queries, keys, forward_pass.patterns[layer]


def _fitting(misses: Iterable[float], allowed: float) -> int | None:
    """Return which of several ways is right, from how far each is off; none where none is.

    The first that is right to single precision; else the nearest, which rounding cannot tell.
    """
    nearest: tuple[float, int] | None = None
    for at, missed in enumerate(misses):
        if missed <= SHARE:
            return at
        if missed <= allowed and (nearest is None or missed < nearest[0]):
            nearest = (missed, at)
    return None if nearest is None else nearest[1]
