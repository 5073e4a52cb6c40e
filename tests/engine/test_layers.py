"""Patterns that are not held are made again, to the bit; how many are held is settled by bytes."""

import numpy as np
import pytest
import torch

from engine.forward.forward_pass import forward, pool
from engine.forward.layers import Layers
from engine.job import Cancelled, Job
from engine.messages import Head, RunPrompt, Thumbnails
from engine.model import Model
from engine.sources import bundled, load
from tests.oracles import hugging_face
from tests.oracles.hugging_face import KINDS

IDS = (1, 20, 33, 7, 20, 33, 90, 4, 55, 56, 20)
OFF = (Head(0, 1), Head(1, 2))
ALL = 2**30


@pytest.fixture
def again(monkeypatch):
    """Return the layers that are run again, as they are."""
    seen, honest = [], Layers.rerun

    def counted(self, layer, keep, change=None):
        seen.append(layer)
        return honest(self, layer, keep, change)

    monkeypatch.setattr(Layers, "rerun", counted)
    return seen


def both(bridge, ids=IDS, off=OFF):
    """Return one run with every pattern held, and one with none."""
    return forward(bridge, ids, Job(), off, ALL), forward(bridge, ids, Job(), off, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made_again_is_what_the_model_made_to_the_bit(tmp_path, kind, again):
    hugging_face.write(kind, tmp_path / kind)
    with torch.inference_mode():
        held, not_held = both(Model(load(str(tmp_path / kind))).bridge)
        for layer, pattern in enumerate(held.patterns):
            assert torch.equal(not_held.patterns[layer], pattern)
        assert again == [0, 1, 2]


def test_our_own_models_patterns_queries_and_keys_are_made_again_to_the_bit(model):
    held, not_held = both(model.bridge, (0, 5, 9, 5, 7))
    names = [f"attn.{hook}" for hook in ("hook_q", "hook_k", "hook_z", "hook_out")]
    for layer in range(model.n_layers):
        assert torch.equal(not_held.patterns[layer], held.patterns[layer])
        full = [f"blocks.{layer}.{name}" for name in names]
        own = model.probe(held.ids, Job(), full, heads_off=OFF)
        made = not_held.layers.rerun(layer, names)
        for name in names:
            assert torch.equal(made[name], own[f"blocks.{layer}.{name}"])
        assert torch.equal(not_held.queries[layer], own[full[0]].transpose(0, 1))
        assert torch.equal(not_held.keys[layer], own[full[1]].transpose(0, 1))


def test_what_is_changed_in_a_block_that_runs_again_stays_in_that_run(model):
    passed = model.run_ids((0, 5, 9), Job())
    doubled = passed.layers.rerun(1, ["attn.hook_q"], {"attn.hook_q": lambda made: 2 * made})
    assert torch.equal(doubled["attn.hook_q"].transpose(0, 1), 2 * passed.queries[1])


@pytest.mark.parametrize(("budget", "held"), [(4, 4), (3, 2), (2, 1), (1, 0), (0, 0)])
def test_so_many_layers_are_held_that_one_more_fits_the_budget(tmp_path, again, budget, held):
    sizes = {"num_hidden_layers": 4}
    name, more = KINDS["llama"]
    hugging_face.KINDS["four"] = (name, more | sizes)
    try:
        hugging_face.write("four", tmp_path / "four")
    finally:
        del hugging_face.KINDS["four"]
    bridge = Model(load(str(tmp_path / "four"))).bridge
    layer = 4 * 6 * len(IDS) ** 2
    passed = forward(bridge, IDS, Job(), (), budget * layer)
    for _ in passed.patterns:
        pass
    assert again == list(range(held, 4))
    bytes_held = sum(pattern.nbytes for pattern in passed.layers._held.values())
    assert bytes_held == held * layer


def test_going_over_the_heads_of_a_layer_makes_it_once(model, again):
    passed = model.run_ids((0, 5, 9), Job())
    for number in range(model.n_heads):
        passed.patterns[1][number]
        passed.queries[1][number]
    assert again == [1]
    passed.patterns[0]
    passed.patterns[-1]
    assert again == [1, 0, 1]


def test_there_is_no_layer_beyond_the_last(model):
    passed = model.run_ids((0, 5, 9), Job())
    assert len(passed.patterns) == 2
    with pytest.raises(IndexError):
        passed.patterns[2]


def test_a_layer_that_is_made_again_steps_and_can_be_cancelled(folders):
    model = Model(bundled.read_folder(folders / "random"), pattern_bytes=0)
    run = RunPrompt("random", "tea")
    model.run(run, Job())
    seen = []
    passed = model.run(run, Job(lambda *step: seen.append(step)))
    passed.patterns[1]
    assert set(seen) == {(1, 2, "running layer 1")}
    job = Job()
    passed = model.run(run, job)
    job.cancel()
    with pytest.raises(Cancelled):
        passed.patterns[0]
    assert not model.bridge.blocks[0].attn.hook_pattern.fwd_hooks
    assert model.run(run, Job()).patterns[0].shape[0] == 3


@pytest.mark.parametrize("budget", [0, 2**30])
def test_thumbnails_are_the_same_whether_patterns_are_held_or_pooled_by_the_way(
    folders, again, budget
):
    model = Model(bundled.read_folder(folders / "random"), pattern_bytes=budget)
    passed = model.run(RunPrompt("random", "I like green tea"), Job())
    assert (passed.thumbnails is not None) is (budget == 0)
    meant = np.stack([pool(pattern.numpy(), Thumbnails.size) for pattern in passed.patterns])
    if budget == 0:
        np.testing.assert_array_equal(passed.thumbnails, meant)
    assert again == ([0, 1] if budget == 0 else [])
