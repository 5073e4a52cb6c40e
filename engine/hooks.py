"""What is done inside a network while it runs: heads silenced, progress told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor
from torch.nn.modules.module import register_module_forward_pre_hook

from engine.job import Job
from engine.messages import Head


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


@contextmanager
def stepping(bridge: Any, job: Job) -> Iterator[None]:
    """Step before every part of what runs inside: at a thousand tokens one layer takes too long."""
    layers = {id(block): layer for layer, block in enumerate(bridge.blocks)}
    layer = 0

    def step(part: Any, given: Any) -> None:
        nonlocal layer
        layer = layers.get(id(part), layer)
        job.step(layer, len(layers), f"running layer {layer}")

    handle = register_module_forward_pre_hook(step)
    try:
        yield
    finally:
        handle.remove()
