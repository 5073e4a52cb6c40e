"""Where a model runs, and in which precision: half precision on the CPU, devices by pretence.

Rounding is measured in epsilons of the dtype, the distance between 1 and the next number: 2^-7 in
bfloat16, 2^-10 in float16. CUDA and MPS themselves are never run here.
"""

import numpy as np
import pytest
import torch

from engine import Engine
from engine.job import Job
from engine.loading.verify import _fitting
from engine.messages import (
    Attention,
    EstimateModel,
    Head,
    HeadScores,
    LoadModel,
    LogitAttribution,
    OVTokens,
    Placing,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    Spectrum,
)
from engine.model import Model
from engine.network import device
from engine.sources import load
from tests.engine.sources import state_dicts
from tests.oracles import hugging_face, state_dict
from tests.oracles.hugging_face import D_VOCAB, IDS, TEXT, ov, own, qk, raw

HALVES = ("bfloat16", "float16")
KINDS = ("llama", "gpt2")
SINGLE = 1e-5
"""Share of the largest number: rounding in single precision."""

PATTERN = 16
"""Epsilons by which a pattern in half precision may be off: scores of these models are about 10,
each is rounded by half an epsilon of itself as it is made, and so are the layers before it."""


def epsilon(dtype):
    return torch.finfo(getattr(torch, dtype)).eps


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    made = {}

    def of(kind, dtype):
        if (kind, dtype) not in made:
            folder = tmp_path_factory.mktemp("models") / kind
            model = hugging_face.write(kind, folder)
            made[kind, dtype] = model, Engine(placing=Placing(dtype=dtype)), str(folder)
        return made[kind, dtype]

    return of


def halved(model, dtype):
    """Return a model in float64 whose weights are those that half precision holds."""
    return model.to(getattr(torch, dtype)).double()


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("kind", KINDS)
def test_patterns_are_those_of_the_same_weights_up_to_rounding(opened, kind, dtype):
    model, engine, name = opened(kind, dtype)
    meant, log_probs = own(halved(model, dtype), IDS)
    run = RunPrompt(name, TEXT, prepend_bos=True, k=D_VOCAB)
    apart = 0.0
    for layer, pattern in enumerate(meant):
        found = engine.answer(Attention(run, layer)).values
        assert found.dtype == np.float32
        apart = max(apart, float(np.abs(found - pattern.numpy()).max()))
    # Half precision was really used, and nothing but its rounding is in the way.
    assert epsilon(dtype) / 100 < apart < PATTERN * epsilon(dtype)
    answer = engine.answer(run)
    assert answer.next_ids[0] == log_probs[-1].argmax()


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("kind", KINDS)
def test_circuits_are_those_of_the_same_weights_in_float64(opened, kind, dtype):
    model, engine, name = opened(kind, dtype)
    stored = raw(halved(model, dtype), kind, 2, 3)
    head = Head(2, 3)

    def by_token(found):
        values = np.empty(D_VOCAB)
        values[found.ids] = found.values
        return values

    meant = ov(stored).numpy()
    found = by_token(engine.answer(OVTokens(name, head, "w9", k=D_VOCAB)))
    assert np.abs(found - meant[9]).max() < SINGLE * np.abs(meant).max()
    meant = qk(stored, 10 if kind == "llama" else 0, 0, True).numpy()
    found = by_token(engine.answer(QKTokens(name, head, "w9", k=D_VOCAB, biases=True)))
    assert np.abs(found - meant[9]).max() < SINGLE * np.abs(meant).max()
    W_V, W_O = stored["gain"][:, None] * stored["W_V"], stored["W_O"]
    if stored["layer_norm"]:
        W_V, W_O = W_V - W_V.mean(0), W_O - W_O.mean(-1, keepdim=True)
    values = torch.linalg.svdvals(W_V @ W_O)[: stored["d_head"]].numpy()
    found = engine.answer(Spectrum(name, head, "ov")).singular_values
    assert np.abs(found - values).max() < SINGLE * values[0]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("kind", [*KINDS, "gemma2", "gptj", "bloom", "falcon"])
