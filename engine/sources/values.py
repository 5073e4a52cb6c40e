"""The numbers of a file from outside, each of its type and in its range before it is used."""

from collections.abc import Mapping
from typing import Any

from engine.messages import Refused

MOST = 2**31
"""More than any size of a model: of it, or of a table of it, there is no memory."""

LARGEST = 3e38
"""More than single precision holds."""

SETTINGS: Mapping[str, str] = {
    "sliding_window": "size",
    "window_size": "size",
    "head_dim": "size",
    "num_key_value_heads": "size",
    "max_position_embeddings": "size",
    "n_positions": "size",
    "vocab_size": "size",
    "hidden_size": "size",
    "intermediate_size": "size",
    "num_hidden_layers": "size",
    "num_attention_heads": "size",
    "bos_token_id": "id",
    "eos_token_id": "id",
    "rms_norm_eps": "number",
    "layer_norm_eps": "number",
    "layer_norm_epsilon": "number",
    "norm_epsilon": "number",
    "rope_theta": "number",
    "attn_logit_softcapping": "number",
    "final_logit_softcapping": "number",
    "query_pre_attn_scalar": "number",
    "attention_multiplier": "number",
    "embedding_multiplier": "number",
    "residual_multiplier": "number",
    "logits_scaling": "number",
    "clip_qkv": "number",
}
"""What numbers of a transformers config are, where it has them: a size counts something, an id
names a token or several."""

WHOLE_CONTEXT = ("sliding_window", "window_size")
"""Sizes that are said to be none by 0, -1 or false as well."""


def size(place: str, values: Mapping[str, Any], name: str) -> int:
    """Return what counts something: a whole number above 0.

    Parameters
    ----------
    place : str
        What sentences call the file.
    values : mapping
        What it says.
    name : str
        The value that is wanted.

    Raises
    ------
    Refused
        If it is something else.
    """
    found = values.get(name)
    if type(found) is not int or not 0 < found < MOST:
        raise _wrong(place, name, found, f"a whole number from 1 to {MOST - 1:,}")
    return found


def number(place: str, values: Mapping[str, Any], name: str) -> float:
    """Return a number that is not below 0, nor beyond what single precision holds.

    Raises
    ------
    Refused
        If it is something else.
    """
    found = values.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < LARGEST:
        raise _wrong(place, name, found, f"a number from 0 to {LARGEST:g}")
    return float(found)


def check(place: str, values: Mapping[str, Any]) -> None:
    """Refuse a transformers config whose numbers are of another type, or none of a model's.

    Those of `SETTINGS` by what they are, where they are neither left out nor null; any other where
    it is out of all range, however deep it lies.

    Raises
    ------
    Refused
        With the first of them.
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
        number(place, values, name)
    elif kind == "id":
        if not all(type(one) is int and -1 <= one < MOST for one in listed):
            raise _wrong(place, name, found, "the number of a token")
    elif not (name in WHOLE_CONTEXT and (found is False or found in (0, -1))):
        for one in listed:  # some architectures have one for each layer
            size(place, {name: one}, name)


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
