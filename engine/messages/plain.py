"""Messages, and what else is a frozen dataclass, as plain values: what JSON can hold, and back."""

import json
import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from engine.messages.terms import Head, Refused

_KINDS = {np.floating: "f", np.integer: "iu", np.bool_: "b"}


@cache
def field_types(kind: type) -> dict[str, Any]:
    """Return the type of each field of a message, without its `Annotated` text."""
    return typing.get_type_hints(kind)


def to_plain(value: Any, arrays: list[np.ndarray] | None = None) -> Any:
    """Return a value, or a message with all its fields, as JSON can hold it; heads as `0.3`.

    Parameters
    ----------
    value
        A message or a part of one.
    arrays
        Takes the arrays, of any shape, and the result names them by their place in it. Without
        it arrays are nested lists, and numbers that are not finite are null.
    """
    if isinstance(value, np.ndarray):
        if arrays is not None:
            arrays.append(value)
            return len(arrays) - 1
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            objects = value.astype(object)
            objects[~np.isfinite(value)] = None
            return objects.tolist()
        return value.tolist()
    if isinstance(value, np.generic):  # such as a position from argmax
        return value.item()
    if isinstance(value, Head):
        return str(value)
    if isinstance(value, tuple):
        if hasattr(value, "_asdict"):
            return {name: to_plain(part, arrays) for name, part in value._asdict().items()}
        if _all_text(value):
            return list(value)
        return [to_plain(part, arrays) for part in value]
    if isinstance(value, Mapping):
        return {name: to_plain(part, arrays) for name, part in value.items()}
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name), arrays) for field in fields(value)}
    if arrays is None and isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def from_plain(type_: Any, value: Any, name: str, arrays: Sequence[np.ndarray] = ()) -> Any:
    """Read what `to_plain` made; fields with a default may be left out.

    Parameters
    ----------
    type_
        What the value is to be: a message, or the type of one of its fields.
    value
        The plain value.
    name
        What it is called in a sentence.
    arrays
        What `to_plain` put aside.

    Raises
    ------
    Refused
        If it is not of that type; the sentence names the field.
    """
    options = typing.get_args(type_)
    origin = typing.get_origin(type_)
    if origin is typing.Literal:
        return choice(value, options, name)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in options:
            return None
        if len(options) == 2 and type(None) in options:
            return from_plain(next(o for o in options if o is not type(None)), value, name, arrays)
        if type(value) in options:
            return value
    elif origin is tuple and isinstance(value, list):
        if options == (str, Ellipsis) and _all_text(value):
            return tuple(value)
        if options[-1] is Ellipsis:
            return tuple(from_plain(options[0], part, name, arrays) for part in value)
        if len(options) == len(value):
            pairs = zip(options, value, strict=True)
            return tuple(from_plain(option, part, name, arrays) for option, part in pairs)
    elif origin is not None and isinstance(value, dict) and issubclass(origin, Mapping):
        return {key: from_plain(options[1], part, name, arrays) for key, part in value.items()}
    elif origin is np.ndarray and type(value) is int and 0 <= value < len(arrays):
        if arrays[value].dtype.kind in _KINDS[typing.get_args(options[1])[0]]:
            return arrays[value]
    elif type_ is Head and isinstance(value, str):
        return Head.parse(value)
    elif _has_fields(type_) and isinstance(value, dict):
        return _message(type_, value, name, arrays)
    elif type_ is float and type(value) is int:
        return float(value)
    elif type(value) is type_:
        return value
    raise Refused(
        f"the field {name!r} cannot be {json.dumps(value, default=repr)[:80]}: {_wanted(type_)}"
    )


def choice(value: Any, options: tuple[str, ...], name: str) -> str:
    """Return the option that a word means, whatever its case.

    Raises
    ------
    Refused
        If there is no such option; the sentence lists them.
    """
    for option in options:
        if isinstance(value, str) and value.lower() == option:
            return option
    listed = f"{', '.join(options[:-1])} or {options[-1]}"
    raise Refused(f"{name} is {listed}, not {value!r}")


def _all_text(parts: Sequence[Any]) -> bool:
    # A vocabulary has 100,000 parts, which take a tenth of a second one by one.
    return all(type(part) is str for part in parts)


def _has_fields(type_: Any) -> bool:
    return is_dataclass(type_) or hasattr(type_, "_field_defaults")


def _message(kind: Any, given: dict[str, Any], where: str, arrays: Sequence[np.ndarray]) -> Any:
    types_ = field_types(kind)
    for name in given:
        if name not in types_:
            raise Refused(f"{where} has no field {name!r}: it has {', '.join(types_)}")
    for name in _needed(kind):
        if name not in given:
            raise Refused(f"{where} needs the field {name!r}")
    return kind(
        **{name: from_plain(types_[name], value, name, arrays) for name, value in given.items()}
    )


def _needed(kind: Any) -> list[str]:
    if is_dataclass(kind):
        return [
            field.name
            for field in fields(kind)
            if field.default is MISSING and field.default_factory is MISSING
        ]
    return [name for name in kind._fields if name not in kind._field_defaults]


def _wanted(type_: Any) -> str:
    if _has_fields(type_) and type_ is not Head:
        return f"it is an object with {', '.join(field_types(type_))}"
    words = {
        int: "a whole number",
        float: "a number",
        str: "text",
        bool: "true or false",
        Head: 'a head such as "0.3"',
    }
    origin, options = typing.get_origin(type_), typing.get_args(type_)
    if origin is tuple:
        if options[0] is Head:
            return 'it is a list of heads such as ["0.3"]'
        return "it is a list"
    found = [words[o] for o in options or (type_,) if o in words]
    return "it is " + " or ".join(found or ["something else"])


_RECORD = "record"


def pack(result: Any) -> dict[str, np.ndarray]:
    """Return an answer as named arrays.

    Returns
    -------
    dict
        `record` [byte], the answer's type and all that is no array, as JSON in UTF-8; and its
        arrays, of whatever shape, under their place in it.
    """
    arrays: list[np.ndarray] = []
    record = {"type": type(result).__name__, "fields": to_plain(result, arrays)}
    data = json.dumps(record).encode("ascii")
    named = {str(place): array for place, array in enumerate(arrays)}
    return {_RECORD: np.frombuffer(data, np.uint8), **named}


def unpack(named: Mapping[str, np.ndarray], types: Any) -> Any:
    """Read what `pack` made; arrays are read-only.

    Parameters
    ----------
    named
        The arrays.
    types
        A union of what the answer can be.

    Raises
    ------
    Refused
        If they are no such answer.
    """
    kinds = {kind.__name__: kind for kind in typing.get_args(types)}
    try:
        record = json.loads(named[_RECORD].tobytes())
        kind, given = kinds[record["type"]], record["fields"]
        arrays = [named[str(place)] for place in range(len(named) - 1)]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise Refused("these arrays are no answer") from None
    for array in arrays:
        array.setflags(write=False)
    return from_plain(kind, given, record["type"], arrays)
