"""Whatever happens to a model's files, it opens or is refused in a sentence, and runs nothing."""

import json
import shutil

import pytest
import torch
import transformers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from engine import Engine
from engine.messages import EstimateModel, LoadModel, Refused, RunPrompt
from tests.engine.conftest import write_model
from tests.engine.sources import gguf_files, state_dicts
from tests.oracles import hugging_face, state_dict


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Make models of every format, each a folder."""
    root = tmp_path_factory.mktemp("whole")
    hugging_face.write("llama", root / "folder")
    hugging_face.write("gpt2", root / "pickle")
    stored = load_file(root / "pickle" / "model.safetensors")
    (root / "pickle" / "model.safetensors").unlink()
    torch.save(stored, root / "pickle" / "pytorch_model.bin")
    hugging_face.make("llama").save_pretrained(root / "shards", max_shard_size="60kB")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(root / "folder" / file, root / "shards" / file)
    about = state_dict.config(act_fn="solu_ln")
    state_dicts.write(root / "state-dict", about, state_dict.random(about))
    about = state_dict.config("LNPre", attn_only=True)
    folder = state_dicts.write(root / "safe-state-dict", about, {}, "x.safetensors")
    save_file(state_dict.random(about), folder / "x.safetensors")
    write_model(root / "own")
    (root / "gguf").mkdir()
    gguf_files.write(root / "gguf" / "model.gguf")
    return root


STRANGE = (0, -1, 3, 2**40, 1.5, "x", None, True, [], {}, [3], {"a": "b"}, ["full_attention"])
"""Values that a setting may have by mistake; sizes that no memory holds among them."""


def harmed(folder, data):
    """Do something to one of a folder's files."""
    file = data.draw(st.sampled_from(sorted(folder.iterdir())), label="file")
    content = bytearray(file.read_bytes())
    ways = ["remove", "cut", "flip", "flip early", "swap", *["edit"] * (file.suffix == ".json")]
    how = data.draw(st.sampled_from(ways), label="how")
    if how == "remove":
        return file.unlink()
    if how == "cut":
        return file.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    if how == "edit":
        record = json.loads(content)
        key = data.draw(st.sampled_from(sorted(record)), label="key")
        return file.write_text(json.dumps(record | {key: data.draw(st.sampled_from(STRANGE))}))
    if how == "swap":
        other = data.draw(st.sampled_from(sorted(folder.iterdir())), label="other")
        return file.write_bytes(other.read_bytes())
    last = len(content) - 1 if how == "flip" else min(len(content) - 1, 2000)
    for place in data.draw(st.lists(st.integers(0, last), min_size=1, max_size=4)):
        content[place] ^= data.draw(st.integers(1, 255))
    return file.write_bytes(content)


KINDS = ("folder", "pickle", "shards", "state-dict", "safe-state-dict", "own", "gguf")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_model_opens_or_is_refused_and_the_one_in_use_stays(whole, tmp_path, kind, data):
    folder = tmp_path / "it"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole / kind, folder)
    harmed(folder, data)
    engine = Engine()
    engine.answer(LoadModel("toy"))
    name = str(folder / "model.gguf" if kind == "gguf" else folder)
    try:
        engine.answer(EstimateModel(name))
        assert engine.answer(LoadModel(name)).name == name
    except Refused as refusal:
        text = str(refusal)
        assert "\n" not in text
        assert len(text) < 500
        assert engine._model.name == "toy"
        assert len(engine.answer(RunPrompt("toy", "ans")).ids) == 1


@pytest.mark.parametrize(
    ("name", "other"),
    [
        (b"llama.block_count", b"llamb.block_count"),  # transformers would take its own 32 layers
        (b"llama.embedding_length", b"llamb.embedding_length"),
        (b"llama.feed_forward_length", b"llamb.feed_forward_length"),
        (b"llama.block_count\4\0\0\0\2\0", b"llama.block_count\4\0\0\0\2\1"),
        (b"llama.block_count\4\0\0\0\2\0\0\0", b"llama.block_count\4\0\0\0\2\0\0\1"),
    ],
)
def test_a_header_that_means_a_giant_is_refused_before_the_giant_is_built(
    whole, tmp_path, monkeypatch, name, other
):
    content = (whole / "gguf" / "model.gguf").read_bytes()
    assert name in content
    file = tmp_path / "model.gguf"
    file.write_bytes(content.replace(name, other))
    never_read(monkeypatch)
    with pytest.raises(Refused, match=r"means [0-9,]+ (parameters|layers), and|header lacks"):
        Engine().answer(LoadModel(str(file)))


def test_a_header_that_means_more_layers_than_there_are_is_refused_by_the_estimate(whole, tmp_path):
    file = tmp_path / "model.gguf"
    content = (whole / "gguf" / "model.gguf").read_bytes()
    count = b"llama.block_count\4\0\0\0"
    file.write_bytes(content.replace(count + b"\2\0\0\0", count + b"\2\0\0\1"))
    with pytest.raises(Refused, match="16,777,218 layers, and it holds 2"):
        Engine().answer(EstimateModel(str(file)))


@pytest.mark.parametrize("kind", ["folder", "pickle"])
@pytest.mark.parametrize("size", ["vocab_size", "layers", "width"])
def test_a_config_that_means_a_giant_is_refused_before_the_giant_is_built(
    whole, tmp_path, monkeypatch, kind, size
):
    folder = shutil.copytree(whole / kind, tmp_path / "it")
    config = json.loads((folder / "config.json").read_text())
    names = {
        "folder": {"layers": "num_hidden_layers", "width": "intermediate_size"},
        "pickle": {"layers": "n_layer", "width": "n_inner"},
    }
    key = names[kind].get(size, size)
    giant = config | {key: 100 if size == "layers" else 2**30}
    (folder / "config.json").write_text(json.dumps(giant))
    never_read(monkeypatch)
    with pytest.raises(Refused, match=r"its config means [0-9,]+ parameters, and its weights are"):
        Engine().answer(LoadModel(str(folder)))


def never_read(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("transformers was asked to build it")

    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", fail)


def test_a_shape_that_its_bytes_cannot_hold_is_refused_by_the_estimate(whole, tmp_path):
    folder = shutil.copytree(whole / "folder", tmp_path / "it")
    file = folder / "model.safetensors"
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["lm_head.weight"]["shape"] = [2**40, 48]
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    with pytest.raises(Refused, match=r"lm_head\.weight has more numbers than bytes"):
        Engine().answer(EstimateModel(str(folder)))
