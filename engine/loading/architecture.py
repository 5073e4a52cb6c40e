"""What a model's config and modules say of its positions, windows, caps and factors.

Nothing of it is believed before a run has shown it: see `engine.loading.verify`.
"""

import copy
import inspect
import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from engine.network.device import to_cpu_float32
from engine.network.folding import Norm
from engine.network.rotation import Angles, Rotation


def described(bridge: Any, model: Any) -> dict[str, Any]:
    """Return the fields of a Network that a wrapped model's config and modules give."""
    config, cfg, blocks = model.config, bridge.cfg, bridge.blocks
    _leave_unscaled(blocks)
    scale, residual = logit_scale(config), _stated(config, "residual_multiplier") or 1.0
    attention = blocks[0].attn.original_component
    kinds = {"rotary": "rotary", "alibi": "ALiBi", "standard": "learned"}
    return {
        "n_layers": cfg.n_layers,
        "n_heads": cfg.n_heads,
        "n_kv_heads": len(blocks[0].attn.W_K),
        "d_model": cfg.d_model,
        "d_head": cfg.d_head,
        "d_vocab": bridge.embed.W_E.shape[0],
        "d_mlp": int(cfg.d_mlp or 0),
        "n_ctx": cfg.n_ctx,
        "divisors": tuple(divisor(block.attn.original_component, cfg) for block in blocks),
        "norm": "RMSNorm" if blocks[0].ln1.uses_rms_norm else "LayerNorm",
        "eps": _eps(blocks[0].ln1),
        "layer_norms": tuple(norm_weights(block.ln1) for block in blocks),
        "final_norm": _scaled(norm_weights(bridge.ln_final), scale, cfg.d_model),
        "position_kind": kinds.get(cfg.positional_embedding_type, "none"),
        "W_pos": _table(bridge, cfg),
        "embed_norm": norm_weights(bridge.embed_ln) if hasattr(bridge, "embed_ln") else None,
        "rotations": rotations(bridge, model),
        "slopes": slopes(cfg.n_heads) if cfg.positional_embedding_type == "alibi" else None,
        "windows": windows(config, cfg.n_layers),
        "chunks": chunks(config, cfg.n_layers),
        "score_cap": _stated(attention, "attn_logit_softcapping") or None,
        "logit_cap": _stated(config, "final_logit_softcapping") or None,
        "logit_scale": scale,
        "output_norms": _output_norms(blocks, residual, cfg.d_model),
        "mlp_factor": residual,
        "unlike_weights": unlike_weights(config),
    }


def rotations(bridge: Any, model: Any) -> tuple[Rotation | None, ...]:
    """Return how each layer turns queries and keys, by the model's own cosines and sines.

    None where the model has nothing that gives them.
    """
    layers: int = bridge.cfg.n_layers
    kinds = getattr(model.config, "layer_types", None) or [None] * layers
    modules = [it for name, it in model.named_modules() if name.rpartition(".")[2] == "rotary_emb"]
    if not modules:
        return (None,) * layers
    # A copy, whose state is not the running model's.
    rotary = copy.deepcopy(getattr(modules[0], "original_component", modules[0]))
    neighbours = bool(bridge.cfg.rotary_adjacent_pairs)
    known = {kind: _known(rotary, kind, neighbours, bridge.cfg.n_ctx) for kind in set(kinds)}
    return tuple(known[kind] for kind in kinds)


def _angles(rotary: Any, kind: str | None) -> Angles:
    # Gemma 3 turns its local layers and its global ones by two bases.
    by_kind = "layer_type" in inspect.signature(rotary.forward).parameters
    more = {"layer_type": kind} if by_kind else {}
    held = next(rotary.buffers(), torch.empty(0))
    # What is turned is said to be in single precision: so are cosines and sines.
    like = torch.zeros(1, 1, 1, device=held.device)

    def angles(positions: Tensor, length: int) -> tuple[Tensor, Tensor]:
        # The last position of the prompt is among those asked for: it is how modules know its end.
        asked = torch.cat([positions, torch.tensor([length - 1])])[None].to(held.device)
        first, second = (to_cpu_float32(table[0][:-1]) for table in rotary(like, asked, **more))
        if sines_first:
            return second.repeat_interleave(2, -1), first.repeat_interleave(2, -1)
        return first, second

    sines_first = False
    start, _ = angles(torch.tensor([0]), 1)
    # GPT-J's are sines, then cosines, one of each for two neighbours.
    sines_first = not start.any()
    return angles


def _known(rotary: Any, kind: str | None, neighbours: bool, n_ctx: int) -> Rotation | None:
    try:
        angles = _angles(rotary, kind)
        cos, _ = angles(torch.tensor([0, 1]), 2)
    except Exception:  # a module that wants more than positions: scores are then not vouched for
        return None
    known = cos.ndim == 2 and len(cos) == 2 and cos.shape[1] % 2 == 0
    return Rotation(angles, neighbours, _steady(angles, n_ctx)) if known else None


def _steady(angles: Angles, n_ctx: int) -> int | None:
    """Return how long the longest prompt is that turns as short ones do; none: all do."""

    def same(length: int) -> bool:
        return all(
            torch.equal(one, other)
            for one, other in zip(angles(first, 2), angles(first, length), strict=True)
        )

    first = torch.tensor([0, 1])
    if same(n_ctx):
        return None
    short, long = 2, n_ctx
    while long - short > 1:
        middle = (short + long) // 2
        short, long = (middle, long) if same(middle) else (short, middle)
    return short


