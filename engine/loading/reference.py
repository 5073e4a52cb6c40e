"""What transformers' own model makes of a few tokens, and where its layers may look.

Both are recorded before anything wraps the model: the wrapped one is held to them.
"""

import inspect
from typing import Any

import torch
from jaxtyping import Bool
from tokenizers import Tokenizer
from torch import Tensor
from transformers import DynamicCache

from engine.loading.verify import PROBE, SHARE, Own, allowed, probe_ids, refusing, share
from engine.messages import Refused
from engine.network.device import to_cpu_float32

QUERIES = 8
"""Of the last positions that a context has: they see the ends of all windows and chunks."""


def reference(
    title: str, model: Any, tokenizer: Tokenizer, bos_token: str | None, context: int
) -> Own:
    """Return what a model makes of 16 tokens, by transformers' eager attention.

    transformers has up to two ways of attention: sdpa, which models are trained and used with, and
    eager, which alone shows patterns. They must agree.

    Parameters
    ----------
    title : str
        What sentences call the model.
    model : PreTrainedModel
        The model, with eager attention, before it is wrapped.
    tokenizer, bos_token
        Its own, by which the tokens are chosen.
    context : int
        Tokens of its longest prompt; 0 where it does not say.
    """
    longest = getattr(model.config, "max_position_embeddings", None) or PROBE
    first = None if bos_token is None else tokenizer.token_to_id(bos_token)
    ids = probe_ids(tokenizer.get_vocab_size(), longest)
    ids = ids if first is None else (first, *ids[1:])
    given = torch.tensor([ids], device=model.device)
    eager = _answered(title, model, given, "eager")
    if model._supports_sdpa:
        meant = _answered(title, model, given, "sdpa")
        apart = _apart(eager, meant)
        if getattr(model.config, "alibi", False):
            hooks = _add_alibi_once(model)
            mended = _answered(title, model, given, "eager")
            if (mended_apart := _apart(mended, meant)) < apart:
                eager, apart = mended, mended_apart
            else:
                for hook in hooks:
                    hook.remove()
        if not apart <= allowed(eager.logits.dtype, SHARE, "attention"):
            raise Refused(
                f"{title} is not opened: the two ways in which transformers computes its "
                f"attention (eager and sdpa) differ by {apart:.1e} of what a layer writes, and "
                "patterns are to be had of the first alone"
            )
    patterns = eager.attentions or ()
    if not patterns or any(pattern is None for pattern in patterns):
        raise Refused(f"{title}: its attention patterns cannot be read by transformers")
    with refusing(
        f"{title} is not opened: how far back its queries look in a long prompt cannot be found out"
    ):
        masks = visible_keys(model, model.config.num_hidden_layers, context or PROBE)
    return Own(
        ids=ids,
        patterns=tuple(to_cpu_float32(pattern[0]) for pattern in patterns),
        log_probs=to_cpu_float32(eager.logits[0]).log_softmax(-1),
        masks=tuple(masks),
    )


def _answered(title: str, model: Any, given: Tensor, attention: str) -> Any:
    """Run transformers' model by one of its ways of attention; it is left with eager."""
    try:
        with refusing(f"{title}: transformers cannot run it"):
            model.config._attn_implementation = attention
            return model(
                given,
                output_attentions=attention == "eager",
                output_hidden_states=True,
                use_cache=False,
            )
    finally:
        model.config._attn_implementation = "eager"


def _add_alibi_once(model: Any) -> list[Any]:
    """Let Falcon's eager attention add ALiBi once: its mask holds that already, as for sdpa."""

    def without(block: Any, given: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return given, named | {"alibi": torch.zeros_like(named["alibi"])}

    blocks = model.base_model.h
    return [block.register_forward_pre_hook(without, with_kwargs=True) for block in blocks]


def _apart(eager: Any, meant: Any) -> float:
    """Return how far two runs are apart: the largest share between any two layers, or after all."""
    pairs = zip(
        (*eager.hidden_states, eager.logits), (*meant.hidden_states, meant.logits), strict=True
    )
    return max(share(to_cpu_float32(one), to_cpu_float32(other)) for one, other in pairs)


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
