import torch

from engine import runs
from engine.job import Job
from engine.messages import RunPrompt


def test_patterns_are_the_softmax_of_the_scores_that_queries_and_keys_give(model):
    passed = model.run(RunPrompt("random", "so I drink green"), Job())
    future = torch.ones(len(passed.ids), len(passed.ids), dtype=torch.bool).triu(1)
    for layer, pattern in enumerate(passed.patterns):
        scores = passed.queries[layer] @ passed.keys[layer].mT / model.divisor
        softmax = scores.masked_fill(future, -torch.inf).softmax(-1)
        torch.testing.assert_close(pattern, softmax)


def test_a_run_steps_inside_every_layer_in_turn(model):
    seen = []
    model.run_ids((0, 1, 2), Job(lambda *step: seen.append(step)))
    assert list(dict.fromkeys(seen)) == [(0, 2, "running layer 0"), (1, 2, "running layer 1")]
    assert seen == sorted(seen)
    assert min(seen.count(step) for step in seen) > 10


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


def test_losses_are_the_same_in_chunks_and_step_between_them(model, monkeypatch):
    passed = model.run_ids((0, 5, 9, 2), Job())
    whole = model.loss(passed, Job())
    monkeypatch.setattr(runs, "LOGITS", 2 * model.d_vocab)
    seen = []
    chunked = model.loss(passed, Job(lambda *step: seen.append(step)))
    assert seen == [(0, 3, "predicting tokens"), (2, 3, "predicting tokens")]
    torch.testing.assert_close(chunked, whole)
