"""All patterns at once, pooled by the largest of each block."""

import numpy as np
import pytest

from engine.messages import RunPrompt, Thumbnails
from tests.oracles import plain_transformer, prompts

TOLERANCE = 1e-5


@pytest.mark.parametrize("size", [64, 10, 3])
def test_a_cell_is_the_largest_weight_of_its_block(answer, raw, size):
    model = raw("attn-2l")
    ids = model.encode(prompts.TEA)
    patterns = np.stack([p.numpy() for p in plain_transformer.run(model, ids).patterns])
    found = answer(Thumbnails(RunPrompt("attn-2l", prompts.TEA), size=size))
    block = found.block
    cells = -(-len(ids) // block)
    assert cells <= size
    assert block == 1 or -(-len(ids) // (block - 1)) > size  # no coarser than it must be
    assert found.values.shape == (model.n_layers, model.n_heads, cells, cells)
    assert found.mask.shape == (model.n_layers, cells, cells)
    for row in range(cells):
        for column in range(cells):
            part = np.s_[
                ..., row * block : (row + 1) * block, column * block : (column + 1) * block
            ]
            meant = patterns[part].max((-1, -2)) if column <= row else np.nan
            np.testing.assert_allclose(found.values[..., row, column], meant, atol=TOLERANCE)
            assert (found.mask[:, row, column] == (column <= row)).all()
