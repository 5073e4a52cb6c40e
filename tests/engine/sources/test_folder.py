"""What is refused of a folder or a GGUF file, and that no connection is tried."""

import json
import pickle
import re
import socket

import psutil
import pytest
import torch
from safetensors.torch import load_file, save_file

from engine import Engine, sources
from engine.messages import LoadModel, Placing, Refused, RunPrompt
from tests.engine.sources.refusals import Malicious, change, refused
from tests.oracles import hugging_face


@pytest.fixture(autouse=True)
def no_connection(monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def folder(tmp_path):
    hugging_face.write("llama", tmp_path / "mine")
    return tmp_path / "mine"


def test_a_folder_opens_by_its_path_without_a_connection(folder):
    engine = Engine()
    assert engine.answer(LoadModel(str(folder))).n_layers == 3
    assert engine.answer(RunPrompt(str(folder), "w3 w4")).ids.tolist() == [1, 3, 4]


def test_a_path_that_is_not_there_is_refused_and_not_looked_up(tmp_path):
    assert "nothing is downloaded" in refused(tmp_path / "absent")
    assert "nothing is downloaded" in refused("HuggingFaceTB/SmolLM2-135M")
    assert "nothing is downloaded" in refused("x" * 5000 + ".gguf")


def test_rows_beyond_the_tokenizers_are_labelled_by_their_id(folder):
    about = json.loads((folder / "tokenizer.json").read_text())
    del about["model"]["vocab"]["w100"]
    (folder / "tokenizer.json").write_text(json.dumps(about))
    answer = Engine().answer(RunPrompt(str(folder), "w3", k=101))
    assert answer.next_labels[answer.next_ids.tolist().index(100)] == "[id 100]"


def config(**values):
    return lambda folder: change(folder / "config.json", **values)


def write(file, text):
    return lambda folder: (folder / file).write_text(text)


def remove(file):
    return lambda folder: (folder / file).unlink()


def larger_tokenizer(folder):
    about = json.loads((folder / "tokenizer.json").read_text())
    about["model"]["vocab"] |= {f"more{n}": 101 + n for n in range(3)}
    (folder / "tokenizer.json").write_text(json.dumps(about))


def one_tensor_less(folder):
    stored = load_file(folder / "model.safetensors")
    stored.pop("model.layers.1.self_attn.q_proj.weight")
    save_file(stored, folder / "model.safetensors", metadata={"format": "pt"})


def a_shard_without_index(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")


def a_shard_less(folder):
    shards(folder)
    (folder / "two.safetensors").unlink()


def a_shard_twice(folder):
    shards(folder)
    (folder / "two.safetensors").write_bytes((folder / "one.safetensors").read_bytes())


def a_shard_outside(folder):
    shards(folder)
    index = folder / "model.safetensors.index.json"
    where = json.loads(index.read_text())["weight_map"]
    index.write_text(json.dumps({"weight_map": dict.fromkeys(where, "../../etc/passwd")}))


ANOTHERS = "means the class 'MyForCausalLM'"
WITHOUT = ["full_attention", "linear_attention", "x"]


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (remove("config.json"), "it has no config.json"),
        *((write("config.json", text), "config.json") for text in ("{", "[]", "{}")),
        (write("config.json", '{"model_type": 3}'), "config.json"),
        (config(hidden_size="wide"), "config.json"),
        (config(intermediate_size=81), "weights cannot be read|means"),
        (config(layer_types=WITHOUT), "no attention to show|config.json"),
        (config(auto_map={"AutoModelForCausalLM": "own.MyForCausalLM"}), ANOTHERS),
        (config(architectures=["MyForCausalLM"]), ANOTHERS),
        (write("adapter_config.json", "{}"), "adapter"),
        (remove("tokenizer.json"), "lacks tokenizer.json"),
        (larger_tokenizer, "tokenizer has 104 tokens, and the model only 101"),
        (remove("model.safetensors"), "has no weights"),
        (one_tensor_less, "model.layers.1.self_attn.q_proj.weight"),
        (a_shard_without_index, "lacks model.safetensors.index.json"),
        (a_shard_less, "lacks the shard two.safetensors"),
        (a_shard_twice, "two.safetensors lacks the tensor"),
        (a_shard_outside, "lacks the shard"),
    ],
)
def test_what_is_missing_damaged_or_anothers_is_named(folder, harm, says):
    harm(folder)
    assert re.search(says, refused(folder))


