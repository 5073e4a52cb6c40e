"""Small models of transformers' own, opened as folders, against transformers and dense float64."""

import math

import numpy as np
import pytest
import torch

from engine import Engine
from engine.messages import (
    Attention,
    Composition,
    Eigenvalues,
    EstimateModel,
    Head,
    HeadScores,
    LoadModel,
    LogitAttribution,
    OVTokens,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    Spectrum,
    Thumbnails,
    Workings,
)
from engine.network.vocabulary import TokenVectors
from tests.oracles import hugging_face
from tests.oracles.hugging_face import D_VOCAB, IDS, KINDS, TEXT, WORDS, ov, own, qk, raw

SINGLE = 1e-5
"""Patterns, and values over the largest: rounding in single precision."""

DENSE = ("llama", "llama-tied", "gpt2", "neox", "neox-sequential", "gemma", "qwen2")
TURNED = {"llama": 10, "llama-tied": 10, "gemma": 10, "qwen2": 12, "neox": 6, "neox-sequential": 6}
BOS = {"llama", "llama-biased-scaled", "llama-tied", "gpt2", "gemma", "mistral", "opt"}
BOS |= {"llama-yarn", "gemma2", "gemma3", "gptj", "neo", "bigcode", "falcon", "cohere"}
BOS |= {"stablelm", "phi3", "olmo", "mixtral", "nemotron"}
OF_PLACES = ("gpt2", "opt", "neo", "bigcode")
"""Whose scores also hold learned positions."""

NORMED = ("qwen3", "gemma3")
"""Whose queries and keys are normalised."""


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_and_predictions_are_the_models_own(opened, kind):
    model, engine, name = opened(kind)
    patterns, log_probs = own(model, IDS)
    run = RunPrompt(name, TEXT, prepend_bos=True, k=D_VOCAB)
    for layer, meant in enumerate(patterns):
        found = engine.answer(Attention(run, layer)).values
        assert np.abs(found - meant.numpy()).max() < SINGLE
    answer = engine.answer(run)
    assert np.abs(answer.next_log_probs - log_probs[-1].numpy()[answer.next_ids]).max() < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_scores_give_the_pattern(opened, kind):
    model, engine, name = opened(kind)
    run = RunPrompt(name, TEXT, prepend_bos=True)
    for layer, pattern in enumerate(own(model, IDS)[0]):
        scores = torch.tensor(engine.answer(Attention(run, layer, kind="scores")).values.copy())
        found = scores.nan_to_num(-math.inf).softmax(-1)
        assert (found - pattern).abs().max() < 3 * SINGLE


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in OF_PLACES + NORMED])
def test_scores_from_weights_at_every_distance_give_the_models_first_layer(opened, kind):
    model, engine, name = opened(kind)
    pattern = own(model, IDS)[0][0]
    for number in (0, len(pattern) - 1):
        row = []
        for place, key in enumerate(IDS):
            distance = len(IDS) - 1 - place
            asked = QKTokens(
                name, Head(0, number), WORDS[IDS[-1]], k=D_VOCAB, offset=distance, biases=True
            )
            found = engine.answer(asked)
            row.append(float(found.values[found.ids.tolist().index(key)]))
        scores = torch.tensor(row)
        scores = found.cap * torch.tanh(scores / found.cap) if found.cap else scores
        scores = scores.masked_fill(pattern[number, -1] == 0, -math.inf)
        assert (scores.softmax(-1) - pattern[number, -1]).abs().max() < 3 * SINGLE


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


@pytest.mark.parametrize("head", [Head(0, 0), Head(2, 3)])
@pytest.mark.parametrize("kind", DENSE)
def test_ov_is_that_of_the_stored_weights(opened, kind, head):
    model, engine, name = opened(kind)
    meant = ov(raw(model, kind, *head)).numpy()
    one = by_token(engine.answer(OVTokens(name, head, "w9", k=D_VOCAB)))
    assert np.abs(one - meant[9]).max() < SINGLE * np.abs(meant).max()
    back = by_token(engine.answer(OVTokens(name, head, "w9", direction="source", k=D_VOCAB)))
    assert np.abs(back - meant[:, 9]).max() < SINGLE * np.abs(meant).max()


