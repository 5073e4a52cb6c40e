import numpy as np
import pytest
import torch

from engine.forward import forward_pass, layers
from engine.job import Job
from engine.messages import RunPrompt


def test_patterns_are_the_softmax_of_the_scores_that_queries_and_keys_give(model):
    passed = model.run(RunPrompt("random", "so I drink green"), Job())
    future = torch.ones(len(passed.ids), len(passed.ids), dtype=torch.bool).triu(1)
    for layer, pattern in enumerate(passed.patterns):
        scores = passed.queries[layer] @ passed.keys[layer].mT / model.divisor(layer)
        softmax = scores.masked_fill(future, -torch.inf).softmax(-1)
        torch.testing.assert_close(pattern, softmax)


def test_a_run_steps_inside_every_layer_in_turn(model):
    seen = []
    model.run_ids((0, 1, 2), Job(lambda *step: seen.append(step)))
    assert list(dict.fromkeys(seen)) == [(0, 2, "running layer 0"), (1, 2, "running layer 1")]
    assert seen == sorted(seen)
    assert min(seen.count(step) for step in seen) > 10


def test_each_operation_on_large_tensors_is_a_step_and_gives_the_same_numbers(model, monkeypatch):
    def run():
        seen = []
        return model.run_ids((0, 1, 2), Job(lambda *step: seen.append(step))), seen

    plain, few = run()
    monkeypatch.setattr(layers, "LARGE", model.n_heads * 9)
    found, seen = run()
    # Of each layer at least its scores, what is done to them, the softmax and what it multiplies.
    assert len(seen) >= len(few) + 4 * model.n_layers
    assert seen == sorted(seen)
    assert torch.equal(found.final, plain.final)
    assert all(map(torch.equal, found.patterns, plain.patterns))


def test_the_last_run_is_kept_and_another_text_replaces_it(model):
    first = model.run(RunPrompt("random", "tea"), Job())
    assert model.run(RunPrompt("random", "tea", prepend_bos=True), Job()) is first
    assert model.run(RunPrompt("random", "tea", prepend_bos=False), Job()) is not first


def test_losses_are_those_of_the_next_tokens(model):
    losses = model.loss(model.run_ids((0, 5, 9), Job()), Job())
    for known in (1, 2):
        start = model.run_ids((0, 5, 9)[:known], Job())
        expected = -start.next_log_probs[(0, 5, 9)[known]]
        torch.testing.assert_close(losses[known - 1], expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("positions", "tokens"), [(2, None), (3, 7), (2, 100)])
def test_losses_are_the_same_in_parts_and_step_between_them(model, monkeypatch, positions, tokens):
    passed = model.run_ids((0, 5, 9, 2), Job())
    whole = model.loss(passed, Job())
    tokens = tokens or model.d_vocab
    monkeypatch.setattr(forward_pass, "PREDICTED", positions)
    monkeypatch.setattr(forward_pass, "WORK", positions * tokens * model.d_model)
    seen = []
    in_parts = model.loss(passed, Job(lambda *step: seen.append(step)))
    assert {what for *_, what in seen} == {"predicting tokens"}
    done = [step[0] for step in seen]
    assert done == sorted(set(done))
    assert done[0] == 0
    # No more logits between two steps than were asked for, and all of them.
    assert max(np.diff([*done, 3 * model.d_vocab])) <= positions * tokens
    assert len(done) >= 3 * model.d_vocab // (positions * tokens)
    assert {step[1] for step in seen} == {3 * model.d_vocab}
    torch.testing.assert_close(in_parts, whole, rtol=0, atol=1e-6)


def test_losses_after_a_cap_are_the_cross_entropy_of_all_the_logits(model, monkeypatch):
    passed = model.run_ids((0, 5, 9, 2), Job())

    def capped(logits):
        return 2 * (logits / 2).tanh()

    logits = capped(model.bridge.unembed(passed.read[None, :-1])[0]).double()
    expected = torch.nn.functional.cross_entropy(logits, torch.tensor([5, 9, 2]), reduction="none")
    monkeypatch.setattr(forward_pass, "WORK", 7 * model.d_model)
    found = forward_pass.loss(model.bridge, passed, Job(), capped)
    torch.testing.assert_close(found.double(), expected, rtol=0, atol=1e-6)
