"""TransformerLens state dicts, against a float64 run of the same tensors."""

import json

import numpy as np
import pytest
import torch
from transformer_lens.model_bridge.sources.tl_legacy import _convert_neel_solu_old_weights

from engine import Engine
from engine.loading.native import modern
from engine.messages import (
    Attention,
    Composition,
    Head,
    LoadModel,
    LogitAttribution,
    OVTokens,
    Receipts,
    RunPrompt,
)
from tests.engine.sources.refusals import Malicious, refused
from tests.engine.sources.state_dicts import WORDS, write
from tests.oracles import state_dict

IDS = [1, 20, 30, 7, 20, 30, 9, 4, 5, 20]
TEXT = " ".join(WORDS[number] for number in IDS[1:])
SINGLE = 1e-5
"""Patterns, and values over the largest: rounding in single precision."""

KINDS = {
    "attn-only": state_dict.config(attn_only=True),
    "attn-only-LNPre": state_dict.config("LNPre", attn_only=True),
    "attn-only-plain": state_dict.config(None, attn_only=True),
    "gelu": state_dict.config(),
    "solu_ln": state_dict.config(act_fn="solu_ln"),
    "solu_ln-LNPre": state_dict.config("LNPre", act_fn="solu_ln"),
    "relu-RMS": state_dict.config("RMS", act_fn="relu"),
    "solu-plain": state_dict.config(None, act_fn="solu"),
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    made = {}

    def of(kind):
        if kind not in made:
            stored = state_dict.random(KINDS[kind])
            folder = write(tmp_path_factory.mktemp("models") / kind, KINDS[kind], stored)
            made[kind] = (stored, Engine(), str(folder))
        return made[kind]

    return of


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_and_predictions_are_those_of_the_stored_tensors(opened, kind):
    stored, engine, name = opened(kind)
    patterns, log_probs = state_dict.run(KINDS[kind], stored, IDS)
    run = RunPrompt(name, TEXT, k=len(WORDS))
    for layer, meant in enumerate(patterns):
        found = engine.answer(Attention(run, layer)).values
        assert np.abs(found - meant.numpy()).max() < SINGLE
    answer = engine.answer(run)
    assert answer.ids.tolist() == IDS
    assert np.abs(answer.next_log_probs - log_probs[-1].numpy()[answer.next_ids]).max() < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_no_receipt_fails_and_the_parts_of_a_logit_sum_to_it(opened, kind):
    _, engine, name = opened(kind)
    run = RunPrompt(name, TEXT)
    receipts = engine.answer(Receipts(run, Head(1, 2)))
    assert [it.name for it in receipts.receipts if it.passed is False] == []
    parts = engine.answer(LogitAttribution(run))
    assert abs(parts.remainder) < 1e-4 * np.abs(parts.values).sum()
    engine.answer(Composition(name, "k"))


@pytest.mark.parametrize("kind", KINDS)
def test_ov_is_that_of_the_stored_weights(opened, kind):
    stored, engine, name = opened(kind)
    W = {tensor: value.double() for tensor, value in stored.items()}
    norm = KINDS[kind]["normalization_type"]
    read = state_dict._norm(KINDS[kind], {}, "", W["embed.W_E"])[9]
    gain, final = W.get("blocks.1.ln1.w", 1.0), W.get("ln_final.w", 1.0)
    written = (read * gain) @ W["blocks.1.attn.W_V"][2] @ W["blocks.1.attn.W_O"][2]
    if norm in ("LN", "LNPre"):
        written = written - written.mean()
    meant = (written * final) @ W["unembed.W_U"]
    if norm is not None:
        meant = meant - meant.mean()
    found = engine.answer(OVTokens(name, Head(1, 2), "w9", k=len(WORDS)))
    meant = meant.numpy()[found.ids]
    assert np.abs(found.values - meant).max() < SINGLE * np.abs(meant).max()


def test_safetensors_hold_the_same_as_a_pickle(tmp_path, opened):
    stored, engine, name = opened("gelu")
    folder = write(tmp_path / "safe", KINDS["gelu"], stored, "weights.safetensors")
    meant = engine.answer(RunPrompt(name, TEXT)).next_log_probs
    found = Engine().answer(RunPrompt(str(folder), TEXT)).next_log_probs
    np.testing.assert_array_equal(found, meant)


def test_half_precision_and_buffers_are_read(tmp_path, opened):
    stored, _, _ = opened("gelu")
    half = {name: value.half() for name, value in stored.items()}
    half["blocks.0.attn.mask"] = torch.ones(24, 24, dtype=torch.bool)
    half["blocks.0.attn.IGNORE"] = torch.tensor(-1e5)
    folder = write(tmp_path / "half", KINDS["gelu"], half)
    meant = state_dict.run(KINDS["gelu"], {n: half[n].float() for n in stored}, IDS)[1][-1]
    answer = Engine().answer(RunPrompt(str(folder), TEXT, k=len(WORDS)))
    assert np.abs(answer.next_log_probs - meant.numpy()[answer.next_ids]).max() < 1e-4


def test_a_model_without_a_bias_at_the_end_has_zeros(tmp_path, opened):
    stored = {n: v for n, v in opened("gelu")[0].items() if n != "unembed.b_U"}
    folder = write(tmp_path / "bare", KINDS["gelu"], stored)
    meant = state_dict.run(KINDS["gelu"], stored, IDS)[1][-1].numpy()
    answer = Engine().answer(RunPrompt(str(folder), TEXT, k=len(WORDS)))
    assert np.abs(answer.next_log_probs - meant[answer.next_ids]).max() < 1e-4


@pytest.mark.parametrize("layers", [4, 8, 10])
def test_the_oldest_layout_is_turned_as_transformer_lens_turns_it(layers):
    about = state_dict.config(act_fn="solu_ln", n_layers=layers)
    old = {
        name.replace("ln_final", "norm").replace(".ln", ".norm"): value
        for name, value in state_dict.random(about).items()
    }
    cfg = type("Config", (), {"n_layers": layers})
    meant = _convert_neel_solu_old_weights(old, cfg)
    found = dict(modern(name, value, layers) for name, value in old.items())
    assert found.keys() == meant.keys()
    for name, value in found.items():
        assert torch.equal(value, meant[name])


def test_a_model_in_the_oldest_layout_opens(tmp_path, opened):
    stored, engine, name = opened("solu_ln")
    old = {}
    for key, value in stored.items():
        turned = value.T if key == "pos_embed.W_pos" else value
        turned = value.transpose(-2, -1) if ".W_" in key and "W_pos" not in key else turned
        old[key.replace("ln_final", "norm").replace(".ln", ".norm")] = turned.contiguous()
    folder = write(tmp_path / "old", KINDS["solu_ln"], old)
    meant = engine.answer(RunPrompt(name, TEXT)).next_log_probs
    found = Engine().answer(RunPrompt(str(folder), TEXT)).next_log_probs
    np.testing.assert_array_equal(found, meant)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"shortformer_pos": True}, "adds positions to what queries and keys read"),
        ({"positional_embedding_type": "shortformer"}, "other positions than learned ones (short"),
        ({"positional_embedding_type": "rotary"}, "other positions than learned ones (rotary)"),
        ({"attention_dir": "bidirectional"}, "has attention_dir bidirectional"),
        ({"final_rms": True}, "has final_rms True"),
        ({"n_key_value_heads": 1}, "shares keys and values"),
        ({"attn_scale": 1.0}, "divides scores by 1.0"),
        ({"d_vocab_out": 7}, "guesses from other tokens than it reads"),
        ({"act_fn": "gelu_fast"}, "activation 'gelu_fast' in its MLPs: Headscope knows gelu,"),
        ({"normalization_type": "deep"}, "norm 'deep'"),
        ({"normalization_type": []}, "norm []"),
        ({"d_model": "wide"}, "d_model is 'wide'"),
        ({"n_layers": 0}, "n_layers is 0"),
        ({"n_heads": True}, "n_heads is True"),
        ({"n_layers": 3}, "lacks 16 of the model's tensors, such as blocks.2."),
        ({"n_layers": 1}, "and config.json means a model without it"),
        ({"d_head": 7}, "config.json means"),
        ({"d_vocab": 30, "d_vocab_out": 30}, "its tokenizer has 31 tokens, and the model only 30"),
        ({"normalization_type": None}, "and config.json means a model without it"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(tmp_path, changes, says):
    about = state_dict.config() | {"attn_scale": -1}
    folder = write(tmp_path / "mine", about | changes, state_dict.random(about))
    assert says in refused(folder)


def test_weights_that_are_missing_or_too_many_are_named(tmp_path, opened):
    stored = opened("gelu")[0]
    folder = write(tmp_path / "mine", KINDS["gelu"], stored)
    (folder / "other.pth").write_bytes(b"x")
    assert Engine().answer(LoadModel(str(folder))).n_layers == 2
    (folder / "old_final.pth").write_bytes(b"x")
    assert "several files of weights (model_final.pth, old_final.pth, other.pth)" in refused(folder)
    for file in folder.glob("*.pth"):
        file.unlink()
    assert "mine has no weights" in refused(folder)


@pytest.mark.parametrize("size", [0, 10, 0.5, 0.99])
@pytest.mark.parametrize("file", ["model_final.pth", "model.safetensors"])
def test_weights_that_are_cut_short_are_refused(tmp_path, opened, file, size):
    folder = write(tmp_path / "mine", KINDS["gelu"], opened("gelu")[0], file)
    whole = (folder / file).read_bytes()
    (folder / file).write_bytes(whole[: int(size * len(whole)) if 0 < size < 1 else size])
    assert file in refused(folder)


def test_a_pickle_that_is_no_state_dict_is_refused(tmp_path, opened):
    folder = write(tmp_path / "mine", KINDS["gelu"], opened("gelu")[0])
    torch.save([torch.zeros(2)], folder / "model_final.pth")
    assert "holds no state dict" in refused(folder)


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_runs_nothing(tmp_path, zipped, opened):
    folder = write(tmp_path / "mine", KINDS["gelu"], opened("gelu")[0])
    marker, file = tmp_path / "ran", folder / "model_final.pth"
    stored = {"embed.W_E": Malicious(marker)}
    torch.save(stored, file, _use_new_zipfile_serialization=zipped)
    assert "cannot be read as weights alone" in refused(folder)
    assert not marker.exists()
    # The trap is one: read as anything else than weights, it would have run.
    torch.load(file, weights_only=False)
    assert marker.exists()


def test_a_tokenizer_that_is_nowhere_is_named_with_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    about = state_dict.config(tokenizer_name="NeelNanda/gpt-neox-tokenizer-digits")
    folder = write(tmp_path / "mine", about, state_dict.random(about), tokenizer=False)
    assert "`headscope download NeelNanda/gpt-neox-tokenizer-digits` fetches it" in refused(folder)
    (folder / "config.json").write_text(json.dumps(about | {"tokenizer_name": None}))
    assert "its config.json names no tokenizer" in refused(folder)
