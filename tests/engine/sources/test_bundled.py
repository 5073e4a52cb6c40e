import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from engine.messages import Refused
from engine.sources import bundled
from tests.engine.conftest import write_model


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "small")


def edit(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


def test_weights_are_read_as_they_are_stored(folder):
    checkpoint = bundled.read_folder(folder)
    stored = load_file(folder / "model.safetensors")
    assert checkpoint.tensors.keys() == stored.keys()
    for name, tensor in checkpoint.tensors.items():
        assert tensor.dtype == np.float32
        np.testing.assert_array_equal(tensor, stored[name])


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(Refused, match=f"small lacks the file {name}"):
        bundled.read_folder(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("size", [0, 100])
def test_a_truncated_file_is_named(folder, name, size):
    (folder / name).write_bytes((folder / name).read_bytes()[:size])
    with pytest.raises(Refused, match=name):
        bundled.read_folder(folder)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model_type": "gpt2"}, "is not that of a headscope-attn-only model"),
        ({"positions": "rotary"}, "config.json is damaged: .*rotary"),
        ({"d_head": 7}, r"blocks.0.attn.W_Q is \(3, 20, 6\), and config.json means \(3, 20, 7\)"),
        ({"n_layers": 3}, "lacks 8 of the model's tensors, such as blocks.2.attn.W_K"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(folder, changes, sentence):
    edit(folder, **changes)
    with pytest.raises(Refused, match=sentence):
        bundled.read_folder(folder)


def test_a_tokenizer_of_another_size_is_refused(folder):
    tensors = load_file(folder / "model.safetensors")
    tensors["embed.W_E"] = tensors["embed.W_E"][:-1]
    tensors["unembed.W_U"] = tensors["unembed.W_U"][:, :-1].copy()
    tensors["unembed.b_U"] = tensors["unembed.b_U"][:-1]
    save_file(tensors, folder / "model.safetensors")
    edit(folder, d_vocab=299)
    with pytest.raises(Refused, match=r"tokenizer.json has 300 tokens, .* 299"):
        bundled.read_folder(folder)


def test_the_list_describes_each_model_without_reading_its_weights(folder, monkeypatch):
    monkeypatch.setattr(bundled, "models_folder", lambda: folder.parent)
    (folder / "model.safetensors").unlink()
    (entry,) = bundled.entries()
    assert entry.name == "small"
    assert "2 layers of 3 heads, 300 tokens" in entry.about


def test_a_damaged_model_is_listed_as_such_and_hides_no_other(tmp_path, monkeypatch):
    for name in ("good", "bad"):
        write_model(tmp_path / name)
    (tmp_path / "bad" / "config.json").write_text("{")
    monkeypatch.setattr(bundled, "models_folder", lambda: tmp_path)
    about = {entry.name: entry.about for entry in bundled.entries()}
    assert about["bad"].startswith("damaged")
    assert "layers" in about["good"]