def test_every_check_passes_or_says_why_not(opened, kind, dtype):
    _, engine, name = opened(kind, dtype)
    found = engine.answer(Receipts(RunPrompt(name, TEXT), Head(1, 1))).receipts
    assert not [receipt.name for receipt in found if receipt.passed is False]
    wide = [receipt for receipt in found if receipt.tolerance and receipt.tolerance > 1e-12]
    assert wide
    assert all(f"half precision ({dtype})" in receipt.compares for receipt in wide)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_check_still_fails_when_something_is_wrong(opened, dtype, monkeypatch):
    _, engine, name = opened("llama", dtype)
    wrong = Model.written_bias
    monkeypatch.setattr(Model, "written_bias", lambda self, *a: wrong(self, *a) + 3)
    found = engine.answer(Receipts(RunPrompt(name, TEXT + " w1"), Head(1, 1))).receipts
    assert any(receipt.passed is False for receipt in found)


@pytest.mark.parametrize("dtype", HALVES)
def test_weights_take_half_the_memory(opened, dtype):
    _, engine, name = opened("gpt2", dtype)
    facts = engine.answer(LoadModel(name))
    assert (facts.device, facts.dtype) == ("cpu", dtype)
    assert facts.bytes == 2 * facts.parameters
    assert any(dtype in sentence for sentence in facts.folded)
    weights = list(engine._model.bridge.parameters())
    assert {tensor.dtype for tensor in weights} == {getattr(torch, dtype)}
    whole = sum(tensor.numel() for tensor in weights)
    assert sum(tensor.nbytes for tensor in weights) == 2 * whole


@pytest.mark.parametrize("dtype", HALVES)
def test_every_kind_of_answer_is_given(opened, dtype):
    _, engine, name = opened("llama", dtype)
    run = RunPrompt(name, TEXT, heads_off=(Head(0, 1),))
    engine.answer(HeadScores(name, sequences=1))
    assert np.isfinite(engine.answer(LogitAttribution(run)).values).all()
    asked = OVTokens(name, Head(1, 0), "w9", source="token+mlp0", k=3)
    assert np.isfinite(engine.answer(asked).values).all()
    assert np.isfinite(engine.answer(Attention(run, 1, kind="scores")).values[0, 3, :4]).all()


@pytest.mark.parametrize("dtype", HALVES)
def test_a_state_dict_runs_in_half_precision(tmp_path, dtype):
    about = state_dict.config()
    folder = str(state_dicts.write(tmp_path / "it", about, state_dict.random(about)))
    run, found = RunPrompt(folder, "w5 w9 w7 w9"), []
    for placed in (Placing(), Placing(dtype=dtype)):
        engine = Engine(placing=placed)
        found.append(engine.answer(Attention(run, 1)).values)
    assert 0 < np.abs(found[0] - found[1]).max() < PATTERN * epsilon(dtype)
    assert engine.answer(LoadModel(folder)).dtype == dtype


@pytest.mark.parametrize("placed", [Placing(dtype="bfloat16"), Placing("mps")])
def test_toys_stay_exact(placed):
    engine = Engine(placing=placed)
    facts = engine.answer(LoadModel("toy"))
    assert (facts.device, facts.dtype) == ("cpu", "float32")
    assert facts.bytes == 4 * facts.parameters


def test_an_estimate_counts_two_bytes_a_number(tmp_path):
    hugging_face.write("llama", tmp_path / "it")
    asked = EstimateModel(str(tmp_path / "it"))
    single, half = (
        Engine(placing=Placing(dtype=dtype)).answer(asked) for dtype in ("float32", "float16")
    )
    assert half.memory == single.memory / 2
    assert half.peak == pytest.approx(single.peak / 2, abs=1)


