"""What is said and refused of models of every architecture, and the checks of their heads.

Their numbers are held against a float64 pass in test_residuals.py, and their patterns against
sdpa in test_witnesses.py.
"""

import numpy as np
import pytest
import torch
from transformer_lens.model_bridge.sources import build_bridge_from_module
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from engine import Engine
from engine.loading import architecture
from engine.messages import (
    Attention,
    Composition,
    EstimateModel,
    Head,
    LoadModel,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    Spectrum,
)
from engine.network.vocabulary import TokenVectors
from tests.oracles import hugging_face
from tests.oracles.hugging_face import D_VOCAB, KINDS, TEXT

BOS = {"llama", "llama-biased-scaled", "llama-tied", "gpt2", "gemma", "mistral", "opt"}
BOS |= {"llama-yarn", "gemma2", "gemma3", "gptj", "neo", "bigcode", "falcon", "cohere"}
BOS |= {"stablelm", "phi3", "olmo", "mixtral", "nemotron"}
NORMED = ("qwen3", "gemma3")
"""Whose queries and keys are normalised."""


def by_token(found):
    values = np.empty(D_VOCAB)
    values[found.ids] = found.values
    return values


@pytest.mark.parametrize(("budget", "times"), [(2**20, 1), (1000, 3)])
def test_the_vocabulary_goes_through_the_first_mlp_once_where_that_may_be_held(
    tmp_path, monkeypatch, budget, times
):
    hugging_face.write("llama", tmp_path / "it")
    engine, name, counted = Engine(cache_bytes=budget), str(tmp_path / "it"), []
    engine.answer(LoadModel(name))
    through = TokenVectors.after_first_mlp

    def count(tokens, streams):
        counted.append(len(streams))
        return through(tokens, streams)

    monkeypatch.setattr(TokenVectors, "after_first_mlp", count)
    found = []
    for head in (Head(2, 3), Head(1, 1), Head(2, 3)):
        asked = QKTokens(name, head, "w9", source="token+mlp0", k=D_VOCAB)
        found.append(by_token(engine.answer(asked)))
        engine._cache.clear()
    assert np.array_equal(found[0], found[2])  # whether it was held or made
    assert not np.array_equal(found[0], found[1])
    assert counted.count(D_VOCAB) == times


@pytest.mark.parametrize("kind", ["gpt2", "neox", "llama", "llama-tied"])
def test_parameters_are_counted_as_the_model_has_them(opened, kind):
    model, engine, name = opened(kind)
    count = sum(weights.numel() for weights in model.parameters())
    assert engine.answer(LoadModel(name)).parameters == count
    assert engine.answer(EstimateModel(name)).parameters == count


@pytest.mark.parametrize("positions", [8, 3])
def test_a_model_of_fewer_positions_than_the_probe_has_is_opened(tmp_path, monkeypatch, positions):
    name, sizes = KINDS["gpt2"]
    monkeypatch.setitem(KINDS, "gpt2", (name, sizes | {"n_positions": positions}))
    hugging_face.write("gpt2", tmp_path / "it")
    assert Engine().answer(LoadModel(str(tmp_path / "it"))).n_ctx == positions


def test_facts_name_groups_mlp_norm_and_positions(opened):
    _, engine, name = opened("llama")
    facts = engine.answer(LoadModel(name))
    assert (facts.n_heads, facts.n_kv_heads, facts.d_head, facts.d_mlp) == (6, 2, 10, 80)
    assert (facts.norm, facts.positions) == ("RMSNorm", "rotary")


@pytest.mark.parametrize("kind", KINDS)
def test_bos_is_put_before_a_prompt_where_transformer_lens_does_and_once(opened, kind):
    _, engine, name = opened(kind)
    answer = engine.answer(RunPrompt(name, TEXT))
    assert answer.prepended_bos is (kind in BOS)
    assert answer.ids.tolist().count(1) == (kind in BOS)


