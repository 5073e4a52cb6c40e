"""Answers about every head or every layer at once, against the plain pass in float64."""

import numpy as np
import pytest
import torch

from engine import Engine
from engine.job import Job
from engine.messages import (
    DestinationRow,
    Head,
    HeadScores,
    LogitAttribution,
    LogitLens,
    Refused,
    RunPrompt,
)
from engine.sources import entries
from tests.oracles import plain_transformer, prompts

NAMES = ("attn-1l", "attn-2l", "random", "random-without-norm")
K = 5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("position", [0, 3, -1])
def test_each_row_is_that_of_the_heads_own_pattern(answer, raw, name, position):
    model, text = raw(name), prompts.of(name)[0]
    ids = model.encode(text)
    at = position % len(ids)
    seen = plain_transformer.run(model, ids)
    found = answer(DestinationRow(RunPrompt(name, text), position))
    assert found.position == at
    assert len(found.heads) == len(found.values) == model.n_layers * model.n_heads
    for head, row in zip(found.heads, found.values, strict=True):
        expected = seen.patterns[head.layer][head.number][at, : at + 1]
        np.testing.assert_allclose(row, expected, atol=1e-5)


def test_scores_beside_the_rows_are_those_of_head_scores(answer):
    found = answer(DestinationRow(RunPrompt("random", prompts.IN_RANDOM[0])))
    scores = answer(HeadScores("random")).scores
    np.testing.assert_array_equal(found.induction, scores["induction"])
    np.testing.assert_array_equal(found.previous_token, scores["previous_token"])
    assert found.heads[4] == Head(1, 1)


def test_random_tokens_are_run_once_for_the_rows_of_every_position():
    engine, run, seen = Engine(), RunPrompt("toy", "ans 0"), []
    for position in (0, 1):
        seen.clear()
        engine.answer(DestinationRow(run, position), Job(lambda *step: seen.append(step[2])))
        assert ("running random tokens" in seen) == (position == 0)


@pytest.mark.parametrize("name", NAMES)
def test_each_stage_is_read_with_a_norm_of_its_own(answer, raw, name):
    model, text = raw(name), prompts.of(name)[0]
    ids = model.encode(text)
    seen = plain_transformer.run(model, ids)
    found = answer(LogitLens(RunPrompt(name, text), K))
    assert found.stages == ("embedding", *(f"layer {n}" for n in range(model.n_layers)))
    for stage, stream in enumerate(seen.streams):
        read = plain_transformer.normalise(model, stream)
        logits = read @ model["unembed.W_U"] + model["unembed.b_U"]
        expected = logits.log_softmax(-1)
        best = expected.topk(K).values
        np.testing.assert_allclose(found.log_probs[stage], best, rtol=0, atol=2e-4)
        there = expected.gather(1, torch.tensor(found.ids[stage]))
        np.testing.assert_allclose(there, best, rtol=0, atol=2e-4)


@pytest.mark.parametrize("name", ["attn-2l", "toy-induction"])
def test_the_last_stage_is_what_the_model_says(answer, name):
    run = RunPrompt(name, prompts.TEA if name == "attn-2l" else "A B C A", k=K)
    said, lens = answer(run), answer(LogitLens(run, K))
    assert lens.labels[-1][-1] == said.next_labels
    np.testing.assert_allclose(lens.log_probs[-1, -1], said.next_log_probs, atol=1e-4)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
@pytest.mark.parametrize("split", ["heads", "sources"])
def test_attribution_leaves_less_than_a_thousandth_on_every_bundled_model(answer, entry, split):
    text = {"toy-induction": "A B C D A"}.get(entry.name, "return")
    text = prompts.TEA if entry.name.startswith("attn") else text
    for position in (0, -1):
        for contrast in ("none", "mean"):
            question = LogitAttribution(
                RunPrompt(entry.name, text), position, contrast=contrast, split=split
            )
            assert abs(answer(question).remainder) < 1e-3


@pytest.mark.parametrize(
    "question",
    [
        DestinationRow(RunPrompt("toy", "ans"), 1),
        LogitLens(RunPrompt("toy", "ans"), 0),
        LogitLens(RunPrompt("toy", "tea")),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(answer, question):
    with pytest.raises(Refused) as refusal:
        answer(question)
    assert "\n" not in str(refusal.value)
