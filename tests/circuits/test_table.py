"""Whole token tables of small vocabularies."""

import numpy as np
import pytest

from engine.messages import Head, Refused, Table
from tests.oracles import checkpoint, dense_circuits


@pytest.mark.parametrize("name", checkpoint.TOYS)
def test_tables_are_the_dense_products(answer, raw, name):
    model = raw(name)
    for circuit, dense in (("ov", dense_circuits.ov_table), ("qk", dense_circuits.qk_table)):
        table = answer(Table(name, Head(0, 0), circuit))
        np.testing.assert_allclose(table.values, dense(model, 0, 0), atol=1e-6)
        assert (table.divisor is None) == (circuit == "ov")


def test_a_large_vocabulary_has_no_table(answer):
    with pytest.raises(Refused):
        answer(Table("attn-1l", Head(0, 0)))
