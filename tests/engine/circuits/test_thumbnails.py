import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.forward.forward_pass import pool


@settings(max_examples=50)
@given(length=st.integers(1, 70), size=st.integers(1, 70), seed=st.integers(0, 9))
def test_each_cell_is_the_largest_of_its_block(length, size, seed):
    patterns = np.random.default_rng(seed).random((2, length, length))
    pooled = pool(patterns, size)
    block = -(-length // size)
    rows = -(-length // block)
    assert pooled.shape == (2, rows, rows)
    assert rows <= size
    for row in range(rows):
        for column in range(rows):
            cell = patterns[:, row * block :, column * block :][:, :block, :block]
            np.testing.assert_array_equal(pooled[:, row, column], cell.max((1, 2)))


def test_a_stripe_of_one_token_survives():
    pattern = np.zeros((1, 256, 256))
    pattern[:, :, 101] = 0.9
    assert (pool(pattern, 64)[0].max(1) == 0.9).all()


@pytest.mark.parametrize("length", [1, 5])
def test_a_short_pattern_is_left_as_it_is(length):
    pattern = np.random.default_rng(0).random((3, length, length))
    np.testing.assert_array_equal(pool(pattern, 64), pattern)
