"""Which keys each layer of a model lets a query look at, at the end of the longest prompt."""

import inspect
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor
from transformers import DynamicCache

QUERIES = 8
"""Of the last positions that a context has: they see the ends of all windows and chunks."""


class _Seen(Exception):
    """Raised inside the last block: what comes after it is not needed."""


class _Behind(DynamicCache):  # type: ignore[misc]  # transformers has no types
    """Stands for keys of so many positions before those that are run, and holds none of them."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return self._count

    def get_query_offset(self, layer_idx: int = 0) -> int:
        return self._count

    def get_mask_sizes(self, query_length: int, layer_idx: int) -> tuple[int, int]:
        return self._count + query_length, 0


def visible_keys(model: Any, layers: int, context: int) -> list[Bool[Tensor, "last context"]]:
    """Return where the last positions of a context may look, layer by layer.

    No layer is run: each is asked which mask it is handed, and which it holds itself (GPT-Neo).
    So it takes no more at 100,000 tokens than a few numbers for each of them.

    Parameters
    ----------
    model : PreTrainedModel
        The model, with eager attention, before it is wrapped.
    layers, context : int
        Its layers, and the tokens of its longest prompt.

    Raises
    ------
    LookupError
        If a layer is handed no mask.
    """
    blocks = next(
        it
        for it in model.base_model.modules()
        if isinstance(it, torch.nn.ModuleList) and len(it) == layers
    )
    count = min(QUERIES, context)
    kept: list[Bool[Tensor, "last context"]] = []

    def stand_in(block: Any) -> Any:
        def forward(*given: Any, **named: Any) -> Any:
            masks = [it for it in (*given, *named.values()) if _is_mask(it, count, context)]
            if not masks:
                raise LookupError("a layer is handed no mask")
            kept.append(_open(masks[0]) & _held(block, count, context))
            if len(kept) == layers:
                raise _Seen
            return given[0] if given else named["hidden_states"]

        return forward

    for block in blocks:
        block.forward = stand_in(block)
    given = torch.zeros(1, count, dtype=torch.long, device=model.device)
    try:
        # transformers 5 has renamed it on the way.
        known = inspect.signature(model.base_model.forward).parameters
        name = "cache" if "cache" in known else "past_key_values"
        behind = {name: _Behind(context - count)} if context > count else {}
        model.base_model(given, use_cache=bool(behind), **behind)
    except _Seen:
        pass
    finally:
        for block in blocks:
            del block.forward  # the class's own again
    return kept


def _is_mask(it: Any, count: int, context: int) -> bool:
    return isinstance(it, Tensor) and it.ndim == 4 and it.shape[-2:] == (count, context)


def _open(mask: Tensor) -> Bool[Tensor, "last context"]:
    """Return where a mask lets a query look, whichever way it says so."""
    cells = mask[0, 0]
    if cells.dtype == torch.bool:
        # A query sees itself: so it is known which of both stands for that (MPT's is False).
        return (cells == cells[-1, -1]).cpu()
    return (cells > torch.finfo(cells.dtype).min / 2).cpu()


def _held(block: Any, count: int, context: int) -> Bool[Tensor, "last context"]:
    """Return where the tables that a block holds let a query look: a local layer's own window."""
    seen = torch.ones(count, context, dtype=torch.bool)
    for table in block.buffers():
        if table.dtype == torch.bool and table.ndim == 4 and min(table.shape[-2:]) >= context:
            seen &= table[0, 0, context - count : context, :context].cpu()
    return seen