@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize(
    ("kind", "offset"), [("gpt2", 0), *((kind, n) for kind in TURNED for n in (0, 1, 8))]
)
def test_qk_at_a_distance_is_that_of_the_stored_weights(opened, kind, offset, biases):
    model, engine, name = opened(kind)
    head = Head(2, 3)
    meant = qk(raw(model, kind, *head), TURNED.get(kind, 0), offset, biases).numpy()
    for side, line in (("query", meant[9]), ("key", meant[:, 9])):
        asked = QKTokens(name, head, "w9", side=side, k=D_VOCAB, offset=offset, biases=biases)
        assert np.abs(by_token(engine.answer(asked)) - line).max() < SINGLE * np.abs(meant).max()


@pytest.mark.parametrize("kind", DENSE)
def test_singular_values_are_those_of_the_dense_matrices(opened, kind):
    model, engine, name = opened(kind)
    head = raw(model, kind, 1, 2)
    W_V, W_O = head["gain"][:, None] * head["W_V"], head["W_O"]
    if head["layer_norm"]:
        W_V, W_O = W_V - W_V.mean(0), W_O - W_O.mean(-1, keepdim=True)
    meant = torch.linalg.svdvals(W_V @ W_O)[: head["d_head"]].numpy()
    found = engine.answer(Spectrum(name, Head(1, 2), "ov")).singular_values
    assert np.abs(found - meant).max() < SINGLE * meant[0]


def test_the_source_token_and_first_mlp_is_what_the_models_modules_make(opened):
    model, engine, name = opened("llama")
    block, stored = model.model.layers[0], raw(model, "llama", 2, 3)
    with torch.inference_mode():
        rows = model.model.embed_tokens.weight
        rows = (rows + block.mlp(block.post_attention_layernorm(rows))).double()
    meant = ov(stored | {"W_E": rows}).numpy()
    one = by_token(engine.answer(OVTokens(name, Head(2, 3), "w9", source="token+mlp0", k=D_VOCAB)))
    assert np.abs(one - meant[9]).max() < 3 * SINGLE * np.abs(meant).max()
    asked = OVTokens(name, Head(2, 3), "w9", "source", source="token+mlp0", k=D_VOCAB)
    assert np.abs(by_token(engine.answer(asked)) - meant[:, 9]).max() < 3e-5 * np.abs(meant).max()


def test_the_first_mlp_of_a_model_without_a_module_of_it_is_known_too(opened):
    model, engine, name = opened("opt")
    block, norm = model.model.decoder.layers[0], model.model.decoder.layers[0].final_layer_norm
    rows = model.model.decoder.embed_tokens.weight
    rows = rows + block.fc2(torch.relu(block.fc1(norm(rows))))
    last = model.model.decoder.layers[2]
    read = last.self_attn_layer_norm(rows) - last.self_attn_layer_norm.bias
    attention, columns = last.self_attn, slice(36, 48)
    written = read @ attention.v_proj.weight[columns].T @ attention.out_proj.weight[:, columns].T
    written = (
        written - written.mean(-1, keepdim=True)
    ) * model.model.decoder.final_layer_norm.weight
    meant = written @ model.lm_head.weight.T
    meant = (meant - meant.mean(-1, keepdim=True)).numpy()
    one = by_token(engine.answer(OVTokens(name, Head(2, 3), "w9", source="token+mlp0", k=D_VOCAB)))
    assert np.abs(one - meant[9]).max() < 3 * SINGLE * np.abs(meant).max()


