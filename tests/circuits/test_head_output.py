"""What a head adds to the logits, against the plain pass in float64."""

import numpy as np
import pytest

from engine.messages import Head, HeadOutput, Refused, RunPrompt
from tests.oracles import dense_circuits, plain_transformer, prompts, rankings, toy_head

RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude of the list
K = 12
CASES = [
    (name, head, position)
    for name, head in (
        ("attn-1l", Head(0, 3)),
        ("attn-2l", Head(1, 5)),
        ("random", Head(1, 2)),
        ("random-without-norm", Head(1, 0)),
    )
    for position in (0, 3, -1)
]


def _output(model, head, ids, position):
    """Return the head's row, b_V in it, folded as the stream's readers see it, [d_model]."""
    seen = plain_transformer.run(model, ids)
    moved = seen.head_outputs[head.layer][head.number][position]
    return moved @ dense_circuits.off_ones(model), seen


@pytest.mark.parametrize(("name", "head", "position"), CASES)
def test_the_list_is_the_heads_own_output_read_with_the_unembedding(
    answer, raw, name, head, position
):
    model = raw(name)
    text = prompts.of(name)[0]
    ids = model.encode(text)
    output, seen = _output(model, head, ids, position)
    values = (output @ dense_circuits.unembedding(model)).numpy()
    target = ids[2]
    found = answer(HeadOutput(RunPrompt(name, text), head, position, target, K))
    tolerance = RELATIVE_TOLERANCE * np.abs(values).max()
    rankings.assert_list(found.ids, found.values, values, K, tolerance)
    rankings.assert_list(found.bottom_ids, -found.bottom_values, -values, K, tolerance)
    rankings.assert_rank(found.rank, values, target, tolerance)
    assert found.value == pytest.approx(values[target], abs=tolerance)
    assert found.d_vocab == model.d_vocab
    at = position % len(ids)
    assert found.position == at
    stream = seen.streams[-1][at]
    scale = (stream.var(correction=0) + model.eps).sqrt() if model.norm else 1.0
    assert found.final_scale == pytest.approx(float(scale), rel=1e-5)


@pytest.mark.parametrize(("name", "head", "position"), CASES)
def test_sources_add_up_to_the_targets_value(answer, raw, name, head, position):
    model = raw(name)
    text = prompts.of(name)[0]
    ids = model.encode(text)
    at = position % len(ids)
    seen = plain_transformer.run(model, ids)
    moved = seen.values[head.layer][head.number] @ model.of_head(*head, "W_O")
    moved = moved @ dense_circuits.off_ones(model)  # [source, d_model]
    column = dense_circuits.unembedding(model)[:, ids[1]]
    row = seen.patterns[head.layer][head.number][at]
    expected = (row * (moved @ column))[: at + 1].numpy()
    found = answer(HeadOutput(RunPrompt(name, text), head, position, ids[1], K))
    tolerance = RELATIVE_TOLERANCE * max(1.0, float((moved @ column).abs().max()))
    np.testing.assert_allclose(found.by_source, expected, rtol=0, atol=tolerance)
    assert found.by_source.sum() == pytest.approx(found.value, abs=10 * tolerance)
    assert len(found.source_labels) == at + 1


def test_the_texts_head_adds_the_printed_increments_twice_its_weights(answer):
    found = answer(HeadOutput(RunPrompt("toy", toy_head.TEXT), Head(0, 0), target="ans", k=5))
    values = dict(zip(found.labels, found.values, strict=True))
    expected = dict(zip(toy_head.TOKENS, toy_head.LOGITS_AT_RETURN, strict=True))
    assert values == pytest.approx(expected, abs=5e-4)
    assert (found.rank, found.final_scale) == (2, 1)
    np.testing.assert_allclose(found.by_source, (0, 0, 0, 0.303, 0), atol=5e-4)


def test_without_a_target_it_is_the_models_first_guess(answer):
    run = RunPrompt("attn-1l", prompts.TEA)
    assert answer(HeadOutput(run, Head(0, 0))).target_id == answer(run).next_ids[0]


@pytest.mark.parametrize(
    "question",
    [
        HeadOutput(RunPrompt("toy", "ans"), Head(1, 0)),
        HeadOutput(RunPrompt("toy", "ans"), Head(0, 0), 1),
        HeadOutput(RunPrompt("toy", "ans"), Head(0, 0), target="tea"),
        HeadOutput(RunPrompt("toy", "ans"), Head(0, 0), k=0),
    ],
)
def test_a_head_position_or_target_that_is_not_there_is_refused(answer, question):
    with pytest.raises(Refused) as refusal:
        answer(question)
    assert "\n" not in str(refusal.value)