@pytest.mark.parametrize("keep", [0, 4, 100, 0.5, 0.99])
def test_weights_that_are_cut_short_are_refused(folder, keep):
    file = folder / "model.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[: int(keep * len(whole)) if 0 < keep < 1 else keep])
    assert "model.safetensors" in refused(folder)


def shards(folder):
    stored = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(stored)
    parts = {"one.safetensors": names[::2], "two.safetensors": names[1::2]}
    for file, part in parts.items():
        save_file({name: stored[name] for name in part}, folder / file, metadata={"format": "pt"})
    where = {name: file for file, part in parts.items() for name in part}
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": where})
    )


def test_shards_are_read_together(folder):
    shards(folder)
    assert Engine().answer(LoadModel(str(folder))).n_layers == 3


def add(folder, **tensors):
    file = folder / "model.safetensors"
    stored = load_file(file) | {name: torch.ones(10) for name in tensors}
    save_file(stored, file, metadata={"format": "pt"})


@pytest.mark.parametrize(
    "name",
    [
        "model.layers.0.self_attn.q_norm.weight",
        "model.layers.1.self_attn.q_proj.bias",
        "model.layers.1.mlp.down_proj.bias",
        "model.layers.0.self_attn.bias",
        "lm_head.bias",
        "model.layers.3.self_attn.q_proj.weight",
    ],
)
def test_a_tensor_that_the_model_has_no_place_for_is_refused_by_name(folder, name):
    add(folder, **{name: None})
    said = refused(folder)
    assert name in said
    assert "1 of its tensors" in said


@pytest.mark.parametrize(
    "name", ["model.layers.0.self_attn.rotary_emb.inv_freq", "v_head.summary.weight"]
)
def test_tensors_that_are_no_weights_of_the_model_are_no_obstacle(folder, name):
    add(folder, **{name: None})
    assert Engine().answer(LoadModel(str(folder))).n_layers == 3


def test_the_masks_that_were_stored_with_gpt_2_are_no_obstacle(tmp_path):
    hugging_face.write("gpt2", tmp_path / "it")
    add(tmp_path / "it", **{"h.0.attn.bias": None, "transformer.h.1.attn.masked_bias": None})
    assert Engine().answer(LoadModel(str(tmp_path / "it"))).n_layers == 3


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("llama", "sliding_window", 7),
        ("llama", "attention_chunk_size", 8),
        ("llama", "attn_logit_softcapping", 30.0),
        ("llama", "embedding_multiplier", 2.0),
        ("llama", "logit_scale", 0.5),
        ("llama", "qk_layernorm", True),
        ("llama", "partial_rotary_factor", 0.5),
        ("llama", "rope_scaling", {"rope_type": "linear", "factor": 2.0, "new_part": 3}),
        ("gpt2", "rope_theta", 500.0),
        ("mpt", "logit_scale", 0.5),
        ("mpt", "attn_config", {"alibi": False}),
        ("mpt", "attn_config", {"qk_ln": True}),
        ("mpt", "attn_config", {"alibi_bias_max": 16}),
    ],
)
def test_a_setting_that_would_change_numbers_and_that_nothing_reads_is_refused_by_name(
    tmp_path, kind, key, value
):
    hugging_face.write(kind, tmp_path / "it")
    change(tmp_path / "it" / "config.json", **{key: value})
    said = refused(tmp_path / "it")
    assert key in said
    assert "do not heed" in said


DESCRIBING = {
    "llama": {"pretraining_tp": 2, "rope_interleaved": False, "is_llama_config": True}
    | {"max_window_layers": 28, "use_sliding_window": False, "sliding_window": None}
    | {"temperature": 0.6, "_attn_implementation_autoset": True, "logit_scale": 1.0},
    "gpt2": {"n_ctx": 64, "summary_activation": None, "scale_attn_weights": True},
    "gemma2": {"hidden_act": "gelu_pytorch_tanh", "cache_implementation": "hybrid"},
    "bloom": {"attention_softmax_in_fp32": True, "masked_softmax_fusion": True}
    | {"bias_dropout_fusion": True, "offset_alibi": 100, "skip_bias_add": True},
    "gptj": {"rotary": True, "scale_attn_weights": True},
    "neox": {"rotary_emb_base": 10000, "rotary_pct": 0.5, "attention_dropout": 0.1},
}
"""Settings of real models' files that change no number of theirs."""


@pytest.mark.parametrize("kind", DESCRIBING)
def test_settings_of_real_files_that_change_nothing_are_no_obstacle(tmp_path, kind):
    hugging_face.write(kind, tmp_path / "it")
    change(tmp_path / "it" / "config.json", **DESCRIBING[kind])
    assert Engine().answer(LoadModel(str(tmp_path / "it"))).n_layers == 3