@pytest.mark.parametrize("kind", ["llama", "gpt2", "neox", "opt"])
def test_a_head_that_is_off_is_one_whose_output_matrix_is_zero(opened, kind):
    _, engine, name = opened(kind)
    off = hugging_face.make(kind)
    base = off.base_model
    with torch.no_grad():
        if kind == "gpt2":
            base.h[1].attn.c_proj.weight[24:36] = 0
        elif kind == "neox":
            base.layers[1].attention.dense.weight[:, 24:36] = 0
        elif kind == "opt":
            base.decoder.layers[1].self_attn.out_proj.weight[:, 24:36] = 0
        else:
            base.layers[1].self_attn.o_proj.weight[:, 20:30] = 0
    log_probs = own(off, IDS)[1][-1].numpy()
    run = RunPrompt(name, TEXT, prepend_bos=True, k=D_VOCAB, heads_off=(Head(1, 2),))
    answer = engine.answer(run)
    assert np.abs(answer.next_log_probs - log_probs[answer.next_ids]).max() < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_a_logit_sum_to_it(opened, kind):
    _, engine, name = opened(kind)
    parts = engine.answer(LogitAttribution(RunPrompt(name, TEXT)))
    assert "MLP 2" in parts.labels
    assert abs(parts.remainder) < 1e-4 * np.abs(parts.values).sum()


@pytest.mark.parametrize("kind", KINDS)
def test_no_receipt_fails(opened, kind):
    _, engine, name = opened(kind)
    receipts = engine.answer(Receipts(RunPrompt(name, TEXT), Head(1, 2)))
    assert [it.name for it in receipts.receipts if it.passed is False] == []


@pytest.mark.parametrize("kind", ["llama", "gpt2", "neox", *NORMED])
def test_every_panels_question_is_answered_or_refused(opened, kind):
    _, engine, name = opened(kind)
    run, head = RunPrompt(name, TEXT), Head(1, 2)
    engine.answer(Workings(run, head))
    engine.answer(Thumbnails(run))
    engine.answer(HeadScores(name, run=run))
    engine.answer(Eigenvalues(name, head))
    for request in (Composition(name, "k"), Spectrum(name, head, "qk"), QKTokens(name, head, "w9")):
        if kind in NORMED:
            with pytest.raises(Refused, match="normalises queries and keys"):
                engine.answer(request)
        else:
            engine.answer(request)


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


def test_an_offset_is_refused_without_rotary_positions(opened):
    _, engine, name = opened("gpt2")
    with pytest.raises(Refused, match="learned positions"):
        engine.answer(QKTokens(name, Head(0, 0), "w9", offset=1))


@pytest.mark.parametrize("offset", [-1, 64])
def test_an_offset_that_no_prompt_has_is_refused(opened, offset):
    _, engine, name = opened("llama")
    with pytest.raises(Refused, match="0 to 63"):
        engine.answer(QKTokens(name, Head(0, 0), "w9", offset=offset))


@pytest.mark.parametrize("side", ["query", "key"])
@pytest.mark.parametrize(("layer", "listed"), [(0, "token"), (1, "token+mlp0"), (2, "token+mlp0")])
def test_against_a_position_tokens_are_listed_after_the_first_mlp_beyond_the_first_layer(
    opened, side, layer, listed
):
    model, engine, name = opened("llama")
    block, stored = model.model.layers[0], raw(model, "llama", layer, 3)
    with torch.inference_mode():
        streams = model(torch.tensor([IDS]), output_hidden_states=True).hidden_states[layer][0]
        rows = model.model.embed_tokens.weight
        if listed == "token+mlp0":
            rows = rows + block.mlp(block.post_attention_layernorm(rows))
    both = torch.cat([streams[4:5], rows]).double()
    scores = qk(stored | {"W_E": both}, TURNED["llama"], 3, False).numpy()
    meant = scores[0, 1:] if side == "query" else scores[1:, 0]
    run = RunPrompt(name, TEXT, prepend_bos=True)
    found = engine.answer(
        QKTokens(
            name, Head(layer, 3), None, side, "position", D_VOCAB, run=run, position=4, offset=3
        )
    )
    assert (found.source, found.vocabulary_source) == ("position", listed)
    assert np.abs(by_token(found) - meant).max() < 3 * SINGLE * np.abs(meant).max()
