"""A value for every token, cut down to both ends of the list."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from torch import Tensor

from engine.messages import FloatArray, IntArray, Refused
from engine.model import Model

ROUNDING = 1e-6
"""Share of the largest value by which equal ones may be apart."""


class Ends(NamedTuple):
    """The strongest tokens of a list, and the most negative, each strongest first."""

    ids: IntArray
    labels: tuple[str, ...]
    values: FloatArray
    bottom_ids: IntArray
    bottom_labels: tuple[str, ...]
    bottom_values: FloatArray
    constant: bool


class Listed(NamedTuple):
    """A value of every token, about one of them, and what stands for both."""

    token: int
    values: Float[Tensor, " d_vocab"]
    source: str
    vocabulary_source: str


def ends(model: Model, values: Float[Tensor, " d_vocab"], k: int) -> Ends:
    """Return both ends of a list over the vocabulary; equal values go by id.

    Parameters
    ----------
    values : Tensor
        One value a token [d_vocab].
    k : int
        How many to list at each end.
    """
    if k < 1:
        raise Refused(f"k, the number of tokens to list, must be at least 1, not {k}")
    array = values.numpy()
    top, bottom = largest(array, k), largest(-array, k)
    return Ends(
        ids=top,
        labels=model.tokens.labelled(top.tolist()),
        values=array[top],
        bottom_ids=bottom,
        bottom_labels=model.tokens.labelled(bottom.tolist()),
        bottom_values=array[bottom],
        constant=is_constant(values),
    )


def ranked(model: Model, values: Float[Tensor, " d_vocab"], token: int, k: int) -> dict[str, Any]:
    """Return what every `TokenRanking` says of a list over the vocabulary and one of its tokens.

    Parameters
    ----------
    values : Tensor
        One value a token [d_vocab].
    token : int
        The token asked about.
    k : int
        How many to list at each end.
    """
    return {
        **ends(model, values, k)._asdict(),
        "token_id": token,
        "token_label": model.tokens.labels[token],
        "rank": rank_of(values, token),
        "value": float(values[token]),
        "median": float(np.median(values.numpy())),
        "d_vocab": model.d_vocab,
    }


def rank_of(values: Float[Tensor, " d_vocab"], token: int) -> int:
    """Return how many tokens have at least a token's value, itself among them.

    A token is first only where it is alone there: one of many equal values is no favourite.
    """
    return int((values >= values[token]).sum())


def is_constant(values: Float[Tensor, " d_vocab"]) -> bool:
    """Return whether no token stands out: all values are alike but for rounding."""
    largest = float(values.abs().max())
    return len(values) > 1 and float(values.max() - values.min()) <= ROUNDING * largest


def largest(array: FloatArray, k: int) -> IntArray:
    """Return the ids of the k largest values, largest first; equal values go by id."""
    k = min(k, len(array))
    least = np.partition(array, len(array) - k)[len(array) - k]
    candidates = np.flatnonzero(array >= least)
    order = np.argsort(-array[candidates], kind="stable")
    found: IntArray = candidates[order][:k]
    return found
