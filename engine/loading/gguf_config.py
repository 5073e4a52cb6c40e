"""What the keys of a GGUF file mean, so that nothing of it that is mathematics goes unread.

transformers' reader passes over what its tables do not name: rotary scaling and its factors, the
rotary base of some families, windows, caps, epsilons. Here each key of the architecture sets the
config, is held against it, or is refused by name. Meanings are those of llama.cpp, which defines
the format, its defaults included.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.loading.config_keys import known_settings
from engine.loading.verify import refusing
from engine.messages import Refused

SETTINGS: dict[str, tuple[str, ...]] = {
    "context_length": ("max_position_embeddings",),
    "block_count": ("num_hidden_layers",),
    "embedding_length": ("hidden_size",),
    "feed_forward_length": ("intermediate_size", "ffn_hidden_size", "n_inner"),
    "vocab_size": ("vocab_size",),
    "attention.head_count": ("num_attention_heads",),
    "attention.head_count_kv": ("num_key_value_heads", "num_kv_heads"),
    "attention.key_length": ("head_dim",),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps",),
    "attention.layer_norm_epsilon": (
        "layer_norm_eps",
        "layer_norm_epsilon",
        "norm_epsilon",
        "norm_eps",
    ),
    "attention.sliding_window": ("sliding_window",),
    "attn_logit_softcapping": ("attn_logit_softcapping",),
    "final_logit_softcapping": ("final_logit_softcapping",),
    "expert_count": ("num_experts", "num_local_experts"),
    "expert_used_count": ("num_experts_per_tok",),
    "expert_feed_forward_length": ("moe_intermediate_size",),
    "expert_shared_feed_forward_length": ("shared_expert_intermediate_size",),
}
"""Keys, and the settings of a config that hold them: the first that a class has."""

REQUIRED = (
    "block_count",
    "embedding_length",
    "attention.head_count",
    "context_length",
    "attention.layer_norm_rms_epsilon",
    "attention.layer_norm_epsilon",
)
"""Keys without which a class that has the setting would go by its own value."""

IMPLIED: dict[str, Callable[[Any], object]] = {
    "context_length": lambda config: None,  # Bloom's positions have no end
    "feed_forward_length": lambda config: 4 * config.hidden_size,
    "attention.head_count_kv": lambda config: config.num_attention_heads,
    "attention.key_length": lambda config: head_width(config),
    "attention.value_length": lambda config: head_width(config),
    "attention.causal": lambda config: True,
    "attention.max_alibi_bias": lambda config: 8.0 if config.model_type == "bloom" else 0.0,
    "attention.clamp_kqv": lambda config: 0.0,
    "use_parallel_residual": lambda config: None,  # StableLM's is told by its norms
    "expert_count": lambda config: 0,
    "expert_used_count": lambda config: 0,
    "rope.scaling.yarn_ext_factor": lambda config: 1.0,
}
"""Keys that a class has no setting for, and the value that its models have; none: any."""

HARMLESS = ("rope.scaling.finetuned", "tensor_data_layout")
"""Keys of an architecture that describe, and change no number."""

ROTARY = (
    "rope.freq_base",
    "rope.freq_base_swa",
    "rope.dimension_count",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scale_linear",
    "rope.scaling.original_context_length",
    "rope.scaling.attn_factor",
    "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow",
)
"""Keys that together say how queries and keys are turned."""

FACTORS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
"""Tensors that divide the rotary frequencies: read here, by no module."""

UNUSED_TENSORS = (".attn_rot_embd.",)
"""Parts of tensors' names that llama.cpp skips as well: frequencies that it makes itself."""

DESCRIBED = ("GGUF.", "general.", "quantize.", "tokenizer.", "split.", "mradermacher.")
"""Beginnings of keys that no architecture owns: about the file, its making and its tokens."""

BIASES = {
    "attention_bias": "blk.0.attn_q.bias",
    "mlp_bias": "blk.0.ffn_up.bias",
    "use_bias": "blk.0.attn_q.bias",
    "bias": "blk.0.attn_qkv.bias",
}
"""Settings that say whether there are biases, and the tensor that is there where they are true."""

LARGEST_GEMMAS = {"gemma2": 46, "gemma3_text": 62}
"""Layers of the size whose scores are divided by sqrt(d_model / heads), not by sqrt(d_head)."""


