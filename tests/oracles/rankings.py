"""Ranks, medians and top lists of one value per token, and how an answer is held against them."""

from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


def rank(values: Values, token: int) -> int:
    """Return the number of values that are at least as large, its own among them."""
    return int((values >= values[token]).sum())


def top(values: Values, k: int) -> list[int]:
    """Return the ids of the k largest values, largest first; the lower id first among equals."""
    return np.lexsort((np.arange(len(values)), -values))[:k].tolist()


def assert_list(
    ids: npt.ArrayLike, listed: npt.ArrayLike, values: Values, k: int, tolerance: float
) -> None:
    """Assert that (ids, listed) are the k largest of `values`, in order.

    Two tokens may change places only where their true values differ by at most twice the
    tolerance, the room that two rounded numbers have.
    """
    ids, listed = np.asarray(ids), np.asarray(listed)
    assert ids.shape == listed.shape == (min(k, len(values)),)
    assert len(set(ids.tolist())) == len(ids)
    np.testing.assert_allclose(listed, values[ids], rtol=0, atol=tolerance)
    assert (np.diff(listed) <= 0).all()
    expected = values[top(values, k)]
    np.testing.assert_allclose(values[ids], expected, rtol=0, atol=2 * tolerance)


def assert_rank(answer: int, values: Values, token: int, tolerance: float) -> None:
    """Assert a token's rank, give or take the tokens within twice the tolerance of it."""
    others = np.delete(values, token)
    least = 1 + int((others > values[token] + 2 * tolerance).sum())
    most = 1 + int((others > values[token] - 2 * tolerance).sum())
    assert least <= answer <= most


def assert_ranking(answer: Any, values: Values, token: int, k: int, relative: float) -> None:
    """Assert every number of an answer to OVTokens or QKTokens.

    Parameters
    ----------
    answer
        What the engine said.
    values
        The true value of every token, [d_vocab].
    token
        Id of the token asked about.
    k
        How many were asked for at each end.
    relative
        Tolerance, as a share of the largest magnitude in `values`.
    """
    tolerance = relative * np.abs(values).max()
    assert_list(answer.ids, answer.values, values, k, tolerance)
    assert_list(answer.bottom_ids, -answer.bottom_values, -values, k, tolerance)
    assert_rank(answer.rank, values, token, tolerance)
    assert answer.token_id == token
    assert answer.d_vocab == len(values)
    np.testing.assert_allclose(answer.value, values[token], rtol=0, atol=tolerance)
    np.testing.assert_allclose(answer.median, np.median(values), rtol=0, atol=tolerance)
