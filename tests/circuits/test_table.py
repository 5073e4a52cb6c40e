"""Whole token tables of small vocabularies."""

import numpy as np
import pytest

from engine.messages import Head, Refused, Table
from tests.oracles import checkpoint, dense_circuits, made_models

TOLERANCE = 1e-5


@pytest.mark.parametrize("name", [*checkpoint.TOYS, *made_models.RANDOM])
def test_tables_of_every_head_are_the_dense_products(answer, raw, name):
    model = raw(name)
    for circuit, dense in (("ov", dense_circuits.ov_table), ("qk", dense_circuits.qk_table)):
        for layer in range(model.n_layers):
            for head in range(model.n_heads):
                table = answer(Table(name, Head(layer, head), circuit))
                expected = dense(model, layer, head)
                np.testing.assert_allclose(table.values, expected, rtol=0, atol=TOLERANCE)
                assert (table.divisor is None) == (circuit == "ov")


def test_a_large_vocabulary_has_no_table(answer):
    with pytest.raises(Refused):
        answer(Table("attn-1l", Head(0, 0)))