def test_an_estimate_of_a_pickle_counts_single_precision_too(tmp_path):
    model = hugging_face.write("llama", tmp_path / "it")
    (tmp_path / "it" / "model.safetensors").unlink()
    torch.save(model.state_dict(), tmp_path / "it" / "pytorch_model.bin")
    asked = EstimateModel(str(tmp_path / "it"))
    half = Engine(placing=Placing(dtype="float16")).answer(asked)
    single = Engine().answer(asked)
    assert half.peak == single.peak - 2 * single.parameters


def test_weights_that_float16_cannot_hold_are_refused(tmp_path):
    model = hugging_face.make("gpt2")
    with torch.no_grad():
        model.transformer.wte.weight[77, 3] = 1e5
    hugging_face.write("gpt2", tmp_path / "it")
    model.save_pretrained(tmp_path / "it")
    with pytest.raises(Refused, match=r"weights beyond 65,504.*bfloat16 or float32"):
        Engine(placing=Placing(dtype="float16")).answer(LoadModel(str(tmp_path / "it")))
    Engine(placing=Placing(dtype="bfloat16")).answer(LoadModel(str(tmp_path / "it")))


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_refused_with_what_there_is(tmp_path, monkeypatch, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    hugging_face.write("gpt2", tmp_path / "it")
    engine = Engine(placing=Placing(device=device))
    with pytest.raises(
        Refused, match=f"there is no device {device} .*: choose cpu by --device or in Preferences$"
    ):
        engine.answer(LoadModel(str(tmp_path / "it")))


@pytest.mark.parametrize(("version", "wrong"), [("2.7.1", True), ("2.8.0", True), ("2.9.0", False)])
def test_versions_that_compute_wrongly_on_mps_are_refused(monkeypatch, version, wrong):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch, "__version__", version)
    if not wrong:
        return device.check(Placing(device="mps"))
    with pytest.raises(Refused, match=r"wrong numbers on mps.*torch 2\.9 or later"):
        device.check(Placing(device="mps"))
    return None


def test_a_model_beyond_the_devices_memory_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (2**30, 2**34))
    device.check_room("it", 2**29, Placing(device="cuda"))
    device.check_room("it", 2**40, Placing(device="cpu"))
    with pytest.raises(Refused, match=r"it takes 2\.0 GiB on cuda, where 1\.0 GiB are free"):
        device.check_room("it", 2**31, Placing(device="cuda"))


def test_everything_kept_of_a_run_goes_through_home(tmp_path):
    # Half precision stands for another device: both come back by the same function.
    hugging_face.write("llama", tmp_path / "it")
    with torch.inference_mode():
        model = Model(load(str(tmp_path / "it")), placing=Placing(dtype="bfloat16"))
        run = RunPrompt(model.name, TEXT, heads_off=(Head(0, 1),))
        passed = model.run(run, Job())
        kept = (*passed.streams, *passed.mlps, passed.final, passed.next_logits, passed.read)
        kept += (*passed.patterns, *passed.queries, *passed.keys)
        assert {tensor.dtype for tensor in kept} == {torch.float32}
        probed = model.probe(tuple(IDS), Job(), ["blocks.1.attn.hook_z"])
        assert {tensor.dtype for tensor in probed.values()} == {torch.float32}
        assert model.loss(passed, Job()).isfinite().all()


def test_of_several_ways_the_nearest_is_taken_where_rounding_hides_which_is_right():
    assert _fitting([0.05, 0.02, 0.9], 0.1) == 1
    assert _fitting([0.05, 1e-4, 0.0], 0.1) == 1
    assert _fitting([0.5, 0.9], 0.1) is None


@pytest.mark.parametrize("threads", [-1, 10**9])
def test_threads_that_cannot_be_are_refused(threads):
    with pytest.raises(Refused, match="threads are 1 to 512, or 0"):
        Engine(threads=threads)


def test_threads_are_those_that_were_asked_for():
    before = torch.get_num_threads()
    try:
        Engine(threads=1)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