def slopes(n_heads: int) -> Float[Tensor, " head"]:
    """Return what each head takes off its scores for a position of distance.

    "Train Short, Test Long: Attention with Linear Biases" (Press et al., 2022), section 3: 2 to
    the powers -8/n, -16/n, ... for n heads; where n is no power of 2, those of the power of 2
    below, then every other one of the power above.
    """
    below = 2 ** int(math.log2(n_heads))
    found = 2.0 ** (-8 / below * torch.arange(1, below + 1))
    between = 2.0 ** (-4 / below * torch.arange(1, 2 * below, 2))
    return torch.cat([found, between])[:n_heads]


def windows(config: Any, n_layers: int) -> tuple[int | None, ...]:
    """Return how many positions a query of each layer sees, its own among them; none: all."""
    if hasattr(config, "window_size") and hasattr(config, "attention_layers"):  # GPT-Neo
        kinds = config.attention_layers
        return tuple(config.window_size if kind == "local" else None for kind in kinds)
    window = getattr(config, "sliding_window", None)
    if getattr(config, "use_sliding_window", True) is False:
        window = None
    kinds = getattr(config, "layer_types", None)
    if kinds is None:
        return (window,) * n_layers
    return tuple(window if kind == "sliding_attention" else None for kind in kinds)


def chunks(config: Any, n_layers: int) -> tuple[int | None, ...]:
    """Return how long the parts are that each layer's queries see their own of, as in Llama 4."""
    chunk = getattr(config, "attention_chunk_size", None)
    kinds = getattr(config, "layer_types", None) or [None] * n_layers
    return tuple(chunk if kind == "chunked_attention" else None for kind in kinds)


def divisor(attention: Any, cfg: Any) -> float:
    """Return what a layer divides q . k by."""
    for name in ("scaling", "softmax_scale", "inv_norm_factor"):
        if (factor := getattr(attention, name, None)) is not None:
            return 1 / float(factor)
    # GPT-Neo's scores are not divided, and its attention has no attribute that says so.
    return 1.0 if "Neo" in cfg.architecture and "NeoX" not in cfg.architecture else cfg.d_head**0.5


def logit_scale(config: Any) -> float:
    """Return what logits are multiplied by: Cohere's factor, or one over Granite's divisor."""
    scale = getattr(config, "logit_scale", None)
    if isinstance(scale, (int, float)):
        return float(scale)
    return 1 / (_stated(config, "logits_scaling") or 1)


def _stated(config: Any, name: str) -> float:
    """Return a number that a config, or a module of attention, has; 0 where it has none."""
    return float(getattr(config, name, None) or 0)


def clip(config: Any) -> float:
    """Return where queries, keys and values are cut off, as in some OLMo and MPT; 0: nowhere."""
    within = getattr(config, "attn_config", None)
    return _stated(config, "clip_qkv") or _stated(within, "clip_qkv")


def unlike_weights(config: Any) -> str:
    """Return why scores do not follow from weights and an offset, where no short run shows it."""
    rotation = getattr(config, "rope_parameters", None) or {}
    # Ministral 3: by the logarithm of the position, beyond the original context.
    return "it scales queries by their position" if rotation.get("llama_4_scaling_beta") else ""


def _leave_unscaled(blocks: Any) -> None:
    """Let scores be as they are where a GPT-2 says so: the bridge divides them all the same."""
    for block in blocks:
        inner = block.attn.original_component
        if getattr(inner, "scale_attn_weights", True) is False:
            block.attn.hook_attn_scores.register_forward_hook(
                lambda _, __, scores, back=inner.head_dim**0.5: scores * back
            )


def norm_weights(norm: Any) -> Norm:
    """Return what a norm of a bridge multiplies by and adds."""
    inner = norm.original_component
    gain, bias = (getattr(inner, name, None) for name in ("weight", "bias"))
    gain, bias = (None if held is None else to_cpu_float32(held) for held in (gain, bias))
    return Norm(1 + gain if gain is not None and norm.uses_weight_offset else gain, bias)


def _scaled(norm: Norm, factor: float, d_model: int) -> Norm:
    """Return a norm whose output is multiplied by a factor."""
    if factor == 1:
        return norm
    gain = torch.ones(d_model) if norm.gain is None else norm.gain
    return Norm(factor * gain, None if norm.bias is None else factor * norm.bias)


def _output_norms(blocks: Any, factor: float, d_model: int) -> tuple[Norm, ...]:
    """Return what multiplies what each layer's heads write; none where nothing does."""
    if any(hasattr(block, "ln1_post") for block in blocks):
        return tuple(norm_weights(block.ln1_post) for block in blocks)
    return () if factor == 1 else (_scaled(Norm(), factor, d_model),) * len(blocks)


def _eps(norm: Any) -> float:
    inner = norm.original_component
    # OLMo's norm has no attribute that says it.
    return float(getattr(inner, "eps", getattr(inner, "variance_epsilon", 1e-5)))


def _table(bridge: Any, cfg: Any) -> Tensor:
    table = getattr(bridge, "pos_embed", None)
    if table is None:
        return torch.zeros(1, cfg.d_model).expand(cfg.n_ctx, -1)
    skipped = getattr(table.original_component, "offset", 0)  # OPT's first two rows are never used
    rows: Tensor = table.original_component.weight[skipped : skipped + cfg.n_ctx]
    return rows