@pytest.mark.parametrize("kind", KINDS)
def test_no_check_fails_and_folded_weights_make_the_pass_wherever_scores_follow(opened, kind):
    _, engine, name = opened(kind)
    checks = engine.answer(Receipts(RunPrompt(name, TEXT, prepend_bos=True), Head(1, 2))).receipts
    assert [it.name for it in checks if it.passed is False] == []
    folded = next(it for it in checks if it.name.startswith("folded and unfolded"))
    assert folded.passed is (None if kind in NORMED else True)


@pytest.mark.parametrize("kind", NORMED)
@pytest.mark.parametrize(
    "ask",
    [
        lambda name, head: Composition(name, "k"),
        lambda name, head: Spectrum(name, head, "qk"),
        lambda name, head: QKTokens(name, head, "w9"),
    ],
)
def test_scores_of_normed_queries_follow_from_no_weights(opened, kind, ask):
    _, engine, name = opened(kind)
    with pytest.raises(Refused, match="normalises queries and keys"):
        engine.answer(ask(name, Head(1, 2)))


@pytest.mark.parametrize(
    ("kind", "offset", "says"),
    [
        ("gpt2", 1, "learned positions"),
        ("llama", -1, "0 to 63"),
        ("llama", 64, "0 to 63"),
        ("bloom", -1, "0 to "),
        ("mpt", -1, "0 to "),
    ],
)
def test_an_offset_that_a_model_does_not_know_is_refused(opened, kind, offset, says):
    _, engine, name = opened(kind)
    with pytest.raises(Refused, match=says):
        engine.answer(QKTokens(name, Head(0, 0), "w9", offset=offset))


@pytest.mark.parametrize("kind", ["bloom", "mpt"])
def test_an_offset_changes_no_matrix_of_a_model_with_slopes(opened, kind):
    _, engine, name = opened(kind)
    with pytest.raises(Refused, match="changes no matrix"):
        engine.answer(Spectrum(name, Head(0, 0), "qk", offset=1))


@pytest.mark.parametrize("kind", ["gemma2", "gemma3", "glm4"])
def test_what_is_left_out_of_weights_before_a_norm_is_said(opened, kind):
    _, engine, name = opened(kind)
    assert any("norm after the heads" in said for said in engine.answer(LoadModel(name)).folded)


def test_caps_are_said(opened):
    _, engine, name = opened("gemma2")
    run = RunPrompt(name, TEXT)
    assert engine.answer(Attention(run, 0, "scores")).cap == 3.0
    assert engine.answer(QKTokens(name, Head(0, 0), "w9")).cap == 3.0
    _, other, uncapped = opened("glm4")
    assert other.answer(Attention(RunPrompt(uncapped, TEXT), 0, "scores")).cap is None
    said = " ".join(engine.answer(LoadModel(name)).folded)
    assert "before the model caps them" in said
    assert "before the model caps it" in said


def test_gemma_3_turns_local_and_global_layers_by_two_bases():
    model = hugging_face.make("gemma3")
    bridge = build_bridge_from_module(model, type(model).__name__, hf_config=model.config)
    places = torch.arange(4)
    for rotation, base in zip(architecture.rotations(bridge, model), (1e4, 1e6, 1e4), strict=True):
        cos, sin = rotation.angles(places, 4)
        angle = places[:, None] * base ** (-torch.arange(0, 10, 2) / 10)
        assert torch.allclose(cos, torch.cat([angle, angle], -1).cos(), atol=1e-6)
        assert torch.allclose(sin, torch.cat([angle, angle], -1).sin(), atol=1e-6)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 4, 6, 8, 12, 14, 16, 112])
def test_slopes_are_those_that_transformers_adds(n_heads):
    added = build_alibi_tensor(torch.ones(1, 3), n_heads, torch.float32)  # [head, 1, position]
    assert torch.allclose(architecture.slopes(n_heads), added[:, 0, 2] - added[:, 0, 1], rtol=1e-6)
