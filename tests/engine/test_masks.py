"""How far back queries look, beyond every window of the config and without a single underflow.

What may be looked at is judged by transformers' own softmax: by what its scores are masked with.
"""

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engine import Engine
from engine.loading import architecture, reference
from engine.messages import (
    Attention,
    DestinationRow,
    Head,
    LoadModel,
    OVTokens,
    Receipts,
    Refused,
    RunPrompt,
    Thumbnails,
)
from engine.messages.records import result_to_json
from gui.figures import data
from tests.engine.sources import state_dicts
from tests.engine.test_witnesses import caught
from tests.oracles import hugging_face, state_dict
from tests.oracles.hugging_face import D_MLP, GEMMA, KINDS, LLAMA, LOCAL, TRAITS, WORDS

CHUNKED = {"attention_chunk_size": 20, "no_rope_layers": [1, 1, 0], "use_qk_norm": False}
CHUNKED |= {"num_local_experts": 2, "intermediate_size_mlp": D_MLP, "head_dim": 12}
BEYOND = {
    "mistral-19": ("Mistral", LLAMA | {"sliding_window": 19}),
    "gemma2-19": ("Gemma2", GEMMA | {"sliding_window": 19, "attn_logit_softcapping": 3.0}),
    "gemma3-19": ("Gemma3Text", GEMMA | {"sliding_window": 19, "layer_types": LOCAL}),
    "phi3-19": ("Phi3", LLAMA | {"sliding_window": 19, "pad_token_id": 0}),
    "starcoder2-19": ("Starcoder2", LLAMA | {"sliding_window": 19}),
    "qwen2-19": (
        "Qwen2",
        LLAMA | {"use_sliding_window": True, "sliding_window": 19, "max_window_layers": 1},
    ),
    "neo-20": ("GPTNeo", TRAITS["neo"][1] | {"window_size": 20}),
    "llama4-20": ("Llama4Text", LLAMA | CHUNKED | {"pad_token_id": 0}),
}
IDS = [1, *range(2, 60)]
LEAST = -1e30
"""A score below this is a mask."""


@pytest.fixture(scope="module", params=BEYOND)
def opened(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, request.param, BEYOND[request.param])
        model = hugging_face.write(request.param, folder)
    return model, Engine(), str(folder)


def test_what_is_masked_is_what_the_softmax_is_kept_from(opened):
    model, engine, name = opened
    run = RunPrompt(name, " ".join(WORDS[i] for i in IDS[1:]), prepend_bos=True)
    scores = caught(model, "eager", IDS).scores
    thumbnails = engine.answer(Thumbnails(run, size=64)).mask
    row = engine.answer(DestinationRow(run)).values.reshape(len(scores), -1, len(IDS))
    hidden = 0
    for layer, given in enumerate(scores):
        seen = (given[0] > LEAST).numpy()
        assert np.array_equal(engine.answer(Attention(run, layer)).mask, seen)
        assert np.array_equal(thumbnails[layer], seen)
        assert np.array_equal(~np.isnan(row[layer, 0]), seen[-1])
        hidden += (~seen[np.tril_indices(len(IDS))]).sum()
    assert hidden  # the prompt is longer than a window
    receipts = engine.answer(Receipts(run, Head(0, 1))).receipts
    assert [it.name for it in receipts if it.passed is False] == []


@pytest.mark.parametrize("size", [10, 4, 1])
def test_a_cell_of_a_thumbnail_is_masked_if_all_that_it_pools_is(opened, size):
    model, engine, name = opened
    run = RunPrompt(name, " ".join(WORDS[i] for i in IDS[1:]), prepend_bos=True)
    found, scores = engine.answer(Thumbnails(run, size)), caught(model, "eager", IDS).scores
    patterns = [engine.answer(Attention(run, layer)).values for layer in range(len(scores))]
    for row, column in np.ndindex(found.mask.shape[1:]):
        rows, columns = (slice(at * found.block, (at + 1) * found.block) for at in (row, column))
        for layer, given in enumerate(scores):
            part = patterns[layer][:, rows, columns].max((-1, -2))
            seen = bool((given[0, rows, columns] > LEAST).any())
            assert found.mask[layer, row, column] == seen
            meant = part if seen else np.full_like(part, np.nan)
            np.testing.assert_allclose(found.values[layer, :, row, column], meant, atol=1e-6)


