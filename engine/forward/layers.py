"""Layers of a running network: hooks, progress, recorded inputs, and layers run again.

At a thousand tokens the patterns of a real model take gigabytes, the streams between its layers a
hundredth of that. A layer whose pattern is not held is run again by the model's own modules, on
its recorded input and up to what is asked for: the same operations, and so the same numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode
from transformers import Cache

from engine.job import Job
from engine.messages import Head
from engine.network.device import to_cpu_float32, to_like

LARGE = 2**20
"""Numbers in a tensor from which each operation on it is a step of its own."""


PATTERN_BYTES = 128 * 2**20
"""Of patterns that a run holds: all those of 256 tokens with some hundred heads."""

Change = Callable[[Tensor], Tensor]
"""Takes a tensor on its way, without the batch axis, and returns what goes on instead."""


class _Enough(Exception):
    """Raised inside a block that has made what was asked for."""


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


def zero_ablation_hooks(heads_off: tuple[Head, ...], n_heads: int) -> list[tuple[str, Any]]:
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


def _recording(
    kept: dict[str, Tensor], keep: Sequence[str], change: Mapping[str, Change], within: str = ""
) -> list[tuple[str, Any]]:
    """Return hooks that change tensors and keep others, after any change, without the batch axis.

    Names are those of the bridge's hooks; within a block they are without the block's, and the
    block ends once all are kept.
    """

    def changing(does: Change) -> Callable[[Tensor, Any], Tensor]:
        return lambda tensor, hook: to_like(does(to_cpu_float32(tensor[0]))[None], tensor)

    def keeping(name: str) -> Callable[[Tensor, Any], None]:
        def take(tensor: Tensor, hook: Any) -> None:
            kept[name] = to_cpu_float32(tensor[0])
            if within and len(kept) == len(keep):
                raise _Enough

        return take

    hooks: list[tuple[str, Any]] = [(within + name, changing(it)) for name, it in change.items()]
    return hooks + [(within + name, keeping(name)) for name in keep]


@contextmanager
def stepping(bridge: Any, job: Job, length: int) -> Iterator[None]:
    """Step before every part of what runs inside: at a thousand tokens one layer takes too long.

    There scores take too long as well, so that each operation on them is a step.
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


class _Call(NamedTuple):
    """What a block was called with."""

    stream: Float[Tensor, "batch position d_model"]
    others: tuple[Any, ...]
    named: dict[str, Any]


class _Attended(NamedTuple):
    pattern: Float[Tensor, "head query key"]
    queries: Float[Tensor, "head position d_head"]
    keys: Float[Tensor, "kv_head position d_head"]


class ByLayer:
    """A tensor of each layer, which may have to be made again when it is asked for.

    Take a layer's once and go over its heads, rather than the other way round.
    """

    def __init__(self, count: int, of: Callable[[int], Tensor]) -> None:
        self._layers, self._of = range(count), of

    def __len__(self) -> int:
        return len(self._layers)

    def __getitem__(self, layer: int) -> Tensor:
        return self._of(self._layers[layer])

    def __iter__(self) -> Iterator[Tensor]:
        return map(self._of, self._layers)


class Layers:
    """The recorded inputs of each layer of one run, and the patterns of as many layers as fit.

    Patterns of the first layers are held: going over all layers would push out of a cache exactly
    what comes next. One more is kept, the last that was made again. A single layer is held
    whatever it takes.
    """

    def __init__(self, bridge: Any, job: Job, heads_off: tuple[Head, ...], budget: int) -> None:
        self.job = job
        self._bridge, self._budget = bridge, budget
        self._zero_ablation = zero_ablation_hooks(heads_off, bridge.cfg.n_heads)
        self._calls: list[_Call] = []
        self._held: dict[int, Tensor] = {}
        self._last: tuple[int, _Attended] | None = None

    def record_inputs(self, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Record what the next block is called with: its stream, first or named, and the rest."""
        # A cache of earlier keys would be added to when the block runs again.
        named = {key: None if isinstance(it, Cache) else it for key, it in named.items()}
        stream = given[0] if given else named.pop("hidden_states")
        self._calls.append(_Call(stream, given[1:], named))

    def hold(self, layer: int, pattern: Float[Tensor, "head query key"]) -> None:
        """Hold a layer's pattern if there is room for it."""
        room = self._budget // pattern.nbytes
        if room < self._bridge.cfg.n_layers:
            room -= 1  # the place of the one that was made again
        if layer < room:
            self._held[layer] = pattern

    def pattern(self, layer: int) -> Float[Tensor, "head query key"]:
        """Return a layer's pattern, as the model itself used it."""
        return self._held[layer] if layer in self._held else self._attended(layer).pattern

    def queries(self, layer: int) -> Float[Tensor, "head position d_head"]:
        """Return a layer's queries, with biases, before rotary positions turn them."""
        return self._attended(layer).queries

    def keys(self, layer: int) -> Float[Tensor, "kv_head position d_head"]:
        """Return a layer's keys, with biases, before rotary positions turn them."""
        return self._attended(layer).keys

    def rerun(
        self, layer: int, keep: Sequence[str], change: Mapping[str, Change] | None = None
    ) -> dict[str, Tensor]:
        """Run a block again on its recorded input, until it has made what is asked for.

        Returns
        -------
        dict
            A tensor for each name of `keep`, after any change, without the batch axis. Names are
            those of the bridge's hooks without the block's.
        """
        at, kept = f"blocks.{layer}.", dict[str, Tensor]()
        hooks = [hook for hook in self._zero_ablation if hook[0].startswith(at)]
        hooks += _recording(kept, keep, change or {}, at)
        call = self._calls[layer]
        inside = self._bridge.hooks(fwd_hooks=hooks)
        with inside, stepping(self._bridge, self.job, call.stream.shape[1]), suppress(_Enough):
            self._bridge.blocks[layer](call.stream, *call.others, **call.named)
        return kept

    def _attended(self, layer: int) -> _Attended:
        if self._last is None or self._last[0] != layer:
            self._last = None  # never two at once
            made = self.rerun(layer, ("attn.hook_q", "attn.hook_k", "attn.hook_pattern"))
            pattern = self._held.get(layer, made["attn.hook_pattern"])
            queries, keys = (made[f"attn.hook_{letter}"].transpose(0, 1) for letter in "qk")
            self._last = (layer, _Attended(pattern, queries, keys))
        return self._last[1]


def probe(
    bridge: Any,
    ids: tuple[int, ...],
    job: Job,
    keep: Sequence[str] = (),
    change: Mapping[str, Change] | None = None,
    heads_off: tuple[Head, ...] = (),
) -> dict[str, Tensor]:
    """Run a prompt once, with tensors kept or changed on their way.

    Returns
    -------
    dict
        A tensor for each name of `keep`, after any change, without the batch axis, and `logits`
        [position, d_vocab]. Names are those of the bridge's hooks.
    """
    kept: dict[str, Tensor] = {}
    hooks = zero_ablation_hooks(heads_off, bridge.cfg.n_heads)
    hooks += _recording(kept, keep, change or {})
    given = torch.tensor([ids], device=bridge.embed.W_E.device)
    with stepping(bridge, job, len(ids)):
        logits = bridge.run_with_hooks(
            given, return_type="logits", fwd_hooks=hooks, use_cache=False
        )
    return kept | {"logits": to_cpu_float32(logits[0])}
