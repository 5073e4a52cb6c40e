"""What is done inside a network while it runs: heads silenced, progress told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from torch import Tensor
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode

from engine.job import Job
from engine.messages import Head

LARGE = 2**20
"""Numbers in a tensor from which each operation on it is a step of its own."""


class _Operations(TorchFunctionMode):
    """Calls back before each operation on a large tensor, and changes none."""

    def __init__(self, before: Callable[[], None]) -> None:
        super().__init__()
        self._before = before

    def __torch_function__(
        self, operation: Any, types: Any, given: tuple[Any, ...] = (), named: Any = None
    ) -> Any:
        first = given[0] if given else None
        if isinstance(first, Tensor) and first.numel() >= LARGE:
            self._before()
        return operation(*given, **(named or {}))


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
def stepping(bridge: Any, job: Job, length: int) -> Iterator[None]:
    """Step before every part of what runs inside: at a thousand tokens one layer takes too long.

    There scores take too long as well, so that each operation on them is a step.

    Parameters
    ----------
    bridge : TransformerBridge
        The model.
    job : Job
        Takes the steps.
    length : int
        How many tokens run.
    """
    layers = {id(block): layer for layer, block in enumerate(bridge.blocks)}
    layer = 0

    def step() -> None:
        job.step(layer, len(layers), f"running layer {layer}")

    def enter(part: Any, given: Any) -> None:
        nonlocal layer
        layer = layers.get(id(part), layer)
        step()

    # Watching operations takes a millisecond or two a run, and without large ones gives nothing.
    large = bridge.cfg.n_heads * length**2 >= LARGE
    handle = register_module_forward_pre_hook(enter)
    try:
        with _Operations(step) if large else nullcontext():
            yield
    finally:
        handle.remove()