@pytest.mark.parametrize("method", ["gptq", "awq", "bitsandbytes"])
def test_quantised_weights_are_named_and_what_to_open_instead(folder, method):
    change(folder / "config.json", quantization_config={"quant_method": method, "bits": 4})
    said = refused(folder)
    assert f"quantised ({method.upper()})" in said
    assert "GGUF" in said
    assert "pip" not in said


def test_code_of_the_class_that_transformers_has_itself_is_said_not_to_be_run(folder):
    where = {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.LlamaForCausalLM"}
    change(folder / "config.json", auto_map=where)
    (said,) = Engine().answer(LoadModel(str(folder))).notices
    assert "own.LlamaForCausalLM" in said
    assert "not run" in said


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"add_bos_token": True}, "the model's own tokenizer puts it before a text"),
        ({"add_bos_token": False}, "TransformerLens's habit"),
        ({}, "TransformerLens's habit"),
        ({"bos_token": None}, "the vocabulary has no BOS token"),
    ],
)
def test_why_bos_is_put_first_is_said(folder, changes, reason):
    change(folder / "tokenizer_config.json", **changes)
    facts = Engine().answer(LoadModel(str(folder)))
    assert reason in facts.bos_reason
    assert facts.prepend_bos is ("bos_token" not in changes)


@pytest.mark.parametrize("how", ["torch", "pickle"])
def test_a_pickle_runs_nothing(folder, tmp_path, how):
    marker = tmp_path / "ran"
    (folder / "model.safetensors").unlink()
    file = folder / "pytorch_model.bin"
    if how == "torch":
        torch.save({"model.norm.weight": Malicious(marker), "rest": torch.zeros(70_000)}, file)
    else:
        file.write_bytes(pickle.dumps((Malicious(marker), bytes(280_000))))
    said = refused(folder)
    assert "weights cannot be read" in said
    assert "weights_only" not in said
    assert not marker.exists()


def test_a_pickle_of_weights_opens(folder):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    assert Engine().answer(LoadModel(str(folder))).n_layers == 3


def test_code_in_a_folder_is_not_run(folder, tmp_path):
    marker = tmp_path / "ran"
    code = f"import os\nos.mkdir({str(marker)!r})\n"
    (folder / "modeling_own.py").write_text(code)
    where = {"AutoConfig": "modeling_own.Config", "AutoModelForCausalLM": "modeling_own.Model"}
    change(folder / "config.json", model_type="own-code", auto_map=where)
    assert "does not run" in refused(folder)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("mamba", "has no attention to show"),
        ("olmo2", "its heads read the stream without a norm"),
        ("gpt-oss", "is not the sum of its heads"),
        ("codegen", "TransformerLens wraps its architecture, and cannot run it"),
        ("helium", "TransformerLens cannot wrap this helium model"),
        ("bert", "bert model"),
        ("olmo-clipped", "clips queries, keys and values to 8,"),
        ("mpt-clipped", "clips queries, keys and values to 6,"),
    ],
)
def test_an_architecture_that_would_be_shown_wrong_is_refused(tmp_path, kind, says):
    hugging_face.write(kind, tmp_path / kind)
    assert says in refused(tmp_path / kind)


def test_what_does_not_fit_in_memory_is_refused_before_it_is_read(folder, monkeypatch):
    class Full:
        available = 200_000

    monkeypatch.setattr(psutil, "virtual_memory", Full)
    text = refused(folder)
    assert "parameters" in text
    assert "195.3 KiB are free" in text


def test_the_model_in_use_stays_in_use_when_another_is_refused(folder, tmp_path):
    engine = Engine()
    before = engine.answer(LoadModel("toy"))
    with pytest.raises(Refused):
        engine.answer(LoadModel(str(tmp_path)))
    assert engine._model.name == before.name == "toy"


@pytest.mark.parametrize("content", [b"", b"hello", b"GGUF", b"GGUF" + b"\xff" * 60])
def test_a_file_that_is_no_gguf_is_refused(tmp_path, content):
    file = tmp_path / "it.gguf"
    file.write_bytes(content)
    assert "it.gguf" in refused(file)


def test_the_sizes_are_known_before_anything_is_read(folder):
    found = sources.load(str(folder))
    assert 4 * found.parameters < found.peak_in(Placing()) <= 6 * found.parameters
    assert found.parameters == sum(
        it.numel() for it in load_file(folder / "model.safetensors").values()
    )
