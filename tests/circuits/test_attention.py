"""Patterns, scores and value-weighted patterns against the plain float64 pass."""

import numpy as np
import pytest
import torch

from engine.messages import Attention, RunPrompt
from tests.oracles import checkpoint, dense_circuits, made_models, plain_transformer, prompts

PATTERN_TOLERANCE = 1e-5
RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude in the layer

CASES = [
    (name, prompt)
    for name in (*checkpoint.TRAINED, *made_models.RANDOM)
    for prompt in prompts.of(name)
]


@pytest.mark.parametrize(("name", "prompt"), CASES)
def test_every_kind_equals_the_plain_pass(answer, raw, name, prompt):
    model = raw(name)
    text = prompts.text(model, prompt)
    seen = plain_transformer.run(model, model.encode(text))
    size = len(seen.streams[0])
    allowed = torch.ones(size, size).tril().bool().numpy()
    run = RunPrompt(name, text)
    for layer in range(model.n_layers):
        pattern = answer(Attention(run, layer, "pattern"))
        assert (pattern.mask == allowed).all()
        np.testing.assert_allclose(
            pattern.values, seen.patterns[layer], rtol=0, atol=PATTERN_TOLERANCE
        )
        assert (pattern.values[:, ~allowed] == 0).all()

        scores = answer(Attention(run, layer, "scores"))
        expected = seen.scores[layer].numpy()
        assert scores.divisor == pytest.approx(model.d_head**0.5)
        assert np.isnan(scores.values[:, ~allowed]).all()
        largest = np.abs(expected[:, allowed]).max()
        np.testing.assert_allclose(
            scores.values[:, allowed],
            expected[:, allowed],
            rtol=0,
            atol=RELATIVE_TOLERANCE * largest,
        )

        weighted = answer(Attention(run, layer, "value-weighted"))
        lengths = torch.stack(
            [
                dense_circuits.value_norms(model, layer, head, seen.values[layer][head])
                for head in range(model.n_heads)
            ]
        )
        expected = (seen.patterns[layer] * lengths[:, None]).numpy()
        np.testing.assert_allclose(
            weighted.values, expected, rtol=0, atol=RELATIVE_TOLERANCE * lengths.max().item()
        )


@pytest.mark.parametrize("name", checkpoint.TRAINED)
def test_without_bos_the_first_word_stands_at_position_0(answer, raw, name):
    model = raw(name)
    ids = model.encode(prompts.TEA, bos=False)
    seen = plain_transformer.run(model, ids)
    run = RunPrompt(name, prompts.TEA, prepend_bos=False)
    assert answer(run).ids.tolist() == ids
    for layer in range(model.n_layers):
        np.testing.assert_allclose(
            answer(Attention(run, layer)).values,
            seen.patterns[layer],
            rtol=0,
            atol=PATTERN_TOLERANCE,
        )
