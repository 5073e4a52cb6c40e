"""What a config.json says of a model before transformers reads it, without importing torch."""

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
    """Refuse what is plainly no decoder with attention, so that it need not be read or fetched.

    Parameters
    ----------
    title : str
        What the model is called.
    config : mapping
        Its config.json.

    Raises
    ------
    Refused
        With the reason.
    """
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
    """Refuse a config that means more layers than any model has, which would never be built.

    Raises
    ------
    Refused
        With the number.
    """
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
