"""Answers as arrays: whatever an answer holds comes back to the last bit, without pickles."""

import io
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from engine.messages import Head, Refused, Result, ThumbnailPatterns, pack, unpack
from engine.messages.plain import field_types

ARRAYS = {
    np.floating: np.array([[np.nan, -0.0, np.inf], [1e-45, 1 / 3, 0]], np.float32),
    np.integer: np.array([-(2**40), 7]),
    np.bool_: np.zeros((0, 2), bool),
}
PLAIN = {int: 2**40, float: 1 / 3, str: "<s> ‹↵› 💩 \x00", bool: True, Head: Head(3, 14)}


def made(type_, bare):
    """Return a value of a type; `bare` takes none and empty lists wherever there can be some."""
    origin, options = typing.get_origin(type_), typing.get_args(type_)
    if origin is np.ndarray:
        return ARRAYS[typing.get_args(options[1])[0]]
    if origin is typing.Literal:
        return options[-1]
    if origin is tuple:
        if options[-1] is Ellipsis:
            return () if bare else (made(options[0], True), made(options[0], False))
        return tuple(made(option, bare) for option in options)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {"induction": made(options[1], bare)}
    if type(None) in options:
        return None if bare else made(next(o for o in options if o is not type(None)), bare)
    if options:
        return made(options[0], bare)
    if type_ in PLAIN:
        return PLAIN[type_]
    return type_(**{name: made(part, bare) for name, part in field_types(type_).items()})


def alike(one, other):
    """Return whether two answers, or parts of them, are the same to the last bit."""
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and one.shape == other.shape
        return same and one.tobytes() == other.tobytes() and not other.flags.writeable
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, tuple):
        same = type(one) is type(other) and len(one) == len(other)
        return same and all(map(alike, one, other))
    if is_dataclass(one):
        same = type(one) is type(other)
        return same and all(
            alike(getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
        )
    return type(one) is type(other) and one == other


def saved(result):
    """Send an answer through an NPZ file."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **pack(result))
    file.seek(0)
    with np.load(file, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize("kind", typing.get_args(Result), ids=lambda kind: kind.__name__)
def test_every_answer_comes_back_to_the_last_bit(kind, bare):
    result = made(kind, bare)
    assert alike(result, unpack(saved(result), Result))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"}}", b"}"),
        (b'"type": "', b'"type": "X'),
        (b'"type"', b'"kind"'),
        (b'"values": 0', b'"values": 99'),
        (b'"values": 0', b'"values": 1'),
        (b'"values": 0', b'"values": [0.5]'),
        (b'"block": 1099511627776', b'"block": "1"'),
        (b'"block"', b'"blocks"'),
    ],
)
def test_what_is_no_answer_is_refused(old, new):
    good = saved(made(ThumbnailPatterns, False))
    text = good["record"].tobytes()
    assert old in text
    with pytest.raises(Refused):
        unpack(good | {"record": np.frombuffer(text.replace(old, new), np.uint8)}, Result)


def test_an_answer_that_lacks_an_array_is_refused():
    good = saved(made(ThumbnailPatterns, False))
    for missing in good:
        with pytest.raises(Refused):
            unpack({name: array for name, array in good.items() if name != missing}, Result)