def test_json_says_null_and_a_table_says_nothing_of_what_is_masked(opened):
    _, engine, name = opened
    run = RunPrompt(name, " ".join(WORDS[i] for i in IDS[1:]), prepend_bos=True)
    for asked in (DestinationRow(run), Thumbnails(run, 4)):
        found = engine.answer(asked)
        plain = json.loads(json.dumps(result_to_json(found)))
        masked = np.array([value is None for value in np.ravel(np.array(plain["values"], object))])
        assert np.array_equal(masked, np.isnan(found.values).ravel())
        table = data.encode_csv(data.rows(asked, found, None)).decode()
        listed = [row["pattern"] for row in csv.DictReader(io.StringIO(table))]
        if isinstance(asked, DestinationRow):
            assert [one == "" for one in listed] == masked.tolist()
        else:
            assert all(listed)
            assert len(listed) == np.count_nonzero(~masked)


@pytest.mark.parametrize(
    ("config", "meant"),
    [
        ({}, (None, None)),
        ({"sliding_window": 7}, (7, 7)),
        ({"sliding_window": None}, (None, None)),
        ({"sliding_window": 7, "use_sliding_window": False}, (None, None)),
        ({"sliding_window": 7, "layer_types": ["full_attention", "sliding_attention"]}, (None, 7)),
        ({"window_size": 9, "attention_layers": ["global", "local"]}, (None, 9)),
    ],
)
def test_windows_are_known_layer_by_layer(config, meant):
    assert architecture.windows(SimpleNamespace(**config), 2) == meant


@pytest.mark.parametrize("wrong", [18, 20, None])
def test_a_window_that_is_read_wrongly_is_refused_however_long_it_is(tmp_path, monkeypatch, wrong):
    monkeypatch.setitem(KINDS, "it", BEYOND["mistral-19"])
    hugging_face.write("it", tmp_path / "it")
    monkeypatch.setattr(architecture, "windows", lambda config, layers: (wrong,) * layers)
    with pytest.raises(Refused, match="do not look as far back"):
        Engine().answer(LoadModel(str(tmp_path / "it")))


@pytest.mark.parametrize("read", ["windows", "chunks"])
def test_a_kind_of_window_that_is_not_read_is_refused(tmp_path, monkeypatch, read):
    kind = "llama4-20" if read == "chunks" else "neo-20"
    monkeypatch.setitem(KINDS, "it", BEYOND[kind])
    hugging_face.write("it", tmp_path / "it")
    monkeypatch.setattr(architecture, read, lambda config, layers: (None,) * layers)
    with pytest.raises(Refused, match="do not look as far back"):
        Engine().answer(LoadModel(str(tmp_path / "it")))


def test_masks_of_a_long_context_are_asked_for_without_running_a_layer(monkeypatch):
    sizes = LLAMA | {"sliding_window": 4096, "max_position_embeddings": 131072}
    monkeypatch.setitem(KINDS, "it", ("Mistral", sizes))
    model = hugging_face.make("it")
    before = [block.forward for block in model.model.layers]
    found = reference.visible_keys(model, 3, 131072)
    assert [tuple(mask.shape) for mask in found] == [(8, 131072)] * 3
    assert found[0].sum(1).tolist() == [4096] * 8
    assert [block.forward for block in model.model.layers] == before
    with torch.inference_mode():
        assert model(torch.tensor([IDS])).logits.isfinite().all()


def test_heads_that_look_at_one_key_alone_are_no_windows(tmp_path):
    about = state_dict.config(norm=None)
    weights = state_dict.random(about)
    for layer in range(about["n_layers"]):
        for name in "QK":
            weights[f"blocks.{layer}.attn.W_{name}"] *= 300
    folder = str(state_dicts.write(tmp_path / "it", about, weights))
    engine, run = Engine(), RunPrompt(folder, " ".join(f"w{i}" for i in range(3, 20)))
    scores = engine.answer(Attention(run, 1, "scores")).values
    assert np.nanmax(np.abs(scores)) > 1000
    pattern = engine.answer(Attention(run, 1)).values
    assert (pattern[:, np.tri(pattern.shape[1], dtype=bool)] == 0).mean() > 0.8
    assert engine.answer(OVTokens(folder, Head(1, 0), "w9", k=3)).values.all()