def completed(name: str, config: Any, found: Mapping[str, Any], tensors: Mapping[str, Any]) -> Any:
    """Return a config that holds all that a file says.

    Parameters
    ----------
    name : str
        What the file is called.
    config : PreTrainedConfig
        What transformers' reader made of it.
    found : mapping
        The file's keys and values, but for those of the tokenizer.
    tensors : mapping
        The names of its tensors, and the rotary factors among them as lists.

    Raises
    ------
    Refused
        If a key means something that the architecture, as transformers has it, cannot do.
    """
    architecture = found["general.architecture"]
    if found.get("general.type", "model") != "model":
        raise Refused(f"{name} holds no model: its general.type is {found['general.type']!r}")
    own = {
        key.removeprefix(f"{architecture}."): value
        for key, value in found.items()
        if key.startswith(f"{architecture}.")
    }
    for key in REQUIRED:
        if key not in own and _setting(config, key):
            raise Refused(f"{name} is damaged: its header lacks {architecture}.{key}")
    kind = type(config)
    with refusing(f"{name}: its header means no {config.model_type} model"):
        settings = _settings(config, own, tensors)
        made = kind.from_dict(config.to_dict() | settings)
        rotary = _rotary(name, made, own, tensors)
        made = kind.from_dict(made.to_dict() | rotary)
    for key, value in own.items():
        if key not in HARMLESS and not _meant(made, key, value, rotary):
            raise Refused(
                f"{name} is not opened: its header says {architecture}.{key} = {_shown(value)}, "
                f"which a {config.model_type} model cannot be given here, and its numbers may "
                "follow from it"
            )
    for setting, value in settings.items():
        if getattr(made, setting) != value:
            raise Refused(f"{name}: transformers does not take its {setting} of {_shown(value)}")
    return made


def notices(found: Iterable[str], architecture: str) -> tuple[str, ...]:
    """Say which keys of a file nothing reads, where they are nobody's that is known."""
    strange = [key for key in found if not key.startswith((f"{architecture}.", *DESCRIBED))]
    return tuple(f"the file's key {key[:100]} is not used" for key in strange)


def check_tensors(name: str, tensors: Iterable[str], used: Iterable[str]) -> None:
    """Refuse a file with tensors that no module of the model was given."""
    # Experts are listed without what their names end in.
    read = {*used, *FACTORS}
    left = [
        tensor
        for tensor in tensors
        if tensor not in read
        and tensor.removesuffix(".weight") not in read
        and not any(part in tensor for part in UNUSED_TENSORS)
    ]
    if left:
        raise Refused(
            f"{name} is not opened: {len(left)} of its tensors have no place in the model that "
            f"transformers makes of it, such as {min(left)[:100]}"
        )


