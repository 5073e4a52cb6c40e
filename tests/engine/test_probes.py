import pytest
import torch

from engine.job import Cancelled, Job
from engine.messages import Head

IDS = (0, 5, 9, 5)
AT = "blocks.1.attn."


def test_what_is_kept_is_what_the_run_made(model):
    passed = model.run_ids(IDS, Job())
    kept = model.probe(IDS, Job(), [f"{AT}hook_pattern", f"{AT}hook_q", "blocks.1.hook_in"])
    torch.testing.assert_close(kept[f"{AT}hook_pattern"], passed.patterns[1])
    torch.testing.assert_close(kept[f"{AT}hook_q"].transpose(0, 1), passed.queries[1])
    torch.testing.assert_close(kept["blocks.1.hook_in"], passed.streams[1])
    log_probs = kept["logits"][-1].log_softmax(-1)
    torch.testing.assert_close(log_probs, passed.next_log_probs)


def test_what_is_changed_goes_on_changed(model):
    pattern = torch.eye(len(IDS)).expand(model.n_heads, -1, -1)
    names = [f"{AT}hook_pattern", f"{AT}hook_z", f"{AT}hook_v"]
    kept = model.probe(IDS, Job(), names, {f"{AT}hook_pattern": lambda found: pattern})
    torch.testing.assert_close(kept[f"{AT}hook_pattern"], pattern)
    torch.testing.assert_close(kept[f"{AT}hook_z"], kept[f"{AT}hook_v"])


def test_heads_that_are_off_are_off_as_in_a_run(model):
    off = (Head(0, 1), Head(1, 2))
    passed = model.run_ids(IDS, Job(), off)
    kept = model.probe(IDS, Job(), [f"{AT}hook_z", "blocks.1.hook_in"], heads_off=off)
    assert not kept[f"{AT}hook_z"][:, 2].any()
    assert kept[f"{AT}hook_z"][:, 1].any()
    torch.testing.assert_close(kept["blocks.1.hook_in"], passed.streams[1])


def test_nothing_stays_changed_after_a_probe(model):
    before = model.run_ids(IDS, Job()).next_log_probs
    model.probe(IDS, Job(), [], {f"{AT}hook_z": torch.zeros_like})
    torch.testing.assert_close(model.run_ids(IDS, Job()).next_log_probs, before)


def test_a_probe_steps_inside_every_layer_and_can_be_cancelled(model):
    seen = []
    model.probe(IDS, Job(lambda *step: seen.append(step)))
    assert list(dict.fromkeys(seen)) == [(0, 2, "running layer 0"), (1, 2, "running layer 1")]
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        model.probe(IDS, job)
    model.probe(IDS, Job())


def test_the_big_w_o_is_the_heads_stacked(model):
    big, b_O = model.stacked_output(1)
    assert big.shape == (model.n_heads * model.d_head, model.d_model)
    assert b_O.shape == (model.d_model,)
    raw = big[2 * model.d_head : 3 * model.d_head]
    folded = raw - raw.mean(-1, keepdim=True)
    torch.testing.assert_close(model.head(Head(1, 2)).W_O, folded)
