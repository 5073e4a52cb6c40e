"""Runs with heads switched off, against the plain pass with their W_O zeroed."""

import numpy as np
import pytest
import torch

from engine.circuits.attention import value_output
from engine.job import Job
from engine.messages import (
    Attention,
    DestinationRow,
    Head,
    HeadOutput,
    HeadScores,
    LogitAttribution,
    LogitLens,
    Refused,
    RunPrompt,
    Thumbnails,
    VirtualHead,
)
from engine.model import Model
from engine.sources import bundled, load
from tests.oracles import hugging_face, plain_transformer, prompts

CASES = [
    ("attn-2l", [(0, 2)]),
    ("attn-2l", [(0, 1), (0, 6), (1, 3)]),
    ("random", [(0, 1)]),
    ("random", [(0, 0), (0, 1), (0, 2)]),
    ("random-without-norm", [(0, 2), (1, 0)]),
]
TOLERANCE = 1e-4


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} {case[1]}")
def ablated(request, raw):
    name, heads = request.param
    text = prompts.of(name)[0]
    run = RunPrompt(name, text, heads_off=tuple(Head(*head) for head in heads))
    ids = raw(name).encode(text)
    return run, ids, plain_transformer.run(plain_transformer.without(raw(name), heads), ids)


def test_every_pattern_is_that_of_the_model_without_them(answer, ablated):
    run, _, seen = ablated
    for layer, pattern in enumerate(seen.patterns):
        found = answer(Attention(run, layer)).values
        np.testing.assert_allclose(found, pattern, atol=1e-5)
    small = np.nan_to_num(answer(Thumbnails(run, 64)).values[-1])  # the future is not a number
    np.testing.assert_allclose(small, seen.patterns[-1], atol=1e-5)


def test_what_it_says_next_and_its_loss_are_those_of_the_model_without_them(answer, ablated):
    run, ids, seen = ablated
    found = answer(run)
    expected = seen.logits[-1].log_softmax(-1).numpy()[found.next_ids]
    np.testing.assert_allclose(found.next_log_probs, expected, atol=TOLERANCE)
    np.testing.assert_allclose(
        found.loss, plain_transformer.losses(seen.logits, ids), atol=TOLERANCE
    )
    lens = answer(LogitLens(run, 3))
    np.testing.assert_allclose(lens.log_probs[-1, -1], found.next_log_probs[:3], atol=TOLERANCE)


@pytest.fixture(params=["random", "random-without-norm", "gpt2", "phi", "opt", "llama"])
def opened(request, made, tmp_path):
    """Return a model with biases in its values (but llama), and a prompt."""
    with torch.no_grad():
        if request.param.startswith("random"):
            model = Model(bundled.read_folder(made / "models" / request.param))
            yield model, prompts.of(request.param)[0]
        else:
            hugging_face.write(request.param, tmp_path / request.param)
            yield Model(load(str(tmp_path / request.param))), hugging_face.TEXT


def test_what_a_head_gives_is_what_is_gone_when_it_is_off(opened):
    model, text = opened
    last = model.n_layers - 1
    head = Head(last, 1)
    whole = model.run(RunPrompt(model.name, text), Job())
    given = whole.patterns[last][1] @ value_output(model, whole, head)
    bias = (model.head(head).b_V @ model.head(head).W_O).norm()
    added = whole.layers.rerun(last, ["hook_attn_out"])["hook_attn_out"]
    off = model.run(RunPrompt(model.name, text, heads_off=(head,)), Job())
    gone = added - off.layers.rerun(last, ["hook_attn_out"])["hook_attn_out"]
    gone = gone - gone.mean(-1, keepdim=True) if model.centring else gone
    torch.testing.assert_close(given, gone, rtol=0, atol=1e-5 * float(added.abs().max()))
    assert bias == 0 if "llama" in model.name else bias > 1e-3 * given.norm(dim=-1).max()