def head_width(config: Any) -> int:
    """Return how wide a head is."""
    stated = getattr(config, "head_dim", None)
    return int(stated or config.hidden_size // config.num_attention_heads)


def _setting(config: Any, key: str) -> str | None:
    return next((it for it in SETTINGS.get(key, ()) if it in known_settings(config)), None)


def _settings(config: Any, own: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a config is to hold besides the rotation."""
    known = known_settings(config)
    settings = {
        setting: value
        for key, value in own.items()
        if (setting := _setting(config, key)) and not _no_window(key, value, own)
    }
    settings |= {
        setting: tensor in tensors for setting, tensor in BIASES.items() if setting in known
    }
    # transformers takes Falcon's and Bloom's for tied even where the file holds both.
    settings["tie_word_embeddings"] = "output.weight" not in tensors
    if "head_dim" in known and "attention.key_length" not in own:
        settings["head_dim"] = config.hidden_size // config.num_attention_heads
    if "query_pre_attn_scalar" in known:
        largest = LARGEST_GEMMAS.get(config.model_type) == own.get("block_count")
        width = config.hidden_size // config.num_attention_heads
        settings["query_pre_attn_scalar"] = (
            width if largest else settings.get("head_dim", head_width(config))
        )
    if (pattern := own.get("attention.sliding_window_pattern")) and "layer_types" in known:
        count = config.num_hidden_layers
        local = (
            [layer % pattern < pattern - 1 for layer in range(count)]
            if isinstance(pattern, int)
            else pattern
        )
        settings["layer_types"] = [
            "sliding_attention" if one else "full_attention" for one in local
        ]
    return settings


def _no_window(key: str, value: object, own: Mapping[str, Any]) -> bool:
    """Return whether a window is as long as any prompt, or none."""
    if key != "attention.sliding_window" or not isinstance(value, int):
        return False
    return value == 0 or value >= own.get("context_length", math.inf)


def _rotary(
    name: str, config: Any, own: Mapping[str, Any], tensors: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings that say how queries and keys turn; none for a model without rotation."""
    before = getattr(config, "rope_parameters", None)
    if not before:
        return {}
    turn: dict[str, Any] = {"rope_theta": float(own.get("rope.freq_base", 10_000.0))}
    whole = head_width(config)
    width = own.get("rope.dimension_count", whole)
    if "partial_rotary_factor" in before:
        share = width / whole
        turn["partial_rotary_factor"] = (
            share if int(share * whole) == width else math.nextafter(share, 2)
        )
    elif width != whole:
        raise Refused(
            f"{name} is not opened: it turns {width} of the {whole} numbers of a head, and a "
            f"{config.model_type} model turns all"
        )
    turn |= _scaling(name, config, own, tensors)
    if "full_attention" not in before:
        # Phi-3's own setting goes before that of its rotation.
        own_setting = {"original_max_position_embeddings"} & known_settings(config) & turn.keys()
        outer = {name: turn[name] for name in own_setting}
        return outer | {"rope_parameters": turn}
    local = {
        "rope_theta": float(own.get("rope.freq_base_swa", 10_000.0)),
        "rope_type": "default",
    }
    return {"rope_parameters": {"sliding_attention": local, "full_attention": turn}}


def _scaling(
    name: str, config: Any, own: Mapping[str, Any], tensors: Mapping[str, Any]
) -> dict[str, Any]:
    """Return by what frequencies are divided, and cosines and sines multiplied."""
    kind = own.get("rope.scaling.type", "linear")
    factor = float(own.get("rope.scaling.factor", own.get("rope.scale_linear", 0.0)) or 1.0)
    gain = float(own.get("rope.scaling.attn_factor", 1.0))
    original = own.get("rope.scaling.original_context_length", config.max_position_embeddings)
    freqs, long, short = (tensors.get(tensor) for tensor in FACTORS)
    if kind == "yarn" and freqs is None and long is None:
        gain *= float(own.get("rope.scaling.yarn_attn_factor", 1.0))
        return {
            "rope_type": "yarn",
            "factor": factor,
            "original_max_position_embeddings": original,
            "attention_factor": gain * (1 + 0.1 * math.log(factor)),
            "beta_fast": float(own.get("rope.scaling.yarn_beta_fast", 32.0)),
            "beta_slow": float(own.get("rope.scaling.yarn_beta_slow", 1.0)),
        }
    if kind not in ("none", "linear", "longrope") or (kind == "longrope") > (long is not None):
        raise Refused(
            f"{name} is not opened: its rotation is scaled in a way that is not known here "
            f"(rope.scaling.type is {_shown(kind)})"
        )
    factor = factor if kind == "linear" else 1.0
    if freqs is not None:
        long = short = freqs
    if long is not None and short is not None:
        if all(one == 1 for one in (*long, *short)) and factor == gain == 1:
            return {"rope_type": "default"}
        # A factor for each frequency, whatever rule they were made by (Llama 3's among them).
        return {
            "rope_type": "longrope",
            "long_factor": [factor * one for one in long],
            "short_factor": [factor * one for one in short],
            "original_max_position_embeddings": original,
            "attention_factor": gain,
        }
    if gain != 1:
        raise Refused(
            f"{name} is not opened: its rope.scaling.attn_factor is {gain:g}, without rotary "
            "factors that it belongs to"
        )
    return {"rope_type": "default"} if factor == 1 else {"rope_type": "linear", "factor": factor}


def _meant(config: Any, key: str, value: object, rotary: Mapping[str, Any]) -> bool:
    """Return whether a config holds what a key says."""
    if key in ROTARY:
        turn = rotary.get("rope_parameters", {})
        return bool(turn) and (key != "rope.freq_base_swa" or "sliding_attention" in turn)
    layers = getattr(config, "layer_types", None)
    if key == "attention.sliding_window_pattern":
        return layers is not None
    if _no_window(key, value, {"context_length": getattr(config, "max_position_embeddings", 0)}):
        return True
    if key == "attention.sliding_window" and layers and "sliding_attention" not in layers:
        return False
    if setting := _setting(config, key):
        return bool(getattr(config, setting) == value)
    if key not in IMPLIED:
        return False
    implied = IMPLIED[key](config)
    return implied is None or implied == value


def _shown(value: object) -> str:
    return repr(value)[:60]
