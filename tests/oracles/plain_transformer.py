"""An attention-only transformer run step by step in float64, as both texts write it.

One head, one position convention: query rows, key columns; heads only ever add to the stream.
"""

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from tests.oracles.checkpoint import Checkpoint


@dataclass(eq=False)
class Pass:
    """Everything met on the way of one prompt; per-layer lists count layers from 0."""

    streams: list[Tensor] = field(default_factory=list)  # [position, d_model], last: the final one
    reads: list[Tensor] = field(default_factory=list)  # the same after the layer's norm
    queries: list[Tensor] = field(default_factory=list)  # [head, position, d_head]
    keys: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    scores: list[Tensor] = field(default_factory=list)  # [head, query, key], divided, -inf masked
    patterns: list[Tensor] = field(default_factory=list)  # [head, query, key]
    head_outputs: list[Tensor] = field(default_factory=list)  # [head, position, d_model], no b_O
    logits: Tensor = field(default_factory=lambda: torch.empty(0))  # [position, d_vocab]


def normalise(checkpoint: Checkpoint, stream: Tensor) -> Tensor:
    """Centre and scale rows [..., d_model] to unit (biased) variance, eps inside the root."""
    if not checkpoint.norm:
        return stream
    centred = stream - stream.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + checkpoint.eps).sqrt()


def run(checkpoint: Checkpoint, ids: list[int]) -> Pass:
    """Run token ids through a checkpoint."""
    stream = checkpoint["embed.W_E"][torch.tensor(ids)]
    if "pos_embed.W_pos" in checkpoint.tensors:
        stream = stream + checkpoint["pos_embed.W_pos"][: len(ids)]
    allowed = torch.ones(len(ids), len(ids), dtype=torch.bool).tril()
    seen = Pass()
    for layer in range(checkpoint.n_layers):
        read = normalise(checkpoint, stream)
        heads = [
            _head(checkpoint, layer, head, read, allowed) for head in range(checkpoint.n_heads)
        ]
        q, k, v, scores, pattern, output = (
            torch.stack(parts) for parts in zip(*heads, strict=True)
        )
        seen.streams.append(stream)
        seen.reads.append(read)
        seen.queries.append(q)
        seen.keys.append(k)
        seen.values.append(v)
        seen.scores.append(scores)
        seen.patterns.append(pattern)
        seen.head_outputs.append(output)
        stream = stream + output.sum(0) + checkpoint[f"blocks.{layer}.attn.b_O"]
    seen.streams.append(stream)
    final = normalise(checkpoint, stream)
    seen.logits = final @ checkpoint["unembed.W_U"] + checkpoint["unembed.b_U"]
    return seen


def _head(
    checkpoint: Checkpoint, layer: int, head: int, read: Tensor, allowed: Tensor
) -> tuple[Tensor, ...]:
    q, k, v = (
        read @ checkpoint.of_head(layer, head, f"W_{x}") + checkpoint.of_head(layer, head, f"b_{x}")
        for x in "QKV"
    )
    scores = (q @ k.T / checkpoint.d_head**0.5).masked_fill(~allowed, -torch.inf)
    pattern = scores.softmax(-1)
    return q, k, v, scores, pattern, pattern @ v @ checkpoint.of_head(layer, head, "W_O")


def without(checkpoint: Checkpoint, heads: list[tuple[int, int]]) -> Checkpoint:
    """Return a checkpoint whose W_O is 0 for some heads (layer, head): they write nothing."""
    tensors = dict(checkpoint.tensors)
    for layer, head in heads:
        name = f"blocks.{layer}.attn.W_O"
        tensors[name] = tensors[name].clone()
        tensors[name][head] = 0
    return replace(checkpoint, tensors=tensors)


def losses(logits: Tensor, ids: list[int]) -> Tensor:
    """Return minus the log-probability of token i + 1 after tokens 0 to i, [position - 1]."""
    log_probs = logits.log_softmax(-1)
    return torch.stack([-log_probs[i, token] for i, token in enumerate(ids[1:])])