def test_it_is_what_transformer_lens_zeroes_and_its_z_times_w_o(opened):
    model, text = opened
    last, kept = model.n_layers - 1, {}
    run, head = RunPrompt(model.name, text), Head(last, 1)
    passed, bridge = model.run(run, Job()), model.bridge

    def zero(z, hook):
        kept["z"] = z[0, :, 1].clone()
        z[:, :, 1] = 0
        return z

    def keep(out, hook):
        kept["after"] = out[0].clone()

    at = f"blocks.{last}."
    bridge.run_with_hooks(
        torch.tensor([passed.ids]),
        fwd_hooks=[(f"{at}attn.hook_z", zero), (f"{at}hook_attn_out", keep)],
    )
    given = passed.patterns[last][1] @ value_output(model, passed, head)
    own = kept["z"] @ bridge.blocks[last].attn.W_O[1]
    own = own - own.mean(-1, keepdim=True) if model.centring else own
    tolerance = 1e-5 * float(own.abs().max())
    torch.testing.assert_close(given, own, rtol=0, atol=tolerance)
    off = model.run(RunPrompt(model.name, text, heads_off=(head,)), Job())
    ours = off.layers.rerun(last, ["hook_attn_out"])["hook_attn_out"]
    torch.testing.assert_close(ours, kept["after"], rtol=0, atol=10 * tolerance)


@pytest.mark.parametrize("split", ["heads", "sources"])
def test_attribution_gives_them_nothing_and_stays_exact(answer, ablated, split):
    run, _, _ = ablated
    found = answer(LogitAttribution(run, split=split))
    assert abs(found.remainder) < 1e-3
    for head, value in zip(found.heads, found.values, strict=True):
        assert (value == 0) == (head in run.heads_off)


def test_they_hand_on_nothing(answer, ablated):
    run, _, _ = ablated
    off = run.heads_off[0]
    assert not answer(HeadOutput(run, off)).values.any()
    weighted = answer(Attention(run, off.layer, "value-weighted")).values
    assert not weighted[off.number].any()
    later = Head(1, 1)
    assert answer(VirtualHead(run, Head(0, off.number), later, 5)).share == (
        0 if Head(0, off.number) in run.heads_off else pytest.approx(0, abs=1)
    )


def test_equal_questions_are_equal_however_they_name_the_heads(answer):
    one = RunPrompt("random", "w3", heads_off=(Head(1, 0), Head(0, 2), Head(1, 0)))
    other = RunPrompt("random", "w3", heads_off=(Head(0, 2), Head(1, 0)))
    assert one == other
    assert hash(one) == hash(other)
    assert answer(one) is answer(other)
    scores = HeadScores("random", heads_off=(Head(1, 0), Head(0, 2)))
    assert scores == HeadScores("random", heads_off=(Head(0, 2), Head(1, 0)))


def test_a_run_with_heads_off_is_not_taken_for_the_whole_one(answer):
    text = prompts.IN_RANDOM[0]
    whole = answer(Attention(RunPrompt("random", text), 1)).values
    off = answer(Attention(RunPrompt("random", text, heads_off=(Head(0, 0),)), 1)).values
    again = answer(Attention(RunPrompt("random", text, k=3), 1)).values
    assert (whole != off).any()
    np.testing.assert_array_equal(whole, again)


@pytest.mark.parametrize("head", [(2, 0), (0, 3)])
def test_heads_that_do_not_exist_are_refused(answer, head):
    off = (Head(*head),)
    for question in (RunPrompt("random", "w3", heads_off=off), HeadScores("random", heads_off=off)):
        with pytest.raises(Refused, match=r"heads 0\.0 to 1\.2"):
            answer(question)


def test_without_its_previous_token_head_the_induction_heads_are_gone(answer):
    whole = answer(HeadScores("attn-2l", "random"))
    partner = int(whole.grid("previous_token")[0].argmax())
    heads = np.flatnonzero(whole.grid("induction")[1] > 0.9)
    assert len(heads)
    for number in range(8):
        off = answer(HeadScores("attn-2l", "random", heads_off=(Head(0, number),)))
        left = off.grid("induction")[1, heads].max()
        assert left < 0.05 if number == partner else left > 0.4


def test_the_scores_beside_the_rows_are_without_them_too(answer):
    off = (Head(0, 1),)
    found = answer(DestinationRow(RunPrompt("random", prompts.IN_RANDOM[0], heads_off=off)))
    scores = answer(HeadScores("random", "random", heads_off=off)).scores
    np.testing.assert_array_equal(found.induction, scores["induction"])
