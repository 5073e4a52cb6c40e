"""Read and check a config.json before transformers does, without importing torch."""

import re
from collections.abc import Mapping
from typing import Any

from engine.messages import Refused

Config = Mapping[str, Any]

WITHOUT_ATTENTION = (
    "mamba",
    "mamba2",
    "falcon_mamba",
    "rwkv",
    "rwkv6",
    "rwkv7",
    "xlstm",
    "hyenadna",
)
"""Model types that have no attention at all."""

DECODER = re.compile(r".*ForCausalLM|.*GPT.*LMHeadModel")
"""Names of architectures that guess the next token."""

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
TOKENS = ("vocab_size", "d_vocab")
CONTEXT = ("n_positions", "max_position_embeddings", "seq_length", "max_seq_len", "n_ctx")

SIZES = ("n_layers", "n_heads", "d_model", "d_head", "d_vocab", "n_ctx")
"""Sizes that a config of TransformerLens's has, as it calls them."""

MOST_LAYERS = 1_000
"""More than any model has."""


def is_state_dict(config: Config) -> bool:
    """Return whether a config is TransformerLens's own."""
    return (
        "model_type" not in config
        and {"d_model", "n_ctx", "n_layers"} <= config.keys()
        and bool({"act_fn", "attn_only"} & config.keys())
    )


def is_decoder(config: Config) -> bool:
    """Return whether a config is of a kind that can be opened, as far as one can tell by it."""
    if is_state_dict(config):
        return True
    named = config.get("architectures")
    decoder = isinstance(named, list) and any(
        isinstance(name, str) and DECODER.fullmatch(name) for name in named
    )
    return (
        decoder
        and config.get("model_type") not in WITHOUT_ATTENTION
        and not config.get("is_encoder_decoder")
    )


def check_kind(title: str, config: Config) -> None:
    """Refuse what is plainly no decoder with attention, so that it need not be read or fetched."""
    check_layers(title, config)
    kind = config.get("model_type")
    if quantised := config.get("quantization_config"):
        method = quantised.get("quant_method") if isinstance(quantised, Mapping) else None
        by = f" ({method[:20].upper()})" if isinstance(method, str) and method.isprintable() else ""
        raise Refused(
            f"{title}: its weights are quantised{by}: open the unquantised model, or a GGUF file"
        )
    if isinstance(kind, str) and kind in WITHOUT_ATTENTION:
        raise Refused(f"{title} is a {kind} model, which has no attention to show")
    named = config.get("architectures")
    if isinstance(named, list) and named and not is_decoder(config):
        raise Refused(
            f"{title} is a {kind} model, which does not read left to right to guess the next "
            "token: open a decoder"
        )


def check_layers(title: str, config: Config) -> None:
    """Refuse a config that means more layers than any model has, which would never be built."""
    if (layers := size(config, LAYERS)) > MOST_LAYERS:
        raise Refused(f"{title}: config.json is damaged: it means {layers:,} layers")


def size(config: Config, names: tuple[str, ...]) -> int:
    """Return the first of several numbers that a config has; 0 where it has none."""
    nested = config.get("text_config")
    for place in (config, nested if isinstance(nested, Mapping) else {}):
        for name in names:
            found = place.get(name)
            if isinstance(found, int) and not isinstance(found, bool) and found > 0:
                return found
    return 0


def about(config: Config) -> str:
    """Return a model's kind and sizes in words."""
    kind = "TransformerLens" if is_state_dict(config) else config.get("model_type")
    layers, heads = size(config, LAYERS), size(config, HEADS)
    counted = "1 layer" if layers == 1 else f"{layers} layers"
    return f"{kind}: {counted} of {heads} heads, {size(config, TOKENS):,} tokens"


MOST = 2**31
"""More than any size of a model: of it, or of a table of it, there is no memory."""

LARGEST = 3e38
"""More than single precision holds."""

SETTINGS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("sliding_window", "window_size", "head_dim", "num_key_value_heads", "vocab_size"),
            *("max_position_embeddings", "n_positions", "hidden_size", "intermediate_size"),
            *("num_hidden_layers", "num_attention_heads"),
        ),
        "size",
    ),
    **dict.fromkeys(("bos_token_id", "eos_token_id"), "id"),
    **dict.fromkeys(
        (
            *("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"),
            *("rope_theta", "clip_qkv", "attn_logit_softcapping", "final_logit_softcapping"),
            *("query_pre_attn_scalar", "attention_multiplier", "embedding_multiplier"),
            *("residual_multiplier", "logits_scaling"),
        ),
        "number",
    ),
}
"""What numbers of a transformers config are, where it has them: a size counts something, an id
names a token or several."""

WHOLE_CONTEXT = ("sliding_window", "window_size")
"""Sizes that are said to be none by 0, -1 or false as well."""


def checked_size(place: str, values: Mapping[str, Any], name: str) -> int:
    """Return what counts something: a whole number above 0."""
    found = values.get(name)
    if type(found) is not int or not 0 < found < MOST:
        raise _wrong(place, name, found, f"a whole number from 1 to {MOST - 1:,}")
    return found


def checked_number(place: str, values: Mapping[str, Any], name: str) -> float:
    """Return a number that is not below 0, nor beyond what single precision holds."""
    found = values.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < LARGEST:
        raise _wrong(place, name, found, f"a number from 0 to {LARGEST:g}")
    return float(found)


def check_numbers(place: str, values: Mapping[str, Any]) -> None:
    """Refuse a transformers config whose numbers are of another type, or none of a model's.

    Those of `SETTINGS` by what they are, where they are neither left out nor null; any other where
    it is out of all range, however deep it lies.
    """
    nested = values.get("text_config")
    for within in (values, nested) if isinstance(nested, Mapping) else (values,):
        for name, kind in SETTINGS.items():
            if within.get(name) is not None:
                _check_one(place, within, name, kind)
    _check_range(place, "", values)


def _check_one(place: str, values: Mapping[str, Any], name: str, kind: str) -> None:
    found = values[name]
    listed = found if isinstance(found, list) else [found]
    if kind == "number":
        checked_number(place, values, name)
    elif kind == "id":
        if not all(type(one) is int and -1 <= one < MOST for one in listed):
            raise _wrong(place, name, found, "the number of a token")
    elif not (name in WHOLE_CONTEXT and (found is False or found in (0, -1))):
        for one in listed:  # some architectures have one for each layer
            checked_size(place, {name: one}, name)


def _check_range(place: str, name: str, value: object) -> None:
    if isinstance(value, Mapping):
        for key, held in value.items():
            _check_range(place, str(key)[:50], held)
    elif isinstance(value, list):
        for held in value:
            _check_range(place, name, held)
    elif isinstance(value, int | float) and not -LARGEST < value < LARGEST:
        raise _wrong(place, name, value, f"a number of at most {LARGEST:g}")


def _wrong(place: str, name: str, found: object, instead: str) -> Refused:
    large = isinstance(found, int) and abs(found) > LARGEST
    shown = "too large a number" if large else f"{found!r:.50}"
    return Refused(f"{place} is damaged: {name} is {shown}, and {instead} belongs there")
