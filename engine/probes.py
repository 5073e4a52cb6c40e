"""One forward pass in which chosen tensors are kept or changed on their way."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from engine.hooks import silencers, stepping
from engine.job import Job
from engine.layers import Change
from engine.messages import Head
from engine.placing import beside, home


def probe(
    bridge: Any,
    ids: tuple[int, ...],
    job: Job,
    keep: Sequence[str] = (),
    change: Mapping[str, Change] | None = None,
    heads_off: tuple[Head, ...] = (),
) -> dict[str, Tensor]:
    """Run a TransformerBridge once, and return what was asked for and the logits.

    Parameters
    ----------
    bridge : TransformerBridge
        The model.
    ids : tuple of int
        Token ids of the prompt, at least one.
    job : Job
        Steps before each part of each layer.
    keep : sequence of str
        Names of the bridge's hooks whose tensors are returned, after any change.
    change : mapping, optional
        Hook names and what is done to their tensors.
    heads_off : tuple of Head
        Heads that write nothing to the stream, b_V included.

    Returns
    -------
    dict
        A tensor for each name kept, without the batch axis, and `logits` [position, d_vocab].
    """
    kept: dict[str, Tensor] = {}

    def changing(does: Change) -> Callable[[Tensor, Any], Tensor]:
        return lambda tensor, hook: beside(does(home(tensor[0]))[None], tensor)

    def keeping(name: str) -> Callable[[Tensor, Any], None]:
        return lambda tensor, hook: kept.__setitem__(name, home(tensor[0]))

    hooks = silencers(heads_off, bridge.cfg.n_heads)
    hooks += [(name, changing(does)) for name, does in (change or {}).items()]
    hooks += [(name, keeping(name)) for name in keep]
    given = torch.tensor([ids], device=bridge.embed.W_E.device)
    with stepping(bridge, job, len(ids)):
        logits = bridge.run_with_hooks(
            given, return_type="logits", fwd_hooks=hooks, use_cache=False
        )
    return kept | {"logits": home(logits[0])}
