"""Which settings of a config.json nothing reads, so that none that is mathematics goes unread.

transformers keeps what its class of a config does not know, and some of what it knows; its model
then runs as if that were not there. Whether a setting is heeded is told by the source of the two
classes: whether it names the setting.
"""

import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import transformers
from transformers.modeling_rope_utils import RopeParameters
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

MATHEMATICS = re.compile(
    "window|chunk|cap|clip|clamp|scal|multipl|factor|rope|rotary|rotate|theta|alibi|norm|bias"
    "|causal|prefix_lm|softmax|sink|temperature|qk_|attn|attention|logit|residual|pos|interleav|parallel|mask|act"
)
"""What the names of settings that change numbers hold; others are counted as descriptions."""

ROTARY = ("rope_scaling", "rope_parameters")

HARMLESS = re.compile(
    # How attention is computed, or whether it is handed out, not what comes of it.
    "_?(attn_implementation.*|attn_impl|use_flash_attn|use_flash_attention.*|flash_attn.*)"
    "|output_(attentions|hidden_states|router_logits)|num_logits_to_keep"
    "|.*softmax_in_fp32|masked_softmax_fusion|bias_dropout_fusion|bias_dropout_add_fusion"
    "|reorder_and_upcast_attn|skip_bias_add|offset_alibi|pretraining_tp|slow_but_exact"
    # What is used in training only, or by a head for classes.
    "|.*drop.*|initializer_factor|mup_init_.*|.*loss_(factor|scaling_factor|coef)|summary_.*"
    "|.*activation_checkpointing.*|problem_type"
    # How text is generated.
    "|temperature|renormalize_logits|logits_processor|mask_token_id|mask_index"
    # That GPT-J turns at all, which it always does here; that scores are divided, as they are.
    "|rotary|scale_attn_weights"
    # That OPT's norms have weights, which they have here.
    "|layer_norm_elementwise_affine"
)
"""Settings whose names hold such a word, and that change no number of a pass."""

AS_IT_IS = {("starcoder2", "norm_type"): "layer_norm", ("phi3", "full_attn_mod"): 1}
"""Settings of published models that say what the model does anyway, by model type."""

ACTIVATIONS = ("hidden_act", "hidden_activation", "activation_function")
"""Names of one setting, of which old files hold two: the one that the class knows counts."""

SYNONYMS = {"rope": "rotary", "eps": "epsilon", "pct": "factor", "size": ""}

MODELS = "transformers.models."

NEUTRAL: tuple[object, ...] = (None, False, 0, "", [], {})
"""Values of a setting that switch nothing on."""


def unread(config: Any, stated: Mapping[str, Any]) -> list[str]:
    """Return the settings that would change numbers, and that nothing reads."""
    model = _source(getattr(transformers, MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[config.model_type]))
    return [*_unread(config, stated, model), *_unread_rotary(config, stated, model)]


def _unread(config: Any, stated: Mapping[str, Any], model: str) -> list[str]:
    known, about, default = known_settings(config), _source(type(config)), _default(config)
    left = []
    for key, value in stated.items():
        sub = vars(config).get(key)
        if isinstance(value, Mapping) and isinstance(sub, transformers.PreTrainedConfig):
            left += [f"{key}.{inner}" for inner in _unread(sub, value, model)]
        elif (
            key not in (*ROTARY, "rope_theta", "partial_rotary_factor")
            and MATHEMATICS.search(key)
            and not HARMLESS.fullmatch(key)
            and not _switched_off(key, value, stated, default if key in known else {})
            and not (key in ACTIVATIONS and known & {*ACTIVATIONS} - {key})
            and AS_IT_IS.get((config.model_type, key), NEUTRAL) != value
            and not _repeats(key, value, stated, known)
            and not _named(_aliases(config, key), about, model)
        ):
            left.append(key)
    return left


def _unread_rotary(config: Any, stated: Mapping[str, Any], model: str) -> list[str]:
    about = _source(type(config))
    turns = "rope_parameters" in model + about
    left = [key for key in (*ROTARY, "rope_theta") if stated.get(key) and not turns]
    shares = [stated.get("partial_rotary_factor")]
    scaled = False  # then a factor's own function takes the share, whatever the model
    for key in ROTARY if turns else ():
        flat = stated.get(key)
        held = [flat] if isinstance(flat, Mapping) else []
        # Some models turn each kind of layer otherwise, by its name.
        nested = [it for turn in held for it in turn.values() if isinstance(it, Mapping)]
        for turn in nested or held:
            shares.append(turn.get("partial_rotary_factor"))
            scaled |= turn.get("rope_type", turn.get("type")) not in (None, "default")
            left += [
                f"{key}.{inner}"
                for inner in turn.keys() - {*RopeParameters.__annotations__, "type"}
                if turn[inner] and not _named({inner}, about, model)
            ]
    part = any(share not in (None, 1) for share in shares)
    if part and not scaled and "partial_rotary_factor" not in model:
        left.append("partial_rotary_factor")
    return left


def _switched_off(
    key: str, value: object, stated: Mapping[str, Any], default: Mapping[str, Any]
) -> bool:
    """Return whether a value is that of a model in which the setting does nothing."""
    if key in default:
        return bool(default[key] == value)
    if value in NEUTRAL:
        return True
    if "window" in key and stated.get("use_sliding_window") is False:
        return True
    return value == 1 and value is not True and bool(re.search("scal|factor|multipl", key))


def _repeats(key: str, value: object, stated: Mapping[str, Any], known: set[str]) -> bool:
    """Return whether a number only says again what a setting that the class knows says."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return any(
        stated[other] == value and len(_words(key) & _words(other)) > 0
        for other in (known | {"partial_rotary_factor"}) & stated.keys() - {key}
    )


def _words(key: str) -> set[str]:
    return {SYNONYMS.get(word, word) for word in key.split("_")} - {"", "factor", "attention"}


def known_settings(config: Any) -> set[str]:
    """Return the settings that transformers' class of a config has."""
    names = {it.name for it in fields(config)} if is_dataclass(config) else set(vars(config))
    return names | set(config.attribute_map)


def _aliases(config: Any, key: str) -> set[str]:
    others = {ours for ours, theirs in config.attribute_map.items() if theirs == key}
    return {key, config.attribute_map.get(key, key), *others}


def _default(config: Any) -> dict[str, Any]:
    try:
        return dict(vars(type(config)()))
    except Exception:  # a class that is told something or is not made
        return {}


def _named(keys: set[str], about: str, model: str) -> bool:
    either = "|".join(map(re.escape, keys))
    quoted = rf"""["']({either})["']"""
    return bool(
        re.search(rf"config\.(\w+\.)*({either})\b|{quoted}", model)
        or re.search(rf"self\.({either})\b|{quoted}", about)
    )


def _source(kind: type) -> str:
    """Return the source of the modules of transformers' models that a class is made in."""
    modules = {it.__module__ for it in kind.__mro__ if it.__module__.startswith(MODELS)}
    return "\n".join(inspect.getsource(sys.modules[module]) for module in sorted(modules))
