"""The brute force on the first text's head, whose two trigrams are printed."""

import pytest

from tests.oracles import checkpoint, toy_head, trigrams


def test_the_texts_head_has_its_two_trigrams_and_no_other():
    model = checkpoint.toy()
    values, ids = trigrams.strongest(model, 0, 0, 10, list(range(model.d_vocab)))
    names = [tuple(toy_head.TOKENS[token] for token in row) for row in ids.tolist()]
    assert names == [("result", "return", "result"), ("ans", "return", "ans")]
    factor = toy_head.D_HEAD**-0.5
    assert values == pytest.approx([3 * 2 * factor, 1 * 2 * factor])
    best = trigrams.best_of_each_source(model, 0, 0)
    assert best == pytest.approx([3 * 2 * factor, 0, 0, 1 * 2 * factor, 0])
